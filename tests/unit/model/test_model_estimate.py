"""The cost of a plan adds up, term by term, on any kernel."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest
from builders import scop
from model_candidates import kernel_of
from random_kernels import random_kernel, random_point

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.model import Estimate, GuardForm, Term, estimate
from sisyphus.model.estimate import RESOURCES
from sisyphus.model.formulas.kernel_cycles import kernel_cycles
from sisyphus.model.study import Study
from sisyphus.plan import Bound, Direction, For, Plan, build_plan
from sisyphus.target import load_device, make_target

TARGET = make_target(load_device("u200"), budget="chip")


def check_sums(term: Term) -> None:
    """Every term with children is their sum."""
    if term.children:
        assert term.value == pytest.approx(sum(child.value for child in term.children), abs=1e-6), term.name
    for child in term.children:
        check_sums(child)


def check(found: Estimate) -> None:
    for name in RESOURCES:
        check_sums(found.terms[name])
        assert getattr(found, name) == round(found.terms[name].value) >= 0
        assert sum(found.evidence.shares[name].values()) == pytest.approx(1)
    assert json.loads(json.dumps(found.to_json()))["cycles"] == found.cycles
    assert found.evidence.constructs


@pytest.mark.parametrize("seed", range(25))
def test_random_kernels_add_up(seed: int) -> None:
    rng = random.Random(seed)
    kernel = random_kernel(rng)
    distribution, live = distribute(kernel, dependences(kernel)), liveness(kernel)
    plan = build_plan(kernel, distribution, live, random_point(rng, kernel, distribution))
    for guards in GuardForm:
        found = estimate(plan, TARGET, guards=guards)
        check(found)
        assert found.cycles > 0 and found.onchip_bytes == plan.onchip_bytes
        assert found == estimate(plan, TARGET, guards=guards)


def test_outer_loops_add_up_what_each_iteration_costs() -> None:
    kernel = kernel_of(
        scop(
            """
            for k in range(9):
                for i in range(k + 1, 9):
                    A[i, k] = A[i, k] / A[k, k]
                for i in range(k + 1, 9):
                    for j in range(k + 1, 9):
                        A[i, j] = A[i, j] - A[i, k] * A[k, j]
            """,
            A=(9, 9),
        ),
        TARGET,
    )
    rng = random.Random(5)
    for _ in range(10):
        plan = kernel.plan(random_point(rng, kernel.scop, kernel.distribution))
        found = estimate(plan, TARGET)
        check(found)
        [loop] = [node for node in plan.body if isinstance(node, For)]
        alone = sum(_one_iteration(plan, loop, value) for value in range(loop.trip_count))
        term = _find(found.terms["cycles"], f"loop {loop.iterator}")
        assert term.value == alone


def _one_iteration(plan: Plan, loop: For, value: int) -> int:
    """Cycles of the outer loop's body when it has a single iteration."""
    start = loop.lower.value or 0
    one = replace(loop, lower=Bound.constant(start + value), upper=Bound.constant(start + value))
    body = tuple(one if node is loop else node for node in plan.body)
    term = kernel_cycles(Study(replace(plan, body=body), TARGET)).term
    return int(_find(term, f"loop {loop.iterator}").value)


def _find(term: Term, name: str) -> Term:
    stack = [term]
    while stack:
        found = stack.pop()
        if found.name == name:
            return found
        stack.extend(found.children)
    raise AssertionError(name)


@pytest.mark.parametrize(
    ("factors", "cycles"),
    [((1, 1), 0), ((4, 8), 0), ((3, 1), 5 + 4 - 2), ((3, 5), 5 + 4 - 2), ((1, 5), 0), ((20, 1), 0)],
)
def test_an_argument_that_picks_a_bank_takes_a_remainder_in_each_call(factors: tuple[int, int], cycles: int) -> None:
    """The row k of 20 is in bank k % factor: nothing for a power of two or one bank for each row, else bits + 4."""
    found = banked("for t in range(3):\n    " + ROWS.replace("\n", "\n    "), factors)
    spent = sum(leaf.value for leaf in found.terms["cycles"].leaves() if leaf.name == "banks by arguments")
    assert spent % (3 * 19 * max(cycles, 1)) == 0 and bool(spent) == bool(cycles)
    told = {construct for constructs in found.constructs.values() for construct in constructs}
    assert ("bank-by-argument" in told) == bool(cycles) and "bank-counted-outside" not in told
    assert cycles == 0 or not found.is_trusted


def test_the_outermost_loop_counts_banks_instead() -> None:
    """Nothing is left of the remainders, and no report has shown it."""
    for factors, counts in (((3, 1), True), ((4, 1), False)):
        found = banked(ROWS, factors)
        assert all(leaf.value == 0 for leaf in found.terms["cycles"].leaves() if leaf.name == "banks by arguments")
        told = {construct for constructs in found.constructs.values() for construct in constructs}
        assert ("bank-counted-outside" in told) == counts and "bank-by-argument" not in told


ROWS = """for k in range(19):
    for i in range(17):
        R[i] = A[k, i] * c
    for i in range(17):
        A[k + 1, i] = R[i] + A[k, i]"""


def banked(text: str, factors: tuple[int, int]) -> Estimate:
    """A design whose array A is on chip as a whole, in so many banks."""
    kernel = kernel_of(scop(text, A=(20, 17), R=(17,)), TARGET)
    rng = random.Random(3)
    plan = kernel.plan(random_point(rng, kernel.scop, kernel.distribution))
    while [buffer.extents for buffer in plan.buffers if buffer.array == "A"] != [(20, 17)]:
        plan = kernel.plan(random_point(rng, kernel.scop, kernel.distribution))
    buffers = tuple(replace(b, partition=factors) if b.array == "A" else b for b in plan.buffers)
    return estimate(replace(plan, buffers=buffers), TARGET)


def test_every_transfer_counts_in_the_bytes() -> None:
    kernel = kernel_of(scop("for i in range(64):\n    B[i] = A[i] * c", A=(64,), B=(64,)), TARGET)
    rng = random.Random(1)
    plan = kernel.plan(random_point(rng, kernel.scop, kernel.distribution, ragged=False))
    loads = [t for t in plan.transfers if t.direction is Direction.LOAD]
    assert estimate(plan, TARGET).bytes_moved >= 64 * 4 * (len(loads) + 1)


def test_guards_in_place_are_told_as_constructs() -> None:
    text = "for i in range(16):\n    for j in range(i + 1):\n        C[i, j] = C[i, j] * c"
    kernel = kernel_of(scop(text, C=(16, 16)), TARGET)
    rng, shares = random.Random(2), []
    for _ in range(12):
        plan = kernel.plan(random_point(rng, kernel.scop, kernel.distribution))
        shares.append({rested.entry.id for rested in estimate(plan, TARGET).evidence.constructs})
    assert any(found & {"guard-as-branch", "guard-as-select"} for found in shares)


def test_two_sizes_of_a_board_cost_the_same_cycles() -> None:
    kernel = kernel_of(scop("for i in range(64):\n    B[i] = A[i] * c", A=(64,), B=(64,)), TARGET)
    plan = kernel.plan(random_point(random.Random(3), kernel.scop, kernel.distribution))
    small = make_target(load_device("zcu104"), budget="chip", clock_mhz=250)
    large = make_target(load_device("u55c"), budget="chip", clock_mhz=250)
    assert estimate(plan, small).cycles == estimate(plan, large).cycles


def test_each_expression_has_look_up_tables_of_its_own() -> None:
    """Combinational logic is shared neither between functions nor over an interval, as cores are."""
    nest = "for i in range(16):\n    for j in range(16):\n        {0}[i, j] = A[j, i] if i < j else B[i, j]\n"
    kernel = kernel_of(scop(nest.format("C") + nest.format("D"), **dict.fromkeys("ABCD", (16, 16))), TARGET)
    rng, intervals = random.Random(3), set()
    for _ in range(40):
        found = estimate(kernel.plan(random_point(rng, kernel.scop, kernel.distribution)), TARGET)
        assert not any(" x select" in term.name or " x cmp" in term.name for term in found.terms["lut"].leaves())
        table, lut = TARGET.operators, 0
        for body in (body for task in found.study.tasks.values() for body in task.pipes):
            copies = body.schedule.logic()
            assert set(copies) <= {"cmp int32", "select float"}
            intervals.add(body.schedule.interval)
            lut += sum(count * table.cost(*kind.split()).lut for kind, count in copies.items())
        assert sum(term.value for term in found.terms["lut"].leaves() if term.name == "expressions") == lut > 0
    assert {1} < intervals
