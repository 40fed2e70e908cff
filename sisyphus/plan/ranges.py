"""The values that iterators can take, as boxes: what can be told of subscripts without isl; knows no statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from sisyphus.plan.tree import Bound, For
from sisyphus.poly import affine_range

Ranges = Mapping[str, tuple[int, int]]


class Bounded(Protocol):
    """A loop, or what one is made of."""

    @property
    def lower(self) -> Bound: ...

    @property
    def upper(self) -> Bound: ...

    @property
    def trip_count(self) -> int: ...


def lower_value(bound: Bound, ranges: Ranges) -> int:
    """The least that a lower bound can be."""
    return max(-(-affine_range(q.numerator, ranges)[0] // q.divisor) for q in bound.terms)


def upper_value(bound: Bound, ranges: Ranges) -> int:
    """The most that an upper bound can be."""
    return min(affine_range(q.numerator, ranges)[1] // q.divisor for q in bound.terms)


def loop_range(loop: Bounded, ranges: Ranges) -> tuple[int, int]:
    """The values that an iterator can take, at least; a loop that never runs gets one value."""
    low, high = lower_value(loop.lower, ranges), upper_value(loop.upper, ranges)
    if loop.lower.value is not None:
        high = min(high, low + loop.trip_count - 1)
    return low, max(low, high)


def ranges_of(loop: For, ranges: Ranges) -> dict[str, tuple[int, int]]:
    """The values of an iterator, and of its quotients."""
    low, high = loop_range(loop, ranges)
    return {loop.iterator: (low, high), **{name: (low // by, high // by) for name, by in loop.quotients}}
