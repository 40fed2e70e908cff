"""The schedule of a body as a value: what the figures of a plan follow from, and what its text shows."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hand_plans import gemm_resident, gemm_tiled
from schedules import schedules_of

from sisyphus.algebra import EXACT
from sisyphus.model import estimate
from sisyphus.model.study import Study
from sisyphus.plan import Call, Plan, Schedule, dump
from sisyphus.target import load_device, make_target

TARGET = make_target(load_device("u200"), budget="chip")


def faults(schedule: Schedule) -> list[str]:
    """What no schedule of a plan may have: a core with too much to do, a value used before it is there."""
    busy: Counter[tuple[str, int]] = Counter()
    left = Counter({operation.kind: 0 for operation in schedule.operations})
    for operation, first, last in schedule.numbers():
        for _ in range(operation.copies):
            busy[operation.kind, left[operation.kind] // schedule.interval] += 1
            left[operation.kind] += 1
        if not first <= last < schedule.cores(EXACT, range(len(schedule.ends)))[operation.kind]:
            return [f"{operation.kind} {last} is no core"]
    found = [f"{kind} {core}" for (kind, core), count in busy.items() if count > schedule.interval]
    late = [o.kind for o in schedule.operations if o.start + o.cycles > schedule.ends[o.run]]
    return [*found, *late, *(t.buffer for t in schedule.touches if not 0 <= t.start < t.end)]


@pytest.mark.parametrize("plan", [gemm_resident(), gemm_tiled()], ids=["resident", "tiled"])
def test_latency_and_cores_follow_from_the_schedule(plan: Plan) -> None:
    schedules, study = schedules_of(plan, TARGET), Study(plan, TARGET)
    for task in plan.tasks:
        [schedule], [pipe] = schedules[task.name], study.task(Call(task.name)).pipes
        assert faults(schedule) == []
        assert schedule.depth(EXACT) == pipe.body.depth and schedule.interval == pipe.interval.value
        assert schedule.cores(EXACT, range(len(schedule.ends))) == pipe.cores(study.setting)
    assert estimate(plan, TARGET).intervals == {
        name: tuple(one.interval for one in found) for name, found in schedules.items()
    }


def test_a_planted_fault_is_seen() -> None:
    [schedule] = schedules_of(gemm_resident(), TARGET)["task_S1"]
    assert faults(replace(schedule, ends=(0,))) != []
    assert faults(replace(schedule, touches=tuple(replace(t, end=t.start) for t in schedule.touches))) != []


def test_the_text_of_a_plan_shows_it(expect) -> None:  # type: ignore[no-untyped-def]
    plan = gemm_resident()
    text = dump(plan, schedules_of(plan, TARGET))
    assert text.replace(dump(plan), "") == text
    expect("".join(line + "\n" for line in text.splitlines() if line not in dump(plan).splitlines()), ".txt")
