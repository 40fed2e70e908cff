"""Steps of the calls of the top function, by docs/model.md."""

from __future__ import annotations

from itertools import product

import numpy as np
import point_files
from builders import scop
from hypothesis import given
from hypothesis import strategies as st

from sisyphus.algebra import VECTOR
from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.ir import ArrayId, StmtId
from sisyphus.plan import (
    Call,
    Copy,
    Direction,
    For,
    Node,
    Plan,
    Together,
    Touched,
    build_plan,
    reads_writes,
    side_by_side,
    steps_of,
)
from sisyphus.plan.conflicts import in_steps
from sisyphus.space import KERNEL_PLACE, BufferPoint, DesignPoint, NestPoint, Tile

TWO_PRODUCTS = """
for i in range(4):
    for j in range(4):
        for k in range(4):
            E[i, j] += A[i, k] * B[k, j]
for i in range(4):
    for j in range(4):
        for k in range(4):
            F[i, j] += C[i, k] * {other}[k, j]
"""


def two_products(other: str, parts: int) -> Plan:
    kernel = scop(TWO_PRODUCTS.format(other=other), **dict.fromkeys("EABFC" + ("D" if other == "D" else ""), (4, 4)))
    tiles = tuple((name, Tile(1, 4, 1) if name == "j" else Tile(4, 1, 1)) for name in "ijk")
    nests = tuple(NestPoint((StmtId(s),), ("k", "i", "j"), tiles, "j") for s in ("S0", "S1"))
    users = {a.id: tuple(s.id for s in kernel.statements if a.id in _arrays(s)) for a in kernel.arrays}
    buffers = tuple(BufferPoint(ArrayId(a), users[a], KERNEL_PLACE, (parts, parts)) for a in users)
    point = DesignPoint("built", nests, buffers)
    return build_plan(kernel, distribute(kernel, dependences(kernel)), liveness(kernel), point)


def _arrays(statement) -> set[str]:
    return {ref.array for ref in (statement.write, *statement.reads)}


def names(plan: Plan, nodes: tuple[Node, ...] | None = None) -> list[list[str]]:
    """The steps of a plan's body, or of other nodes in it."""
    return [[_name(n) for n in step] for step in steps_of(plan, plan.body if nodes is None else nodes)]


def _name(node: Node) -> str:
    match node:
        case Copy(transfer=name) | Call(task=name) | For(iterator=name):
            return name
    raise AssertionError(node)


def test_independent_nests_run_side_by_side() -> None:
    assert names(two_products("D", 1)) == [
        ["load_E", "load_A", "load_B", "load_F", "load_C", "load_D"],
        ["task0", "task1"],
        ["store_E", "store_F"],
    ]


def test_two_readers_wait_for_each_other_unless_the_array_is_in_registers() -> None:
    shared = names(two_products("B", 1))
    assert shared[1:] == [["task0"], ["task1", "store_E"], ["store_F"]]
    registers = names(two_products("B", 4))
    assert registers[1:] == [["task0", "task1"], ["store_E", "store_F"]]


def test_outer_loop_is_a_step_of_its_own() -> None:
    plan = point_files.case("lu-resident").plan
    assert names(plan) == [["load_A"], ["i"], ["store_A"]]
    [loop] = [n for n in plan.body if isinstance(n, For)]
    assert names(plan, loop.body) == [["j"], ["task2"]]


def test_tiles_touch_memory_but_no_shared_buffer() -> None:
    plan = point_files.case("gemm-tiled").plan
    touched = reads_writes(plan, Call("task1"))
    assert touched.loads == {"A", "B"} and touched.stores == frozenset()
    assert touched.reads == touched.writes == {"buf_C"}
    assert list(plan.task("task1").copies) == ["load_A_S1", "load_B_S1"]


def test_store_waits_for_the_reader_of_memory() -> None:
    assert names(point_files.case("2mm-mixed").plan) == [
        ["load_C", "task0", "task2"],
        ["task1"],
        ["store_tmp"],
        ["task3"],
    ]


NAMES = st.frozensets(st.sampled_from("ABC"), max_size=2)
TOUCHED = st.builds(Touched, reads=NAMES, writes=NAMES, shared_reads=NAMES, loads=NAMES, stores=NAMES)


@given(st.lists(TOUCHED, max_size=8), st.frozensets(st.integers(0, 7)))
def test_steps_follow_the_last_conflict(touched: list[Touched], alone: frozenset[int]) -> None:
    """As a look at all pairs says."""
    placed: list[int] = []
    for at, one in enumerate(touched):
        waits = (o in alone or at in alone or one.conflicts(touched[o]) for o in range(at))
        placed.append(1 + max((placed[o] for o, wait in enumerate(waits) if wait), default=-1))
    found = in_steps(touched, alone)
    assert [[n for n, step in enumerate(found) if at in step] for at in range(len(touched))] == [[p] for p in placed]


def test_what_is_in_conflict() -> None:
    read, write, port = (Touched(**{name: frozenset("A")}) for name in ("reads", "writes", "shared_reads"))
    assert read.conflicts(write) and write.conflicts(read) and write.conflicts(write) and port.conflicts(port)
    assert not read.conflicts(read) and not port.conflicts(read) and not write.conflicts(Touched(stores=frozenset("A")))
    load, bundle = Touched(loads=frozenset({ArrayId("A")})), Touched(bundles=frozenset({("A", Direction.LOAD)}))
    assert load.conflicts(Touched(stores=frozenset({ArrayId("A")}))) and not load.conflicts(load)
    assert bundle.conflicts(bundle) and not bundle.conflicts(Touched(bundles=frozenset({("A", Direction.STORE)})))


def test_where_it_differs_which_transfers_are_active_each_is_in_one_step_and_no_step_uses_a_port_twice() -> None:
    """Candidates of a shape side by side: all that three transfers of one port and one of another may be."""
    active = [np.array(row) for row in zip(*product((False, True), repeat=3), strict=True)]
    copies = [*((Copy(f"load_{at}", active=row), "gmem0") for at, row in enumerate(active)), (Copy("other"), "gmem1")]
    rounds = [step.body if isinstance(step, Together) else (step,) for step in side_by_side(VECTOR, copies)]
    for at, row in enumerate(active):
        mine = [copy.active for step in rounds for copy in step if copy.transfer == f"load_{at}"]
        assert (np.sum(mine, axis=0) == row).all()
    for step in rounds:
        assert (sum(np.asarray(copy.active, int) for copy in step if copy.transfer != "other") <= 1).all()
    assert [copy.transfer for copy in rounds[0]][-1] == "other"
