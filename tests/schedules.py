"""The schedules of a plan, as the model reads them."""

from __future__ import annotations

from collections.abc import Mapping

from sisyphus.model import estimate
from sisyphus.plan import Plan, Schedule
from sisyphus.target import Target


def schedules_of(plan: Plan, target: Target) -> Mapping[str, tuple[Schedule, ...]]:
    """The schedule, in cycles from its start, of each pipelined body of the tasks that a plan calls, by task name."""
    tasks = estimate(plan, target).study.tasks
    return {name: tuple(body.schedule for body in task.pipes) for name, task in tasks.items()}
