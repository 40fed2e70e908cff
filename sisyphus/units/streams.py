"""Intermediates that go from unit to unit by streams, so that all units run at the same time; searches nothing.

A stream is as deep as that of a load through a FIFO, or, where units could wait for each other for ever, as deep as it
has beats.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby

from sisyphus.analysis import Stream, deadlock
from sisyphus.errors import KernelError
from sisyphus.ir import ArrayId, Role, Scop
from sisyphus.model import estimate
from sisyphus.model.timeline import timeline
from sisyphus.plan import FIFO_DEPTH, Direction, Port, beats, not_in_one_pass, receiving, sending
from sisyphus.units.shares import Unit
from sisyphus.values import replace

#: The most beats that the FIFO between two kernels holds: of AXI4-Stream Data FIFO (AMD PG085), whose depths are powers
#: of two.
DEEPEST = 32_768
#: Cycles until a beat is one SLR further: of an AXI Register Slice that crosses their boundary in registers (AMD PG373,
#: SLR TDM Crossing, the one mode of which a figure is given); a beat may follow in every cycle. No report has it.
CROSSING = 3


def incoming(known: Sequence[Stream], units: Sequence[Unit], number: int) -> tuple[list[Port], tuple[Stream, ...]]:
    """What comes into the next unit from those before it: the ports that send it, by their arrays, and streams."""
    ports, new = list[Port](), list[Stream]()
    for unit in units:
        for port in (p for p in unit.plan.ports if p.kind == "stream" and p.copies is not None):
            stream = Stream(port.copies or port.name, unit.number, number, beats(port), FIFO_DEPTH)
            if port.name == stream.port:
                ports.append(replace(port, name=stream.array))
                new.append(stream)
    return ports, deep_enough(known, new)


def exceeded(unit: Unit) -> dict[str, int]:
    """By how much a unit exceeds the budget of its SLR, of each kind that it does."""
    budget = unit.place.target.budget.amounts()
    over = {name: getattr(unit.estimate, name) - amount for name, amount in budget.items()}
    return {name: amount for name, amount in over.items() if amount > 0}


def deep_enough(known: Sequence[Stream], new: Sequence[Stream]) -> tuple[Stream, ...]:
    """New streams that come into one unit, of which so few as can be hold all of their beats, the shortest first.

    Others may be of any depth. `KernelError` where one would have to be deeper than there are.
    """
    chosen = list(new)
    while found := deadlock([*known, *chosen]):
        mine = [stream for stream in found if stream in chosen and not stream.holds_all]
        shortest = min(mine, key=lambda stream: (stream.beats, stream.array))
        depth = 1 << (shortest.beats - 1).bit_length()
        if depth > DEEPEST:
            raise KernelError(
                f"the stream of `{shortest.array}` would have to hold {shortest.beats:,} beats",
                hint="units could wait for each other otherwise; leave out `--streams`",
            )
        chosen[chosen.index(shortest)] = replace(shortest, depth=depth)
    return tuple(chosen)


def with_streams(unit: Unit, streams: Sequence[Stream], results: Collection[ArrayId]) -> Unit:
    """The unit with those of these streams that begin or end at it; of what it sends, `results` are stored as well.

    `KernelError` where an array does not come or go once and whole, or an argument has the name of a stream.
    """
    comes = [stream for stream in streams if stream.sink == unit.number]
    goes = groupby((s for s in streams if s.source == unit.number), key=lambda stream: stream.array)
    sent, plan = {array: list(own) for array, own in goes}, unit.plan
    for array, way in (*((s.array, Direction.LOAD) for s in comes), *((array, Direction.STORE) for array in sent)):
        reason = not_in_one_pass(plan, array, way)
        if reason:
            raise KernelError(f"unit {unit.number}: {reason}", hint="leave out `--streams`")
    for clash in sorted({port.name for port in plan.ports} & {stream.port for own in sent.values() for stream in own}):
        raise KernelError(f"`{clash}` is an argument, and a stream would be called so", hint="give it another name")
    for stream in comes:
        plan = receiving(plan, stream)
    for array, own in sent.items():
        plan = sending(plan, own, stored=array in results)
    return replace(unit, plan=plan, estimate=estimate(plan, unit.place.target), at_once=True)


def results_of(scop: Scop, temporaries: Collection[str]) -> frozenset[ArrayId]:
    """The arrays that somebody wants of a kernel."""
    return frozenset(a.id for a in scop.arrays if a.role in (Role.OUT, Role.INOUT) and a.id not in temporaries)


def cycles_together(units: Sequence[Unit], streams: Sequence[Stream]) -> int:
    """Cycles until the last unit ends, where all are started at once.

    The step of a unit that receives an array begins when the first beat of the one that sends it has come over the
    boundaries of SLRs between them, and where the FIFO does not hold all of it, that one waits for the step that
    receives. Starting units is not counted, as nowhere else.
    """
    steps = {unit.number: _steps(unit) for unit in units}
    begins = {(number, step): begin for number, own in steps.items() for step, begin in own.items()}
    meets = list[tuple[tuple[int, int], tuple[int, int], int, bool]]()
    by_number = {unit.number: unit for unit in units}
    for stream in streams:
        source, sink = by_number[stream.source], by_number[stream.sink]
        sends = stream.source, _step_of(source, stream.port, "store")
        gets = stream.sink, _step_of(sink, stream.array, "load")
        meets.append((sends, gets, CROSSING * abs(source.place.slr - sink.place.slr), stream.holds_all))
    changed = True
    while changed:  # what is waited for moves on by whole steps, and in no cycle
        before = dict(begins)
        for sends, gets, way, holds_all in meets:
            begins[gets] = max(begins[gets], begins[sends] + way)
            begins[sends] = begins[sends] if holds_all else max(begins[sends], begins[gets] - way)
        for number, own in steps.items():
            late = 0
            for step, begin in sorted(own.items()):
                late = max(late, begins[number, step] - begin)
                begins[number, step] = begin + late
        changed = begins != before
    last = {number: max(own) for number, own in steps.items()}
    return max(u.cycles + begins[u.number, last[u.number]] - steps[u.number][last[u.number]] for u in units)


def _steps(unit: Unit) -> Mapping[int, int]:
    """When each step of a unit begins that nothing keeps waiting."""
    return {entry.step: entry.start for entry in timeline(unit.estimate)}


def _step_of(unit: Unit, port: str, kind: str) -> int:
    """The step in which what goes through a port is loaded or stored."""
    names = {t.id for t in unit.plan.transfers if t.port == port}
    return next(entry.step for entry in timeline(unit.estimate) if entry.kind == kind and entry.name in names)
