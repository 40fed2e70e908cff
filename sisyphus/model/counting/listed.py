"""Points of loops that bound each other in any way, listed, and how many tiles hold some of them; knows no nest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sisyphus import clock
from sisyphus.algebra import distinct, first_of_rows
from sisyphus.errors import KernelError
from sisyphus.model.counting.iterations import FEWER_POINTS, Ints, numbered
from sisyphus.poly import Affine
from sisyphus.values import dataclass, field

#: Points of coupled loops that may be listed; a triangle of 2000 x 2000 has two million.
MOST_POINTS = 20_000_000
#: As many points as the full model takes are all looked at.
ENOUGH_POINTS = FEWER_POINTS
#: Of more, about so many in some tiles of one loop stand for all.
SOME_POINTS = 1 << 15
#: Of so few tiles of that loop each is looked at, in some of its iterations.
FEW_TILES = 16
#: It is the first loop with so many iterations: loops around blocks and strips have few, and most points lie inside.
MANY_TILES = 256
#: Work (`clock`): so many points, a loop of each, are as much as one choice.
POINTS_OF_ONE = 2500

Narrow = npt.NDArray[np.int32]
#: Conditions (each >= 0) of a convex set of points.
Convex = tuple[Affine, ...]
#: The points where the loop at a place has one of some values.
Some = tuple[int, Ints]


@dataclass(frozen=True, eq=False)
class Fronts:
    """Points of a loop in the order of loops around it, each with a range of one more loop; none lies between those of
    neighbours, but where a point `begins` with other values of the loops around. So it is with wavefronts.
    """

    points: Narrow
    low: Narrow
    high: Narrow
    begins: npt.NDArray[np.bool_]

    def tiles(self, outer: tuple[int, int], inner: tuple[int, int]) -> int:
        """Different tiles of both loops, each given by where tiles begin and by their size."""
        begin, size = outer
        place = (self.points - begin) // size
        starts = np.flatnonzero(self.begins | (np.diff(place, prepend=-1) != 0))
        low, high = np.minimum.reduceat(self.low, starts), np.maximum.reduceat(self.high, starts)
        begin, size = inner
        return int(((high - begin) // size - (low - begin) // size + 1).sum())


@dataclass(frozen=True, eq=False)
class Listed:
    """Loops whose ranges depend on each other in any way, with the points they run through, one row each.

    Of one convex set, `rows` are the points of all loops but the last one, which runs from `low` to `high`.
    """

    loops: tuple[str, ...]
    rows: Narrow
    low: Narrow | None = None
    high: Narrow | None = None

    def tiles(self, lower: Mapping[str, int], sizes: Mapping[str, Ints]) -> Ints:
        """Different tiles of the loops that have sizes, for each entry of these."""
        return np.array([self.count(lower, row) for row in _each(self.loops, sizes)], np.int64)

    @cached_property
    def _fronts(self) -> Fronts | None:
        """The points by their last loop but one, where nothing lies between the ranges of neighbours."""
        if self.low is None or self.high is None or not self.rows.shape[1] or not len(self.rows):
            return None
        other = (self.rows[1:, :-1] != self.rows[:-1, :-1]).any(axis=1)
        apart = np.maximum(self.low[1:], self.low[:-1]) > np.minimum(self.high[1:], self.high[:-1]) + 1
        if (apart & ~other).any():
            return None
        return Fronts(np.ascontiguousarray(self.rows[:, -1]), self.low, self.high, np.concatenate([[True], other]))

    def count(self, lower: Mapping[str, int], tiled: Mapping[str, int]) -> int:
        """Different tiles of the loops that have a size."""
        clock.did(clock.CALL + len(self.rows) * len(tiled) // POINTS_OF_ONE)
        pair = self.loops[-2:]
        if all(tiled.get(loop) == 1 for loop in self.loops[:-2]) and set(pair) <= set(tiled) and self._fronts:
            return self._fronts.tiles(*((lower[loop], tiled[loop]) for loop in pair))
        code = np.zeros(len(self.rows), np.int64)
        for at, loop in enumerate(self.loops[: self.rows.shape[1]]):
            if loop in tiled:
                place = (self.rows[:, at] - lower[loop]) // tiled[loop]
                code = code * (int(place.max(initial=0)) + 1) + place
        last = self.loops[-1]
        if self.low is None or self.high is None or last not in tiled:
            return different(code)
        size = tiled[last]
        return _covered(code, (self.low - lower[last]) // size, (self.high - lower[last]) // size)


@dataclass(frozen=True, eq=False)
class Sampled:
    """Loops as those that are `Listed`, of so many points that those in some tiles of the loop `at` stand for all.

    `some` is how many iterations of that loop are looked at.
    """

    loops: tuple[str, ...]
    parts: Sequence[Convex]
    ranges: Mapping[str, tuple[int, int]]
    at: int
    some: int
    _known: dict[int, tuple[Listed, int, int]] = field(default_factory=dict)

    @property
    def rows(self) -> Narrow:
        """The points that a count looks at where the loop has tiles of one iteration."""
        return self._looked_at(1)[0].rows

    def tiles(self, lower: Mapping[str, int], sizes: Mapping[str, Ints]) -> Ints:
        """Different tiles of the loops that have sizes, for each entry of these, in proportion to those looked at."""
        return np.array([self._count(lower, row) for row in _each(self.loops, sizes)], np.int64)

    def _count(self, lower: Mapping[str, int], tiled: Mapping[str, int]) -> int:
        size = tiled.get(self.loops[self.at])
        found, some, every = self._looked_at(size or 1)
        count = found.count(lower, tiled)
        return (count * every + some // 2) // some if size else count  # any iteration of the loop may have a tile

    def _looked_at(self, size: int) -> tuple[Listed, int, int]:
        """Points in some of the tiles of the loop, how many tiles these are, and how many there are."""
        if size not in self._known:
            low, high = self.ranges[self.loops[self.at]]
            every = (high - low) // size + 1
            some = min(max(self.some // size, FEW_TILES), every)
            inside = min(max(self.some // some, 1), size)
            first = (low + _spread(some, every)[:, None] * size + _spread(inside, size)).ravel()
            self._known[size] = _listed(self.loops, self.parts, self.ranges, (self.at, first)), some, every
        return self._known[size]


def _each(loops: tuple[str, ...], sizes: Mapping[str, Ints]) -> list[dict[str, int]]:
    """The sizes of the loops that have some, for each entry of these."""
    names = [loop for loop in loops if loop in sizes]
    columns = [sizes[loop] for loop in names]
    rows = np.stack(columns, axis=1) if columns else np.zeros((1, 0), np.int64)
    return [dict(zip(names, map(int, row), strict=True)) for row in rows]


def listed(loops: tuple[str, ...], parts: Sequence[Convex], ranges: Mapping[str, tuple[int, int]]) -> Listed | Sampled:
    """The points of some loops in any of several convex parts; of very many those in some tiles of one loop."""
    lengths = [high - low + 1 for low, high in (ranges[loop] for loop in loops)]
    long = [at for least in (MANY_TILES, FEW_TILES, 0) for at, every in enumerate(lengths[:-1]) if every >= least]
    at = long[0] if long else 0
    every, few = lengths[at], min(FEW_TILES, lengths[at])
    points = len(_listed(loops, parts, ranges, (at, ranges[loops[at]][0] + _spread(few, every))).rows)
    if points * every <= ENOUGH_POINTS * few:
        return _listed(loops, parts, ranges)
    return Sampled(loops, parts, ranges, at, max(SOME_POINTS * few // points, 1))


def _spread(some: int, every: int) -> Ints:
    """So many of the numbers below `every`, evenly spread."""
    return np.asarray((2 * np.arange(some) + 1) * every // (2 * some), np.int64)


def _listed(
    loops: tuple[str, ...], parts: Sequence[Convex], ranges: Mapping[str, tuple[int, int]], some: Some | None = None
) -> Listed:
    """The points of some loops, or some of them."""
    if len(parts) > 1:
        found = np.concatenate([convex_points(loops, conditions, ranges, some) for conditions in parts])
        first, _ = first_of_rows(list((found - found.min(axis=0, initial=0)).T))
        return Listed(loops, found[first].astype(np.int32))
    rows = convex_points(loops[:-1], parts[0], ranges, some)
    low, high = _limits(loops, parts[0], ranges, rows)
    work = high >= low
    return Listed(loops, *(each[work].astype(np.int32) for each in (rows, low, high)))


def _limits(
    loops: tuple[str, ...], conditions: Sequence[Affine], ranges: Mapping[str, tuple[int, int]], points: Ints
) -> tuple[Ints, Ints]:
    """First and last value of the last of some loops, for each point of the others."""
    loop = loops[-1]
    low = np.full(len(points), ranges[loop][0], np.int64)
    high = np.full(len(points), ranges[loop][1], np.int64)
    for condition in conditions:
        if loop not in condition.names or not condition.names <= set(loops):
            continue
        rest = np.full(len(points), condition.constant, np.int64)
        for name, factor in condition.terms:
            if name != loop:
                rest = rest + points[:, loops.index(name)] * factor
        factor = condition.coefficient(loop)
        if factor > 0:
            low = np.maximum(low, -(rest // factor))
        else:
            high = np.minimum(high, rest // -factor)
    return low, high


def convex_points(
    loops: tuple[str, ...],
    conditions: Sequence[Affine],
    ranges: Mapping[str, tuple[int, int]],
    some: Some | None = None,
) -> Ints:
    """The points of one convex part, or some of them, one loop after another.

    A condition counts once all its loops are there.
    """
    points = np.zeros((1, 0), np.int64)
    for at in range(len(loops)):
        low, high = _limits(loops[: at + 1], conditions, ranges, points)
        lengths = np.maximum(high - low + 1, 0)
        if lengths.sum() > MOST_POINTS:
            words = (
                f"the loops {', '.join(loops)} bound each other and have more than {MOST_POINTS:,} iterations together"
            )
            raise KernelError(words, hint="make one of them shorter: their tiles are counted one by one")
        rows, number = numbered(lengths)
        points = np.concatenate([points[rows], (low[rows] + number)[:, None]], axis=1)
        if some is not None and at == some[0]:
            points = points[np.isin(points[:, at], some[1])]
    return points


def different(code: Ints) -> int:
    """How many different numbers there are, none of them negative."""
    most = int(code.max(initial=0)) + 1
    if most > 4 * len(code) + 1000:
        return len(distinct(code))
    seen = np.zeros(most, np.bool_)
    seen[code] = True
    return int(seen.sum())


def _covered(code: Ints, low: Narrow, high: Narrow) -> int:
    """Places in the unions of the ranges `low` to `high` of equal code, over all codes."""
    if not len(code):
        return 0
    if (code[1:] > code[:-1]).all():
        return int((high - low + 1).sum())
    order = np.lexsort((low, code))
    code, low, high = code[order], low[order], high[order]
    # ranges of later codes lie above those of earlier ones, so that the running maximum starts anew in each
    shift = (code - code[0]) * (int(high.max()) + 2)
    reached = np.maximum.accumulate(high + shift)
    before = np.concatenate([[-1], reached[:-1]])
    fresh = np.maximum(low + shift, before + 1)
    return int(np.maximum(high + shift - fresh + 1, 0).sum())
