"""What the tree says of nodes that run at the same time is what they cost: the longest of them, not their sum."""

from __future__ import annotations

from hand_plans import gemm_overlapped

from sisyphus.model import VITIS_2023_2, estimate
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
    load = leaf(beside, "load_A | load_B")
    assert leaf(after, "load_A | load_B") == 5 * load
    compute = (after.value - 5 * (load + STEP)) // 5
    # the first load and the last computation are alone; of the four steps between, loads are the longer part
    assert load > compute
    expected = load + 4 * load + compute
    assert expected <= beside.value <= expected + 5 * 4 * STEP  # guards, and steps around each of five


def test_two_copies_take_twice_the_memory() -> None:
    one, two = (estimate(plan, TARGET) for plan in (gemm_overlapped(copies=1, ahead=0), gemm_overlapped()))
    moved = sum(b.bytes for b in gemm_overlapped(copies=1, ahead=0).buffers if b.place == "k")
    assert two.onchip_bytes == one.onchip_bytes + moved
