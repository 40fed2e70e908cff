"""Planted bugs: the proof of a spoilt plan fails with a witness, and that of the good plan passes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import point_files
import pytest
import spoil
from builders import scop
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_interpreter import differences, run_plan, run_source, some_memory
from random_kernels import random_kernel, random_point

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.ir import ArrayId, Scop, StmtId
from sisyphus.plan import Copy, Direction, For, Guard, Hold, Plan, Run, build_plan, dump, walk
from sisyphus.poly import Affine, const, var
from sisyphus.space import KERNEL_PLACE, BufferPoint, DesignPoint, NestPoint, Tile
from sisyphus.verification.proof import prove

LOAD, STORE = Direction.LOAD, Direction.STORE
Spoil = Callable[[Plan], Plan]

PLANTED: dict[str, tuple[str, Spoil, str]] = {
    "dropped last tile": (
        "gemm-tiled",
        lambda p: spoil.drop_last_tile(p, "k"),
        "S1: instance {i: 0, k: 25, j: 0} never runs",
    ),
    "dropped first unrolled iteration": (
        "gemm-tiled",
        lambda p: spoil.everywhere(p, lambda n: (spoil.moved_bound(n, lower=1),) if _is_loop(n, "k2") else None),
        "S1: instance {i: 0, k: 0, j: 0} never runs",
    ),
    "reversed reduction": ("gemm-tiled", lambda p: _reverse_k(p), "S1[0, 0, 0] must run before S1[0, 5, 0]"),
    "widened bound": (
        "gemm-tiled",
        lambda p: spoil.widen_bound(p, "i"),
        "S0: instance {i: 20, j: 0} runs uninvited",
    ),
    "forgotten write-back": (
        "gemm-ragged",
        lambda p: spoil.drop_copies(p, "C", STORE),
        "reads `C[0][0]`, but `buf_C_S1` holds",
    ),
    "forgotten write-back of the last nest": (
        "2mm-mixed",
        lambda p: _drop_id(p, "store_D_S3"),
        "at the end memory does not hold the last value of `D[0][0]`",
    ),
    "missing guard": ("gemm-ragged", spoil.drop_guards, "runs uninvited"),
    "missing guard on the boundary alone": ("trmm-split", spoil.drop_guards, "S0: instance {i: 1, j: 0, k: 1} runs"),
    "a full tile too many": ("trmm-split", lambda p: _one_more_full_tile(p), "k: 20} runs uninvited"),
    "stale buffer": ("2mm-mixed", lambda p: _drop_id(p, "store_tmp"), "reads `tmp[0][0]`, but `buf_tmp_S3` holds"),
    "missing load of a tile": ("gemm-tiled", lambda p: spoil.drop_copies(p, "A", LOAD), "`buf_A_S1` was never given"),
    "a load in the first iteration alone": (
        "lu-outer",
        lambda p: _only_at(p, "load_A_S0_S1_S2", 1 - var("i")),
        "S0: instance {i: 2, j: 1, k: 0} reads `A[2][1]`, but `buf_A_S0_S1_S2` was never given it",
    ),
    "load outside of its tile loop": ("gemm-tiled", lambda p: _hoist_load(p, "load_A_S1"), "loop tree"),
    "unstored array": (
        "gemm-tiled",
        lambda p: spoil.drop_last_copy(p, "C", STORE),
        "at the end memory does not hold the last value of `C[0][0]`",
    ),
    "unloaded array": ("gemm-tiled", lambda p: spoil.drop_last_copy(p, "C", LOAD), "S0: instance {i: 0, j: 0} reads"),
    "duplicated instance": (
        "gemm-tiled",
        lambda p: spoil.run_twice(p, "S1"),
        "S1: instance {i: 0, k: 0, j: 0} runs twice",
    ),
    "overlapping tiles": ("gemm-tiled", lambda p: _overlap(p), "S0: instance {i: 17, j: 0} never runs"),
    "nests in the wrong order": ("gemm-tiled", lambda p: spoil.call_late(p, "task0"), "must run before S1["),
    "wrong origin of a load": ("gemm-tiled", lambda p: spoil.move_origin(p, "buf_A_S1"), "outside of `buf_A_S1`"),
    "buffer too small": ("gemm-tiled", lambda p: spoil.shrink_buffer(p, "buf_B_S1"), "of dimension 1, outside of"),
    "wrong held element": ("gemm-registers", lambda p: _shift_hold(p), "its body also touches `C[i][j]`"),
    "wrong trip count": ("gemm-tiled", lambda p: _claim(p, "j1", 3), "loop `j1` has 25 iterations, not 3"),
    "beat across a row": ("gemm-tiled", lambda p: _wider(p, "load_B_S1", 2), "load_B_S1: buffer `buf_B_S1`"),
    "beat across a row that was padded": ("gemm-padded", lambda p: _unpadded(p), "load_C: buffer `buf_C`"),
    "beat past a tile inside a padded row": ("gemm-padded", lambda p: _wider(p, "load_A_S1", 16), "buffer `buf_A_S1`"),
    "wrong iterator": ("lu-resident", lambda p: _shift_outer(p), "S1: instance {i: 1, j: 0} never runs"),
}


def _is_loop(node: object, iterator: str) -> bool:
    return isinstance(node, For) and node.iterator == iterator


def _one_more_full_tile(plan: Plan) -> Plan:
    """Tile loops without a guard run into the boundary."""

    def longer(node: object) -> tuple[For, ...] | None:
        if _is_loop(node, "k0") and isinstance(node, For) and not any(isinstance(n, Guard) for n in walk(node.body)):
            return (spoil.moved_bound(node, upper=1),)
        return None

    return spoil.everywhere(plan, longer)


def _drop_id(plan: Plan, transfer: str) -> Plan:
    return spoil.everywhere(plan, lambda n: () if n == Copy(transfer) else None)


def _only_at(plan: Plan, transfer: str, condition: Affine) -> Plan:
    """A copy that runs where a condition is at least 0."""
    guarded = Guard((condition,), (Copy(transfer),))
    return spoil.everywhere(plan, lambda n: (guarded,) if n == Copy(transfer) else None)


def _unpadded(plan: Plan) -> Plan:
    return replace(plan, ports=tuple(replace(p, layout="plain") for p in plan.ports))


def _reverse_k(plan: Plan) -> Plan:
    """Every element takes its contributions from the last tile to the first."""

    def reverse(node: object) -> tuple[Run, ...] | None:
        if isinstance(node, Run) and node.statement == "S1":
            return (replace(node, values=tuple((n, 29 - v if n == "k" else v) for n, v in node.values)),)
        return None

    return spoil.everywhere(plan, reverse)


def _hoist_load(plan: Plan, transfer: str) -> Plan:
    """A tile is loaded once before its loop, whose iterator it needs."""
    dropped = _drop_id(plan, transfer)
    task = dropped.tasks[1]
    return replace(dropped, tasks=(dropped.tasks[0], replace(task, body=(Copy(transfer), *task.body))))


def _overlap(plan: Plan) -> Plan:
    """Tiles of `i` start four apart though they are five long."""

    def closer(node: object) -> tuple[Run, ...] | None:
        if isinstance(node, Run) and node.statement == "S0":
            return (replace(node, values=tuple((n, v - _tiles(v)) for n, v in node.values)),)
        return None

    return spoil.everywhere(plan, closer)


def _tiles(value: Affine) -> Affine:
    return Affine.of({"i0": 1 if "i0" in value.names else 0})


def _shift_hold(plan: Plan) -> Plan:
    def shifted(node: object) -> tuple[Hold, ...] | None:
        if isinstance(node, Hold):
            return (replace(node, ref=replace(node.ref, index=(node.ref.index[0], const(0)))),)
        return None

    return spoil.everywhere(plan, shifted)


def _claim(plan: Plan, iterator: str, trip_count: int) -> Plan:
    return spoil.everywhere(plan, lambda n: (replace(n, trip_count=trip_count),) if _is_loop(n, iterator) else None)


def _wider(plan: Plan, transfer: str, width: int) -> Plan:
    return replace(plan, transfers=tuple(replace(t, width=width) if t.id == transfer else t for t in plan.transfers))


def _shift_outer(plan: Plan) -> Plan:
    return spoil.everywhere(plan, lambda n: (spoil.moved_bound(n, lower=1),) if _is_loop(n, "i") else None)


@pytest.mark.parametrize("name", point_files.ALL)
def test_good_plans_pass(name: str) -> None:
    case = point_files.case(name)
    assert prove(case.plan, case.dependences, case.live).failures == ()
    assert prove(case.plan, case.dependences).passed


@pytest.mark.parametrize("bug", PLANTED)
def test_planted_bugs_are_found(bug: str) -> None:
    name, spoilt, witness = PLANTED[bug]
    case = point_files.case(name)
    verdict = prove(spoilt(case.plan), case.dependences, case.live)
    assert not verdict.passed and verdict.refuted
    assert any(witness in f"{check.name}: {check.detail}" for check in verdict.failures), verdict.failures


def wavefront() -> tuple[Scop, Plan]:
    """A loop pair that may not be interchanged, as built: `i` outside of `j`."""
    kernel = scop("for i in range(1, 6):\n    for j in range(5):\n        A[i, j] = A[i - 1, j + 1]", A=(6, 6))
    point = DesignPoint(
        "built",
        (NestPoint((StmtId("S0"),), ("i", "j"), (("i", Tile(5, 1, 1)), ("j", Tile(5, 1, 1))), None),),
        (BufferPoint(ArrayId("A"), ("S0",), KERNEL_PLACE, (1, 1)),),
    )
    return kernel, build_plan(kernel, distribute(kernel, dependences(kernel)), liveness(kernel), point)


def test_swapped_carried_loops() -> None:
    kernel, plan = wavefront()
    deps = dependences(kernel)
    assert prove(plan, deps).passed
    verdict = prove(spoil.swap_loops(plan, "i0"), deps)
    assert [c.detail for c in verdict.failures if c.name.startswith("order")] == ["S0[1, 1] must run before S0[2, 0]"]


def test_a_tile_buffer_is_a_new_one_in_each_iteration() -> None:
    """One that is filled in the first iteration alone, of what all iterations read: nothing else is wrong with it."""
    kernel = scop("for i in range(6):\n    for j in range(4):\n        A[i, j] += B[j]", A=(6, 4), B=(4,))
    tiles = (("i", Tile(3, 2, 1)), ("j", Tile(1, 4, 1)))
    nest = NestPoint((StmtId("S0"),), ("i", "j"), tiles, None)
    whole = BufferPoint(ArrayId("A"), ("S0",), KERNEL_PLACE, (1, 1))
    point = DesignPoint("rows", (nest,), (whole, BufferPoint(ArrayId("B"), ("S0",), "i", (1,))))
    deps = dependences(kernel)
    plan = build_plan(kernel, distribute(kernel, deps), liveness(kernel), point)
    assert prove(plan, deps).passed
    [failure] = prove(_only_at(plan, "load_B_S0", -var("i0")), deps).failures
    assert failure.detail == "S0: instance {i: 2, j: 0} reads `B[0]`, but `buf_B_S0` was never given it"


def test_reductions_may_run_in_any_order_with_tree_reduction() -> None:
    case = point_files.case("gemm-registers")
    assert not prove(_reverse_k(case.plan), case.dependences, case.live).passed
    backwards = replace(_reverse_k(case.plan), tree_reduction=True)
    assert prove(backwards, case.dependences, case.live).passed


@settings(derandomize=True, max_examples=20, deadline=None, database=None)
@given(st.integers(0, 10**6))
def test_random_good_plans_pass(seed: int) -> None:
    rng = random.Random(seed)
    kernel = random_kernel(rng)
    deps = dependences(kernel)
    distribution, live = distribute(kernel, deps), liveness(kernel)
    plan = build_plan(kernel, distribution, live, random_point(rng, kernel, distribution, split=True))
    assert prove(plan, deps, live).failures == (), f"{kernel.origin.text}\n{dump(plan)}"


@settings(derandomize=True, max_examples=20, deadline=None, database=None)
@given(st.integers(0, 10**6))
def test_no_mutant_that_computes_something_else_passes(seed: int) -> None:
    rng = random.Random(seed)
    kernel = random_kernel(rng)
    deps = dependences(kernel)
    distribution, live = distribute(kernel, deps), liveness(kernel)
    plan = build_plan(kernel, distribution, live, random_point(rng, kernel, distribution, split=True))
    memory = some_memory(kernel, seed)
    wanted = run_source(kernel, memory)
    for label, mutant in spoil.mutants(plan, rng, 5):
        try:
            is_right = differences(kernel, wanted, run_plan(mutant, memory)) == []
        except (AssertionError, KeyError):
            is_right = False
        assert is_right or not prove(mutant, deps, live).passed, f"{label}\n{kernel.origin.text}\n{dump(mutant)}"


def test_a_blow_up_is_no_proof_and_no_refutation(monkeypatch: pytest.MonkeyPatch) -> None:
    case = point_files.case("gemm-tiled")
    monkeypatch.setattr("sisyphus.verification.execution_order.LEASH", 50)
    verdict = prove(case.plan, case.dependences, case.live)
    assert not verdict.passed and not verdict.refuted
    assert all(c.detail.startswith("not proven (too complex)") for c in verdict.failures)


def test_approximate_dependences_are_no_refutation() -> None:
    case = point_files.case("gemm-registers")
    edges = tuple(replace(e, approximate=True) for e in case.dependences.edges)
    rough = replace(case.dependences, edges=edges)
    assert prove(case.plan, rough, case.live).passed
    verdict = prove(_reverse_k(case.plan), rough, case.live)
    assert not verdict.passed and not verdict.refuted
