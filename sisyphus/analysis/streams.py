"""Streams of whole arrays between units: whether units can wait for each other for ever; knows no array and no unit.

A unit sends an array when it is complete and receives one before it uses it, in calls that wait. A tool orders such
calls of a unit only where one needs what the other does, so that each order has to be reckoned with.
"""

from __future__ import annotations

from collections.abc import Sequence

from sisyphus.values import dataclass


@dataclass(frozen=True)
class Stream:
    """An array that unit `source` sends to unit `sink` in so many beats, through a FIFO that holds `depth` of them."""

    array: str
    source: int
    sink: int
    beats: int
    depth: int

    @property
    def port(self) -> str:
        """What its beginning is called; its end is called as the array."""
        return f"{self.array}_to_{self.sink}"

    @property
    def holds_all(self) -> bool:
        """Whether its sender never waits."""
        return self.depth >= self.beats


def deadlock(streams: Sequence[Stream]) -> tuple[Stream, ...]:
    """Streams at which units can wait for each other for ever, each unit at one of them; empty where they cannot.

    Nothing is assumed of the order in which a unit sends and receives, and depths are at least one beat. Where a unit
    waits at a stream, the unit at its other end is not there, since a FIFO is not full and empty at once: it waits at
    another stream. So units that wait for ever are a cycle in the graph of units and streams, whatever the direction of
    these, and where this graph is a forest there is no deadlock at any depth. A unit never waits to send what the FIFO
    holds whole: such a stream belongs to a cycle only on the way from the unit that receives to the one that sends. And
    each such cycle is a deadlock in some order. Executions that follow one another change nothing: of units in a cycle,
    none is an execution ahead of the next one.
    """
    steps = [(one, one.sink, one.source) for one in streams]
    steps += [(one, one.source, one.sink) for one in streams if not one.holds_all]
    for first, begin, there in steps:
        path = _way(steps, there, begin, [first])
        if path:
            return tuple(path)
    return ()


def _way(
    steps: Sequence[tuple[Stream, int, int]], here: int, end: int, taken: Sequence[Stream]
) -> Sequence[Stream] | None:
    """The streams of a cycle that begins with those taken and passes each unit once, or None."""
    if here == end:
        return taken
    passed = {unit for stream in taken for unit in (stream.source, stream.sink)} - {here, end}
    for stream, low, high in steps:
        if low == here and high not in passed and all(stream is not one for one in taken):
            found = _way(steps, high, end, [*taken, stream])
            if found is not None:
                return found
    return None
