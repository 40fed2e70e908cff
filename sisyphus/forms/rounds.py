"""Rounds of a loop in which local arrays take turns, as one loop again whose rows are those of a table; knows no cost.

for q: { for j: a[j] = f(b[j], a[j-1], 2*q)   for j: b[j] = f(a[j], b[j-1], 2*q+1) }   becomes
for i: for j: t[i+2][j] = f(t[i+1][j], t[i+2][j-1], i)

The front end cuts a loop into rounds where subscripts ask for its turn (`rows[i % 2][j]`, or pointers that change
places), which hides that each iteration only needs the one before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from sisyphus.analysis import Dependences, Sources, same_sources, sources_of
from sisyphus.analysis.isl_limits import Patience
from sisyphus.analysis.rewrite import range_of
from sisyphus.forms.building import Names, every_ref, local, loops_of
from sisyphus.forms.histories import LARGEST, for_each_iteration
from sisyphus.forms.kept_rows import with_borders
from sisyphus.forms.turns import Group, groups_of, in_turn
from sisyphus.ir import Array, ArrayId, Expr, Index, Read, Ref, Role, Scop, Statement, StmtId, rebuild, walk
from sisyphus.poly import (
    Affine,
    Map,
    Set,
    const,
    constant_distance,
    dim_range,
    hull_of,
    make_map,
    name_dims,
    renamed,
    union_of,
    united,
    var,
)
from sisyphus.values import dataclass, replace

#: Turns of a round at most.
MOST_TURNS = 4

#: By statement and number of its reference (0: what it writes): by statement, from the instances whose values it reads
#: there to those that read; and the row of the table that it names.
Seen = Mapping[tuple[StmtId, int], Mapping[StmtId, Map]]
Places = Mapping[tuple[StmtId, int], Affine]


def in_one_loop(found: Dependences) -> Scop | None:
    """The kernel whose rounds are iterations of one loop, with the rows of all of them; None where it has none.

    All statements keep their order, and isl's dataflow tells that each reads the values that it read before.
    """
    patience = Patience()
    return next((made for one in _rounds(found.scop) if (made := patience.ask(one.made)) is not None), None)


def _rounds(scop: Scop) -> Iterator[_Rounds]:
    """The loops over few turns that are alone in another one, as far as each turn does the same.

    Then with borders of rows that nothing writes in the loop, where there are such.
    """
    names = Names(scop)
    for place, inside in loops_of(scop.statements).items():
        depth = len(place) - 1
        if all(len(s.iterators) > depth + 1 for s in inside) and len({s.position[: depth + 2] for s in inside}) == 1:
            turns = range_of(inside, depth + 1)
            if turns.start == 0 and 2 <= len(turns) <= MOST_TURNS and not scop.fused:
                iteration = names.wanted(inside[0].iterators[depth].split("_d")[0])  # as in the source
                by_turn = [in_turn(inside, depth, turn) for turn in turns]
                if all(by_turn):
                    yield from _alike(scop, by_turn, depth, iteration)
                    whole = with_borders(scop, by_turn, depth)
                    within = [s for s in whole.statements if s.position[: depth + 1] == place]
                    if len(within) > len(inside):
                        yield from _alike(whole, [in_turn(within, depth, turn) for turn in turns], depth, iteration)


def _alike(scop: Scop, by_turn: Sequence[Sequence[Statement]], depth: int, iteration: str) -> Iterator[_Rounds]:
    """The loop of these turns, if each does the same."""
    groups = groups_of(by_turn, depth, iteration)
    if groups is not None:
        yield _Rounds(scop, groups)


@dataclass(frozen=True, eq=False)
class _Rounds:
    """A loop over rounds, each turn of which does the same with arrays that take turns."""

    scop: Scop
    groups: tuple[Group, ...]

    def made(self) -> Scop | None:
        """The kernel with one loop, and a table in place of these arrays; None where it sees no or other values."""
        seen = self._seen() if self._are_rows() else None
        places = None if seen is None else self._places(seen)
        if seen is None or places is None:
            return None
        table = self._table(places)
        statements = [*self._statements(table, places)]
        whole = tuple(statement for statement in statements if statement is not None)
        if len(whole) < len(statements) or table.elements > LARGEST:
            return None
        kept = [a for a in self.scop.arrays if a.id not in self.turning]
        made = replace(self.scop, statements=whole, arrays=(*kept, table))
        return for_each_iteration(made, table.id) if self._agree(seen, sources_of(made, table.id), made) else None

    @cached_property
    def inside(self) -> frozenset[StmtId]:
        return frozenset(old.id for group in self.groups for old in group.turns)

    @cached_property
    def by_id(self) -> dict[StmtId, Group]:
        """What is one statement then, by the name that it has."""
        return {group.id: group for group in self.groups}

    @cached_property
    def turning(self) -> frozenset[ArrayId]:
        """The arrays that statements touch which are others, or have rows, by the turn."""
        return frozenset(
            ref.array
            for group in self.groups
            for refs in group.refs
            if len({ref.array for ref in refs}) > 1 or None in group.index(refs)
            for ref in refs
        )

    @cached_property
    def at(self) -> int | None:
        """The dimension that the turn counts, where the arrays are one."""
        refs = [(g, refs) for g in self.groups for refs in g.refs if refs[0].array in self.turning]
        found = {at for group, own in refs for at, value in enumerate(group.index(own)) if value is None}
        return found.pop() if len(self.turning) == 1 and len(found) == 1 else None

    def _are_rows(self) -> bool:
        """Are these local arrays whose rows are alike?"""
        arrays = [self.scop.array(name) for name in self.turning]
        rows = {(a.type, *(e for at, e in enumerate(a.extents) if at != self.at)) for a in arrays}
        is_local = all(a.role is Role.LOCAL and a.id not in self.scop.looked_up for a in arrays)
        return len(rows) == 1 and is_local and (len(arrays) > 1 or self.at is not None)

    def _table(self, places: Places) -> Array:
        """The array of all rows, the last of which the last iteration writes."""
        rows = max(_rows(m.range(), g.loops, places[g.id, 0])[1] for g in self.groups for _, m in g.moves)
        first = self.scop.array(min(self.turning))
        extents = (e for at, e in enumerate(first.extents) if at != self.at)
        return local(first, Names(self.scop).array(first.id), (1 + rows, *extents))

    def _moves(self, name: StmtId) -> list[tuple[StmtId, Map]]:
        """From instances of a statement to those that it has then, by statement."""
        if name not in self.inside:
            old = self.scop.statement(name)
            same = make_map(name, old.iterators, name, old.iterators, [*map(var, old.iterators)])
            return [(name, same.intersect_domain(old.domain))]
        moves = ((group.id, move) for group in self.groups for old, move in group.moves if old == name)
        return [*united(moves).items()]

    def _seen(self) -> Seen | None:
        """By new statement and number of its reference: where the values come from that it reads of these arrays."""
        sources: Sources = {}
        for array in self.turning:
            own = sources_of(self.scop, array)
            if own is None:
                return None
            sources = {**sources, **own}
        found: dict[tuple[StmtId, int], list[tuple[StmtId, Map]]] = defaultdict(list)
        for new, at, old, ref in self._reads():
            reading = dict(self._moves(old))[new]
            for origin, pairs in sources[old, ref].items():
                for writer, writing in self._moves(origin):
                    moved = pairs.apply_domain(writing).apply_range(reading)
                    if not moved.is_empty():
                        found[new, at].append((writer, name_dims(moved, self._loops(writer), self._loops(new))))
        return {key: united(parts) for key, parts in found.items()}

    def _reads(self) -> Iterator[tuple[StmtId, int, StmtId, Ref]]:
        """New statement, number of its reference, old statement and reference, of all reads of these arrays."""
        for group in self.groups:
            for at, refs in enumerate(group.refs[1:], 1):
                for old, ref in zip(group.turns, refs, strict=True):
                    if ref.array in self.turning:
                        yield group.id, at, old.id, ref
        for statement in self.scop.statements:
            for at, ref in enumerate(every_ref(statement)):
                if at and ref.array in self.turning and statement.id not in self.inside:
                    yield statement.id, at, statement.id, ref

    def _loops(self, name: StmtId) -> tuple[str, ...]:
        return self.by_id[name].loops if name in self.by_id else self.scop.statement(name).iterators

    def _places(self, seen: Seen) -> Places | None:
        """Which row each reference names; None where rows are not so many iterations old."""
        ages = {key: self._age(key[0], own) for key, own in seen.items() if key[0] in self.by_id}
        known = [age for age in ages.values() if age is not None]
        if len(known) < len(ages):
            return None
        first = min(dim_range(move.range(), g.iteration)[0] for g in self.groups for _, move in g.moves)
        found = {(g.id, 0): var(g.iteration) - first + max(known, default=0) for g in self.groups}
        found |= {key: found[key[0], 0] - age for key, age in zip(ages, known, strict=True)}
        for name, at in ages:
            for origin, pairs in seen[name, at].items():
                if origin not in self.by_id:
                    row = _one(pairs.range(), self._loops(name), found[name, at])
                    if row is None or found.setdefault((origin, 0), row) != row:
                        return None
        for name, at in seen.keys() - ages.keys():
            own = seen[name, at].items()
            rows = {_one(pairs.domain(), self._loops(o), found.get((o, 0))) for o, pairs in own}
            row = rows.pop() if len(rows) == 1 else None
            if row is None:
                return None
            found[name, at] = row
        return found

    def _age(self, name: StmtId, own: Mapping[StmtId, Map]) -> int | None:
        """How many iterations before a statement its values come from, as far as they do from iterations."""
        steps = {name: group.iteration for name, group in self.by_id.items()}
        ages = {constant_distance(p, steps[origin], steps[name]) for origin, p in own.items() if origin in steps}
        return ages.pop() if len(ages) == 1 else None

    def _statements(self, table: Array, places: Places) -> Iterator[Statement | None]:
        """The statements of the kernel, None in place of what cannot be had."""
        for statement in self.scop.statements:
            if statement.id in self.by_id:
                yield self._joined(self.by_id[statement.id], table, places)
            elif statement.id not in self.inside:
                yield self._outside(statement, table, places)

    def _outside(self, statement: Statement, table: Array, places: Places) -> Statement | None:
        refs = [
            self._row(table, places.get((statement.id, at)), ref.index) if ref.array in self.turning else ref
            for at, ref in enumerate(every_ref(statement))
        ]
        return _with(statement, refs, _numbers(statement))

    def _joined(self, group: Group, table: Array, places: Places) -> Statement | None:
        refs: list[Ref | None] = []
        for at, own in enumerate(group.refs):
            index = group.index(own, self.at if own[0].array in self.turning else None)
            if own[0].array in self.turning:
                place = places.get((group.id, at))
                refs.append(None if place is None or None in index else Ref(table.id, (place, *_whole(index))))
            else:
                refs.append(None if None in index else Ref(own[0].array, _whole(index)))
        numbers = zip(*map(_numbers, group.turns), strict=True)
        made = _with(group.turns[0], refs, [group.value(own) for own in numbers])
        points = hull_of(union_of([renamed(move.range(), group.id, group.loops) for _, move in group.moves]))
        if made is None or points is None:
            return None
        position = (*made.position[: group.depth + 1], *group.place)
        return replace(made, iterators=group.loops, domain=points, position=position)

    def _row(self, table: Array, place: Affine | None, index: Sequence[Affine]) -> Ref | None:
        kept = (value for at, value in enumerate(index) if at != self.at)
        return None if place is None else Ref(table.id, (place, *kept))

    def _agree(self, seen: Seen, after: Sources | None, made: Scop) -> bool:
        """Does all that reads rows of the table see the values that it saw?"""
        refs = {s.id: every_ref(s) for s in made.statements}
        before: dict[tuple[StmtId, Ref], list[tuple[StmtId, Map]]] = defaultdict(list)
        for (name, at), own in seen.items():
            before[name, refs[name][at]] += own.items()
        return after is not None and same_sources({key: united(parts) for key, parts in before.items()}, after)


def _whole(index: Sequence[Affine | None]) -> tuple[Affine, ...]:
    return tuple(value for value in index if value is not None)


def _numbers(statement: Statement) -> list[Affine]:
    """The iterators and sums of these that a statement computes with."""
    return [expr.value for expr in walk(statement.rhs) if isinstance(expr, Index)]


def _with(statement: Statement, refs: Sequence[Ref | None], numbers: Sequence[Affine | None]) -> Statement | None:
    """The statement with other references, the first of which it writes, and other numbers; None where one is not."""
    known, values = [ref for ref in refs if ref is not None], [value for value in numbers if value is not None]
    if len(known) < len(refs) or len(values) < len(numbers):
        return None
    reads, others = iter(known[1:]), iter(values)

    def leaf(expr: Expr) -> Expr:
        if isinstance(expr, Read):
            return replace(expr, ref=next(reads))
        return replace(expr, value=next(others)) if isinstance(expr, Index) else expr

    return replace(statement, write=known[0], rhs=rebuild(statement.rhs, leaf))


def _rows(points: Set, names: Sequence[str], place: Affine) -> tuple[int, int]:
    """The first and the last row that a place is at some points."""
    return dim_range(points.reset_tuple_id().apply(make_map("", names, "", ["row"], [place])), "row")


def _one(points: Set, names: Sequence[str], place: Affine | None) -> Affine | None:
    """The one row that a place is at these points."""
    rows = None if place is None else _rows(points, names, place)
    return None if rows is None or rows[0] != rows[1] else const(rows[0])
