"""What a task and what a transfer cost by themselves, each figure once when it is first asked for; knows no plan."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from functools import cached_property

from sisyphus.algebra import EXACT, VECTOR, Value
from sisyphus.errors import InternalError
from sisyphus.model.area.datapath import datapath_ff, datapath_lut, datapath_of
from sisyphus.model.area.movers import mover_ff, mover_lut, mover_of
from sisyphus.model.area.multiplexers import Users
from sisyphus.model.counting.iterations import Ints
from sisyphus.model.facts.moves import bytes_moved
from sisyphus.model.facts.task_facts import Move, Pipe, TaskFacts, pipes_in
from sisyphus.model.formulas.burst_cycles import move_cycles, move_multipliers
from sisyphus.model.formulas.core_counts import cores_of, is_called
from sisyphus.model.formulas.cores import Core
from sisyphus.model.formulas.iteration_latency import Setting
from sisyphus.model.formulas.latency import PipelinedBody, task_cycles
from sisyphus.model.formulas.pipes import PipeStudy, body_multipliers, moves_in, study_pipe
from sisyphus.model.formulas.terms import Term, summed, total
from sisyphus.values import dataclass, replace


@dataclass(frozen=True)
class TaskNeeds:
    """Cores of a task by kind: those that it may share with other tasks, those of guarded functions, which may not."""

    shared: Mapping[str, int]
    alone: Mapping[str, int]
    cores: Mapping[str, Core]


@dataclass(frozen=True, eq=False)
class TaskStudy:
    """A task as called in one place of the plan.

    Under outer loops, `outside` says how many iterations of them each of the different ones stands for.
    """

    setting: Setting
    facts: TaskFacts
    outside: Ints | None = None

    @cached_property
    def pipes(self) -> tuple[PipeStudy, ...]:
        return tuple(study_pipe(self.setting, pipe) for pipe, _ in pipes_in(self.facts.parts))

    @cached_property
    def copies(self) -> tuple[int, ...]:
        """How many of each pipelined body work side by side."""
        return tuple(int(count) for _, count in pipes_in(self.facts.parts))

    def body(self, pipe: Pipe) -> PipelinedBody:
        for study in self.pipes:
            if study.pipe is pipe:
                return study.body
        raise InternalError(f"a nest that task `{self.facts.name}` does not have")

    @cached_property
    def cycles(self) -> Term:
        """Cycles of a call: one number, or one for each different iteration of the outer loops."""
        alg = EXACT if self.outside is None else VECTOR
        return task_cycles(replace(self.setting, alg=alg), self.facts, self.body)

    @cached_property
    def all_cycles(self) -> Term:
        """Cycles of all calls."""
        return self.cycles if self.outside is None else summed(self.cycles, self.outside)

    @property
    def bytes_moved(self) -> int:
        """By the transfers under its tile loops, in all calls."""
        return sum(self.bytes_by_port.values())

    @cached_property
    def bytes_by_port(self) -> Mapping[str, int]:
        """The same through each port."""
        times, found = 1 if self.outside is None else self.outside, Counter[str]()
        for move, runs in moves_in(self.facts.parts):
            found[move.port] += bytes_moved(move, runs * times)
        return found

    @cached_property
    def needs(self) -> TaskNeeds:
        """Parts of a task follow each other and share; guarded functions do not."""
        shared: dict[str, int] = {}
        alone: dict[str, int] = defaultdict(int)
        cores: dict[str, Core] = {}
        for found, copies in zip(self.pipes, self.copies, strict=True):
            cores.update(cores_of(self.setting, found.pipe))
            mine, guarded = _pipe_needs(self.setting, found)
            for kind, count in mine.items():
                shared[kind] = max(shared.get(kind, 0), count * copies)
            for kind, count in guarded.items():
                alone[kind] += count * copies
        return TaskNeeds(shared, alone, cores)

    @cached_property
    def areas(self) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
        """FF and LUT of each body beside its cores."""
        area = self.setting.rules.area
        ff, lut = list[Term](), list[Term]()
        for found, copies in zip(self.pipes, self.copies, strict=True):
            label = f"{self.facts.name}: {found.pipe.loop or 'body'}"
            datapath = datapath_of(self.setting, found)
            ff.append(_of_copies(label, copies, datapath_ff(area, datapath)))
            lut.append(_of_copies(label, copies, datapath_lut(area, datapath)))
        return tuple(ff), tuple(lut)

    @cached_property
    def address_dsp(self) -> tuple[Term, ...]:
        """Multiply-adds of the addresses of each body."""
        return self._of_bodies(lambda study: body_multipliers(EXACT, study.pipe))

    @cached_property
    def data_dsp(self) -> tuple[Term, ...]:
        """Multiply-adds of the data of each body."""
        return self._of_bodies(lambda study: study.logic(self.setting, "dsp"), construct="multiply-add")

    def _of_bodies(self, count: Callable[[PipeStudy], Value], construct: str = "") -> tuple[Term, ...]:
        """So many of each body, in all copies of it."""
        return tuple(
            Term(f"{self.facts.name}: {study.pipe.loop}", copies * int(count(study)), construct=construct)
            for study, copies in zip(self.pipes, self.copies, strict=True)
        )

    @cached_property
    def users(self) -> Mapping[str, Users]:
        """What the task does to each buffer."""
        works = [work for studied in self.pipes for work in studied.pipe.works]
        written = {work.write.buffer for work in works}
        read = {a.buffer for w in works for ref, a in w.reads.items() if not (w.from_literal and ref == w.target)}
        return {b: Users(int(b in read), int(b in written), int(b in read & written)) for b in written | read}


def _pipe_needs(setting: Setting, found: PipeStudy) -> tuple[dict[str, int], dict[str, int]]:
    """Cores of a body that it may share, and those of its guarded functions."""
    guarded: dict[str, int] = defaultdict(int)
    for run, work in enumerate(found.pipe.works):
        for kind, count in found.schedule.cores(setting.alg, (run,)).items() if is_called(setting, work) else ():
            guarded[kind] += int(count)
    return {kind: int(count) for kind, count in found.cores(setting).items()}, guarded


def _of_copies(name: str, copies: int, terms: tuple[Term, ...]) -> Term:
    """The terms of all copies of a body."""
    found = (term._replace(value=term.value * copies) for term in terms if term.value)
    return total(name, found, rule="datapath")


@dataclass(frozen=True, eq=False)
class MoveStudy:
    """One transfer."""

    setting: Setting
    move: Move

    @cached_property
    def cycles(self) -> Term:
        return move_cycles(self.setting, self.move)

    @cached_property
    def address_dsp(self) -> Term:
        return Term(self.move.id, move_multipliers(self.setting, self.move))

    @cached_property
    def areas(self) -> tuple[Term, Term]:
        """FF and LUT."""
        mover = mover_of(self.setting, self.move)
        ff, lut = mover_ff(self.setting, mover), mover_lut(self.setting, mover)
        return total(self.move.id, ff), total(self.move.id, lut)
