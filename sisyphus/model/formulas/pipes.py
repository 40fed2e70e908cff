"""A pipelined body read once for all figures: timings, intervals, operations; adds nothing up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sisyphus.algebra import Algebra, Value
from sisyphus.model.facts.task_facts import Burst, Move, Part, Pipe, placed
from sisyphus.model.formulas.addresses import address_multipliers
from sisyphus.model.formulas.bank_ports import port_interval
from sisyphus.model.formulas.copies import reduction_copies
from sisyphus.model.formulas.core_counts import Operations, cores_of, is_called, operations
from sisyphus.model.formulas.distances import flow_distance
from sisyphus.model.formulas.iteration_latency import Setting, Timing, latency_of, path_to, timings
from sisyphus.model.formulas.latency import PipelinedBody, is_flattened
from sisyphus.model.formulas.recurrence import Interval, interval_of
from sisyphus.plan import Operation, Schedule, Touch
from sisyphus.values import dataclass


@dataclass(frozen=True, eq=False)
class PipeStudy:
    """A pipelined body and what the formulas say of it."""

    pipe: Pipe
    body: PipelinedBody
    timings: tuple[Timing, ...]
    interval: Interval
    schedule: Schedule

    @property
    def operations(self) -> tuple[Operations, ...]:
        """Those of each statement in one start."""
        return tuple(self.schedule.counts((run,)) for run in range(len(self.pipe.works)))

    def logic(self, setting: Setting, resource: str) -> Value:
        """What the operations take that share nothing: LUT of expressions, DSP of sums of products."""
        kinds = cores_of(setting, self.pipe)
        return sum(count * getattr(kinds[kind].cost, resource) for kind, count in self.schedule.logic().items())

    def cores(self, setting: Setting) -> Operations:
        """Cores that the statements share, those of guarded functions aside."""
        runs = (run for run, work in enumerate(self.pipe.works) if not is_called(setting, work))
        return self.schedule.cores(setting.alg, runs)


def study_pipe(setting: Setting, pipe: Pipe) -> PipeStudy:
    """Flattening, iteration latency and initiation interval of a body."""
    flattened = is_flattened(setting, pipe)
    times = timings(setting, pipe, flattened)
    interval = interval_of(setting, pipe, times, port_interval(setting.alg, setting.rules, pipe))
    times = _behind_earlier_starts(setting, pipe, times, interval.value)
    schedule = schedule_of(setting, pipe, times, interval)
    return PipeStudy(
        pipe, PipelinedBody(interval.value, schedule.depth(setting.alg), flattened), times, interval, schedule
    )


def _behind_earlier_starts(
    setting: Setting, pipe: Pipe, times: Sequence[Timing], interval: Value
) -> tuple[Timing, ...]:
    """The statements so late in the body that values of earlier starts are there, which others before them wrote.

    Where a way leads back, the interval has it; else starts follow one another as before, and it takes latency alone
    (unmeasured).
    """
    alg, read, found = setting.alg, setting.rules.cycles.read, list(times)
    for flow in sorted((flow for flow in pipe.flows if flow.writer < flow.reader), key=lambda flow: flow.reader):
        reads, arrivals = pipe.works[flow.reader].reads, found[flow.reader].arrivals
        there = found[flow.writer].finish + read - flow_distance(alg, pipe, flow) * interval
        late = (there - arrivals[ref] for ref, access in reads.items() if access.buffer == flow.buffer)
        found[flow.reader] = found[flow.reader].later(alg.maximum(0, *late))
    return tuple(found)


def schedule_of(setting: Setting, pipe: Pipe, times: Sequence[Timing], interval: Interval) -> Schedule:
    """When the operations of a body start, and what they need; the latency and the cores of the body follow from it."""
    found: list[Operation] = []
    touches: list[Touch] = []
    met: dict[str, int] = {}
    kinds = cores_of(setting, pipe)
    for run, (work, timing) in enumerate(zip(pipe.works, times, strict=True)):
        for expr, kind, copies in operations(setting, pipe, work):
            start = timing.starts.get(expr, timing.starts.get(work.expr, 0))
            adds = work.target in work.reads and path_to(setting.operators, expr, work.target) is not None
            several = setting.alg.exceeds(reduction_copies(setting.alg, pipe, work), 1)
            apart = setting.alg.select(several, timing.path, 0) if adds else 0
            cycles = latency_of(setting.operators, expr)
            logic = kinds[kind].is_logic
            found.append(Operation(run, work.statement, expr, kind, start, cycles, copies, apart, logic))
        reads = ((ref, work.reads[ref], False, 0, there) for ref, there in timing.arrivals.items())
        write = (work.target, work.write, True, timing.finish - setting.rules.cycles.write, timing.finish)
        for ref, access, writes, start, end in (*reads, write):
            port = met[access.buffer] = met.get(access.buffer, -1) + 1
            factors, ports = tuple(dim.factor for dim in access.dims), setting.rules.ports_per_bank
            place = (access.buffer, writes, access.element, factors, port % ports)
            touches.append(Touch(run, work.statement, ref, *place, start, end))
    return Schedule(pipe.loop, interval.value, tuple(t.finish for t in times), tuple(found), tuple(touches))


def body_multipliers(alg: Algebra, pipe: Pipe) -> Value:
    """Multipliers of the addresses in a body."""
    accesses = [access for work in pipe.works for access in (work.write, *work.reads.values())]
    return address_multipliers(alg, accesses, (*pipe.arguments, *pipe.loops), pipe.trips)


def moves_in(parts: Sequence[Part]) -> Iterator[tuple[Move, Value]]:
    """Every transfer of some parts that are entered once, with how often it runs.

    The first load for a loop that loads ahead counts there, in place of the one that finds no tile.
    """
    for here in placed(parts):
        if isinstance(burst := here.part, Burst):
            moves = (move for step in burst.steps for move in step if not move.first)
            yield from ((move, here.entries * burst.rounds) for move in moves)
