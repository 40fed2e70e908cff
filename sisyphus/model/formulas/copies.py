"""Unrolled copies of a statement, and those of them that meet in one element; knows no latency."""

from __future__ import annotations

from sisyphus.algebra import Algebra, Value, product
from sisyphus.model.facts.shifts import Shift
from sisyphus.model.facts.task_facts import Pipe, Work
from sisyphus.plan import FAR


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
    found: Value = FAR
    for source, distance in shift:
        own = ((pipe.trips[loop], step) for loop, step in pipe.copies.get(source, ()) if loop in work.unrolled)
        lanes = 1 + sum(step * (count - 1) for count, step in own)
        found = alg.minimum(found, alg.ceil_div(lanes, abs(distance)))
    return found
