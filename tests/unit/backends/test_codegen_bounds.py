"""Loop bounds: rounding is right on both sides of zero, constants are folded, ranges are never too small."""

from __future__ import annotations

import itertools
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from sisyphus.backends.hls.express import Affines
from sisyphus.backends.hls.loop_bounds import HELPERS, Bounds, least_trips
from sisyphus.plan import Bound, For, LoopRole, Quotient
from sisyphus.plan.ranges import loop_range, ranges_of
from sisyphus.plan.walks import ranges_at
from sisyphus.poly import Affine, affine_range, const, var
from sisyphus.tools import run_tool

RANGES = {"i": (-7, 9), "j": (0, 5)}


def printer() -> Bounds:
    return Bounds(Affines({"i": "i", "j": "j"}), set())


def bound(*terms: tuple[Affine, int]) -> Bound:
    return Bound(tuple(Quotient(n, d) for n, d in terms))


def test_constants_are_folded() -> None:
    assert printer().lower(bound((const(-7), 2)), {}) == "-3"
    assert printer().below(bound((const(-7), 2)), {}) == "-4 + 1"
    assert printer().below(Bound.constant(9), {}) == "10"
    assert printer().below(bound((var("j") - 1, 1)), RANGES) == "j"


def test_plain_division_where_nothing_is_negative() -> None:
    bounds = printer()
    assert bounds.below(bound((var("j"), 4)), RANGES) == "j / 4 + 1"
    assert bounds.lower(bound((var("j"), 4)), RANGES) == "(j + 3) / 4"
    assert bounds.helpers == set()


def test_helpers_where_something_may_be() -> None:
    bounds = printer()
    assert bounds.lower(bound((var("i"), 4), (const(0), 1)), RANGES) == "larger(ceil_div(i, 4), 0)"
    assert bounds.below(bound((2 * var("i"), 3), (var("j"), 1)), RANGES) == "smaller(floor_div(2*i, 3), j) + 1"
    assert bounds.helpers == {"larger", "smaller", "floor_div", "ceil_div"}


def test_printed_bounds_have_the_values_of_the_plan(tmp_path: Path) -> None:
    terms = [
        (var("i") * a + var("j") * b + c, d) for a, b, c, d in itertools.product((-2, 1), (0, 3), (-5, 4), (1, 3, 4))
    ]
    bounds, checks = printer(), []
    for at, term in enumerate(terms):
        pair = bound(term, terms[(at * 5 + 1) % len(terms)])
        lower, below = bounds.lower(pair, RANGES), bounds.below(pair, RANGES)
        for i, j in itertools.product((-7, -1, 0, 4, 9), (0, 2, 5)):
            values = [(t.numerator.evaluate({"i": i, "j": j}), t.divisor) for t in pair.terms]
            want_low, want_high = max(-(-n // d) for n, d in values), min(n // d for n, d in values)
            checks.append(f"{{ int i = {i}, j = {j}; bad += (i + j != {i + j}) || ({lower}) != {want_low}; }}")
            checks.append(f"{{ int i = {i}, j = {j}; bad += (i + j != {i + j}) || ({below}) != {want_high + 1}; }}")
    helpers = "".join(f"{HELPERS[h][0]} {{ {HELPERS[h][1]} }}\n" for h in sorted(bounds.helpers))
    body = "\n".join(checks)
    (tmp_path / "bounds.cpp").write_text(f"{helpers}int main() {{ int bad = 0;\n{body}\nreturn bad != 0; }}\n")
    run_tool(
        ["g++", "-std=c++14", "-Wall", "-Wextra", "-Werror", "bounds.cpp", "-o", "bounds"], cwd=tmp_path, timeout_s=300
    )
    run_tool([tmp_path / "bounds"], cwd=tmp_path, timeout_s=300)


SMALL = st.integers(-4, 4)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(SMALL, SMALL, SMALL, st.integers(1, 4))
def test_ranges_hold_every_value(a: int, b: int, c: int, divisor: int) -> None:
    value = var("i") * a + var("j") * b + c
    low, high = affine_range(value, RANGES)
    loop = For("k", "k", bound((value, divisor)), bound((value + 6, divisor)), 9, LoopRole.TILE, ())
    first, last = loop_range(loop, RANGES)
    for i, j in itertools.product(range(-7, 10), range(6)):
        here = value.evaluate({"i": i, "j": j})
        assert low <= here <= high
        assert first <= -(-here // divisor)
        assert (here + 6) // divisor <= last


def test_ranges_of_a_tree() -> None:
    inner = For("j", "j", bound((var("i"), 1)), bound((var("i") + 2, 1)), 3, LoopRole.TILE, ())
    outer = For("i", "i", Bound.constant(1), Bound.constant(4), 4, LoopRole.TILE, (inner,))
    assert ranges_at((outer,), {"t": (0, 1)}) == {"t": (0, 1), "i": (1, 4), "j": (1, 6)}


def test_quotients_of_an_iterator_range_with_it() -> None:
    loop = For("i", "i", Bound.constant(5), Bound.constant(17), 13, LoopRole.TILE, (), quotients=(("q", 4), ("r", 2)))
    assert ranges_of(loop, {}) == {"i": (5, 17), "q": (1, 4), "r": (2, 8)}


@settings(max_examples=100, derandomize=True, deadline=None)
@given(SMALL, SMALL, st.integers(1, 3), SMALL, SMALL, st.integers(1, 3))
def test_least_trips_are_never_too_many(a: int, b: int, c: int, d: int, e: int, f: int) -> None:
    lower, upper = (var("i") * a + b, c), (var("i") * d + var("j") + e, f)
    loop = For("k", "k", bound(lower), bound(upper), 99, LoopRole.TILE, ())
    least = least_trips(loop, RANGES)
    for i, j in itertools.product(range(-7, 10), range(6)):
        here = {"i": i, "j": j}
        first, last = -(-lower[0].evaluate(here) // c), upper[0].evaluate(here) // f
        assert least <= max(0, last - first + 1)


def test_least_trips_of_a_band_are_exact() -> None:
    loop = For("k", "k", bound((var("i"), 1)), bound((var("i") + 3, 1)), 4, LoopRole.TILE, ())
    assert least_trips(loop, RANGES) == 4
