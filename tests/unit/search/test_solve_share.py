"""Buffers under outer loops, for one nest or shared by several: as knobs, as points, and as plans that compute."""

from __future__ import annotations

from dataclasses import replace

import pytest
from best_of_space import find_best
from builders import scop
from plan_interpreter import differences, run_plan, run_source, some_memory
from random_knobs import random_points

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.errors import UsageError
from sisyphus.ir import ArrayId
from sisyphus.plan import build_plan, check_point
from sisyphus.search import MeasuredCosts, Terms, point_of
from sisyphus.search.check import faults
from sisyphus.search.share import sharings
from sisyphus.space import DesignPoint, Options, Space, apply_fixes, build_space, choices, decode
from sisyphus.target import load_device, make_target

#: A triangular solver, and sweeps over rows that stay under two loops; every array may move under an outer loop.
KERNELS = {
    "solver": (
        """
        for i in range(8):
            X[i] = B[i]
            for j in range(i):
                X[i] -= L[i, j] * X[j]
            X[i] = X[i] / L[i, i]
        """,
        {"X": (8,), "B": (8,), "L": (8, 8)},
    ),
    "rows": (
        """
        for t in range(3):
            for i in range(1, 6):
                for j in range(6):
                    A[i, j] = A[i - 1, j] + R[j]
                for j in range(6):
                    R[j] = A[i, j] * c
        """,
        {"A": (6, 6), "R": (6,)},
    ),
}


def space_of(name: str, *, onchip_bytes: int | None = None, outer_places: bool = True) -> Space:
    text, extents = KERNELS[name]
    kernel = scop(text, **extents)
    deps = dependences(kernel)
    target = make_target(load_device("u200"), budget="chip", onchip_bytes=onchip_bytes)
    options = Options(outer_places=outer_places)
    return build_space(kernel, deps, distribute(kernel, deps), liveness(kernel), target, options)


def computes(space: Space, point: DesignPoint) -> bool:
    check_point(space.scop, space.distribution, point)
    plan = build_plan(space.scop, space.distribution, space.live, point)
    memory = some_memory(space.scop)
    return differences(space.scop, run_source(space.scop, memory), run_plan(plan, memory)) == []


def best(space: Space) -> DesignPoint:
    solution = find_best(MeasuredCosts(space), Terms()).solution
    assert solution is not None
    return point_of(space, solution)


def places(point: DesignPoint, array: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(b.place, b.nests) for b in point.buffers if b.array == array]


@pytest.mark.parametrize("name", KERNELS)
def test_buffers_around_nests_and_shared_ones_compute_what_the_source_computes(name: str) -> None:
    space, around, shared = space_of(name), 0, 0
    for point in random_points(space, 25, seed=3):
        assert decode(space, choices(space, point)) == point
        around += any(b.place in space.nest(b.nests[0]).nest.outer for b in point.buffers)
        assert computes(space, point)
        for other in sharings(space, point):
            shared += 1
            assert computes(space, other)
            assert decode(space, choices(space, other)) == other
            assert faults(MeasuredCosts(space), other) == ()
    assert around > 5
    assert shared > 5


def test_a_shared_buffer_moves_less_and_is_offered_once() -> None:
    space = apply_fixes(space_of("solver"), ["S1.L.place=i", "S2.L.place=i"])
    own = best(space)
    assert places(own, "L") == [("i", ("S1",)), ("i", ("S2",))]
    [both] = [p for p in sharings(space, own) if places(p, "L") == [("i", ("S1", "S2"))]]
    assert not [p for p in sharings(space, both) if places(p, "L") == places(both, "L")]
    pinned = replace(space, pinned={"L@S1": (1, 1)})
    assert not [p for p in sharings(pinned, own) if len(places(p, "L")) == 1]
    loads = [t for t in build_plan(space.scop, space.distribution, space.live, both).transfers if t.array == "L"]
    assert len(loads) == 1


def test_a_place_further_out_is_one_buffer_for_all_nests_under_it() -> None:
    space = space_of("rows")
    [first, second] = [nest.id for nest in space.nests]
    assert space.nest(first).nest.outer == ("t", "i")
    fixed = apply_fixes(space, [f"{first}.R.place=t"])
    point = best(fixed)
    assert places(point, "R") == [("t", (first, second))]
    assert computes(fixed, point)
    with pytest.raises(UsageError, match="cannot be placed at"):
        apply_fixes(space_of("rows", outer_places=False), [f"{first}.R.place=t"])


@pytest.mark.parametrize("place", ["i", "t", "j", "kernel"])
def test_the_search_keeps_a_fixed_place(place: str) -> None:
    space = space_of("rows")
    fixed = apply_fixes(space, [f"{nest.id}.A.place={place}" for nest in space.nests])
    point = best(fixed)
    assert {b.place for b in point.buffers if b.array == "A"} == {place}
    assert faults(MeasuredCosts(fixed), point) == ()
    assert computes(fixed, point)


def test_what_a_nest_without_loops_uses_need_not_stay_on_chip() -> None:
    """The matrix does not fit; two nests have no loop of their own under which a part of it could be transferred."""
    whole = 4 * 8 * 8
    space = space_of("solver", onchip_bytes=whole)
    point = best(space)
    assert all(b.place != "kernel" for b in point.buffers if b.array == ArrayId("L"))
    assert computes(space, point)
    nothing = find_best(MeasuredCosts(space_of("solver", onchip_bytes=whole, outer_places=False)), Terms())
    assert nothing.solution is None


def test_a_place_that_the_space_lacks_is_a_fault() -> None:
    space = apply_fixes(space_of("solver"), ["S1.L.place=i", "S2.L.place=i"])
    point = best(space)
    without = space_of("solver", outer_places=False)
    assert any("cannot be transferred at `i`" in fault for fault in faults(MeasuredCosts(without), point))
