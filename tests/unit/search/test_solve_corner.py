"""Arrays of a nest without any loop: the part that it touches is loaded and stored around its one call."""

from __future__ import annotations

from dataclasses import replace

import pytest
import spoil
from best_of_space import find_best
from builders import scop
from plan_interpreter import differences, run_plan, run_source, some_memory
from random_knobs import random_points

from sisyphus.analysis import dependences, distribute, liveness, with_views
from sisyphus.errors import KernelError
from sisyphus.model import estimate
from sisyphus.plan import build_plan, check_point
from sisyphus.plan.tree import Copy
from sisyphus.search import MeasuredCosts, Terms, point_of
from sisyphus.search.check import faults
from sisyphus.space import NEST_PLACE, DesignPoint, Options, Space, apply_fixes, build_space, choices, decode
from sisyphus.target import load_device, make_target
from sisyphus.verification import prove

#: The last element of a matrix is written after all others, as in correlation.
TEXT = """
for i in range(8):
    for j in range(8):
        C[i, j] = A[i, j] * beta
C[7, 7] = C[7, 7] + C[6, 7]
for i in range(8):
    for j in range(8):
        D[i, j] = C[i, j] + A[j, i]
"""
ARRAYS = {"C": (8, 8), "A": (8, 8), "D": (8, 8)}


def space_of(*, onchip_bytes: int | None = None, outer_places: bool = True) -> Space:
    kernel = scop(TEXT, **ARRAYS)
    deps = dependences(kernel)
    target = make_target(load_device("u200"), budget="chip", onchip_bytes=onchip_bytes)
    options = Options(outer_places=outer_places)
    return build_space(kernel, deps, distribute(kernel, deps), liveness(kernel), target, options)


def found_by_search(space: Space) -> DesignPoint:
    solution = find_best(MeasuredCosts(space), Terms()).solution
    assert solution is not None
    return point_of(space, solution)


def test_only_a_nest_without_loops_has_the_place() -> None:
    space = space_of()
    with_place = {nest.id: [u.array for u in nest.arrays if NEST_PLACE in u.places] for nest in space.nests}
    assert with_place == {"S0": [], "S1": ["C"], "S2": []}
    assert not any(NEST_PLACE in u.places for n in space_of(outer_places=False).nests for u in n.arrays)
    point = next(iter(random_points(space, 1)))
    elsewhere = tuple(replace(b, nests=("S0",), place=NEST_PLACE) if "S0" in b.nests else b for b in point.buffers)
    with pytest.raises(KernelError, match="is no loop around its nests"):
        check_point(space.scop, space.distribution, replace(point, buffers=elsewhere))


def test_any_point_computes_what_the_source_computes_and_costs_no_less_than_the_bound() -> None:
    space, around = space_of(), 0
    costs = MeasuredCosts(space)
    result = find_best(costs, Terms())
    for point in random_points(space, 12, seed=5):
        assert decode(space, choices(space, point)) == point
        assert faults(costs, point) == ()
        plan = build_plan(space.scop, space.distribution, space.live, point)
        memory = some_memory(space.scop)
        assert differences(space.scop, run_source(space.scop, memory), run_plan(plan, memory)) == []
        assert prove(plan, space.dependences).failures == ()
        assert estimate(plan, space.target).cycles >= result.bound
        around += any(b.place == NEST_PLACE and b.nests == ("S1",) for b in point.buffers)
    assert around > 2


@pytest.mark.long
def test_the_search_finds_it_where_the_array_does_not_fit() -> None:
    less = 4 * 64
    point = found_by_search(space_of(onchip_bytes=less))
    [corner] = [b for b in point.buffers if b.nests == ("S1",)]
    assert (corner.id, corner.place) == ("C@S1", NEST_PLACE)
    assert find_best(MeasuredCosts(space_of(onchip_bytes=less, outer_places=False)), Terms()).solution is None


def test_only_the_box_that_the_nest_touches_is_moved_and_a_lost_store_is_found() -> None:
    space = space_of()
    fixed = apply_fixes(space, ["S0.C.place=i", "S1.C.place=nest", "S2.C.place=i"])
    plan = build_plan(space.scop, space.distribution, space.live, found_by_search(fixed))
    [corner] = [b for b in plan.buffers if b.place == NEST_PLACE]
    assert (corner.extents, [o.constant for o in corner.origin]) == ((2, 8), [6, 0])
    assert {n.transfer for n in plan.body if isinstance(n, Copy)} >= {"load_C_S1", "store_C_S1"}
    assert prove(plan, space.dependences).passed
    lost = spoil.everywhere(plan, lambda n: () if n == Copy("store_C_S1") else None)
    assert any("data of C" in check.name for check in prove(lost, space.dependences).failures)


def test_an_array_of_a_nest_without_loops_has_views() -> None:
    kernel = scop("for i in range(6):\n for j in range(6):\n  C[i, j] = C[j, i] + 1.0\nC[5, 5] = 1.0", C=(6, 6))
    viewed = with_views(kernel, distribute(kernel, dependences(kernel)))
    assert viewed is not None
    assert {(v.nest, len(v.refs)) for v in viewed.views} >= {("S1", 1)}
    deps = dependences(kernel)
    target = make_target(load_device("u200"), budget="chip")
    live = viewed.live(liveness(kernel))
    space = build_space(viewed.scop, deps, distribute(kernel, deps), live, target, Options())
    assert space.nest("S1").arrays[0].places == (NEST_PLACE,)
    for point in random_points(space, 5):
        plan = build_plan(space.scop, space.distribution, space.live, point)
        assert prove(plan, deps).failures == ()
