"""Copies of what a kernel was given: random designs run as the source does, wrong ones are refused."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest
from builders import scop
from plan_interpreter import differences, run_plan, run_source, some_memory
from random_kernels import random_point

from sisyphus.analysis import (
    Dependences,
    Distribution,
    LoopKind,
    dependences,
    distribute,
    freed,
    liveness,
    with_copies,
)
from sisyphus.errors import KernelError
from sisyphus.ir import ArrayId, Scop, StmtId
from sisyphus.plan import Copy, Plan, build_plan, check_point, dump
from sisyphus.space import DesignPoint
from sisyphus.verification.given import check_given
from sisyphus.verification.proof import prove

EXTENTS = {"A": (7, 7), "B": (7, 6)}
#: What is updated in place by rows that still hold first values: below, above, of two arrays, and in one more nest.
KERNELS = {
    "below": "for i in range(7):\n for j in range(5):\n  for k in range(i + 1, 7):\n   B[i, j] += A[k, i] * B[k, j]",
    "above": "for i in range(6):\n for j in range(5):\n  for k in range(6 - i):\n   B[6 - i, j] += A[i, k] * B[k, j]",
    "columns": "for j in range(6):\n for i in range(5):\n  for k in range(j + 1, 6):\n   B[i, j] = B[i, j] - B[i, k]",
    "scaled": """
for i in range(7):
    for j in range(5):
        for k in range(i + 1, 7):
            B[i, j] += A[k, i] * B[k, j]
        B[i, j] = 0.5 * B[i, j]
""",
}


def free(kernel: Scop) -> tuple[Dependences, Distribution]:
    found = dependences(kernel)
    distribution = distribute(kernel, found)
    copied = with_copies(kernel, distribution)
    assert copied is not None
    again = freed(copied.scop, distribution)
    assert again is not None
    return again


def design(name: str, seed: int) -> tuple[Scop, Dependences, Distribution, DesignPoint]:
    kernel = scop(KERNELS[name], **EXTENTS)
    found, distribution = free(kernel)
    point = random_point(random.Random(f"{name} {seed}"), found.scop, distribution)
    return kernel, found, distribution, point


def built(name: str, seed: int) -> tuple[Scop, Dependences, Plan]:
    kernel, found, distribution, point = design(name, seed)
    check_point(found.scop, distribution, point)
    return kernel, found, build_plan(found.scop, distribution, liveness(found.scop), point)


def faults(kernel: Scop, plan: Plan, seed: int = 0) -> list[str]:
    memory = some_memory(kernel, seed)
    return differences(kernel, run_source(kernel, memory), run_plan(plan, memory))


@pytest.mark.parametrize("name", KERNELS)
def test_no_loop_is_sequential_and_random_designs_compute_the_same(name: str) -> None:
    turned = 0
    for seed in range(5):
        kernel, found, plan = built(name, seed)
        assert faults(kernel, plan, seed) == [], dump(plan)
        assert prove(plan, found, liveness(kernel)).failures == (), dump(plan)
        turned += not prove(plan, dependences(kernel), liveness(kernel)).passed
    assert bool(turned) == (name == "above"), "only there rows are read in another order than that of their updates"
    kinds = {loop.kind for nest in free(kernel)[1].nests for loop in nest.band}
    assert LoopKind.SEQUENTIAL not in kinds


def test_a_copy_that_is_filled_after_a_store_is_refused() -> None:
    kernel, found, plan = next(case for case in (built("below", seed) for seed in range(20)) if stores_last(case[2]))
    [load] = [node for node in plan.body if node == Copy("load_B_1")]
    late = replace(plan, body=(*(node for node in plan.body if node != load), load))
    store = [node for node in plan.body if node == Copy("store_B")]
    early = replace(plan, body=(*store, *plan.body))
    assert prove(plan, found).passed
    for wrong in (late, early):
        assert any("data of B" in check.name for check in prove(wrong, found).failures)
        assert faults(kernel, wrong) != []


def test_a_witness_names_an_element_that_its_instance_reads() -> None:
    _, found, plan = next(case for case in (built("above", seed) for seed in range(20)) if stores_last(case[2]))
    wrong = replace(plan, body=(Copy("store_B"), *plan.body))
    [fault] = [check.detail for check in prove(wrong, found).failures if check.name == "data of B"]
    assert names_what_it_reads(found.scop, fault), fault


def names_what_it_reads(kernel: Scop, fault: str) -> bool:
    """Whether the instance that a fault names reads the element that it names."""
    found = re.match(r"(\w+): instance \{(.*)\} reads `(\w+)((?:\[\d+\])+)`", fault)
    assert found is not None, fault
    statement = kernel.statement(StmtId(found[1]))
    at = {name: int(value) for name, value in (pair.split(": ") for pair in found[2].split(", "))}
    wanted = [int(index) for index in re.findall(r"\d+", found[4])]
    refs = (ref for ref in statement.reads if kernel.home(ref.array) == found[3])
    return any([index.evaluate(at) for index in ref.index] == wanted for ref in refs)


def stores_last(plan: Plan) -> bool:
    return {Copy("load_B_1"), Copy("store_B")} <= set(plan.body)


def test_a_copy_of_what_the_source_wrote_before_is_refused() -> None:
    kernel = scop("for i in range(1, 6):\n for j in range(5):\n  B[i, j] += A[i, j] * B[i - 1, j]", **EXTENTS)
    named = scop("for i in range(1, 6):\n for j in range(5):\n  B[i, j] += A[i, j] * C[i - 1, j]", **EXTENTS, C=(7, 6))
    assert [*check_given(kernel)] == [] == [*check_given(named)]
    assert faulty(named, "C") == "S0[2, 0] reads `C[i - 1][j]`, which S0[1, 0] writes before"
    later = scop("for i in range(1, 6):\n for j in range(5):\n  B[i, j] += A[i, j] * C[i + 1, j]", **EXTENTS, C=(7, 6))
    assert faulty(later, "C") is None
    assert faulty(scop("for i in range(1, 6):\n  B[i, 0] = 1.0", B=(7, 6)), "B") == "S0 writes `B`"


def faulty(kernel: Scop, name: str) -> str | None:
    """What is wrong where an array is taken for a copy of what `B` was given."""
    copy = replace(kernel.array(ArrayId(name)), view_of=ArrayId("B"), lasting=True, own_port=True, given=True)
    [check] = check_given(replace(kernel, arrays=tuple(copy if a.id == name else a for a in kernel.arrays)))
    return None if check.passed else check.detail


def test_a_copy_of_what_was_given_is_on_chip_from_the_start() -> None:
    _, found, distribution, point = design("below", 0)
    [copy] = [b for b in point.buffers if b.array == "B_1"]
    moved = tuple(replace(b, place="i") if b == copy else b for b in point.buffers)
    with pytest.raises(KernelError, match="a copy of what `B` was given is filled first, at `kernel`"):
        check_point(found.scop, distribution, replace(point, buffers=moved))


def test_a_copy_of_what_an_earlier_nest_wrote_stays_one_memory_with_its_array() -> None:
    """The first nest has a copy of what it was given; a row that the second reads is still written by a later one."""
    text = "for i in range(7):\n for j in range(5):\n  for k in range(i + 1, 7):\n   B[i, j] += A[k, i] * B[k, j]\n"
    later = "for p in range(5):\n for q in range(6):\n  for r in range(2):\n   B[p, q] = B[p, q] - B[p + r + 1, q]"
    kernel = scop(text + later, **EXTENTS)
    found, distribution = free(kernel)
    assert [a.id for a in found.scop.arrays if a.given] == ["B_1"]
    kept = {(str(e.kind.value), e.source, e.sink) for e in found.edges if not e.is_reduction}
    assert {("RAW", "S0", "S1"), ("WAR", "S1", "S1")} <= kept
    for seed in range(5):
        point = random_point(random.Random(f"later {seed}"), found.scop, distribution)
        plan = build_plan(found.scop, distribution, liveness(found.scop), point)
        assert prove(plan, found, liveness(kernel)).failures == (), dump(plan)
        assert faults(kernel, plan, seed) == [], dump(plan)


def test_what_frees_no_loop_is_no_form_of_its_own() -> None:
    for text in ("B[i, j] += A[i, i] * B[j, i]", "B[i, j] = A[j, i]"):
        kernel = scop(f"for i in range(6):\n for j in range(6):\n  {text}", **EXTENTS)
        found = dependences(kernel)
        distribution = distribute(kernel, found)
        copied = with_copies(kernel, distribution)
        assert copied is None or freed(copied.scop, distribution) is None
