"""Intermediates that go from unit to unit by streams, so that all units run at the same time; searches nothing.

A stream is as deep as that of a load through a FIFO, or, where units could wait for each other for ever, as deep as it
has beats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sisyphus.analysis import Stream, deadlock
from sisyphus.errors import KernelError
from sisyphus.ir import Scop
from sisyphus.model import estimate
from sisyphus.model.timeline import timeline
from sisyphus.plan import FIFO_DEPTH, Direction, Port, beats, not_in_one_pass, streamed
from sisyphus.target import Target
from sisyphus.units.shares import Unit
from sisyphus.values import replace

#: The most beats that the FIFO between two kernels holds: of AXI4-Stream Data FIFO (AMD PG085), whose depths are powers
#: of two.
DEEPEST = 32_768


def incoming(
    target: Target, known: Sequence[Stream], units: Sequence[Unit], number: int, scop: Scop
) -> tuple[tuple[Port, ...], tuple[Stream, ...], int]:
    """What comes into the next unit: ports of the units that send it, streams, and BRAM18 that no search counts."""
    read, ports, new = {a.id for a in scop.arrays}, list[Port](), list[Stream]()
    for unit in units:
        for port in unit.plan.ports:
            if port.name in read and port.kind == "array" and port.direction != "in":
                ports.append(port)
                new.append(Stream(port.name, unit.number, number, beats(port), FIFO_DEPTH))
    chosen = deep_enough(known, new)
    return tuple(ports), chosen, blocks_beside(target, ports, chosen)


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


def blocks_beside(target: Target, ports: Sequence[Port], streams: Sequence[Stream]) -> int:
    """BRAM18 that FIFOs in front of a unit take beside those that a search counts for loads through FIFOs."""
    found = 0
    for port, stream in zip(ports, streams, strict=True):
        bits = port.width * port.type.bits
        counted = target.memories.fifo(bits, FIFO_DEPTH).bram18k
        found += max(target.memories.fifo_blocks(bits, stream.depth) - counted, 0)
    return found


def with_streams(unit: Unit, streams: Sequence[Stream]) -> Unit:
    """The unit with those of these streams that begin or end at it. `KernelError` where an array is none."""
    depths = {s.array: s.depth for s in streams if unit.number in (s.source, s.sink)}
    for array in depths:
        reason = not_in_one_pass(unit.plan, array)
        if reason:
            raise KernelError(f"unit {unit.number}: {reason}", hint="leave out `--streams`")
    plan = streamed(unit.plan, depths)
    return replace(unit, plan=plan, estimate=estimate(plan, unit.place.target))


def cycles_together(units: Sequence[Unit], streams: Sequence[Stream]) -> int:
    """Cycles until the last unit ends, where all are started at once.

    The step of a unit that receives an array begins when the one that sends it does, and where the FIFO does not hold
    all of it, that one waits for the step that receives. Starting units is not counted, as nowhere else.
    """
    steps = {unit.number: _steps(unit) for unit in units}
    begins = {(number, step): begin for number, own in steps.items() for step, begin in own.items()}
    meets = list[tuple[tuple[int, int], tuple[int, int], bool]]()
    by_number = {unit.number: unit for unit in units}
    for stream in streams:
        sends = stream.source, _step_of(by_number[stream.source], stream.array, "store")
        gets = stream.sink, _step_of(by_number[stream.sink], stream.array, "load")
        meets.append((sends, gets, stream.holds_all))
    changed = True
    while changed:  # what is waited for moves on by whole steps, and in no cycle
        before = dict(begins)
        for sends, gets, holds_all in meets:
            begins[gets] = max(begins[gets], begins[sends])
            begins[sends] = begins[sends] if holds_all else max(begins[sends], begins[gets])
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


def _step_of(unit: Unit, array: str, kind: str) -> int:
    moves = Direction.LOAD if kind == "load" else Direction.STORE
    names = {t.id for t in unit.plan.transfers if t.port == array and t.direction is moves}
    return next(entry.step for entry in timeline(unit.estimate) if entry.kind == kind and entry.name in names)
