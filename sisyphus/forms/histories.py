"""Local variables that loops carry on get a place for each value, so that who reads them may wait; knows no cost.

for i: { s = 0   for j: { s += x[i][j]   y[i][j] = y[i-1][j] + s } }   becomes
for i: { s[i][0] = 0   for j: { s[i][j+1] = s[i][j] + x[i][j]   y[i][j] = y[i-1][j] + s[i][j+1] } }

Place `j` has the value before iteration `j` of the loop, the next one that behind it, in each iteration of those loops
around it whose iterations pass none on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial

from sisyphus.analysis import (
    Dependences,
    DepKind,
    Sources,
    dependences,
    elements_touched,
    liveness,
    same_sources,
    sources_of,
)
from sisyphus.analysis.distribution import strong_components
from sisyphus.analysis.isl_limits import Patience
from sisyphus.analysis.rewrite import copied_back, range_of, rewrite, with_refs
from sisyphus.analysis.webs import webs_of
from sisyphus.forms.building import Names, copying, in_array, local
from sisyphus.ir import Array, ArrayId, Ref, Role, Scop, Statement, StmtId, index_names
from sisyphus.poly import (
    Affine,
    Map,
    Set,
    compare,
    const,
    empty_set,
    extend,
    is_convex,
    make_map,
    make_set,
    name_dims,
    pull_back,
    union_of,
    united,
    var,
)
from sisyphus.values import dataclass, replace

#: Elements of a table of all rows at most.
LARGEST = 1 << 26


def with_histories(found: Dependences) -> Scop | None:
    """The kernel with all values of such variables, whose readers see the same ones as isl tells; None without such."""
    return _with(found, lambda array: _that_keep_readers_waiting(found, array))


def with_histories_of_rows(found: Dependences) -> Scop | None:
    """The kernel with all values of local arrays that a loop writes anew from those before, as one row of a table.

    Whoever needs values of two iterations has these beside each other: wavefronts go through the table. None without.
    """
    return _with(found, lambda array: _that_are_rows(found, array))


def _with(found: Dependences, candidates: Callable[[Array], Iterable[_Candidate]]) -> Scop | None:
    scop = found.scop
    for array in found.scop.arrays:
        if array.id not in scop.looked_up:  # data say which elements are read
            made = (candidate.made(scop) for candidate in candidates(array))
            scop = next((one for one in made if one is not None), scop)
    return None if scop is found.scop else scop


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A variable, the first statement in a loop that gives it values, and how deep that loop is."""

    array: Array
    update: Statement
    depth: int

    def made(self, scop: Scop) -> Scop | None:
        """The kernel with a place for each value; None where a reader would see another one, or isl gives up.

        Elements that no iteration writes, as those at the border of a row, are copied to the place of each one.
        """
        if self.array.role is not Role.LOCAL:
            return self._in_a_copy(scop)
        before = sources_of(scop, self.array.id)
        if before is None:
            return None
        values = range_of([self.update], self.depth)
        new = local(self.array, Names(scop).array(self.array.id), (len(values) + 1, *self.array.extents))
        users = {s.id: s for s in scop.statements if self.array.id in s.touched}
        late = {key for key, own in before.items() if self._comes_from(users, key[0], own, 0)}
        if not any(self._comes_from(users, name, own, 1) for (name, _), own in before.items()):
            return None

        def place(statement: Statement, ref: Ref, *, is_write: bool) -> Ref:
            if ref.array != self.array.id:
                return ref
            at = self._place(statement, values, is_late=is_write or (statement.id, ref) in late)
            return Ref(new.id, (at, *ref.index))

        moved = dict[StmtId, Statement]()
        for name, own in users.items():
            instead = with_refs(own, partial(place, own, is_write=False))
            moved[name] = replace(instead, write=place(own, own.write, is_write=True))
        statements = tuple(moved.get(s.id, s) for s in scop.statements)
        same = self._staying(scop, new.id, values)
        if same is not None:
            statements = tuple(sorted((*map(self._later, statements), same), key=lambda s: s.position))
        made = replace(scop, statements=statements, arrays=tuple(new if a is self.array else a for a in scop.arrays))
        after = sources_of(made, new.id)
        if after is None:
            return None
        if same is not None:
            after = _without_copy(after, same, users)
        renamed = {(name, place(users[name], ref, is_write=False)): own for (name, ref), own in before.items()}
        return for_each_iteration(made, new.id) if same_sources(renamed, after) else None

    def _staying(self, scop: Scop, new: ArrayId, values: range) -> Statement | None:
        """What copies the elements that the loop only reads from the first place to all others, before the loop."""
        around, names = self.update.iterators[: self.depth], Names(scop)
        dims = [names.wanted(f"d{at}") for at in range(len(self.array.extents))]
        users = [s for s in scop.statements if self.array.id in s.touched and s.shared_loops(self.update) >= self.depth]
        behind = [s for s in users if self._is_inside(s) or s.position > self.update.position]
        read = [self._elements(s, ref, around, dims) for s in behind for ref in s.reads if ref.array == self.array.id]
        writers = [s for s in users if s.write.array == self.array.id and self._is_inside(s)]
        written = [self._elements(s, s.write, around, dims) for s in writers]
        points = union_of([empty_set("", [*around, *dims]), *read]).subtract(union_of(written)).coalesce()
        if points.is_empty() or not is_convex(points):
            return None
        turn = names.wanted(self.update.iterators[self.depth])
        points = extend(points, [*around, *dims, turn])
        points = points.intersect(
            make_set("", [*around, *dims, turn], at_least_zero=[var(turn) - 1, len(values) - var(turn)])
        )
        loops = [*around, turn, *dims]
        points = pull_back(points, loops, [*map(var, (*around, *dims, turn))])
        to, origin = (Ref(new, (at, *map(var, dims))) for at in (var(turn), const(0)))
        label, first = names.statement(StmtId(f"same_{self.array.id}")), self.update.position[: self.depth + 1]
        place = (*first[:-1], 2 * first[-1] - 1)
        return copying(label, self.update.span, loops, points, place, self.array.type, (to, origin))

    def _elements(self, statement: Statement, ref: Ref, around: Sequence[str], dims: Sequence[str]) -> Set:
        """The elements that a reference names in each iteration of the loops around."""
        outer = [*map(var, statement.iterators[: self.depth])]
        relation = make_map(statement.id, statement.iterators, "", [*around, *dims], [*outer, *ref.index])
        return relation.intersect_domain(statement.domain).range()

    def _later(self, statement: Statement) -> Statement:
        """The statement where there is room before each loop that lies inside of as many as this one."""
        place, depth = statement.position, self.depth
        return replace(
            statement, position=(*place[:depth], *(2 * at for at in place[depth : depth + 1]), *place[depth + 1 :])
        )

    def _is_inside(self, statement: Statement) -> bool:
        return statement.shared_loops(self.update) > self.depth

    def _comes_from(
        self, users: Mapping[StmtId, Statement], name: StmtId, own: Mapping[StmtId, Map], sign: int
    ) -> bool:
        """Whether a statement in the loop reads some of the same iteration (sign 0), or of an earlier one (sign 1)."""
        if not self._is_inside(users[name]):
            return False
        inside = ((users[source], pairs) for source, pairs in own.items() if self._is_inside(users[source]))
        here = users[name].iterators[self.depth]
        return any(not compare(pairs, by.iterators[self.depth], sign, here).is_empty() for by, pairs in inside)

    def _in_a_copy(self, scop: Scop) -> Scop | None:
        """The same of an argument, in whose place a local array has its values from before the first loop on."""
        names, old = Names(scop), self.array
        own, first = local(old, names.array(old.id), old.extents), liveness(scop)[old.id].upward_exposed
        dims = [f"d{at}" for at in range(len(own.extents))]
        here = tuple(map(var, dims))
        label, place = names.statement(StmtId(f"in_{own.id}")), min(s.position[0] for s in scop.statements) - 1
        given = copying(
            label, self.update.span, dims, first, (place,), own.type, (Ref(own.id, here), Ref(old.id, here))
        )
        moved = [in_array(statement, old.id, own.id) for statement in scop.statements]
        back = copied_back(old, Ref(own.id, ()), elements_touched(scop.statements, old, reads=False), moved)
        statements = (*([] if first.is_empty() else [given]), *moved, back)
        inside = replace(scop, arrays=(*scop.arrays, own), statements=statements)
        return _Candidate(own, in_array(self.update, old.id, own.id), self.depth).made(inside)

    def _place(self, statement: Statement, values: range, *, is_late: bool) -> Affine:
        """Where a value is that a statement reads, or gives the variable; `is_late`: the one behind an iteration."""
        if self._is_inside(statement):
            return var(statement.iterators[self.depth]) - values.start + int(is_late)
        return const(0 if statement.position < self.update.position else len(values))


def for_each_iteration(scop: Scop, array: ArrayId) -> Scop:
    """The kernel with an array for each iteration of those loops whose iterations pass none of its values on."""
    [web, *others] = webs_of(scop, dependences(scop), array, Patience())
    loops = [depth for depth in range(web.shared_loops) if web.stays_within(depth)]
    return scop if others or not loops else rewrite(scop, [(web, loops)], {}).scop


def _that_keep_readers_waiting(found: Dependences, array: Array) -> Iterator[_Candidate]:
    """What might have a history: of loops that carry the variable on, the innermost first.

    In these others read it on whose values its own do not depend.
    """
    users = [s for s in found.scop.statements if array.id in s.touched]
    for update in users:
        if update.write.array != array.id or update.write not in update.reads:
            continue
        for depth in reversed(range(len(update.iterators))):
            inside = [s for s in users if s is not update and s.shared_loops(update) > depth]
            is_alone = not any(s.write.array == array.id for s in inside)
            waits = any(_groups(found)[s.id] != _groups(found)[update.id] for s in inside)
            if waits and is_alone and update.iterators[depth] not in index_names(update.write):
                yield _Candidate(array, update, depth)


def _that_are_rows(found: Dependences, array: Array) -> Iterator[_Candidate]:
    """Of loops that write a local array, the outermost first, with what is read in them of the iteration before."""
    writers = [s for s in found.scop.statements if s.write.array == array.id]
    if array.role is not Role.LOCAL or not array.extents:
        return
    for at, update in enumerate(writers):
        for depth in range(len(update.iterators)):
            inside = [s for s in writers if s.shared_loops(update) > depth]
            is_first = inside[0] is update and not any(s.shared_loops(update) > depth for s in writers[:at])
            moves = any(s.iterators[depth] in index_names(s.write) for s in inside)
            size = (len(range_of([update], depth)) + 1) * array.elements
            if is_first and not moves and size <= LARGEST and array.id in (a for s in inside for a in s.touched):
                yield _Candidate(array, update, depth)


@lru_cache(maxsize=1)
def _groups(found: Dependences) -> Mapping[StmtId, int]:
    """By statement: which group it is of whose statements need values of each other."""
    edges = [(e.source, e.sink) for e in found.edges if e.kind is DepKind.RAW]
    groups = strong_components(found.scop.statements, edges)
    return {s.id: at for at, group in enumerate(groups) for s in group}


def _without_copy(found: Sources, copy: Statement, users: Mapping[StmtId, Statement]) -> Sources:
    """Where values come from that a statement copies, for those who read them from it."""
    origins = [pair for (reader, _), own in found.items() if reader == copy.id for pair in own.items()]

    def seen(reader: StmtId, own: Mapping[StmtId, Map]) -> Iterator[tuple[StmtId, Map]]:
        yield from ((name, pairs) for name, pairs in own.items() if name != copy.id)
        if copy.id in own:
            for name, first in origins:
                whole = name_dims(first.apply_range(own[copy.id]), users[name].iterators, users[reader].iterators)
                if not whole.is_empty():
                    yield name, whole

    return {key: united(seen(key[0], own)) for key, own in found.items() if key[0] != copy.id}
