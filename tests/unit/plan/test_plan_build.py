"""From design points to plans: the loops, buffers and transfers that come out, and what they compute."""

from __future__ import annotations

import random
from dataclasses import replace

import point_files
import pytest
from builders import scop
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_interpreter import differences, run_plan, run_source, some_memory
from plan_points import buffer, loops, nest, nodes, planned, same_result
from random_kernels import random_kernel, random_point

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.errors import KernelError
from sisyphus.ir import Scop, StmtId
from sisyphus.plan import Copy, Direction, For, Guard, Hold, LoopRole, Run, build_plan, dump
from sisyphus.space import KERNEL_PLACE, DesignPoint, NestPoint, Tile, TransferPoint
from sisyphus.verification import prove

GEMM = """
for i in range(4):
    for j in range(6):
        C[i, j] *= beta
        for k in range(8):
            C[i, j] += alpha * A[i, k] * B[k, j]
"""


def gemm() -> Scop:
    return scop(GEMM, C=(4, 6), A=(4, 8), B=(8, 6))


def gemm_point() -> DesignPoint:
    return DesignPoint(
        "built",
        (
            nest("S0", "ij", "j", i=(2, 1, 2), j=(1, 6, 1)),
            nest("S1", "kij", "j", i=(2, 1, 2), j=(1, 6, 1), k=(4, 1, 2)),
        ),
        (buffer("C", "S0 S1", KERNEL_PLACE, 2, 1), buffer("A", "S1", "k", 2, 2), buffer("B", "S1", "k", 2, 1)),
    )


def test_gemm_tiled(expect) -> None:
    expect(dump(planned(gemm(), gemm_point())))


@pytest.mark.parametrize("name", point_files.ALL)
def test_points_compute_what_the_source_computes(name: str) -> None:
    case = point_files.case(name)
    assert same_result(case.scop, case.plan) == []


@settings(derandomize=True, max_examples=60, deadline=None, database=None)
@given(st.integers(0, 10**6))
def test_random_points_compute_what_the_source_computes(seed: int) -> None:
    rng = random.Random(seed)
    kernel = random_kernel(rng)
    deps = dependences(kernel)
    distribution, live = distribute(kernel, deps), liveness(kernel)
    memory = some_memory(kernel, seed)
    wanted = run_source(kernel, memory)
    for _ in range(3):
        plan = build_plan(kernel, distribution, live, random_point(rng, kernel, distribution, split=True))
        assert differences(kernel, wanted, run_plan(plan, memory)) == [], f"{kernel.origin.text}\n{dump(plan)}"


def test_same_point_same_plan_whatever_the_order_of_its_buffers() -> None:
    point = gemm_point()
    turned = replace(point, buffers=point.buffers[::-1])
    assert dump(planned(gemm(), point)) == dump(planned(gemm(), turned))


def test_level0_loop_of_one_iteration_stays_only_under_a_transfer() -> None:
    point = replace(
        gemm_point(),
        nests=(gemm_point().nests[0], nest("S1", "kij", "j", i=(1, 1, 4), j=(1, 6, 1), k=(1, 1, 8))),
    )
    plan = planned(gemm(), point)
    assert loops(plan, 1)[0] == ("k0", LoopRole.TILE, 1)
    assert [name for name, _, _ in loops(plan, 1)] == ["k0", "j1", "i2", "k2"]
    assert same_result(gemm(), plan) == []


def test_unrolled_reduction_loops_are_innermost() -> None:
    point = replace(
        gemm_point(),
        nests=(gemm_point().nests[0], nest("S1", "kij", None, i=(2, 1, 2), j=(3, 1, 2), k=(4, 1, 2))),
    )
    unrolled = [name for name, role, _ in loops(planned(gemm(), point), 1) if role is LoopRole.UNROLLED]
    assert unrolled == ["i2", "j2", "k2"]


def test_two_reduction_loops_keep_their_order() -> None:
    kernel = scop(
        """
        for i in range(4):
            for p in range(4):
                for q in range(4):
                    Y[i] += X[i + p] * W[p, q]
        """,
        Y=(4,),
        X=(7,),
        W=(4, 4),
    )
    point = DesignPoint(
        "built",
        (nest("S0", "piq", None, i=(4, 1, 1), p=(4, 1, 1), q=(2, 1, 2)),),
        tuple(buffer(a, "S0", KERNEL_PLACE, *(1,) * n) for a, n in (("Y", 1), ("X", 1), ("W", 2))),
    )
    assert same_result(kernel, planned(kernel, point)) == []


def test_hold_for_an_accumulator_in_registers() -> None:
    registers = replace(
        gemm_point(),
        buffers=(buffer("C", "S0 S1", KERNEL_PLACE, 4, 6), *gemm_point().buffers[1:]),
    )
    plan = planned(gemm(), registers)
    [hold] = nodes(plan, Hold)
    assert isinstance(hold, Hold) and str(hold.ref) == "C[2*i0 + i2][j1]"
    assert same_result(gemm(), plan) == []
    assert nodes(planned(gemm(), gemm_point()), Hold) == []
    assert nodes(planned(gemm(), replace(gemm_point(), tree_reduction=True)), Hold) == []


def test_no_hold_where_other_elements_of_the_array_are_read() -> None:
    kernel = scop("for i in range(4):\n    for k in range(i + 1, 6):\n        B[i] += A[k] * B[k]", B=(6,), A=(6,))
    point = DesignPoint(
        "built",
        (nest("S0", "ik", "i", i=(1, 4, 1), k=(1, 1, 5)),),
        (buffer("B", "S0", KERNEL_PLACE, 6), buffer("A", "S0", KERNEL_PLACE, 6)),
        tree_reduction=True,
    )
    assert nodes(planned(kernel, point), Hold) == []


def test_ragged_hold_is_guarded_outside_where_its_element_may_not_exist() -> None:
    point = replace(
        gemm_point(),
        nests=(gemm_point().nests[0], nest("S1", "kij", "j", i=(2, 1, 3), j=(1, 6, 1), k=(3, 1, 3))),
        buffers=tuple(buffer(a, n, KERNEL_PLACE, 9, 9) for a, n in (("C", "S0 S1"), ("A", "S1"), ("B", "S1"))),
    )
    plan = planned(gemm(), point)
    [guard, *_] = [n for n in nodes(plan, Guard) if isinstance(n, Guard) and isinstance(n.body[0], Hold)]
    assert [str(c) for c in guard.conditions] == ["-3*i0 - i2 + 3"]
    assert same_result(gemm(), plan) == []


def test_tile_that_is_written_before_it_is_read_is_not_loaded() -> None:
    kernel = scop("for i in range(4):\n    for j in range(6):\n        C[i, j] = A[j]", C=(4, 6), A=(6,))
    full = DesignPoint(
        "built",
        (nest("S0", "ij", "j", i=(4, 1, 1), j=(1, 6, 1)),),
        (buffer("C", "S0", "i", 1, 1), buffer("A", "S0", KERNEL_PLACE, 1)),
    )
    assert [t.id for t in planned(kernel, full).transfers] == ["store_C_S0", "load_A"]
    partly = scop("for i in range(4):\n    for j in range(5):\n        C[i, 2*j] = A[j]", C=(4, 10), A=(6,))
    point = replace(full, nests=(nest("S0", "ij", "j", i=(4, 1, 1), j=(1, 5, 1)),))
    assert "load_C_S0" in [t.id for t in planned(partly, point).transfers]


def test_resident_in_one_nest_and_tiled_in_the_next() -> None:
    case = point_files.case("2mm-mixed")
    names = [getattr(n, "transfer", getattr(n, "task", "")) for n in case.plan.body]
    assert names.index("task1") < names.index("store_tmp") < names.index("task3")


def test_reload_after_tiles_wrote() -> None:
    kernel = scop(
        """
        for i in range(4):
            C[i] *= beta
        for j in range(4):
            C[j] += A[j]
        for k in range(4):
            D[k] = C[k]
        """,
        C=(4,),
        A=(4,),
        D=(4,),
    )
    point = DesignPoint(
        "built",
        (nest("S0", "i", None, i=(4, 1, 1)), nest("S1", "j", None, j=(4, 1, 1)), nest("S2", "k", None, k=(4, 1, 1))),
        (
            buffer("C", "S0 S2", KERNEL_PLACE, 1),
            buffer("C", "S1", "j", 1),
            buffer("A", "S1", KERNEL_PLACE, 1),
            buffer("D", "S2", KERNEL_PLACE, 1),
        ),
    )
    plan = planned(kernel, point)
    names = [n.transfer if isinstance(n, Copy) else getattr(n, "task", "") for n in plan.body]
    assert names == ["load_C", "load_A", "task0", "store_C", "task1", "load_C", "task2", "store_D"]
    assert same_result(kernel, plan) == []


def test_a_buffer_that_its_nests_fill_in_part_is_loaded_where_others_share_its_array() -> None:
    kernel = scop(
        "for i in range(1):\n    C[i] = A[i]\nfor j in range(1, 4):\n    C[j] = C[j - 1] * A[j]", C=(4,), A=(4,)
    )
    point = DesignPoint(
        "built",
        (nest("S0", "i", None, i=(1, 1, 1)), nest("S1", "j", None, j=(3, 1, 1))),
        (buffer("C", "S0", KERNEL_PLACE, 1), buffer("C", "S1", "j", 1), buffer("A", "S0 S1", KERNEL_PLACE, 1)),
    )
    plan = planned(kernel, point)
    names = [n.transfer if isinstance(n, Copy) else getattr(n, "task", "") for n in plan.body]
    assert names.index("load_C") < names.index("task0") < names.index("store_C") < names.index("task1")
    assert same_result(kernel, plan) == []


def test_outer_loops_have_affine_bounds_and_tasks_get_their_iterators() -> None:
    plan = point_files.case("lu-resident").plan
    [outer] = [n for n in plan.body if isinstance(n, For)]
    [inner] = [n for n in outer.body if isinstance(n, For)]
    assert (str(inner.upper.terms[0].numerator), inner.upper.terms[0].divisor) == ("i - 1", 1)
    assert [t.iterators for t in plan.tasks] == [("i", "j"), ("i", "j"), ("i",)]


def test_parts_of_a_domain_are_runs_that_exclude_each_other() -> None:
    drawn = scop("for i in range(8):\n    if i < 2:\n        X[i] = 1.0\n    if i > 4:\n        X[i] = 2.0", X=(8,))
    first, second = drawn.statements
    both = replace(first, domain=first.domain.union(second.domain.set_tuple_name("S0")))
    kernel = replace(drawn, statements=(both,))
    point = DesignPoint("built", (nest("S0", "i", None, i=(4, 1, 2)),), (buffer("X", "S0", KERNEL_PLACE, 1),))
    plan = planned(kernel, point)
    assert len(nodes(plan, Run)) == 2
    assert same_result(kernel, plan) == []


def test_statements_of_one_nest_stay_in_textual_order() -> None:
    kernel = scop("for i in range(1, 6):\n    X[i] = Y[i - 1]\n    Y[i] = X[i] + X[i - 1]", X=(6,), Y=(6,))
    point = DesignPoint(
        "built",
        (NestPoint((StmtId("S0"), StmtId("S1")), ("i",), (("i", Tile(1, 5, 1)),), "i"),),
        (buffer("X", "S0+S1", KERNEL_PLACE, 1), buffer("Y", "S0+S1", KERNEL_PLACE, 1)),
    )
    plan = planned(kernel, point)
    assert [n.statement for n in nodes(plan, Run) if isinstance(n, Run)] == ["S0", "S1"]
    assert same_result(kernel, plan) == []


def test_names_avoid_those_of_the_kernel() -> None:
    kernel = scop(
        "for new in range(4):\n    buf_A[new] = task0 * 1.0\nfor i in range(4):\n    A[i] = i0 * buf_A[i]",
        A=(4,),
        buf_A=(4,),
    )
    point = DesignPoint(
        "built",
        (
            NestPoint((StmtId("S0"),), ("new",), (("new", Tile(4, 1, 1)),), None),
            nest("S1", "i", None, i=(2, 1, 2)),
        ),
        (buffer("A", "S1", KERNEL_PLACE, 1), buffer("buf_A", "S0 S1", KERNEL_PLACE, 1)),
    )
    point = replace(
        point, nests=(NestPoint((StmtId("S0"),), ("new",), (("new", Tile(4, 1, 1)),), None), point.nests[1])
    )
    plan = planned(kernel, point)
    assert [t.name for t in plan.tasks] == ["task0_2", "task1"]
    assert {b.id for b in plan.buffers} == {"buf_A_2", "buf_buf_A"}
    assert loops(plan, 1)[0][0] == "i0_2"
    assert same_result(kernel, plan) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nests": ()}, "its nests are none"),
        ({"buffers": ()}, "has 0 buffers of `C`"),
        ({"transfers": (TransferPoint("C", 4),)}, "4 elements per beat does not divide the last dimension"),
        ({"transfers": (TransferPoint("C", 3),)}, "is no power of two"),
        (
            {"transfers": (TransferPoint("C", 2, layout="woven"),)},
            "layout `woven` is none of `plain`, `padded`, `packed`",
        ),
        ({"transfers": (TransferPoint("C", 2, form="packed"),)}, "form `packed` is none of `direct`, `stream`"),
        ({"transfers": (TransferPoint("Q", 2),)}, "a transfer of no buffer `Q`"),
        ({"transfers": (TransferPoint("A@S1", 4, layout="padded"),)}, "does not divide the last dimension (4)"),
        (
            {
                "buffers": (
                    buffer("C", "S0", KERNEL_PLACE, 2, 1),
                    buffer("C", "S1", "i", 2, 1),
                    *gemm_point().buffers[1:],
                ),
                "transfers": (TransferPoint("C", 4, layout="padded"), TransferPoint("C@S1", 4)),
            },
            "`C` lies in memory in one layout, not as `padded`, `plain`",
        ),
        (
            {
                "buffers": (
                    buffer("C", "S0", KERNEL_PLACE, 2, 1),
                    buffer("C", "S1", "i", 2, 1),
                    *gemm_point().buffers[1:],
                ),
                "transfers": (TransferPoint("C", 4, layout="padded"), TransferPoint("C@S1", 2, layout="padded")),
            },
            "the rows of `C` are padded to beats of one width, not of 2 and 4",
        ),
        ({"buffers": (*gemm_point().buffers, gemm_point().buffers[0])}, "two buffers are `C`"),
        ({"buffers": (*gemm_point().buffers, buffer("Q", "S1", KERNEL_PLACE, 1))}, "no array `Q`"),
        ({"buffers": (*gemm_point().buffers, buffer("B", "S7", KERNEL_PLACE, 1, 1))}, "no nest `S7`"),
        ({"buffers": (buffer("C", "S0 S1", "j", 2, 1), *gemm_point().buffers[1:])}, "is no loop around its nests"),
        ({"buffers": (buffer("C", "S0 S1", KERNEL_PLACE, 2), *gemm_point().buffers[1:])}, "2 dimensions"),
        ({"buffers": (*gemm_point().buffers, buffer("C", "", KERNEL_PLACE, 2, 1))}, "has no nest"),
        ({"transfers": (TransferPoint("C", 4, ports=("C_0", "D")),)}, "named like the array, or C_0, C_1 or"),
        ({"adders": "wood"}, "adders `wood` is none of"),
    ],
)
def test_points_that_do_not_fit(change: dict[str, object], message: str) -> None:
    with pytest.raises(KernelError) as caught:
        planned(gemm(), replace(gemm_point(), **change))
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("nests", "message"),
    [
        (nest("S1", "kj", "j", j=(1, 6, 1), k=(4, 1, 2)), "order has `k`, `j`, the loops are"),
        (nest("S1", "kij", "j", i=(2, 1, 2), j=(1, 5, 1), k=(4, 1, 2)), "does not make 6 iterations"),
        (nest("S1", "kij", "j", i=(2, 2, 1), j=(1, 6, 1), k=(4, 1, 2)), "level 1 of `i` is not 1"),
        (nest("S1", "kij", "q", i=(2, 1, 2), j=(6, 1, 1), k=(4, 1, 2)), "no loop `q` to pipeline"),
        (replace(gemm_point().nests[1], unroll=(("q", 2),)), "no loop `q` to have copies of"),
        (replace(gemm_point().nests[1], unroll=(("k", 2),)), "`k` cannot have 2 copies side by side, legal: 1"),
        (replace(gemm_point().nests[1], interval=1), "an interval that is asked for is 1, of a pipeline with tree"),
    ],
)
def test_nests_that_do_not_fit(nests: NestPoint, message: str) -> None:
    with pytest.raises(KernelError) as caught:
        planned(gemm(), replace(gemm_point(), nests=(gemm_point().nests[0], nests)))
    assert message in caught.value.message


def test_partly_resident_under_an_outer_loop_is_refused() -> None:
    case = point_files.case("lu-resident")
    mixed = (buffer("A", "S0 S1", KERNEL_PLACE, 1, 1), buffer("A", "S2", "k", 1, 1))
    with pytest.raises(KernelError, match="stays on chip in some of the nests under loop `i`"):
        build_plan(case.scop, case.distribution, case.live, replace(case.point, buffers=mixed))


def test_two_widths_of_one_port_are_refused() -> None:
    case = point_files.case("2mm-mixed")
    point = replace(case.point, transfers=(TransferPoint("tmp", 2),))
    with pytest.raises(KernelError, match="`tmp` is transferred with 1 and 2 elements per beat"):
        build_plan(case.scop, case.distribution, case.live, point)


def test_two_layouts_of_one_port_are_refused() -> None:
    """Where a point says nothing of a buffer, its array lies in memory as C has it."""
    case = point_files.case("2mm-mixed")
    point = replace(case.point, transfers=(TransferPoint("tmp", 1, layout="padded"),))
    with pytest.raises(KernelError, match="`tmp` is transferred in layouts padded and plain"):
        build_plan(case.scop, case.distribution, case.live, point)


def test_padded_rows_take_beats_of_any_width() -> None:
    point = replace(gemm_point(), transfers=(TransferPoint("C", 4, layout="padded"),))
    plan = planned(gemm(), point)
    [port] = [p for p in plan.ports if p.name == "C"]
    assert (port.layout, port.width, port.extents) == ("padded", 4, (4, 6))
    assert same_result(gemm(), plan) == []


def test_ports_say_how_the_kernel_uses_them() -> None:
    ports = {p.name: p for p in point_files.case("2mm-mixed").plan.ports}
    assert {n: p.direction for n, p in ports.items()} == {
        "alpha": "in", "beta": "in", "tmp": "inout", "A": "in", "B": "in", "C": "in", "D": "inout",
    }  # fmt: skip
    assert ports["D"].width == 8 and ports["D"].bundle == "D" and ports["alpha"].kind == "scalar"


def test_arrays_that_are_only_written_are_only_stored() -> None:
    plan = point_files.case("atax-onchip").plan
    moved = {(t.array, t.direction) for t in plan.transfers}
    assert moved == {("A", Direction.LOAD), ("x", Direction.LOAD), ("y", Direction.STORE), ("tmp", Direction.STORE)}


def test_nests_that_never_run_have_no_task() -> None:
    kernel = scop("for i in range(4):\n    for j in range(3, 3):\n        A[i] += 1.0\n    B[i] = 2.0", A=(4,), B=(4,))
    point = DesignPoint(
        "built",
        (nest("S0", "ij", "i", i=(1, 1, 1), j=(1, 1, 1)), nest("S1", "i", "i", i=(1, 4, 1))),
        (buffer("A", "S0", "i", 1), buffer("B", "S1", KERNEL_PLACE, 1)),
    )
    plan = planned(kernel, point)
    assert [t.nest for t in plan.tasks] == ["S1"] and [b.array for b in plan.buffers] == ["B"]
    assert same_result(kernel, plan) == []
    assert prove(plan, dependences(kernel)).passed


def test_ragged_rectangles_need_no_isl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sisyphus.plan.loop_bounds.pull_back", None)
    point = replace(
        gemm_point(),
        nests=(gemm_point().nests[0], nest("S1", "kij", "j", i=(2, 1, 3), j=(1, 6, 1), k=(3, 1, 3))),
        buffers=tuple(buffer(a, n, KERNEL_PLACE, 1, 1) for a, n in (("C", "S0 S1"), ("A", "S1"), ("B", "S1"))),
    )
    plan = planned(gemm(), point)
    [guard] = nodes(plan, Guard)
    assert isinstance(guard, Guard) and [str(c) for c in guard.conditions] == ["-3*i0 - i2 + 3", "-3*k0 - k2 + 7"]
    assert same_result(gemm(), plan) == []


def test_a_local_array_stays_on_chip() -> None:
    kernel = scop("for i in range(4):\n    t[i] = A[i]\nfor i in range(4):\n    B[i] = t[i]", A=(4,), B=(4,), t=(4,))
    nests = (nest("S0", "i", None, i=(4, 1, 1)), nest("S1", "i", None, i=(4, 1, 1)))
    whole = (buffer("A", "S0", KERNEL_PLACE, 1), buffer("B", "S1", KERNEL_PLACE, 1))
    point = DesignPoint("built", nests, (*whole, buffer("t", "S0", "i", 1), buffer("t", "S1", "i", 1)))
    with pytest.raises(KernelError, match="`t` has no home in memory, its place must be `kernel`"):
        planned(kernel, point)
    held = replace(point, buffers=(*whole, buffer("t", "S0 S1", KERNEL_PLACE, 1)))
    assert same_result(kernel, planned(kernel, held)) == []


def test_copies_side_by_side_do_not_store_beats_together() -> None:
    """Rows of a batch begin anywhere in a beat: each copy would store all of it as it was before the other one."""
    text = """
for b in range(2):
    for i in range(4):
        P[i] = A[4 * b + i]
    for i in range(4):
        for j in range(5):
            B[4 * b + i] = B[4 * b + i] * 0.5 + P[i]
            P[i] = B[4 * b + i]
"""
    kernel = scop(text, A=(8,), B=(8,), P=(4,))
    fill, steps = distribute(kernel, dependences(kernel)).nests
    tiles = {"i": Tile(4, 1, 1), "j": Tile(5, 1, 1)}
    point = DesignPoint(
        "built",
        tuple(
            NestPoint(n.statements, n.iterators, tuple((i, tiles[i]) for i in n.iterators), None, unroll)
            for n, unroll in ((fill, ()), (steps, (("i", 2),)))
        ),
        (
            buffer("B", steps.id, "j", 8),
            buffer("P", f"{fill.id} {steps.id}", KERNEL_PLACE, 4),
            buffer("A", fill.id, KERNEL_PLACE, 8),
        ),
    )
    assert [b.memories for b in planned(kernel, point).buffers if b.beside] == [2]
    wide = TransferPoint(f"B@{steps.id}", 8, layout="padded")
    with pytest.raises(KernelError, match="copies side by side would store tiles that share beats of 8 elements"):
        planned(kernel, replace(point, transfers=(wide,)))
