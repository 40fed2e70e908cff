"""What the tree says of nodes that run at the same time is what they cost: the longest of them, not their sum."""

from __future__ import annotations

from dataclasses import replace

from hand_plans import gemm_overlapped

from sisyphus.algebra import EXACT
from sisyphus.model import VITIS_2023_2, estimate
from sisyphus.model.facts.task_facts import Beside, Burst, Called, Dim, Guarded, Move, TaskFacts, Tile
from sisyphus.model.formulas.burst_cycles import move_cycles
from sisyphus.model.formulas.iteration_latency import Setting
from sisyphus.model.formulas.latency import PipelinedBody, task_cycles
from sisyphus.model.formulas.terms import Term
from sisyphus.model.study import Study
from sisyphus.plan import Call, Plan
from sisyphus.target import load_device, make_target

TARGET = make_target(load_device("u200"), budget="chip")
STEP = VITIS_2023_2.cycles.step


def multiply(plan: Plan) -> Term:
    return Study(plan, TARGET).task(Call("task_S1")).cycles


def leaf(term: Term, name: str) -> int:
    [found] = [t for t in term.leaves() if t.name == name]
    return int(found.value)


def test_loads_beside_the_computation_are_hidden_by_it() -> None:
    after, beside = multiply(gemm_overlapped(copies=1, ahead=0)), multiply(gemm_overlapped())
    load = leaf(after, "load_A | load_B") // 5
    compute = (int(after.value) - 1) // 5 - load - 2 * STEP
    # loads are the longer part here, and called in five iterations and before them; each looks first if there is a tile
    assert load > compute
    assert beside.value == 6 * (load + 1) + 6 * STEP


def test_loads_that_are_shorter_take_nothing() -> None:
    """As in a report (gemm in overlap.csv): a first load of 1813, and five times 4124 beside loads: 22445 in all."""
    setting = Setting(EXACT, VITIS_2023_2, TARGET.operators)
    move = Move("load", "A", "buf_A", "A", True, (Dim(9600, 48, {}),), 16, 32, 600, ahead=True)
    alone = int(move_cycles(setting, move).value)
    work = Called((Guarded(1, ()),))
    body = Tile("i0", 5, (Beside(Burst(((move,),), is_load=True), work),))
    first = Burst(((replace(move, first=True),),), is_load=True)
    found = task_cycles(setting, TaskFacts("task", (first, body)), lambda _: PipelinedBody(1, 1, True))
    called = int(task_cycles(setting, TaskFacts("called", work.body), lambda _: PipelinedBody(1, 1, True)).value)
    assert found.value == alone + 2 + 5 * (max(alone, called) + 2)


def test_two_copies_take_twice_the_memory() -> None:
    one, two = (estimate(plan, TARGET) for plan in (gemm_overlapped(copies=1, ahead=0), gemm_overlapped()))
    moved = sum(b.bytes for b in gemm_overlapped(copies=1, ahead=0).buffers if b.place == "k")
    assert two.onchip_bytes == one.onchip_bytes + moved
