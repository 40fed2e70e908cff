"""A plan read once for all figures: facts, timings and intervals of every task; adds nothing up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from sisyphus.errors import InternalError
from sisyphus.model.algebra import EXACT, VECTOR, Value
from sisyphus.model.counting import Visits
from sisyphus.model.facts import Burst, Guarded, Move, Part, Pipe, Replicated, TaskFacts, Tile
from sisyphus.model.latency import Body, is_flattened
from sisyphus.model.operators import Operations, cores_of, is_called, operations
from sisyphus.model.ports import port_interval
from sisyphus.model.recurrence import Interval, interval_of
from sisyphus.model.rules import VITIS_2023_2, GuardForm, Rules
from sisyphus.model.schedule import Setting, Timing, timings
from sisyphus.model.structure import task_facts
from sisyphus.plan import Call, Plan
from sisyphus.target import Target


@dataclass(frozen=True, eq=False)
class PipeStudy:
    """A pipelined body and what the formulas say of it; `operations` are those of each statement in one start."""

    pipe: Pipe
    body: Body
    timings: tuple[Timing, ...]
    interval: Interval
    operations: tuple[Operations, ...]


def study_pipe(setting: Setting, pipe: Pipe) -> PipeStudy:
    """Flattening, iteration latency and initiation interval of a body."""
    flattened = is_flattened(setting, pipe)
    times = timings(setting, pipe, flattened)
    interval = interval_of(setting, pipe, times, port_interval(setting.alg, setting.rules, pipe))
    depth = setting.alg.maximum(0, *(timing.finish for timing in times))
    counts = tuple(operations(setting, pipe, work) for work in pipe.works)
    measured = _is_measured(setting, pipe, interval)
    return PipeStudy(pipe, Body(interval.value, depth, flattened, measured), times, interval, counts)


def _is_measured(setting: Setting, pipe: Pipe, interval: Interval) -> bool:
    """Whether reports confirm what a body rests on: its cores, its guards, and what asks for its II."""
    guarded = any(work.guarded and not is_called(setting, work) for work in pipe.works)
    cores = all(core.cost.measured or not core.cost.latency for core in cores_of(setting, pipe.works).values())
    assumed = any(not sure and np.any(cycles > 1) for cycles, _, sure in interval.causes)
    return cores and not guarded and not assumed


@dataclass(frozen=True, eq=False)
class TaskStudy:
    """A task as called in one place of the plan."""

    facts: TaskFacts
    pipes: tuple[PipeStudy, ...]

    def body(self, pipe: Pipe) -> Body:
        for study in self.pipes:
            if study.pipe is pipe:
                return study.body
        raise InternalError(f"a nest that task `{self.facts.name}` does not have")


def pipes_in(parts: Sequence[Part], copies: Value = 1) -> Iterator[tuple[Pipe, Value]]:
    """Every pipelined body of some parts, with how many copies of it work side by side."""
    for part in parts:
        match part:
            case Pipe():
                yield part, copies
            case Tile(body=body) | Guarded(body=body):
                yield from pipes_in(body, copies)
            case Replicated(copies=more, body=body):
                yield from pipes_in(body, copies * more)
            case Burst():
                pass


def moves_in(parts: Sequence[Part], entries: Value) -> Iterator[tuple[Move, Value]]:
    """Every transfer of some parts that are entered so often, with how often it runs."""
    for part in parts:
        match part:
            case Burst(moves=moves):
                yield from ((move, entries) for move in moves)
            case Tile(iterations=inside, body=body) | Guarded(runs=inside, body=body):
                yield from moves_in(body, inside)
            case Replicated(body=body):
                yield from moves_in(body, entries)
            case Pipe():
                pass


@dataclass(frozen=True, eq=False)
class Study:
    """A plan on a target under the rules of one version of the tool."""

    plan: Plan
    target: Target
    rules: Rules = VITIS_2023_2
    guards: GuardForm = GuardForm.INLINE
    _tasks: dict[str, TaskStudy] = field(default_factory=dict, init=False)

    @property
    def setting(self) -> Setting:
        return Setting(EXACT, self.rules, self.target.operators, self.guards)

    def under(self, outside: Visits | None) -> Setting:
        """The setting for counts that differ between iterations of outer loops."""
        alg = EXACT if outside is None else VECTOR
        return Setting(alg, self.rules, self.target.operators, self.guards)

    def task(self, call: Call, outside: Visits | None = None) -> TaskStudy:
        """The study of a called task; the first call decides how often its loops run."""
        if call.task not in self._tasks:
            facts = task_facts(self.plan, self.plan.task(call.task), outside)
            pipes = tuple(study_pipe(self.setting, pipe) for pipe, _ in pipes_in(facts.parts))
            self._tasks[call.task] = TaskStudy(facts, pipes)
        return self._tasks[call.task]

    @property
    def tasks(self) -> dict[str, TaskStudy]:
        """Studies of all tasks called so far, by name."""
        return self._tasks


def outer_visits(outside: Visits | None) -> int:
    """How many iterations of the outer loops there are."""
    return 1 if outside is None else outside.owners
