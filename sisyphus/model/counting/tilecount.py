"""How many tiles of a nest hold work, for many tilings at once; knows no cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from math import prod

import numpy as np

from sisyphus.algebra import distinct_rows
from sisyphus.analysis import Nest
from sisyphus.ir import Scop, Statement, StmtId
from sisyphus.model.counting.differences import Differences, differences
from sisyphus.model.counting.iterations import Ints
from sisyphus.model.counting.listed import Convex, Listed, Sampled, convex_points, different, listed
from sisyphus.poly import Affine, Set, constraints, dim_range, plain_shadow, var
from sisyphus.values import dataclass, field

#: Loops that depend on each other, and on no others.
Group = Differences | Listed | Sampled

#: Nests of which the counts are kept: more than a form has, but for few.
MOST_NESTS = 32


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
        return [group for group in self._idle if self.single and not any(loop in group.loops for loop in level0)]

    def idle(self, level0: Sequence[str]) -> list[Group]:
        """Groups of one statement with tile loops, in which some calls have no work."""
        return [group for group in self._idle if self.single and any(loop in group.loops for loop in level0)]

    @cached_property
    def varies(self) -> bool:
        """Whether some calls have no work for some of the loops."""
        return bool(self._idle)

    @cached_property
    def _idle(self) -> list[Group]:
        """Groups that have no work in some calls."""
        return [group for group in self.groups if self._working(group) < self._called(group)]

    @property
    def runs(self) -> int:
        """Calls of the nest."""
        return self.calls.onto(self.outer)

    @property
    def listed(self) -> int:
        """Points that a count looks at one by one."""
        return sum(len(group.rows) for group in self.groups if not isinstance(group, Differences))

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
        return different(_codes(rows[:, [self.loops.index(loop) for loop in loops]]))


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


def tile_counts(scop: Scop, nest: Nest, together: Sequence[StmtId] | None = None) -> TileCounts:
    """The groups of a nest's loops, the outer ones included; its statements run through the union of their domains.

    `together` are the statements under the same outer loops; if not given, those that share these loops in the source.
    The spaces of a form have the same nests, and share what is counted of them.
    """
    return _counts(scop, nest.statements, nest.outer, nest.iterators, together if together is None else (*together,))


@lru_cache(maxsize=MOST_NESTS)
def _counts(
    scop: Scop,
    names_of_statements: tuple[StmtId, ...],
    outer: tuple[str, ...],
    band: tuple[str, ...],
    together: tuple[StmtId, ...] | None,
) -> TileCounts:
    statements = [scop.statement(s) for s in names_of_statements]
    names = (*outer, *band)
    ranges = {name: _range(statements, at) for at, name in enumerate(names)}
    own = [_parts(statement, names) for statement in statements]
    parts = sorted({part for each in own for part in each}, key=str)
    if all(len(each) == 1 for each in own):
        parts = _in_ranges(parts, ranges)
    groups = tuple(_group(loops, parts, ranges) for loops in _coupled(names, parts))
    lower = {name: low for name, (low, _) in ranges.items()}
    depth = len(outer)
    if together is None:
        around = [s for s in scop.statements if statements[0].shared_loops(s) >= depth]
    else:
        around = [scop.statement(s) for s in together]
    single = len(statements) == len(parts) == 1
    return TileCounts(outer, lower, groups, _calls(outer, around), single)


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
    rows = [convex_points(outer, part, ranges) for part in parts]
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


def _in_ranges(parts: Sequence[Convex], ranges: Mapping[str, tuple[int, int]]) -> list[Convex]:
    """The parts of several statements with the same ends of loops, where not all have them: the first and the last."""
    common = _common(parts)
    own = [{c for c in part if len(c.names) == 1 and c not in common} for part in parts]
    moved = dict.fromkeys(name for ends in own for c in ends for name in c.names)
    ends = {end for name in moved for low, high in [ranges[name]] for end in (var(name) - low, high - var(name))}
    wider = (tuple(sorted({*part} - mine | ends, key=str)) for part, mine in zip(parts, own, strict=True))
    return list(dict.fromkeys(wider))


def _common(parts: Sequence[Convex]) -> set[Affine]:
    """The conditions that all parts have."""
    return set(parts[0]).intersection(*parts[1:]) if parts else set()


def _coupled(names: tuple[str, ...], parts: Sequence[Convex]) -> list[tuple[str, ...]]:
    """Loops that some condition ties together; those of conditions that not all convex parts have are tied, too."""
    common = _common(parts)
    apart = {name for part in parts for condition in part if condition not in common for name in condition.names}
    groups = [{name} for name in names]
    for tied in (apart, *(condition.names for part in parts for condition in part)):
        touched = [group for group in groups if group & tied]
        if len(touched) > 1:
            groups = [group for group in groups if group not in touched] + [set().union(*touched)]
    return [tuple(name for name in names if name in group) for group in groups]


def _group(loops: tuple[str, ...], parts: Sequence[Convex], ranges: Mapping[str, tuple[int, int]]) -> Group:
    """Every point of some loops, by their conditions."""
    own = list(dict.fromkeys(tuple(c for c in part if c.names & set(loops)) for part in parts))
    if len(own) == 1 and (bounded := differences(loops, own)) is not None:
        return bounded[0]
    return listed(loops, own, ranges)
