"""Which part of an array a buffer holds: extents and origin of the box that a place needs; knows no partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sisyphus.ir import Ref
from sisyphus.poly import Affine, const


@dataclass(frozen=True)
class Window:
    """What an iterator ranges over while a buffer lives: `size` values from `start`; a fixed loop's start moves."""

    start: Affine
    size: int


@dataclass(frozen=True)
class Box:
    """Element x of the box is element origin + x of the array."""

    origin: tuple[Affine, ...]
    extents: tuple[int, ...]


@dataclass(frozen=True)
class Use:
    """References to one array by statements with the same loops around them."""

    refs: tuple[Ref, ...]
    windows: Mapping[str, Window]


def whole(extents: Sequence[int]) -> Box:
    """The box that is the array."""
    return Box(tuple(const(0) for _ in extents), tuple(extents))


def box_of(uses: Sequence[Use], extents: Sequence[int]) -> Box:
    """The bounding box of all elements touched while each iterator stays in its window, clipped to the array.

    Where references of one nest run through a dimension in different ways, the box is the whole dimension.
    """
    spans = [_span([(r.index[at], u.windows) for u in uses for r in u.refs], e) for at, e in enumerate(extents)]
    return Box(tuple(origin for origin, _ in spans), tuple(extent for _, extent in spans))


def _span(subscripts: Sequence[tuple[Affine, Mapping[str, Window]]], extent: int) -> tuple[Affine, int]:
    if any(a.terms != b.terms for a, windows in subscripts for b, others in subscripts if others is windows):
        return const(0), extent
    lows = [_low(e, windows) for e, windows in subscripts]
    highs = [low.constant + _reach(e, windows) for low, (e, windows) in zip(lows, subscripts, strict=True)]
    if len({low.terms for low in lows}) > 1:
        return const(0), extent
    first, last = min(low.constant for low in lows), max(highs)
    moving = Affine(lows[0].terms, first)
    if moving.is_constant:
        first, last = max(first, 0), min(last, extent - 1)
        return const(first), max(last - first + 1, 1)
    return (moving, last - first + 1) if last - first + 1 < extent else (const(0), extent)


def _low(subscript: Affine, windows: Mapping[str, Window]) -> Affine:
    """The smallest value while all iterators stay in their windows."""
    total = const(subscript.constant)
    for name, factor in subscript.terms:
        window = windows[name]
        total = total + (window.start if factor > 0 else window.start + (window.size - 1)) * factor
    return total


def _reach(subscript: Affine, windows: Mapping[str, Window]) -> int:
    """Largest minus smallest value."""
    return sum(abs(factor) * (windows[name].size - 1) for name, factor in subscript.terms)
