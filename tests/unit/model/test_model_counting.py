"""Iterations of loops with affine bounds are counted exactly."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from builders import scop
from hypothesis import given, settings
from hypothesis import strategies as st
from model_candidates import kernel_of

from sisyphus import clock
from sisyphus.errors import KernelError
from sisyphus.model.counting import iterations as counting
from sisyphus.model.counting.iterations import Visits, survey
from sisyphus.model.counting.listed import POINTS_OF_ONE, Listed, Sampled, convex_points, listed
from sisyphus.model.counting.tilecount import tile_counts
from sisyphus.plan import Bound, For, Guard, LoopRole, Node, Quotient, Run
from sisyphus.poly import Affine, const, var
from sisyphus.target import load_device, make_target

TARGET = make_target(load_device("u200"), budget="chip")


def loop(name: str, low: Affine, high: Affine, *body: Node, by: int = 1, most: int = 9) -> For:
    return For(name, name, Bound((Quotient(low, by),)), Bound((Quotient(high, by),)), most, LoopRole.TILE, body)


def test_a_triangle_counts_as_listed() -> None:
    inner = loop("j", const(0), var("i") * 2 + 3, by=4)
    outer = loop("i", const(1), const(9), inner)
    needed = survey((outer,)).needed
    visits = Visits.once().into(outer, needed)
    assert visits.total() == 9
    assert visits.into(inner, needed).total() == sum((2 * i + 3) // 4 + 1 for i in range(1, 10))


def test_guards_keep_the_visits_where_they_hold() -> None:
    outer = loop("i", const(0), const(9), Guard((var("i") - 4,), (loop("j", const(0), const(2)),)))
    needed = survey((outer,)).needed
    assert needed == {"i"}
    assert Visits.once().into(outer, needed).where([var("i") - 4]).total() == 6


def test_outer_loops_count_apart() -> None:
    inner = loop("j", const(0), var("t") - 1)
    visits = Visits.each({"t": np.array([0, 3, 5])}, 3).into(inner, frozenset({"t"}))
    assert visits.total().tolist() == [0, 3, 5]
    assert visits.where([2 - var("t")]).total().tolist() == [0, 0, 0]
    plain = Visits.each({"t": np.array([0, 3, 5])}, 3)
    assert plain.total().tolist() == [1, 1, 1]
    assert plain.into(loop("k", const(0), const(3)), frozenset()).total().tolist() == [4, 4, 4]
    assert plain.where([var("t") - 1]).total().tolist() == [0, 1, 1]
    assert plain.into(loop("k", const(1), var("t")), frozenset({"t", "k"})).owner_of_each.tolist() == [1] * 3 + [2] * 5


def test_too_many_points_count_with_the_largest_trip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MOST_POINTS", 5)
    outer = loop("i", const(0), const(8))
    assert Visits.once().into(outer, frozenset({"i"})).total() == 9


def test_a_survey_knows_loops_and_what_their_bounds_ask_for() -> None:
    run = Run("S0", ())
    fixed = loop("k", const(0), const(3), run)
    moving = loop("j", const(0), var("i"), fixed)
    outer = loop("i", const(0), const(9), moving)
    found = survey((outer,))
    assert found.looping == {id(outer), id(moving), id(fixed)}
    assert found.needed == {"i"}


TRIANGLE = scop(
    """
    for i in range(12):
        for j in range(i, 15):
            for k in range(7):
                C[i, j] += A[i, k]
    """,
    C=(12, 15),
    A=(12, 7),
)


@given(st.permutations(["i", "j", "k"]), st.tuples(*[st.integers(1, 15)] * 3))
@settings(max_examples=40, derandomize=True, deadline=None)
def test_tiles_with_work_are_those_that_hold_a_point(order: list[str], sizes: tuple[int, int, int]) -> None:
    kernel = kernel_of(TRIANGLE, TARGET)
    counts = tile_counts(TRIANGLE, kernel.space.nests[0].nest)
    size = dict(zip("ijk", sizes, strict=True))
    points = [{"i": i, "j": j, "k": k} for i, j, k in itertools.product(range(12), range(15), range(7)) if j >= i]
    for length in range(4):
        prefix = order[:length]
        tiles = {tuple(point[name] // size[name] for name in prefix) for point in points}
        found = counts.visits(prefix, {name: np.array([s]) for name, s in size.items()}, skips=[])
        assert int(found[0]) == len(tiles)
    assert counts.points == len(points)


@pytest.mark.parametrize("steep", [1, 2, 5])
def test_tiles_of_wavefronts_are_those_that_hold_a_point(steep: int) -> None:
    """Row i of step t is at column w - steep t - i; of steep steps, rows between those of neighbours have no point."""
    points = [
        (w, t, i)
        for w, t, i in itertools.product(range(30), range(4), range(1, 7))
        if 1 <= w - steep * t - i <= 5 and (w + t) % 7
    ]
    rows = sorted({(w, t) for w, t, _ in points})
    ends = [[i for w, t, i in points if (w, t) == row] for row in rows]
    listed = Listed(("w", "t", "i"), np.array(rows), np.array(list(map(min, ends))), np.array(list(map(max, ends))))
    for sizes in itertools.product((1, 2), (1, 2, 3), (1, 2, 4)):
        tiles = {tuple(at // size for at, size in zip((w, t, i - 1), sizes, strict=True)) for w, t, i in points}
        given = {name: np.array([size]) for name, size in zip("wti", sizes, strict=True)}
        assert listed.tiles({"w": 0, "t": 0, "i": 1}, given)[0] == len(tiles)


def loop_of_some(
    parts: list[tuple[Affine, ...]],
    ranges: dict[str, tuple[int, int]],
    sizes: list[tuple[int | None, ...]],
    monkeypatch: pytest.MonkeyPatch,
) -> str:
    """The loop of which some tiles stand for all where a fifth of the points are too many; fewer than a quarter are.

    For every combination of sizes the counts are within a twentieth.
    """
    loops, lower = tuple(ranges), {name: low for name, (low, _) in ranges.items()}
    exact = listed(loops, parts, ranges)
    for name in ("ENOUGH_POINTS", "SOME_POINTS"):
        monkeypatch.setattr(f"sisyphus.model.counting.listed.{name}", len(exact.rows) // 5)
    some = listed(loops, parts, ranges)
    assert isinstance(exact, Listed)
    assert isinstance(some, Sampled)
    assert len(some.rows) < len(exact.rows) / 4
    for chosen in itertools.product(*sizes):
        given = {name: np.array([size]) for name, size in zip(loops, chosen, strict=True) if size}
        assert some.tiles(lower, given)[0] == pytest.approx(exact.tiles(lower, given)[0], rel=0.05)
    return loops[some.at]


@pytest.mark.parametrize("several", [False, True])
def test_some_tiles_of_the_first_loop_stand_for_all_where_points_are_many(
    several: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At w = 4 t + 2 i + j, as seidel-2d in wavefronts; of two parts, the other one lies after the first one's rows."""
    w, t, i = var("w"), var("t"), var("i")
    ranges = {"w": (3, 260), "t": (0, 29), "i": (1, 40)}
    box = (w - 4 * t - 2 * i - 1, 60 - w + 4 * t + 2 * i)
    parts = [(*box, 20 - i), (*box, i - 21)] if several else [box]
    assert loop_of_some(parts, ranges, [(1, 4, 90, None), (1, 3, 7), (1, 4, 9)], monkeypatch) == "w"


def test_tiles_inside_of_few_blocks_stand_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """As wavefronts in strips: so few blocks are all looked at, in some fronts each."""
    b, w, t, i = map(var, "bwti")
    ranges = {"b": (0, 4), "w": (3, 262), "t": (0, 29), "i": (1, 40)}
    parts = [(w - 4 * t - 2 * i - 1, 60 - w + 4 * t + 2 * i, 100 - 20 * b - i)]
    assert loop_of_some(parts, ranges, [(1, 2), (1, 4, 90, None), (1, 3), (1, 9)], monkeypatch) == "w"


def test_a_loop_of_few_iterations_does_not_stand_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the colours of a grid: all points lie in two of them, so that some tiles of a loop inside are looked at."""
    c, i, j = map(var, "cij")
    ranges = {"c": (0, 1), "i": (0, 199), "j": (0, 199)}
    parts = [(-c, i - j), (c - 1, j - i - 1)]
    assert loop_of_some(parts, ranges, [(1, 2), (1, 4, 50, None), (1, 9)], monkeypatch) == "i"


def test_points_that_counts_look_at_are_work() -> None:
    i, j = var("i"), var("j")
    points = listed(("i", "j"), [(i - j,), (j - i - 3,)], {"i": (0, 299), "j": (0, 299)})
    with clock.counting():
        points.tiles({"i": 0, "j": 0}, {"i": np.array([7]), "j": np.array([5])})
        assert clock.now() * clock.WORK_OF_ONE >= clock.CALL + len(points.rows) * 2 // POINTS_OF_ONE


def test_a_nest_in_outer_loops_knows_its_calls() -> None:
    kernel = kernel_of(
        scop(
            """
            for k in range(10):
                for i in range(k + 1, 10):
                    A[i, k] = A[i, k] / A[k, k]
                for i in range(k + 1, 10):
                    for j in range(k + 1, 10):
                        A[i, j] = A[i, j] - A[i, k] * A[k, j]
            """,
            A=(10, 10),
        ),
        TARGET,
    )
    nest = next(n for n in kernel.space.nests if len(n.loops) == 2)
    counts = tile_counts(kernel.scop, nest.nest)
    assert nest.nest.outer == ("k",)
    assert counts.runs in (9, 10)
    assert counts.points == sum((9 - k) ** 2 for k in range(10))
    sizes = {"i": np.array([3, 1]), "j": np.array([3, 10])}
    rows = [sum(len({(i // 3, j // 3) for i in range(9 - k) for j in range(9 - k)}) for k in range(10))]
    rows.append(sum(9 - k for k in range(10)))
    assert counts.visits(["i", "j"], sizes, skips=[]).tolist() == rows


BOUNDS = st.tuples(st.integers(-2, 2), st.integers(-3, 3), st.integers(0, 6))


def iterations(first: For, second: For) -> list[tuple[int, int]]:
    """Of two outer loops, one by one."""
    found = []
    for i in range(10):
        low, high = (b.terms[0].numerator.evaluate({"i": i}) for b in (second.lower, second.upper))
        found += [(i, j) for j in range(low, high + 1)]
    return found


@settings(derandomize=True, max_examples=60, deadline=None, database=None)
@given(BOUNDS, st.sets(st.sampled_from("ij")))
def test_outer_iterations_alike_are_taken_together(bounds: tuple[int, int, int], wanted: set[str]) -> None:
    slope, start, length = bounds
    first, second = (
        loop("i", const(0), const(9)),
        loop("j", var("i") * slope + start, var("i") * (slope + 1) + start + length - 4),
    )
    points = Visits.once().into_outer(first, frozenset({"i"})).into_outer(second, frozenset(wanted))
    names = [name for name in "ij" if name in wanted]
    listed = (dict(zip("ij", pair, strict=True)) for pair in iterations(first, second))
    each = Counter(tuple(pair[name] for name in names) for pair in listed)
    found = {tuple(int(points.values[n][at]) for n in names): int(points.weight[at]) for at in range(points.owners)}
    assert found == dict(each)


def test_many_outer_iterations_stand_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MOST_POINTS", 20)
    monkeypatch.setattr(counting, "FEWER_POINTS", 10)
    both = frozenset({"i", "j"})
    first, second = loop("i", const(0), const(9)), loop("j", var("i"), const(9))
    points = Visits.once().into_outer(first, both).into_outer(second, both)
    listed = iterations(first, second)
    assert points.owners < len(listed) == points.weight.sum()
    middle = (points.values["j"] * points.weight).sum()
    assert abs(middle - sum(j for _, j in listed)) < len(listed) / 2


def test_loops_that_bound_each_other_with_too_many_points_are_the_kernels_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(convex_points.__globals__, "MOST_POINTS", 20)
    with pytest.raises(KernelError, match="the loops i, j bound each other"):
        convex_points(("i", "j"), [var("i") - var("j")], {"i": (0, 9), "j": (0, 9)})
