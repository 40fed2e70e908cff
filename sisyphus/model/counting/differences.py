"""Tiles of loops that bound each other by differences (`j < i`, `k <= j + 2`), counted without listing their points.

Such conditions are closed under projection: with the least bound of every difference known, any choice of tiles for
some loops that leaves each other one a range can be completed to a point (a system of difference constraints, as in
shortest paths). So tiles are chosen loop by loop, and the last loop of those that still bound each other is not looked
through at all: a range holds so many tiles. Nor are two loops whose tiles have one iteration: their points are added up
by the formula of a trapezoid. Knows no nest and no cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sisyphus.algebra import distinct
from sisyphus.poly import Affine
from sisyphus.values import dataclass, replace

Ints = npt.NDArray[np.int64]

#: Stands for "no bound"; a sum of two is no overflow.
FAR = 1 << 40
#: Choices of tiles that are looked at together; bounds memory.
AT_ONCE = 1 << 18


@dataclass(frozen=True, eq=False)
class Differences:
    """Integer points, by the largest value that each difference of two loops takes among them.

    `most[a, b]` bounds x_a - x_b, where x_0 is 0 and the others are the `loops`, each times its sign: descending
    iterators are negated, so that what they bound becomes a difference, too.
    """

    loops: tuple[str, ...]
    signs: tuple[int, ...]
    most: Ints

    @property
    def is_empty(self) -> bool:
        return bool((np.diag(self.most) < 0).any())

    def onto(self, loops: Sequence[str]) -> Differences:
        """The values of some loops among these points."""
        kept = [at for at, name in enumerate(self.loops) if name in loops]
        rows = [0, *(at + 1 for at in kept)]
        return Differences(
            tuple(self.loops[at] for at in kept), tuple(self.signs[at] for at in kept), self.most[np.ix_(rows, rows)]
        )

    def meet(self, other: Differences) -> Differences:
        """The points in both; the loops are the same, and so are their signs."""
        return replace(self, most=_closed(np.minimum(self.most, other.most)))

    def covers(self, other: Differences) -> bool:
        """Whether all points of another are among these."""
        return other.is_empty or bool((self.most >= other.most).all())

    def tiles(self, lower: Mapping[str, int], sizes: Mapping[str, Ints]) -> Ints:
        """Different tiles among the points, for each entry of the sizes; tiles of a loop begin at its `lower`.

        Loops without a size do not count.
        """
        if not sizes:
            return np.full(1, int(not self.is_empty), np.int64)
        if len(sizes) == 1:
            return self._tiles_of_one(lower, *sizes.items())
        own = self.onto(tuple(sizes))
        columns = [np.asarray(sizes[name], np.int64) for name in own.loops]
        found = np.zeros(len(columns[0]), np.int64)
        if own.is_empty:
            return found
        # where a loop has tiles of one iteration, choosing one may set others free of each other
        single = sum((np.where(column == 1, 1 << at, 0) for at, column in enumerate(columns)), np.zeros_like(found))
        for key in distinct(single):
            rows = np.flatnonzero(single == key)
            exact = frozenset(at for at in range(len(columns)) if int(key) >> at & 1)
            starts = tuple(lower[name] for name in own.loops)
            counter = _Counter(own, starts, exact)
            found[rows] = counter.count(tuple(column[rows] for column in columns))
        return found

    def _tiles_of_one(self, lower: Mapping[str, int], sized: tuple[str, Ints]) -> Ints:
        """Tiles of a single loop: those between the tiles of its least and its largest value."""
        name, size = sized
        at = self.loops.index(name) + 1
        low, high = -int(self.most[0, at]), int(self.most[at, 0])
        low, high = (low, high) if self.signs[at - 1] > 0 else (-high, -low)
        if self.most[0, 0] < 0 or self.most[at, at] < 0:
            return np.zeros(len(size), np.int64)
        start = lower[name]
        return np.asarray((high - start) // size - (low - start) // size + 1, np.int64)


def differences(loops: Sequence[str], parts: Sequence[Sequence[Affine]]) -> tuple[Differences, ...] | None:
    """Per part the integer points where all its conditions are >= 0; None where one is no bound of a difference."""
    own = [[c for c in part if c.names and c.names <= set(loops)] for part in parts]
    signs = _signs(loops, [c for part in own for c in part])
    return None if signs is None else tuple(_bounded(loops, signs, part) for part in own)


def _bounded(loops: Sequence[str], signs: Mapping[str, int], conditions: Sequence[Affine]) -> Differences:
    place = {name: at + 1 for at, name in enumerate(loops)}
    most = np.full((len(loops) + 1, len(loops) + 1), FAR, np.int64)
    np.fill_diagonal(most, 0)
    for condition in conditions:
        low, high = 0, 0
        for name, factor in condition.terms:
            if factor * signs[name] > 0:
                low = place[name]
            else:
                high = place[name]
        # condition: size * (x_low - x_high) + constant >= 0
        size = abs(condition.terms[0][1])
        most[high, low] = min(most[high, low], condition.constant // size)
    return Differences(tuple(loops), tuple(signs[name] for name in loops), _closed(most))


def _signs(loops: Sequence[str], conditions: Sequence[Affine]) -> dict[str, int] | None:
    """A sign per loop that makes every condition on two loops one on their difference, if there is such a choice."""
    tied: dict[str, list[tuple[str, int]]] = {name: [] for name in loops}
    for condition in conditions:
        factors = [factor for _, factor in condition.terms]
        if len(factors) > 2 or len({abs(factor) for factor in factors}) > 1:
            return None
        if len(factors) == 2:
            (one, a), (other, b) = condition.terms
            same = -1 if (a > 0) == (b > 0) else 1
            tied[one].append((other, same))
            tied[other].append((one, same))
    signs: dict[str, int] = {}
    for name in loops:
        waiting = [] if name in signs else [(name, 1)]
        while waiting:
            one, sign = waiting.pop()
            if signs.setdefault(one, sign) != sign:
                return None
            waiting += [(other, sign * same) for other, same in tied[one] if signs.get(other) != sign * same]
    return signs


def _closed(most: Ints) -> Ints:
    """With every bound that follows from two others (all shortest paths)."""
    found = most.copy()
    for at in range(len(found)):
        found = np.minimum(found, found[:, at : at + 1] + found[at : at + 1, :])
    return found


@dataclass(frozen=True, eq=False)
class _Choice:
    """What is chosen in each row: the range that every loop has left or takes, the sizes of its tiles."""

    low: tuple[Ints, ...]
    high: tuple[Ints, ...]
    sizes: tuple[Ints, ...]

    def take(self, rows: Ints | slice) -> _Choice:
        low, high, sizes = (tuple(column[rows] for column in part) for part in (self.low, self.high, self.sizes))
        return _Choice(low, high, sizes)


@dataclass(frozen=True, eq=False)
class _Counter:
    """Counts tiles of all loops of a set; those in `exact` have tiles of one iteration."""

    points: Differences
    starts: tuple[int, ...]
    exact: frozenset[int]

    def count(self, sizes: tuple[Ints, ...]) -> Ints:
        most, ones = self.points.most, np.ones(len(sizes[0]), np.int64)
        low = tuple(-most[0, at + 1] * ones for at in range(len(sizes)))
        high = tuple(most[at + 1, 0] * ones for at in range(len(sizes)))
        return self._count(tuple(range(len(sizes))), frozenset(), _Choice(low, high, sizes))

    def _count(self, left: tuple[int, ...], chosen: frozenset[int], choice: _Choice) -> Ints:
        """Tiles of the loops that are left, next to those that are chosen."""
        total = np.ones(len(choice.sizes[0]), np.int64)
        for part in self._apart(left, chosen):
            if len(part) == 1:
                first, last = self._tiles(part[0], choice)
                total = total * (last - first + 1)
            elif self._is_exact_pair(part):
                total = total * self._pairs(part, choice)
            else:
                total = total * self._one_by_one(part, chosen, choice)
        return total

    def _one_by_one(self, part: tuple[int, ...], chosen: frozenset[int], choice: _Choice) -> Ints:
        """Tiles of loops that bound each other: one of them tile by tile, the others next to each of its tiles."""
        pivot = min(part, key=lambda at: (self._effort(part, at, chosen, choice), at))
        rest = tuple(at for at in part if at != pivot)
        first, last = self._tiles(pivot, choice)
        found = np.zeros(len(first), np.int64)
        for rows, tiles in _listed(first, last):
            inside = self._beside(pivot, tiles, choice.take(rows))
            counts = self._count(rest, chosen | ({pivot} & self.exact), inside)
            np.add.at(found, rows, counts)
        return found

    def _is_exact_pair(self, part: tuple[int, ...]) -> bool:
        return len(part) == 2 and self.exact.issuperset(part)

    def _pairs(self, part: tuple[int, ...], choice: _Choice) -> Ints:
        """Values of two loops that bound each other: the lengths of the ranges of one, added up over the other."""
        x, y = part
        length = choice.high[y] - choice.low[y] + 1

        def below(most: int) -> Ints:
            """Pairs with y - x <= most: for the first x so many y as `start` says, for each next one more."""
            start = choice.low[x] + most - choice.low[y] + 1
            return _added_up(start + choice.high[x] - choice.low[x], length) - _added_up(start - 1, length)

        return below(int(self.points.most[y + 1, x + 1])) - below(-int(self.points.most[x + 1, y + 1]) - 1)

    def _effort(self, part: tuple[int, ...], pivot: int, chosen: frozenset[int], choice: _Choice) -> float:
        """About how many choices are looked at if one loop is chosen first."""
        first, last = self._tiles(pivot, choice)
        inside, effort = chosen | ({pivot} & self.exact), float((last - first + 1).sum())
        for rest in self._apart(tuple(at for at in part if at != pivot), inside):
            if len(rest) > 1 and not self._is_exact_pair(rest):
                effort *= min(self._effort(rest, at, inside, choice) for at in rest) / len(first)
        return effort

    def _apart(self, left: tuple[int, ...], chosen: frozenset[int]) -> Iterator[tuple[int, ...]]:
        """Loops in groups that bound each other, by more than their own ranges and what is chosen exactly."""
        waiting = list(left)
        while waiting:
            group, fresh = [], [waiting.pop(0)]
            while fresh:
                group += fresh
                fresh = [a for a in waiting if any(self._ties(a, b, chosen) for b in fresh)]
                waiting = [a for a in waiting if a not in fresh]
            yield tuple(sorted(group))

    def _ties(self, one: int, other: int, chosen: frozenset[int]) -> bool:
        most, known = self.points.most, (0, *(at + 1 for at in chosen))
        pairs = ((one + 1, other + 1), (other + 1, one + 1))
        return any(all(most[a, b] < most[a, p] + most[p, b] for p in known) for a, b in pairs)

    def _tiles(self, at: int, choice: _Choice) -> tuple[Ints, Ints]:
        """First and last tile in the range of a loop; negated, its range runs backwards."""
        low, high = choice.low[at], choice.high[at]
        if self.points.signs[at] < 0:
            low, high = -high, -low
        return (low - self.starts[at]) // choice.sizes[at], (high - self.starts[at]) // choice.sizes[at]

    def _beside(self, pivot: int, tiles: Ints, choice: _Choice) -> _Choice:
        """The ranges of all loops next to one tile of a loop per row."""
        first = self.starts[pivot] + tiles * choice.sizes[pivot]
        last = first + choice.sizes[pivot] - 1
        if self.points.signs[pivot] < 0:
            first, last = -last, -first
        first, last = np.maximum(first, choice.low[pivot]), np.minimum(last, choice.high[pivot])
        most, p = self.points.most, pivot + 1
        low = tuple(np.maximum(low, first - most[p, at + 1]) for at, low in enumerate(choice.low))
        high = tuple(np.minimum(high, last + most[at + 1, p]) for at, high in enumerate(choice.high))
        return replace(choice, low=low, high=high)


def _added_up(last: Ints, most: Ints) -> Ints:
    """The sum of all numbers up to `last`, negative ones as 0 and larger ones as `most`."""
    rising = np.clip(last, 0, most)
    return np.asarray(rising * (rising + 1) // 2 + np.maximum(last - most, 0) * most)


def _listed(first: Ints, last: Ints) -> Iterator[tuple[Ints, Ints]]:
    """All numbers from first to last of every row, with their rows, some at a time."""
    ends: Ints = np.cumsum(last - first + 1)
    for start in range(0, int(ends[-1]) if len(ends) else 0, AT_ONCE):
        places = np.arange(start, min(start + AT_ONCE, int(ends[-1])), dtype=np.int64)
        rows: Ints = np.searchsorted(ends, places, side="right").astype(np.int64)
        yield rows, last[rows] - (ends[rows] - 1 - places)
