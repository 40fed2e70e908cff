"""Dependence pragmas planted in emitted code: one that says a start too much is refused with its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from model_candidates import kernel_of
from model_kernels import built
from plan_interpreter import _Machine, copied, element, some_memory, some_scalars
from point_files import case

from sisyphus.backends.hls import project
from sisyphus.ir import ArrayId
from sisyphus.pipeline import Limits, Request, Source, optimize
from sisyphus.plan import For, LoopRole, Node, Plan, Run, Task
from sisyphus.space import KERNEL_PLACE, BufferPoint, DesignPoint, NestPoint, Tile, TransferPoint
from sisyphus.target import load_device, make_target
from sisyphus.verification import Check, verify
from sisyphus.verification.promises import check_promises

#: Tasks whose loops are all flattened into one, by their design, with the starts until an element is touched again.
NEAREST = {("2mm-mixed", "task3"): 12, ("atax-onchip", "task3"): 14, ("gemm-registers", "task1"): 500}


def planted(plan: Plan, function: str, pragma: str, where: str = "#pragma HLS pipeline") -> tuple[str, int]:
    """The text with a pragma behind the first such line of a function, and the number of its line."""
    lines = project(plan, None).files["kernel.cpp"].splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(f"static void {function}("))
    at = next(at for at in range(start, len(lines)) if lines[at] == where) + 1
    return "\n".join([*lines[:at], f"#pragma HLS dependence {pragma}", *lines[at:]]), at + 1


def checked(name: str, function: str, pragma: str, where: str = "#pragma HLS pipeline") -> Check:
    text, _ = planted(case(name).plan, function, pragma, where)
    [found] = check_promises(case(name).plan, text)
    return found


@dataclass
class Counting(_Machine):
    """Counts the starts of the pipelined loop of a task, and how many lie between two touches of an element."""

    watched: str = ""
    starts: int = 0
    last: dict[object, tuple[int, bool]] = field(default_factory=dict)
    gaps: set[int] = field(default_factory=set)

    def step(self, node: Node, env: dict[str, int], task: Task | None) -> None:
        mine = task is not None and task.name == self.watched
        if mine and isinstance(node, For) and node.role is LoopRole.PIPELINED:
            for value in range(node.trip_count):
                self.starts += 1
                self.run(node.body, {**env, node.iterator: value}, task)
            return
        super().step(node, env, task)

    def instance(self, node: Run, env: Mapping[str, int], task: Task) -> None:
        if task.name == self.watched:
            statement = self.plan.scop.statement(node.statement)
            point = {name: value.evaluate(env) for name, value in node.values}
            for ref, writes in (*((ref, False) for ref in statement.reads), (statement.write, True)):
                touched = (ref.array, element(ref, point))
                before, wrote = self.last.get(touched, (self.starts, False))
                if before != self.starts and (wrote or writes):
                    self.gaps.add(self.starts - before)
                self.last[touched] = (self.starts, writes)
        super().instance(node, env, task)


def gaps(plan: Plan, task: str) -> set[int]:
    """How many starts lie between two touches of an element, for all of them, when a plan runs."""
    machine = Counting(plan, copied(some_memory(plan.scop)), some_scalars(plan.scop), watched=task)
    machine.buffers = {(b.id, 0): _zeros(b.extents) for b in plan.buffers}
    machine.run(plan.body, {}, None)
    return machine.gaps


@pytest.mark.parametrize(("name", "task"), NEAREST)
def test_a_distance_too_large_by_one_is_refused_with_its_place(name: str, task: str) -> None:
    nearest, function = NEAREST[name, task], task
    assert checked(name, function, f"inter true distance={nearest}").passed
    text, line = planted(case(name).plan, function, f"inter true distance={nearest + 1}")
    [wrong] = check_promises(case(name).plan, text)
    assert not wrong.passed and not wrong.gave_up
    assert wrong.name == f"promise at kernel.cpp:{line}:1"
    assert f"{nearest} starts of loop" in wrong.detail and f"`distance={nearest}` is the most" in wrong.detail
    assert not checked(name, function, "inter false").passed


@pytest.mark.parametrize(("name", "task"), NEAREST)
def test_the_distance_is_that_of_the_plan_when_it_runs(name: str, task: str) -> None:
    assert min(gaps(case(name).plan, task)) == NEAREST[name, task]


def _zeros(extents: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    found: dict[tuple[int, ...], float] = {(): 0.0}
    for extent in extents:
        found = {(*at, x): 0.0 for at in found for x in range(extent)}
    return found


def test_loops_of_which_the_outermost_moves_count_as_one() -> None:
    """`B[i][j] += A[k][i] * D[k][j]` for k > i: an element comes back with the next k, after two tiles of ten rows."""
    kernel = kernel_of(built("upper triangle"), make_target(load_device("u200")))
    tiles = (("i", Tile(2, 10, 1)), ("j", Tile(2, 1, 12)), ("k", Tile(19, 1, 1)))
    arrays = [ArrayId(name) for name in "ABD"]
    plan = kernel.plan(
        DesignPoint(
            "built",
            (NestPoint(kernel.space.nests[0].nest.statements, ("i", "k", "j"), tiles, "i"),),
            tuple(BufferPoint(array, ("S0",), KERNEL_PLACE, (1, 1)) for array in arrays),
            tuple(TransferPoint(array, 1) for array in arrays),
        )
    )
    assert min(gaps(plan, "task0")) == 20
    for distance in (20, 21):
        text, _ = planted(plan, "task0", f"variable=buf_B inter true distance={distance}")
        [found] = check_promises(plan, text)
        assert found.passed == (distance == 20), found


SUM_OF_A_TRIANGLE = """
void sum_up(const double a[12][12], double total[1])
{
  double e = 0;
  for (int i = 0; i < 12; i++)
    for (int j = i + 1; j < 12; j++)
      e += a[i][j];
  total[0] = e;
}
"""


def test_one_element_that_all_tiles_of_a_table_add_to_comes_back_in_the_next_start(tmp_path: Path) -> None:
    """Rows of the table grow shorter, so that loops of fewest tiles count too few starts: each one is a later one."""
    path = tmp_path / "triangle.c"
    path.write_text(SUM_OF_A_TRIANGLE)
    target = make_target(load_device("u200"))
    request = Request(Source(str(path)), target, limits=Limits(effort=1.0), fixes=("S1.listed=yes",), verify=False)
    plan = optimize(request).plan
    text = project(plan, None).files["kernel.cpp"]
    assert "type=inter distance=1 true" in text
    assert all(check.passed for check in check_promises(plan, text))
    assert not all(check.passed for check in check_promises(plan, text.replace("distance=1 true", "distance=2 true")))


def test_what_is_told_apart() -> None:
    """Another array, another direction, and what happens within a start."""
    assert checked("gemm-registers", "task1", "variable=buf_A inter false").passed
    assert not checked("gemm-registers", "task1", "variable=buf_C type=inter dependent=false").passed
    assert not checked("gemm-registers", "task1", "variable=buf_C type=inter direction=WAW dependent=false").passed
    assert not checked("gemm-registers", "task1", "variable=buf_C intra WAR false").passed
    assert checked("gemm-registers", "task1", "variable=buf_A intra false").passed


@pytest.mark.parametrize(
    ("pragma", "where", "why"),
    [
        ("variable=buf_X inter false", "#pragma HLS pipeline", "`buf_X` is no array"),
        ("variable=buf_A inter false", "#pragma HLS inline off", "in no loop that runs statements"),
    ],
)
def test_what_cannot_be_shown_is_refused(pragma: str, where: str, why: str) -> None:
    found = checked("gemm-registers", "task1", pragma, where)
    assert not found.passed and why in found.detail


def test_a_pragma_that_only_confirms_is_not_asked_about() -> None:
    text, _ = planted(case("gemm-registers").plan, "task1", "variable=buf_C inter true")
    assert list(check_promises(case("gemm-registers").plan, text)) == []


def test_verification_fails_where_a_promise_does() -> None:
    found = case("gemm-registers")
    printed = project(found.plan, None)
    text, line = planted(found.plan, "task1", "variable=buf_C inter true distance=501")
    there = replace(printed, files={**printed.files, "kernel.cpp": text})
    verdict = verify(found.plan, there, found.dependences, live=found.live)
    assert [check.name for check in verdict.failures] == [f"promise at kernel.cpp:{line}:1"]
