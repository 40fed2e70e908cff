"""Do streams between units bring what the kernel hands over: the same beats at both ends, and no wait for ever."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sisyphus.analysis import Stream, deadlock
from sisyphus.ir import ArrayId
from sisyphus.plan import Direction, Plan, Port, not_in_one_pass, streams_between
from sisyphus.verification.verdict import Check

#: A unit as far as streams go: its plan, and the first element of each of its arrays in that of the source.
End = tuple[Plan, Mapping[ArrayId, tuple[int, ...]]]


def check_streams(units: Sequence[End]) -> Iterator[Check]:
    """Every stream begins at one unit and ends at another, both pass the same beats, and units never wait for ever.

    Units with streams run at the same time, so that nothing else may be handed over between them.
    """
    streams = streams_between([plan for plan, _ in units])
    ends = [(unit, port) for unit, (plan, _) in enumerate(units) for port in plan.ports if port.kind == "stream"]
    if not ends:
        return
    for unit, port in ends:
        own = [s for s in streams if (unit, port.name) in ((s.source, s.port), (s.sink, s.array))]
        told = f"joins {len(own)} others" if len(own) != 1 else "joins one other unit"
        yield Check(f"unit {unit}: end of the stream of {port.name}", len(own) == 1, told)
    for stream in streams:
        fault = _difference(stream, units)
        told = fault or f"the same {stream.beats:,} beats in the same order at both ends"
        yield Check(_name(stream), not fault, told)
    for sink, (plan, _) in enumerate(units):
        given = {p.name for p in plan.ports if p.kind == "array" and p.direction != "out"}
        written = {p.copies or p.name for before, _ in units[:sink] for p in before.ports if p.direction != "in"}
        for name in sorted(given & written):
            yield Check(f"unit {sink}: {name}", False, "is read from memory while the unit that writes it runs")
    yield _no_deadlock(streams)


def _name(stream: Stream) -> str:
    return f"stream of {stream.array} from unit {stream.source} to unit {stream.sink}"


def _difference(stream: Stream, units: Sequence[End]) -> str:
    """What both ends do not agree in, or what is no pass of a whole array, in words; empty where all is well."""
    (sends, first), (gets, second) = units[stream.source], units[stream.sink]
    reason = not_in_one_pass(sends, stream.port, Direction.STORE) or not_in_one_pass(gets, stream.array, Direction.LOAD)
    if reason:
        return reason
    if stream.source >= stream.sink:
        return "it goes back"
    one, other = _beats_of(sends, first, stream.port), _beats_of(gets, second, stream.array)
    return "" if one == other else f"beats are {one} where they are sent, {other} where they are received"


def _beats_of(plan: Plan, elements: Mapping[ArrayId, tuple[int, ...]], name: str) -> tuple[object, ...]:
    """What tells which elements of the source a beat has."""
    port: Port = next(p for p in plan.ports if p.name == name)
    return port.type.c_name, port.width, port.layout, port.extents, elements[ArrayId(port.copies or name)]


def _no_deadlock(streams: Sequence[Stream]) -> Check:
    found = deadlock(streams)
    if found:
        told = ", ".join(f"{s.array} ({s.depth:,} of {s.beats:,} beats)" for s in found)
        return Check("units never wait for ever", False, f"they can wait for each other: {told}")
    deep = [f"{s.array} fits into its FIFO of {s.depth:,}" for s in streams if s.holds_all]
    told = f", and at any depth of others: {', '.join(deep)}" if deep else " at any depth"
    return Check("units never wait for ever", True, f"no cycle of units and streams{told}")
