"""How many tiles of a nest hold work, for many tilings at once; knows no cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from sisyphus.analysis import Nest
from sisyphus.errors import InternalError
from sisyphus.ir import Scop, Statement
from sisyphus.model.counting import Ints
from sisyphus.poly import Affine, constraints, dim_range

#: Points of coupled loops that may be listed; a triangle of 2000 x 2000 has two million.
MOST_POINTS = 20_000_000

#: Conditions (each >= 0) of a convex set of points.
Convex = tuple[Affine, ...]


@dataclass(frozen=True, eq=False)
class Group:
    """Loops whose ranges depend on each other, with all points they run through, one row each."""

    loops: tuple[str, ...]
    points: Ints


@dataclass(frozen=True, eq=False)
class TileCounts:
    """The iterations of a nest as a product of groups of loops; `lower` is where the tiles of each loop begin."""

    outer: tuple[str, ...]
    lower: Mapping[str, int]
    groups: tuple[Group, ...]
    _known: dict[tuple[object, ...], int] = field(default_factory=dict)

    def visits(self, prefix: Sequence[str], sizes: Mapping[str, Ints]) -> Ints:
        """Tiles of the loops in `prefix` that hold any work, over all iterations of the outer loops."""
        total = np.ones(1, np.int64)
        for group in self.groups:
            total = total * self._visits(group, tuple(loop for loop in prefix if loop in group.loops), sizes)
        return total

    @property
    def points(self) -> int:
        """Iterations of the nest in all."""
        return prod(len(group.points) for group in self.groups)

    def _visits(self, group: Group, prefix: tuple[str, ...], sizes: Mapping[str, Ints]) -> Ints:
        if not prefix:
            return np.asarray([self._distinct(group, (), ())], np.int64)
        rows = np.stack(np.broadcast_arrays(*(np.asarray(sizes[loop], np.int64) for loop in prefix)), axis=-1)
        different, which = np.unique(rows, axis=0, return_inverse=True)
        counts = [self._distinct(group, prefix, tuple(int(s) for s in row)) for row in different]
        return np.asarray(counts, np.int64)[which.reshape(len(rows))]

    def _distinct(self, group: Group, prefix: tuple[str, ...], sizes: tuple[int, ...]) -> int:
        """Different combinations of the outer loops and the tiles of `prefix` among the points of a group."""
        key = (group.loops, prefix, sizes)
        if key not in self._known:
            code = np.zeros(len(group.points), np.int64)
            tiled = dict(zip(prefix, sizes, strict=True))
            for at, loop in enumerate(group.loops):
                if loop in self.outer or loop in tiled:
                    place = (group.points[:, at] - self.lower[loop]) // tiled.get(loop, 1)
                    code = code * (int(place.max(initial=0)) + 1) + place
            self._known[key] = len(np.unique(code))
        return self._known[key]


def tile_counts(scop: Scop, nest: Nest) -> TileCounts:
    """The groups of a nest's loops, the outer ones included; its statements run through the union of their domains."""
    statements = [scop.statement(s) for s in nest.statements]
    names = (*nest.outer, *(loop.iterator for loop in nest.band))
    ranges = {name: _range(statements, at) for at, name in enumerate(names)}
    parts = sorted({part for statement in statements for part in _parts(statement, names)}, key=str)
    groups = _coupled(names, parts)
    found = tuple(Group(loops, _points(loops, parts, ranges)) for loops in groups)
    return TileCounts(nest.outer, {name: low for name, (low, _) in ranges.items()}, found)


def _range(statements: Sequence[Statement], at: int) -> tuple[int, int]:
    """Smallest and largest value of the loop at a depth."""
    found = [dim_range(s.domain, s.iterators[at]) for s in statements if not s.domain.is_empty()]
    return min(low for low, _ in found), max(high for _, high in found)


def _parts(statement: Statement, names: Sequence[str]) -> list[Convex]:
    """The convex parts of a domain, over the names of the nest's loops."""
    renamed = dict(zip(statement.iterators, names, strict=True))
    found = []
    for at_least, equal in constraints(statement.domain):
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


def _points(loops: tuple[str, ...], parts: Sequence[Convex], ranges: Mapping[str, tuple[int, int]]) -> Ints:
    """Every point of some loops, by their conditions."""
    found = [_convex_points(loops, [c for c in part if c.names & set(loops)], ranges) for part in parts]
    if len(found) == 1:
        return found[0]
    return np.unique(np.concatenate(found), axis=0)


def _convex_points(loops: tuple[str, ...], conditions: Sequence[Affine], ranges: Mapping[str, tuple[int, int]]) -> Ints:
    """The points of one convex part, one loop after another; a condition counts once all its loops are there."""
    points = np.zeros((1, 0), np.int64)
    for at, loop in enumerate(loops):
        low = np.full(len(points), ranges[loop][0], np.int64)
        high = np.full(len(points), ranges[loop][1], np.int64)
        for condition in conditions:
            if loop not in condition.names or not condition.names <= set(loops[: at + 1]):
                continue
            rest = condition.constant + sum(
                (points[:, loops.index(n)] * factor for n, factor in condition.terms if n != loop),
                np.zeros(len(points), np.int64),
            )
            factor = condition.coefficient(loop)
            if factor > 0:
                low = np.maximum(low, -(rest // factor))
            else:
                high = np.minimum(high, rest // -factor)
        lengths = np.maximum(high - low + 1, 0)
        if lengths.sum() > MOST_POINTS:
            raise InternalError(f"more than {MOST_POINTS} points in the loops {', '.join(loops)}")
        rows = np.repeat(np.arange(len(points)), lengths)
        before = np.repeat(np.cumsum(lengths) - lengths, lengths)
        values = np.arange(len(rows)) - before + low[rows]
        points = np.concatenate([points[rows], values[:, None]], axis=1)
    return points
