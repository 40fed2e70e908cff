"""Unrolled copies of a statement, and those of them that meet in one element; knows no latency."""

from __future__ import annotations

from collections.abc import Collection

from sisyphus.algebra import Algebra, Value, product
from sisyphus.model.facts.shifts import Shift
from sisyphus.model.facts.task_facts import Pipe, Work


def unrolled_copies(pipe: Pipe, work: Work) -> Value:
    """Copies of a statement in one start."""
    return product(pipe.trips[loop] for loop in work.unrolled)


def reduction_copies(alg: Algebra, pipe: Pipe, work: Work) -> Value:
    """Unrolled copies of a statement that accumulate into one element, those that meet in a sum of loops included."""
    if work.shifts is None:
        return unrolled_copies(pipe, work)
    alone = product(pipe.trips[loop] for loop in work.unrolled if loop in work.reductions)
    return alone * product(_meeting(alg, pipe, work, shift) for shift in work.shifts)


def _meeting(alg: Algebra, pipe: Pipe, work: Work, shift: Shift) -> Value:
    """Unrolled copies that are multiples of a shift apart: at most as many as the shorter one of its loops has."""
    lanes = ((1 + furthest(pipe, source, work.unrolled), abs(distance)) for source, distance in shift)
    return alg.minimum(*(alg.ceil_div(count, distance) for count, distance in lanes))


def furthest(pipe: Pipe, source: str, loops: Collection[str]) -> Value:
    """The largest distance between two iterations of a source loop in which only some of its `loops` differ."""
    own = ((loop, step) for loop, step in pipe.copies.get(source, ()) if loop in loops)
    return sum(step * (pipe.trips[loop] - 1) for loop, step in own)
