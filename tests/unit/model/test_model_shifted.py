"""Statements behind each other in one body: when each has its values, what waits meanwhile, and which tiles run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import brute
import numpy as np
import pytest
from builders import scop
from random_kernels import random_point

from sisyphus.algebra import EXACT
from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.forms import SHIFTED, SHIFTED_STRIPS, rewritten
from sisyphus.model import estimate
from sisyphus.model.area.datapath import datapath_of
from sisyphus.model.counting.tilecount import tile_counts
from sisyphus.model.facts.task_facts import Pipe
from sisyphus.model.formulas import pipes
from sisyphus.model.formulas.distances import flow_distance
from sisyphus.model.formulas.pipes import PipeStudy, study_pipe
from sisyphus.model.study import Study
from sisyphus.plan import Plan, Schedule, build_plan
from sisyphus.target import load_device, make_target

TARGET = make_target(load_device("u200"), budget="chip")
STEPS = """
for t in range(3):
    for i in range(1, 13):
        for j in range(1, 9):
            B[i, j] = A[i, j] * (A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1])
    for i in range(1, 13):
        for j in range(1, 10):
            A[i, j] = B[i, j] * (B[i - 1, j] + B[i + 1, j])
"""
SHAPES = {"A": (14, 10), "B": (14, 10)}


def plan_of(seed: int) -> Plan:
    """A design that is drawn, of both statements in one nest."""
    kernel = rewritten(scop(STEPS, **SHAPES), [SHIFTED])
    distribution = distribute(kernel, dependences(kernel))
    point = random_point(random.Random(seed), kernel, distribution, ahead=False)
    return build_plan(kernel, distribution, liveness(kernel), point)


def bodies() -> Iterator[PipeStudy]:
    """Those of both statements."""
    for seed in range(40):
        for task in estimate(plan_of(seed), TARGET).study.tasks.values():
            yield from (body for body in task.pipes if len(body.pipe.works) > 1)


def early(pipe: Pipe, schedule: Schedule, starts: int) -> list[str]:
    """Reads of the second statement before the first one has written their elements, so many starts ago."""
    [written] = (touch.end for touch in schedule.touches if touch.run == 0 and touch.writes)
    reads = (touch for touch in schedule.touches if touch.run == 1 and touch.buffer == pipe.works[0].write.buffer)
    return [str(read.ref) for read in reads if read.end + starts * schedule.interval <= written]


def test_a_statement_has_the_values_of_starts_before(monkeypatch: pytest.MonkeyPatch) -> None:
    met = set()
    for body in bodies():
        if body.pipe.pipelined:
            starts = min(int(flow_distance(EXACT, body.pipe, flow)) for flow in body.pipe.flows if flow.reader == 1)
            assert early(body.pipe, body.schedule, starts) == []
            alone = max(timing.finish - timing.arrivals[ref] for timing in body.timings for ref in timing.arrivals)
            met.add(body.body.depth > alone + 4)
    assert met == {True, False}  # some wait, others need not
    monkeypatch.setattr(pipes, "_behind_earlier_starts", lambda _setting, _pipe, times, _interval: tuple(times))
    assert any(early(body.pipe, body.schedule, 1) for body in bodies() if body.pipe.pipelined)


def test_values_wait_for_their_own_statement_alone() -> None:
    """Words that a body reads for one statement were counted for each of the others, too."""
    setting = Study(plan_of(0), TARGET).setting
    for body in bodies():
        apart = (replace(body.pipe, works=(work,), flows=()) for work in body.pipe.works)
        waiting = [datapath_of(setting, study_pipe(setting, pipe)).waiting for pipe in apart]
        assert abs(datapath_of(setting, body).waiting - sum(waiting)) <= 1


@pytest.mark.parametrize("i", [1, 3, 16])
@pytest.mark.parametrize("j", [1, 4, 9])
def test_tiles_with_work_are_those_of_rows_that_some_statement_has(i: int, j: int) -> None:
    """Columns run from the first of any statement to the last, as the loops that are emitted do."""
    kernel = rewritten(scop(STEPS, **SHAPES), [f"{SHIFTED_STRIPS}2x5"])
    [nest] = [n for n in distribute(kernel, dependences(kernel)).nests if len(n.statements) > 1]
    counts = tile_counts(kernel, nest)
    points = {point for name in nest.statements for point in brute.points(kernel.statement(name))}
    first, columns = counts.lower["i"], {at[4] for at in points}
    rows = {(*at[:3], (at[3] - first) // i) for at in points}
    found = counts.visits(["i", "j"], {"i": np.array([i]), "j": np.array([j])}, skips=[])
    assert found.tolist() == [len(rows) * -(-len(columns) // j)]
    assert {"j"} in [set(group.loops) for group in counts.groups]
