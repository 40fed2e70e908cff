"""Values that are only copied on until somebody reads them: readers take them where they come from; knows no cost.

for i: { y[i] = w[0] * w[1]   w[1] = w[0]   w[0] = x[i] }   with w[0] = w[1] = 0 before it becomes
for i: { if i = 0: y[i] = 0 * 0   if i = 1: y[i] = x[i-1] * 0   if i >= 2: y[i] = x[i-1] * x[i-2] }
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial

from sisyphus.analysis import Dependences
from sisyphus.analysis.dataflow import proved_sources, running_before, touching_before
from sisyphus.analysis.isl_limits import Patience
from sisyphus.analysis.rewrite import most_places, range_of
from sisyphus.forms.building import Names, copying, local
from sisyphus.ir import (
    Access,
    Array,
    ArrayId,
    Cast,
    Expr,
    Index,
    Literal,
    Read,
    Ref,
    Role,
    Scalar,
    Scop,
    Statement,
    StmtId,
    rebuild,
)
from sisyphus.poly import (
    Affine,
    Map,
    Set,
    agree,
    all_pairs,
    convex_parts,
    followed,
    functions,
    make_map,
    name_dims,
    renamed,
    union_of,
    var,
)
from sisyphus.values import dataclass, replace

#: Cases of one statement above which it stays as it is: a shift register has one for each of the first samples.
MOST_CASES = 64


@dataclass(frozen=True, eq=False)
class _Case:
    """Instances of a statement in which some reads have the values of other expressions."""

    points: Set
    instead: Mapping[Ref, Expr]


def forwarded(found: Dependences) -> Scop | None:
    """The kernel whose readers of copies read what was copied, without copies that nobody reads; None without such.

    Every instance keeps its place in the order of the source and computes with the same values: isl says which write
    each read sees, and each answer is checked to be a write with no other one between.
    """
    better = _once(found.scop)
    # what was given a place of its own is copied from there, too
    again = _once(better) if better is not None else None
    return again or better


def forwarded_elements(found: Dependences) -> Scop | None:
    """The same of copies from one array to another alone, in as few cases as can be.

    What never changes stays where it is, and a constant is read of an element that is known to have the same value.
    Elements that are copied from others of their array which have one constant get this one.
    """
    scop = _with_constants(found.scop)
    return _once(scop, only_elements=True) or (scop if scop is not found.scop else None)


def _with_constants(scop: Scop) -> Scop:
    """The kernel with a constant in place of copies inside of an array whose values are all that one."""
    chains, found = _Chains(scop, only_elements=True), dict[StmtId, Statement]()
    for copy in chains.copies.values():
        sources = (chains.sources(copy, copy.accesses[1]) or {}) if len({*copy.touched}) == 1 else {}
        values = {scop.statement(name).rhs for name in sources}
        if len(values) == 1 and isinstance(value := values.pop(), Literal):
            known = union_of([pairs.domain() for pairs in sources.values()])
            if copy.domain.is_subset(known):
                found[copy.id] = replace(copy, rhs=value)
    return replace(scop, statements=tuple(found.get(s.id, s) for s in scop.statements)) if found else scop


def _once(scop: Scop, *, only_elements: bool = False) -> Scop | None:
    chains = _Chains(scop, only_elements=only_elements)
    copies = {*chains.links, *chains.again}
    if not copies and not chains.refilled:
        return None
    cases = {s.id: chains.cases_of(s) for s in scop.statements if s.id not in chains.links}
    split = _split(scop, {name: own for name, own in cases.items() if own}, chains.named, chains.arrays)
    kept = _without_unread(split)
    gone = {s.id for s in scop.statements} - {s.id for s in kept.statements}
    return kept if gone & copies or chains.refilled - {a.id for a in kept.arrays} else None


class _Chains:
    """Which copies there are in a kernel, and where the values come from that they pass on.

    A `link` copies an element that is written into a local array, a `head` what never changes: an element of an array
    that is not written, a scalar argument, a constant. `again` are heads that fill elements anew, as those of a ring.
    `named` are statements whose values need a place that lasts.
    """

    def __init__(self, scop: Scop, *, only_elements: bool) -> None:
        self.scop, self.only_elements = scop, only_elements
        self.names = Names(scop)
        self.patience = Patience()
        self.named: dict[StmtId, Ref] = {}
        self.arrays: dict[ArrayId, Array] = {}
        local = {array.id for array in scop.arrays if array.role is Role.LOCAL}
        self.written = {s.write.array for s in scop.statements}
        inside = [s for s in scop.statements if s.write.array in local]
        self.copies = {s.id: s for s in inside if isinstance(s.rhs, Read) and s.rhs.ref.array in self.written}
        self.links = {
            name: s for name, s in self.copies.items() if not only_elements or {s.write.array} != {*s.touched}
        }
        self.refilled = {a.id for a in scop.arrays if a.role is Role.LOCAL and a.extents and self._is_refilled(a.id)}
        self.passed_on = {*(s.write.array for s in self.links.values()), *self.refilled}
        copied = {s.write.array for s in self.links.values()}
        begin = [s for s in inside if not only_elements or s.write.array in copied]
        self.heads = {s.id: s for s in begin if self._never_changes(s.rhs)}
        self.again = [h for h, s in self.heads.items() if self._is_copy(h) and _writes_again(s)]
        self.local = local

    def _is_refilled(self, array: ArrayId) -> bool:
        """Do elements get several values, none of which adds to the one before, as rows that take turns do?"""
        writers = [*self.scop.writers(array)]
        return any(map(_writes_again, writers)) and not any(s.write in s.reads for s in writers)

    def _never_changes(self, value: Expr) -> bool:
        if isinstance(value, Cast):
            return self._never_changes(value.operand)
        if isinstance(value, Read):
            return value.ref.array not in self.written
        return isinstance(value, Literal | Scalar | Index)

    @cached_property
    def steps(self) -> list[Map]:
        """From each link to what wrote the element that it copies."""
        return self._steps_of(self.links.values())

    @cached_property
    def every_step(self) -> list[Map]:
        """The same of all copies, also those that are no links."""
        return self._steps_of(self.copies.values())

    def _steps_of(self, links: Iterable[Statement]) -> list[Map]:
        found = (self.sources(link, link.accesses[1]) for link in links)
        return [relation for sources in found for relation in (sources or {}).values()]

    def sources(self, reader: Statement, read: Access) -> dict[StmtId, Map] | None:
        """By statement: from instances that read to those that wrote what they see; None where not all is proved."""
        return self.patience.ask(partial(self._sources, reader, read)) or None

    def _sources(self, reader: Statement, read: Access) -> dict[StmtId, Map]:
        found = proved_sources(self.scop, reader, read).items()
        return {
            name: name_dims(pairs.reverse(), reader.iterators, self.scop.statement(name).iterators)
            for name, pairs in found
        }

    def cases_of(self, statement: Statement) -> list[_Case]:
        """The statement's instances by what they read instead of copies; nothing where that changes nothing."""
        cases, is_new = [_Case(statement.domain, {})], False
        for read in statement.accesses[1:]:
            values = (
                self._values_of(statement, read) if read.array in self.local and read.ref != statement.write else []
            )
            if values:
                is_new = True
                cases = [
                    _Case(points, {**case.instead, read.ref: value})
                    for case in cases
                    for value, where in values
                    for points in convex_parts(case.points.intersect(where))
                    if not points.is_empty()
                ]
            if len(cases) > MOST_CASES:
                return []
        return cases if is_new else []

    def _values_of(self, reader: Statement, read: Access) -> list[tuple[Expr, Set]]:
        """Each expression that a read is worth, and where; nothing where no copy is between, or it cannot be said."""
        first = self.sources(reader, read)
        passed_on = read.array in self.passed_on or any(self._is_copy(name) for name in first or ())
        if first is None or not passed_on:
            return []
        found: dict[Expr, list[Set]] = {}
        for name, pairs in self.patience.ask(lambda: followed([*first.values()], self.steps)) or ():
            end = self.scop.statement(StmtId(name))
            value = end.rhs if end.id in self.heads else self._place(end, reader, pairs)
            if value is None:
                return []
            subscripts = _subscripts(value)
            dims = [f"d{at}" for at in range(len(subscripts))]
            to_elements = make_map(end.id, end.iterators, "", dims, subscripts)
            try:
                parts = functions(pairs.apply_range(to_elements), reader.iterators)
            except ValueError:
                return []
            for points, there in parts:
                found.setdefault(_with_subscripts(value, there), []).append(points)
        joined = _joined(found, reader.iterators)
        return self._in_elements(reader, read, joined) if self.only_elements else joined

    def _in_elements(self, reader: Statement, read: Access, values: list[tuple[Expr, Set]]) -> list[tuple[Expr, Set]]:
        """The values of a read, with constants that the reader sees in an element, too, read there."""
        elements = [value for value, _ in values if isinstance(value, Read) and value.ref.array in self.written]
        alike = [e for e in elements if self.scop.array(e.ref.array).type == self.scop.array(read.array).type]
        found: dict[Expr, list[Set]] = {}
        for value, points in values:
            constant = isinstance(_core(value), Literal | Scalar)
            has = (element for element in alike if constant and self._has(reader, element, value, points))
            found.setdefault(next(has, value), []).append(points)
        return [(value, union_of(own).coalesce()) for value, own in found.items()]

    def _has(self, reader: Statement, element: Read, value: Expr, points: Set) -> bool:
        """Does the reader, at these points, see this value in an element?"""
        here = replace(reader, domain=renamed(points, reader.id, reader.iterators), rhs=element)
        first = self.sources(here, here.accesses[1])
        if first is None:
            return False
        ends = self.patience.ask(lambda: followed([*first.values()], self.every_step)) or ()
        return bool(ends) and all(self.scop.statement(StmtId(name)).rhs == value for name, _ in ends)

    def _is_copy(self, name: StmtId) -> bool:
        """Is it a head of more than a constant, which any sum begins with?"""
        return name in self.heads and not isinstance(_core(self.heads[name].rhs), Literal)

    def _stays(self, end: Statement, reader: Statement, pairs: Map) -> bool:
        """Does nothing write the element again between the two of a pair?"""
        for other in self.scop.writers(end.write.array):
            again = touching_before(end, end.accesses[0], other, other.accesses[0])
            earlier = running_before(other, reader, all_pairs(other.id, other.iterators, reader.id, reader.iterators))
            between = name_dims(again.apply_range(earlier), end.iterators, reader.iterators)
            if not between.intersect(pairs).is_empty():
                return False
        return True

    def _place(self, end: Statement, reader: Statement, pairs: Map) -> Read | None:
        """An element that still holds what `end` computes when the reader wants it, if need be one of its own."""
        if end.id in self.named:
            return Read(self.named[end.id], end.write_type)
        pairs = name_dims(pairs.reverse(), end.iterators, reader.iterators)
        in_turn = end.write.array in self.refilled  # a value that stays keeps the next one waiting
        if not in_turn and self.patience.ask(partial(self._stays, end, reader, pairs)):
            return Read(end.write, end.write_type)
        array = self.scop.array(end.write.array)
        ranges = [range_of([end], depth) for depth in range(len(end.iterators))]
        new = local(array, array.id, [len(values) for values in ranges])
        if end.write in end.reads or new.elements > most_places(self.scop):
            return None
        new = replace(new, id=self.names.array(array.id))
        place = Ref(new.id, tuple(var(n) - r.start for n, r in zip(end.iterators, ranges, strict=True)))
        self.arrays[new.id], self.named[end.id] = new, place
        return Read(place, end.write_type)


def _writes_again(statement: Statement) -> bool:
    """Does an element get more than one value, as one of a ring does?"""
    return {*statement.iterators} != {name for index in statement.write.index for name in index.names}


def _joined(found: Mapping[Expr, list[Set]], names: Sequence[str]) -> list[tuple[Expr, Set]]:
    """The values and where they are; in[i] is in[i + r - 2] where r is 2."""
    parts = [(value, points) for value, own in found.items() for points in own]

    def holds(other: Expr, value: Expr, points: Set) -> bool:
        mine, theirs = _subscripts(value), _subscripts(other)
        same = len(mine) == len(theirs) and _with_subscripts(other, mine) == value
        return other == value or (same and agree(points, names, mine, theirs))

    widest = sorted(found, key=lambda other: -sum(holds(other, *part) for part in parts))
    joined: dict[Expr, list[Set]] = {}
    for value, points in parts:
        joined.setdefault(next(o for o in widest if holds(o, value, points)), []).append(points)
    return [(value, union_of(own).coalesce()) for value, own in joined.items()]


def _subscripts(value: Expr) -> list[Affine]:
    """The affine expressions in a value that is at most converted: those of an element, an index, or none."""
    leaf = _core(value)
    return [*leaf.ref.index] if isinstance(leaf, Read) else [leaf.value] if isinstance(leaf, Index) else []


def _with_subscripts(value: Expr, subscripts: Sequence[Affine]) -> Expr:
    def moved(leaf: Expr) -> Expr:
        if isinstance(leaf, Index):
            return replace(leaf, value=subscripts[0])
        return replace(leaf, ref=replace(leaf.ref, index=tuple(subscripts))) if isinstance(leaf, Read) else leaf

    return rebuild(value, moved)


def _core(value: Expr) -> Expr:
    """What is below conversions."""
    return _core(value.operand) if isinstance(value, Cast) else value


def _split(
    scop: Scop, cases: Mapping[StmtId, list[_Case]], named: Mapping[StmtId, Ref], arrays: Mapping[ArrayId, Array]
) -> Scop:
    """The kernel with a statement for every case, next to each other where the whole one was; named values are kept."""
    room = 1 + max(map(len, cases.values()), default=0)
    names, statements = Names(scop), list[Statement]()
    for old in scop.statements:
        first = tuple(place * (room + 1) for place in old.position)
        own = cases.get(old.id) or [_Case(old.domain, {})]
        write = named.get(old.id, old.write)
        for at, case in enumerate(own):
            label = old.id if at == 0 else names.statement(old.id)
            part = replace(
                old,
                id=label,
                domain=renamed(case.points, label, old.iterators),
                position=(*first[:-1], first[-1] + at),
                write=write,
                rhs=rebuild(old.rhs, partial(_instead, case.instead)),
            )
            statements.append(part)
        if old.id in named:
            label, place = names.statement(old.id), (*first[:-1], first[-1] + room)
            moved = old.write, write
            statements.append(copying(label, old.span, old.iterators, old.domain, place, old.write_type, moved))
    statements.sort(key=lambda s: s.position)
    return replace(scop, statements=tuple(statements), arrays=(*scop.arrays, *arrays.values()))


def _instead(known: Mapping[Ref, Expr], leaf: Expr) -> Expr:
    return known.get(leaf.ref, leaf) if isinstance(leaf, Read) else leaf


def _without_unread(scop: Scop) -> Scop:
    """The kernel without local arrays that nothing reads which the caller sees, and what is computed for these."""
    wanted = {array.id for array in scop.arrays if array.role is not Role.LOCAL}
    before = -1
    while before != len(wanted):
        before = len(wanted)
        wanted |= {array for s in scop.statements if s.write.array in wanted for array in s.touched}
    statements = tuple(s for s in scop.statements if s.write.array in wanted)
    return replace(scop, statements=statements, arrays=tuple(a for a in scop.arrays if a.id in wanted))
