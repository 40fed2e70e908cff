"""Exact counts, against formulas and against visiting every point."""

from __future__ import annotations

import islpy as isl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sisyphus.poly import CountError, count, make_set, sides, var, within


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{ A[] }", 1),
        ("{ A[i] : 1 = 0 }", 0),
        ("{ A[i, j] : 0 <= i < 4000 and 0 <= j < 3000 }", 12_000_000),
        ("{ A[i, j] : 0 <= i < 4000 and 0 <= j <= i }", 4000 * 4001 // 2),
        ("{ A[i, j, k] : 0 <= i < 4000 and 0 <= j < i and 0 <= k < j }", 4000 * 3999 * 3998 // 6),
        ("{ A[i] : 0 <= i < 10 or 5 <= i < 30 }", 30),
        ("{ A[i, j] : 0 <= i < 4000 and 0 <= 2j <= i }", 2000 * 2001),
        ("{ A[d] : exists y, p : d = 2y + p and 0 <= y < 224 and 0 <= p < 5 }", 451),
        ("{ A[d] : exists y : d = 3y and 0 <= y < 224 }", 224),
        ("{ A[i, j] : 0 <= i < 100 and 3j = 2i }", 34),
    ],
)
def test_known_counts(text: str, expected: int) -> None:
    assert count(isl.Set(text)) == expected


def test_a_tetrahedron_is_counted_without_a_look_at_each_point() -> None:
    i, j, k = var("i"), var("j"), var("k")
    n = 4_000_000
    found = count(make_set("S", ["i", "j", "k"], at_least_zero=[i, n - 1 - i, j, i - 1 - j, k, j - 1 - k]))
    assert found == n * (n - 1) * (n - 2) // 6


def test_what_cannot_be_counted_says_so() -> None:
    with pytest.raises(CountError, match="unbounded"):
        count(isl.Set("{ A[i, j] : 0 <= i < 9 }"))
    many_slices = isl.Set(
        "{ A[i, j, k] : 0 <= 2i + 3j + 5k <= 100000 and 0 <= 7i - 3j <= 90000 and 0 <= 2k - 3i <= 7777 }"
    )
    with pytest.raises(CountError, match="too many"):
        count(many_slices, limit=50)


NAMES = ("i", "j", "k")
FACTOR = st.integers(-3, 3)


@st.composite
def small_sets(draw: st.DrawFn) -> isl.Set:
    """A box cut by half spaces and a remainder, maybe united with another."""
    names = NAMES[: draw(st.integers(1, 3))]

    def part() -> str:
        conditions = [f"0 <= {n} < {draw(st.integers(1, 6))}" for n in names]
        for _ in range(draw(st.integers(0, 3))):
            terms = " + ".join(f"{draw(FACTOR)}*{n}" for n in names)
            conditions.append(f"{terms} + {draw(st.integers(-4, 6))} >= 0")
        if draw(st.booleans()):
            terms = " + ".join(f"{draw(FACTOR)}*{n}" for n in names)
            divisor, rest = draw(st.integers(2, 4)), draw(st.integers(0, 2))
            conditions.append(f"({terms}) mod {divisor} {draw(st.sampled_from(['=', '<=']))} {rest}")
        return f"({' and '.join(conditions)})"

    parts = " or ".join(part() for _ in range(draw(st.integers(1, 2))))
    return isl.Set(f"{{ A[{', '.join(names)}] : {parts} }}")


@settings(max_examples=200, deadline=None, derandomize=True)
@given(small_sets())
def test_counts_agree_with_visiting(points: isl.Set) -> None:
    visited: list[isl.Point] = []
    points.foreach_point(visited.append)
    assert count(points) == len(visited)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(small_sets())
def test_shadows_are_counted_once(points: isl.Set) -> None:
    """A projection leaves existential variables behind."""
    shadow = points.apply(isl.Map(f"{{ A[{', '.join(NAMES[: points.dim(isl.dim_type.set)])}] -> B[2i] }}"))
    visited: list[isl.Point] = []
    shadow.foreach_point(visited.append)
    assert count(shadow) == len(visited)


def test_isl_may_give_up_at_any_step() -> None:
    """Also as it writes out a number, which it then tells nobody."""
    points = make_set("s", ("i", "j"), at_least_zero=[var("i"), 9 - var("i"), var("j") - 2 * var("i"), 30 - var("j")])
    answers = [within(steps, lambda: sides(points.subtract(points.lexmin()))) for steps in range(1, 2500)]
    assert {*answers} == {None, ((0, 9), (1, 30))}
