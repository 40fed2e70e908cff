"""Where tiles end: bounds that leave empty ones out, guards, and full tiles apart from those on a boundary."""

from __future__ import annotations

import random
from dataclasses import replace

import point_files
from builders import scop
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_interpreter import tile_visits
from plan_points import buffer, loops, nest, nodes, planned, same_result
from random_kernels import random_kernel, random_point

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.plan import For, Guard, LoopRole, build_plan, dump, walk
from sisyphus.space import KERNEL_PLACE, DesignPoint


def test_empty_tiles_of_a_triangle_are_skipped() -> None:
    plan = point_files.case("trmm-tiled").plan
    [k0] = [n for n in walk(plan.tasks[0].body) if isinstance(n, For) and n.iterator == "k0"]
    assert str(k0.lower.terms[0].numerator) == "i0 - 3" and k0.lower.terms[0].divisor == 4
    assert len(nodes(plan, Guard)) == 1


def test_bounds_that_leave_no_tile_out_are_constant() -> None:
    kernel = scop(
        "for i in range(24):\n  for j in range(i + 1):\n    for k in range(20):\n      C[i, j] += A[i, k] * A[j, k]",
        C=(24, 24),
        A=(24, 20),
    )
    point = DesignPoint(
        "built",
        (nest("S0", "jik", "i", i=(2, 2, 10), j=(2, 1, 19), k=(5, 1, 4)),),
        (buffer("C", "S0", KERNEL_PLACE, 1, 1), buffer("A", "S0", KERNEL_PLACE, 1, 1)),
    )
    [i0] = [n for n in walk(planned(kernel, point).tasks[0].body) if isinstance(n, For) and n.iterator == "i0"]
    assert (i0.lower.value, i0.upper.value) == (0, 1)


def test_a_full_tile_evaluates_no_guard() -> None:
    triangle, box = point_files.case("trmm-split").plan.tasks
    visits = tile_visits(triangle)
    full, boundary = [v for v in visits if not v.guards], [v for v in visits if v.guards]
    assert {v.runs for v in full} == {4 * 30}
    assert all(v.runs < 4 * 30 and v.guards == 4 * 30 for v in boundary)
    inside = {(i, k) for i in range(19) for k in range(4) if 4 * k >= i}
    assert {(v.values["i0"], v.values["k0"]) for v in full} == inside
    assert [(v.values["i0"], v.runs, v.guards) for v in tile_visits(box)] == [(0, 240, 0), (1, 240, 0), (2, 120, 240)]


def test_a_tile_that_is_not_split_is_guarded_throughout() -> None:
    triangle, _ = point_files.case("trmm-tiled").plan.tasks
    assert {v.guards for v in tile_visits(triangle)} == {4 * 30}


@settings(derandomize=True, max_examples=25, deadline=None, database=None)
@given(st.integers(0, 10**6))
def test_splitting_keeps_the_tiles_in_their_order(seed: int) -> None:
    rng = random.Random(seed)
    kernel = random_kernel(rng)
    deps = dependences(kernel)
    distribution, live = distribute(kernel, deps), liveness(kernel)
    point = random_point(rng, kernel, distribution, ahead=False)
    split = replace(point, nests=tuple(replace(n, split=True) for n in point.nests))
    plans = [build_plan(kernel, distribution, live, p) for p in (point, split)]
    for whole, apart in zip(*(p.tasks for p in plans), strict=True):
        if not whole.iterators:
            visits = [[(v.values, v.runs) for v in tile_visits(t) if v.runs] for t in (whole, apart)]
            assert visits[0] == visits[1], f"{kernel.origin.text}\n{dump(plans[1])}"
            assert sum(v.guards for v in tile_visits(apart)) <= sum(v.guards for v in tile_visits(whole))


def test_a_nest_without_full_tiles_is_not_split() -> None:
    kernel = scop("for i in range(7):\n    for j in range(5):\n        X[i, j] = 1.0", X=(7, 5))
    point = DesignPoint(
        "built",
        (replace(nest("S0", "ij", None, i=(4, 1, 2), j=(1, 1, 6)), split=True),),
        (buffer("X", "S0", KERNEL_PLACE, 1, 1),),
    )
    assert [name for name, _, _ in loops(planned(kernel, point), 0)] == ["i0", "i2", "j2"]


def test_a_pipelined_loop_that_starts_anew_is_bounded_and_not_guarded() -> None:
    kernel = scop("for i in range(12):\n    for j in range(i + 1):\n        X[i, j] *= Y[i]", X=(12, 12), Y=(12,))
    buffers = (buffer("X", "S0", KERNEL_PLACE, 1, 1), buffer("Y", "S0", "i", 1))
    alone = planned(kernel, DesignPoint("built", (nest("S0", "ij", "j", i=(12, 1, 1), j=(1, 12, 1)),), buffers))
    [j1] = [n for n in nodes(alone, For) if isinstance(n, For) and n.role is LoopRole.PIPELINED]
    assert str(j1.upper.terms[0].numerator) == "i0" and nodes(alone, Guard) == []
    assert same_result(kernel, alone) == []
    resident = (buffers[0], buffer("Y", "S0", KERNEL_PLACE, 1))
    flattened = planned(kernel, DesignPoint("built", (nest("S0", "ij", "j", i=(12, 1, 1), j=(1, 12, 1)),), resident))
    assert len(nodes(flattened, Guard)) == 1
    assert same_result(kernel, flattened) == []


def test_a_ragged_pipelined_loop_ends_with_its_last_iteration() -> None:
    kernel = scop("for i in range(11):\n    X[i] *= Y[i]", X=(11,), Y=(11,))
    point = DesignPoint(
        "built",
        (nest("S0", "i", "i", i=(3, 4, 1)),),
        (buffer("X", "S0", KERNEL_PLACE, 1), buffer("Y", "S0", "i", 1)),
    )
    plan = planned(kernel, point)
    [i1] = [n for n in nodes(plan, For) if isinstance(n, For) and n.role is LoopRole.PIPELINED]
    assert [str(q.numerator) for q in i1.upper.terms] == ["3", "-4*i0 + 10"] and nodes(plan, Guard) == []
    assert same_result(kernel, plan) == []
