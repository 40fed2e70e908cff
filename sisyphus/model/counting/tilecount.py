"""How many tiles of a nest hold work, for many tilings at once; knows no cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np
import numpy.typing as npt

from sisyphus.algebra import distinct_rows
from sisyphus.analysis import Nest
from sisyphus.errors import InternalError
from sisyphus.ir import Scop, Statement, StmtId
from sisyphus.model.counting.differences import Differences, differences
from sisyphus.model.counting.iterations import Ints, numbered
from sisyphus.poly import Affine, Set, constraints, dim_range, plain_shadow

#: Points of coupled loops that may be listed; a triangle of 2000 x 2000 has two million.
MOST_POINTS = 20_000_000

Narrow = npt.NDArray[np.int32]
#: Conditions (each >= 0) of a convex set of points.
Convex = tuple[Affine, ...]


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
    rows: Ints
    low: Ints | None = None
    high: Ints | None = None

    def tiles(self, lower: Mapping[str, int], sizes: Mapping[str, Ints]) -> Ints:
        """Different tiles of the loops that have sizes, for each entry of these."""
        columns = [sizes[loop] for loop in self.loops if loop in sizes]
        names = [loop for loop in self.loops if loop in sizes]
        counts = [
            self._tiles(lower, dict(zip(names, map(int, row), strict=True)))
            for row in (np.stack(columns, axis=1) if columns else np.zeros((1, 0), np.int64))
        ]
        return np.array(counts, np.int64)

    @cached_property
    def _fronts(self) -> Fronts | None:
        """The points by their last loop but one, where nothing lies between the ranges of neighbours."""
        if self.low is None or self.high is None or not self.rows.shape[1] or not len(self.rows):
            return None
        other = (self.rows[1:, :-1] != self.rows[:-1, :-1]).any(axis=1)
        apart = np.maximum(self.low[1:], self.low[:-1]) > np.minimum(self.high[1:], self.high[:-1]) + 1
        if (apart & ~other).any():
            return None
        points, low, high = (np.asarray(part, np.int32, "C") for part in (self.rows[:, -1], self.low, self.high))
        return Fronts(points, low, high, np.concatenate([[True], other]))

    def _tiles(self, lower: Mapping[str, int], tiled: Mapping[str, int]) -> int:
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
            return _different(code)
        size = tiled[last]
        return _covered(code, (self.low - lower[last]) // size, (self.high - lower[last]) // size)


#: Loops that depend on each other, and on no others.
Group = Differences | Listed


@dataclass(frozen=True, eq=False)
class TileCounts:
    """The iterations of a nest as a product of groups of loops; `lower` is where the tiles of each loop begin.

    `calls` are the iterations of the outer loops: the nest is run in all of them, with or without work. `single`: it
    has one statement, with one convex domain.
    """

    outer: tuple[str, ...]
    lower: Mapping[str, int]
    groups: tuple[Group, ...]
    calls: Calls
    single: bool
    _known: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[bytes, int]] = field(default_factory=dict)

    def visits(self, prefix: Sequence[str], sizes: Mapping[str, Ints], *, skips: Sequence[Group]) -> Ints:
        """Tiles of the loops in `prefix` that hold any work, over all iterations of the outer loops.

        Bounds of tile loops know of the outer loops that they depend on; a group without such a loop runs through in
        every call, or, if it is one of `skips`, in those with work.
        """
        total = np.ones(1, np.int64)
        for group in self.groups:
            own = tuple(loop for loop in prefix if loop in group.loops)
            if own:
                total = total * self._tiles(group, own, sizes)
            else:
                total = total * (self._working(group) if group in skips else self._called(group))
        return total

    def skipped(self, level0: Sequence[str]) -> list[Group]:
        """Groups whose calls without work a guard around the nest skips: those of one statement without tile loops."""
        if not self.single:
            return []
        free = [group for group in self.groups if not any(loop in group.loops for loop in level0)]
        return [group for group in free if self._working(group) < self._called(group)]

    @cached_property
    def varies(self) -> bool:
        """Whether some calls have no work for some of the loops."""
        return any(self._working(group) < self._called(group) for group in self.groups)

    @property
    def runs(self) -> int:
        """Calls of the nest."""
        return self.calls.onto(self.outer)

    @property
    def listed(self) -> int:
        """Points that a count looks at one by one."""
        return sum(len(group.rows) for group in self.groups if isinstance(group, Listed))

    @cached_property
    def points(self) -> int:
        """Iterations of the nest in all."""
        return prod(self._count(group, group.loops) for group in self.groups)

    def _called(self, group: Group) -> int:
        """Different values of the outer loops of a group in all calls."""
        return self.calls.onto([loop for loop in self.outer if loop in group.loops])

    def _working(self, group: Group) -> int:
        """The same in calls with work."""
        return self._count(group, [loop for loop in self.outer if loop in group.loops])

    def _count(self, group: Group, loops: Sequence[str]) -> int:
        """Different values of some loops among the points of a group."""
        one = np.ones(1, np.int64)
        return int(self._tiles(group, tuple(loops), dict.fromkeys(loops, one))[0])

    def _tiles(self, group: Group, prefix: tuple[str, ...], sizes: Mapping[str, Ints]) -> Ints:
        """Different combinations of the outer loops and the tiles of `prefix` among the points of a group."""
        every = tuple(loop for loop in group.loops if loop in prefix or loop in self.outer)
        own = {loop: sizes[loop] if loop in prefix else np.ones(1, np.int64) for loop in every}
        if not every or (len(every) == 1 and isinstance(group, Differences)):
            return group.tiles(self.lower, own)
        different, which = distinct_rows(list(own.values()))
        known = self._known.setdefault((group.loops, every), {})
        keys = [row.tobytes() for row in np.ascontiguousarray(different)]
        fresh = np.array([at for at, key in enumerate(keys) if key not in known], np.int64)
        if len(fresh):
            asked = {loop: different[fresh, at] for at, loop in enumerate(own)}
            counts = group.tiles(self.lower, asked)
            known.update((keys[at], int(n)) for at, n in zip(fresh.tolist(), counts, strict=True))
        return np.asarray(np.array([known[key] for key in keys], np.int64)[which])


@dataclass(frozen=True, eq=False)
class Calls:
    """The iterations of some outer loops: the points of any of several sets."""

    loops: tuple[str, ...]
    parts: tuple[Differences, ...] | None
    rows: Ints | None = None
    _known: dict[tuple[str, ...], int] = field(default_factory=dict)

    def onto(self, loops: Sequence[str]) -> int:
        """Different values of some of the loops."""
        key = tuple(loops)
        if key not in self._known:
            self._known[key] = self._count(key)
        return self._known[key]

    def _count(self, loops: tuple[str, ...]) -> int:
        if not loops:
            return 1
        if self.parts is not None:
            return _in_any([part.onto(loops) for part in self.parts])
        rows = np.zeros((0, len(self.loops)), np.int64) if self.rows is None else self.rows
        return _different(_codes(rows[:, [self.loops.index(loop) for loop in loops]]))


def _in_any(parts: Sequence[Differences]) -> int:
    """Points in any of several sets: those of each that are in none of the others before it."""
    kept: list[Differences] = []
    for part in parts:
        if not any(other.covers(part) for other in kept):
            kept = [other for other in kept if not part.covers(other)] + [part]
    total = 0
    for at, part in enumerate(kept):
        ones = dict.fromkeys(part.loops, np.ones(1, np.int64))
        points = int(part.tiles(dict.fromkeys(part.loops, 0), ones)[0])
        total += points - _in_any([part.meet(other) for other in kept[:at]])
    return total


def _different(code: Ints) -> int:
    """How many different numbers there are, none of them negative."""
    most = int(code.max(initial=0)) + 1
    if most > 4 * len(code) + 1000:
        return len(np.unique(code))
    seen = np.zeros(most, np.bool_)
    seen[code] = True
    return int(seen.sum())


def _covered(code: Ints, low: Ints, high: Ints) -> int:
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


def tile_counts(scop: Scop, nest: Nest, together: Sequence[StmtId] | None = None) -> TileCounts:
    """The groups of a nest's loops, the outer ones included; its statements run through the union of their domains.

    `together` are the statements under the same outer loops; if not given, those that share these loops in the source.
    """
    statements = [scop.statement(s) for s in nest.statements]
    names = (*nest.outer, *(loop.iterator for loop in nest.band))
    ranges = {name: _range(statements, at) for at, name in enumerate(names)}
    parts = sorted({part for statement in statements for part in _parts(statement, names)}, key=str)
    groups = tuple(_group(nest.outer, loops, parts, ranges) for loops in _coupled(names, parts))
    lower = {name: low for name, (low, _) in ranges.items()}
    depth = len(nest.outer)
    if together is None:
        around = [s for s in scop.statements if statements[0].shared_loops(s) >= depth]
    else:
        around = [scop.statement(s) for s in together]
    single = len(statements) == len(parts) == 1
    return TileCounts(nest.outer, lower, groups, _calls(nest.outer, around), single)


def _calls(outer: tuple[str, ...], statements: Sequence[Statement]) -> Calls:
    """The iterations of the outer loops that run any of some statements."""
    parts: dict[Convex, None] = {}
    ranges: dict[str, tuple[int, int]] = {}
    for statement in statements:
        own = statement.iterators[: len(outer)]
        shadow = plain_shadow(statement.domain, own)
        for name, iterator in zip(outer, own, strict=True):
            low, high = dim_range(shadow, iterator)
            before = ranges.get(name, (low, high))
            ranges[name] = min(low, before[0]), max(high, before[1])
        parts.update(dict.fromkeys(_named_parts(shadow, dict(zip(own, outer, strict=True)))))
    sets = differences(outer, list(parts))
    if sets is not None:
        return Calls(outer, sets)
    rows = [_convex_points(outer, part, ranges) for part in parts]
    return Calls(outer, None, np.concatenate([np.zeros((0, len(outer)), np.int64), *rows]))


def _codes(rows: Ints) -> Ints:
    """A number per row, in the order of the rows as tuples."""
    code = np.zeros(len(rows), np.int64)
    for column in rows.T:
        low = int(column.min(initial=0))
        code = code * (int(column.max(initial=0)) - low + 1) + (column - low)
    return code


def _range(statements: Sequence[Statement], at: int) -> tuple[int, int]:
    """Smallest and largest value of the loop at a depth."""
    found = [dim_range(s.domain, s.iterators[at]) for s in statements if not s.domain.is_empty()]
    return min(low for low, _ in found), max(high for _, high in found)


def _parts(statement: Statement, names: Sequence[str]) -> list[Convex]:
    """The convex parts of a domain, over the names of the nest's loops."""
    return _named_parts(statement.domain, dict(zip(statement.iterators, names, strict=True)))


def _named_parts(points: Set, renamed: Mapping[str, str]) -> list[Convex]:
    found = []
    for at_least, equal in constraints(points):
        conditions = [*at_least, *equal, *(-e for e in equal)]
        found.append(tuple(sorted((c.rename(renamed) for c in conditions), key=str)))
    return found


def _coupled(names: tuple[str, ...], parts: Sequence[Convex]) -> list[tuple[str, ...]]:
    """Loops that some condition ties together; several convex parts tie all of them."""
    if len(parts) > 1:
        return [names]
    groups = [{name} for name in names]
    for condition in parts[0] if parts else ():
        touched = [group for group in groups if group & condition.names]
        if len(touched) > 1:
            groups = [group for group in groups if group not in touched] + [set().union(*touched)]
    return [tuple(name for name in names if name in group) for group in groups]


def _group(
    outer: tuple[str, ...], loops: tuple[str, ...], parts: Sequence[Convex], ranges: Mapping[str, tuple[int, int]]
) -> Group:
    """Every point of some loops, by their conditions."""
    own = [[c for c in part if c.names & set(loops)] for part in parts]
    if len(own) == 1:
        if (bounded := differences(loops, own)) is not None:
            return bounded[0]
        rows = _convex_points(loops[:-1], own[0], ranges)
        low, high = _limits(loops, own[0], ranges, rows)
        work = high >= low
        return Listed(loops, rows[work], low[work], high[work])
    found = [_convex_points(loops, conditions, ranges) for conditions in own]
    return Listed(loops, found[0] if len(found) == 1 else np.unique(np.concatenate(found), axis=0))


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


def _convex_points(loops: tuple[str, ...], conditions: Sequence[Affine], ranges: Mapping[str, tuple[int, int]]) -> Ints:
    """The points of one convex part, one loop after another; a condition counts once all its loops are there."""
    points = np.zeros((1, 0), np.int64)
    for at in range(len(loops)):
        low, high = _limits(loops[: at + 1], conditions, ranges, points)
        lengths = np.maximum(high - low + 1, 0)
        if lengths.sum() > MOST_POINTS:
            raise InternalError(f"more than {MOST_POINTS} points in the loops {', '.join(loops)}")
        rows, number = numbered(lengths)
        points = np.concatenate([points[rows], (low[rows] + number)[:, None]], axis=1)
    return points
