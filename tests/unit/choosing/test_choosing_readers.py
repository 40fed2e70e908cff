"""Copies of an array for nests that else could not read it at the same time, alone and filled by one load."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sisyphus.backends.hls import project
from sisyphus.choice import find
from sisyphus.kernel_forms import load_kernels
from sisyphus.model import estimate
from sisyphus.part_search import Choice
from sisyphus.parts import Parts
from sisyphus.plan import Copy, Plan
from sisyphus.plan.conflicts import steps_of
from sisyphus.request import Kernel, Request, Source, plan_of
from sisyphus.solve import Stop
from sisyphus.space import Options
from sisyphus.target import load_device, make_target
from sisyphus.verification import prove, run

TEXT = """
void both(float x[40], float y[48], float A[40][48], float p[48], float q[40]) {
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 48; j++)
      x[i] += A[i][j] * p[j];
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 48; j++)
      y[j] += A[i][j] * q[i];
}
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Kernel, ...]:
    path = tmp_path_factory.mktemp("readers") / "both.c"
    path.write_text(TEXT)
    return load_kernels(Source(str(path)))


def request_of(*fixes: str, trust: str = "any") -> Request:
    target = make_target(load_device("u200"), budget="chip", max_partition=128)
    options = Options(tiles="divisors", trust=trust)  # type: ignore[arg-type]
    return Request(Source("both.c"), target, options, fixes=fixes)


def cycles(found: Choice) -> float:
    assert found.outcome is not None and found.outcome.objective is not None
    assert found.outcome.stop is Stop.PROVED
    return found.outcome.objective


def tasks_side_by_side(plan: Plan) -> int:
    return max(sum(not isinstance(node, Copy) for node in step) for step in steps_of(plan, plan.body))


@pytest.fixture(scope="module")
def joined(kernels: tuple[Kernel, ...]) -> Choice:
    return find(kernels, request_of("A.copy=yes", "A.ports=4"))


def test_a_copy_lets_two_nests_read_an_array_at_the_same_time(kernels: tuple[Kernel, ...]) -> None:
    """Through a port of its own, which reports show."""
    found = find(kernels, request_of(trust="measured"))
    without = find(kernels, request_of("A.copy=no", trust="measured"))
    assert found.kernel.copied == ("A",) and without.kernel.copied == ()
    assert cycles(found) < cycles(without)
    plan = plan_of(found.kernel, found.point)
    assert [port.name for port in plan.ports if port.copies] == ["A_1"]
    assert tasks_side_by_side(plan) == 2
    assert estimate(plan, request_of().target).is_trusted


def test_with_measured_constructs_a_copy_has_ports_of_its_own(kernels: tuple[Kernel, ...], joined: Choice) -> None:
    """Dealt as its array is; what the search counts is what the plan costs, and it is the same program."""
    found = find(kernels, request_of("A.copy=yes", "A.ports=2", trust="measured"))
    plan = plan_of(found.kernel, found.point)
    assert [(p.name, p.stripes) for p in plan.ports if p.name.startswith("A")] == [("A", 2), ("A_1", 2)]
    assert {t.ports for t in found.point.transfers if t.buffer.startswith("A")} == {("A_0", "A_1"), ("A_1_0", "A_1_1")}
    assert {t.ports for t in joined.point.transfers if t.buffer.startswith("A")} == {("A_0", "A_1", "A_2", "A_3")}
    cost = estimate(plan, request_of().target)
    assert cycles(found) == cost.cycles and cost.is_trusted
    good = project(plan)
    assert run(good, plan, sets=["random"], sanitize=True).passed
    kernel = good.files["kernel.cpp"]
    right, wrong = "load_A_1_0(A_1_0, buf_A_1[0]);", "load_A_1_0(A_1_1, buf_A_1[0]);"
    bad = replace(good, files={**good.files, "kernel.cpp": kernel.replace(right, wrong)})
    assert right in kernel and not run(bad, plan, sets=["random"]).passed


def test_small_arrays_have_none(kernels: tuple[Kernel, ...]) -> None:
    """In registers they are read by all nests at once."""
    request = request_of()
    request = replace(request, target=replace(request.target, max_partition=40 * 48))
    parts = Parts(kernels, request, None, best=lambda: None)
    assert not any(part.kernel.copied for part in parts)


def test_one_load_over_several_ports_fills_the_array_and_its_copy(joined: Choice) -> None:
    plan = plan_of(joined.kernel, joined.point)
    assert [(p.name, p.stripes) for p in plan.ports if p.name.startswith("A")] == [("A", 4)]
    load, other = plan.transfer("load_A"), plan.transfer("load_A_1")
    assert (load.joins, other.joins, other.port) == ("", "load_A", "A")
    assert [b.id for b in plan.filled_by(load)] == ["buf_A", "buf_A_1"]
    first, *_ = steps_of(plan, plan.body)
    assert {"load_A", "load_A_1"} <= {node.transfer for node in first if isinstance(node, Copy)}
    kernel = project(plan).files["kernel.cpp"]
    calls = [f"load_A_{at}(A_{at}, buf_A[{at}], buf_A_1[{at}]);" for at in range(4)]
    assert [line.strip() for line in kernel.splitlines() if "buf_A_1[" in line and "load" in line] == calls


def test_what_the_search_counts_is_what_the_plan_costs(joined: Choice) -> None:
    """And no bytes, adapters or FIFOs come twice."""
    plan = plan_of(joined.kernel, joined.point)
    cost = estimate(plan, request_of().target)
    assert cycles(joined) == cost.cycles
    alone = replace(plan, transfers=tuple(replace(t, joins="") for t in plan.transfers))
    assert estimate(alone, request_of().target).bytes_moved - cost.bytes_moved == 40 * 64 * 4
    assert "load-into-copies" in {one.entry.id for one in cost.evidence.constructs}
    assert estimate(alone, request_of().target).bram18k > cost.bram18k


def test_it_is_the_same_program_and_a_fault_is_seen(joined: Choice) -> None:
    plan = plan_of(joined.kernel, joined.point)
    assert prove(plan, joined.kernel.dependences, joined.kernel.live).passed
    good = project(plan)
    assert run(good, plan, sets=["random"], sanitize=True).passed
    kernel = good.files["kernel.cpp"]
    assert "buf_A[1], buf_A_1[1]);" in kernel
    spoiled = kernel.replace("buf_A[1], buf_A_1[1]);", "buf_A[1], buf_A_1[0]);")
    bad = replace(good, files={**good.files, "kernel.cpp": spoiled})
    assert not run(bad, plan, sets=["random"]).passed
