"""Candidates for a nest by the shapes of their loop trees, so that those of one are costed together; no formula."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sisyphus.algebra import distinct, distinct_rows
from sisyphus.model.counting.iterations import Ints
from sisyphus.plan import Numbers, Shape
from sisyphus.space import NestSpace
from sisyphus.values import dataclass, replace


@dataclass(frozen=True, eq=False)
class Candidates:
    """N choices for a nest: `numbers` with a column of N entries each, and what parts them into shapes.

    `order` picks one of `orders` (all loops, outermost first), `pipeline` a loop of the band by position, -1 for none.
    `interval` is what the tool is asked for, if it is for any of them. `ahead` is the position of the loop under which
    tiles are loaded ahead, -1 for none. The visits of the numbers are counted here.
    """

    numbers: Numbers
    orders: tuple[tuple[str, ...], ...]
    order: Ints
    pipeline: Ints
    interval: Ints | None = None
    ahead: Ints | None = None

    @property
    def count(self) -> int:
        return len(self.order)


def shapes_of(space: NestSpace, candidates: Candidates) -> Iterator[tuple[Ints, Shape]]:
    """Rows of candidates with what they share beside guards and copies.

    One order, one pipelined loop that turns, or none, one interval that is asked for, and one loop that loads ahead, or
    none.
    """
    loops = [loop.iterator for loop in space.loops]
    pipelined = np.full(candidates.count, -1, np.int64)
    for at, loop in enumerate(loops):
        pipelined = np.where((candidates.pipeline == at) & (candidates.numbers.tiles[loop][1] > 1), at, pipelined)
    asked = np.zeros(candidates.count, np.int64) if candidates.interval is None else candidates.interval
    keys, which = distinct_rows([candidates.order, pipelined + 1, asked])
    for key, (order, turns, interval) in enumerate(keys.tolist()):
        rows = np.flatnonzero(which == key)
        turning = loops[turns - 1] if turns else None
        shape = Shape(candidates.orders[order], turning, interval=interval)
        for part, alike in _ahead(space, candidates, rows, loops, shape):
            yield part, replace(alike, listed=space.listed and turning is not None)


def _ahead(
    space: NestSpace, candidates: Candidates, rows: Ints, loops: Sequence[str], shape: Shape
) -> Iterator[tuple[Ints, Shape]]:
    """Rows apart by the loop that loads ahead, by the arrays that it also stores late, and else by the loops between it
    and the next one outside that there is.

    What stands before a loop stands in that one, so that all must have it, and none those between.
    """
    if candidates.ahead is None or (candidates.ahead[rows] < 0).all():
        yield rows, shape
        return
    for at in distinct(candidates.ahead[rows]).tolist():
        same = rows[candidates.ahead[rows] == at]
        if at < 0:
            yield same, shape
            continue
        ahead = replace(shape, ahead=loops[at])
        for array in space.updated_ahead(loops[at]):
            placed = candidates.numbers.places.get(array, {}).get(loops[at], np.zeros(candidates.count, np.bool_))
            if placed[same].any():
                yield same[placed[same]], replace(ahead, late=(array,))
                same = same[~placed[same]]
        outside = shape.order[: shape.order.index(loops[at])]
        depth = np.zeros(len(same), np.int64)
        for around, name in enumerate(outside, start=1):
            there = [candidates.numbers.tiles[name][0] > 1, *(on[name] for on in candidates.numbers.places.values())]
            depth = np.where(np.logical_or.reduce([on[same] for on in there]), around, depth)
        for around in distinct(depth).tolist():
            yield same[depth == around], replace(ahead, absent=outside[around:])


def rows_of(numbers: Numbers, rows: Ints, count: int) -> Numbers:
    """Some of so many rows, in order and each once."""
    return numbers if len(rows) == count else numbers.each(lambda column: column[rows])


def apart_by_copies(order: tuple[str, ...], numbers: Numbers, rows: int) -> Iterator[tuple[Ints, int, Numbers]]:
    """Candidates apart by how many level-0 loops stand outside of their copies, 0 for those without."""
    depth = np.zeros(rows, np.int64)
    if numbers.unroll:
        for at, loop in enumerate(order, start=1):
            moves = [np.broadcast_to(found[loop], (rows,)) for found in numbers.places.values()]
            depth = np.where(np.logical_or.reduce([numbers.unroll.get(loop, np.ones(rows)) > 1, *moves]), at, depth)
        depth = np.where(np.logical_or.reduce([copies > 1 for copies in numbers.unroll.values()]), depth, 0)
    for found in distinct(depth).tolist():
        some = np.flatnonzero(depth == found)
        alike = rows_of(numbers, some, rows)
        yield some, found, alike if found else replace(alike, unroll={})
