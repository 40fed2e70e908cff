"""A pipelined body read once for all figures: timings, intervals, operations; adds nothing up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sisyphus.algebra import Value
from sisyphus.model.facts.task_facts import Beside, Burst, Guarded, Move, Part, Pipe, Replicated, Tile
from sisyphus.model.formulas.bank_ports import port_interval
from sisyphus.model.formulas.core_counts import Operations, operations
from sisyphus.model.formulas.iteration_latency import Setting, Timing, timings
from sisyphus.model.formulas.latency import Body, is_flattened
from sisyphus.model.formulas.recurrence import Interval, interval_of


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
    return PipeStudy(pipe, Body(interval.value, depth, flattened), times, interval, counts)


def pipes_in(parts: Sequence[Part], copies: Value = 1) -> Iterator[tuple[Pipe, Value]]:
    """Every pipelined body of some parts, with how many copies of it work side by side."""
    for part in parts:
        match part:
            case Pipe():
                yield part, copies
            case Tile(body=body) | Guarded(body=body) | Beside(parts=body):
                yield from pipes_in(body, copies)
            case Replicated(copies=more, body=body):
                yield from pipes_in(body, copies * more)
            case Burst():
                pass


def moves_in(parts: Sequence[Part], entries: Value) -> Iterator[tuple[Move, Value]]:
    """Every transfer of some parts that are entered so often, with how often it runs."""
    for part in parts:
        match part:
            case Burst(steps=steps, rounds=rounds):
                yield from ((move, entries * rounds) for step in steps for move in step)
            case Beside(parts=inside):
                yield from moves_in(inside, entries)
            case Tile(iterations=inside, body=body) | Guarded(runs=inside, body=body):
                yield from moves_in(body, inside)
            case Replicated() | Pipe():
                pass  # copies share the ports, so that transfers stand outside of them
