"""A loop of a plan as a C++ loop with the directives of its role; knows no task."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sisyphus.backends.hls.identifiers import Names
from sisyphus.backends.hls.loop_bounds import Bounds, least_trips
from sisyphus.backends.hls.writer import Writer
from sisyphus.plan import For, LoopRole, Quotient, stands_apart, walk
from sisyphus.plan.ranges import Ranges, ranges_of
from sisyphus.poly import var


@contextmanager
def print_loop(w: Writer, loop: For, bounds: Bounds, names: Names, ranges: Ranges) -> Iterator[Ranges]:
    """The loop with the directives of its role; yields the ranges inside it."""
    name = names.of("iterator", loop.iterator)
    lower, below = bounds.lower(loop.lower, ranges), bounds.below(loop.upper, ranges)
    with w.block(f"for (int {name} = {lower}; {name} < {below}; ++{name})"):
        at_once = loop.role in (LoopRole.UNROLLED, LoopRole.COPIES)
        if at_once:
            w.pragma("unroll")
        elif loop.role is LoopRole.PIPELINED:
            w.pragma(f"pipeline II={loop.interval}" if loop.interval else "pipeline")
        elif _is_innermost(loop):
            w.pragma("pipeline off")
        if not (at_once or loop.is_constant):
            w.pragma(f"loop_tripcount min={least_trips(loop, ranges)} max={loop.trip_count}")
        inside = {**ranges, **ranges_of(loop, ranges)}
        for quotient, by in loop.quotients:
            value = bounds.floor(Quotient(var(loop.iterator), by), inside)
            w.line(f"const int {names.of('iterator', quotient)} = {value};")
        yield inside


def _is_innermost(loop: For) -> bool:
    """Nothing below but unrolled loops: the tool would pipeline it unasked."""
    return not any(map(stands_apart, walk(loop.body)))
