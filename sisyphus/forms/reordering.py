"""A kernel in another order: its statements over other loops, each instance computing what it did; proves nothing.

for i: for j < i: { for k < j: S0(i, j, k)   S1(i, j) }   at the times S0 [k, 1, i, j] and S1 [j, 0, i] becomes
for k: { for i > k: S1(i, k)   for i: for k < j < i: S0(i, j, k) }
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from sisyphus.analysis.rewrite import names_of
from sisyphus.forms.building import named, over, values_of
from sisyphus.ir import Expr, Ref, ScalarType, Scop, Statement, StmtId, substitute
from sisyphus.poly import Affine, Set, Timed, equations, follows, inverse, is_convex, var
from sisyphus.values import dataclass, replace


@dataclass(frozen=True, eq=False)
class Part:
    """Instances of the statement `source` of the kernel as it was, which a statement of the new order runs.

    The instance at a point of `points` has `values` for the old iterators.
    """

    source: StmtId
    points: Set
    values: tuple[Affine, ...]


@dataclass(frozen=True, eq=False)
class Ordered:
    """A kernel whose statements run parts of those of another one."""

    scop: Scop
    parts: Mapping[StmtId, tuple[Part, ...]]


#: A statement, one over other loops that runs instances of it, and those iterators of the old one that changed there.
Moved = tuple[Statement, Statement, Mapping[str, Affine]]


def ordered(scop: Scop, moved: Iterable[Moved]) -> Ordered:
    """A kernel of moved statements, in the order of their places."""
    statements, parts = list[Statement](), dict[StmtId, tuple[Part, ...]]()
    for old, new, given in moved:
        statements.append(new)
        parts[new.id] = (Part(old.id, new.domain, values_of(old, given)),)
    return Ordered(replace(scop, statements=tuple(sorted(statements, key=lambda s: s.position))), parts)


@dataclass
class _Item:
    """A part on its way down the loops: the times that became loops, and their names."""

    statement: Statement
    timed: Timed
    loops: tuple[str, ...] = ()
    rows: tuple[Affine, ...] = ()
    position: tuple[int, ...] = ()


def reordered(scop: Scop, times: Sequence[Timed]) -> Ordered:
    """The kernel with its instances at these times; `ValueError` where they are no loops with affine subscripts."""
    length = max((len(t.times) for t in times), default=0)
    padded = [replace(t, times=(*t.times, *(Affine() for _ in range(length - len(t.times))))) for t in times]
    taken = names_of(scop)
    items = [_Item(scop.statement(StmtId(t.name)), t) for t in padded]
    items.sort(key=lambda item: (scop.statements.index(item.statement), str(item.timed.instances)))
    leaves = list(_laid(items, 0, (), count(), taken))
    names, statements, parts = set[str](), list[Statement](), dict[StmtId, tuple[Part, ...]]()
    for leaf in leaves:
        name = _name_of(leaf[0].statement.id, names)
        names.add(name)
        built = [_built(item, name) for item in leaf]
        points = built[0][0].domain
        for other, _ in built[1:]:
            points = points.union(other.domain)
        statements.append(replace(built[0][0], domain=points.coalesce()))
        parts[name] = tuple(part for _, part in built)
    return Ordered(replace(scop, statements=tuple(statements)), parts)


def _name_of(wanted: StmtId, taken: set[str]) -> StmtId:
    return next(StmtId(n) for n in (wanted, *(f"{wanted}_{at}" for at in range(2, 99))) if n not in taken)


def _laid(
    items: Sequence[_Item], row: int, outside: tuple[int, ...], places: Iterator[int], taken: set[str]
) -> Iterator[list[_Item]]:
    """The parts in the order of the text, those that become one statement together."""
    if row == len(items[0].timed.times):
        for group in _twins([replace(item, position=outside) for item in items]):
            position = (*outside, next(places))
            yield [replace(item, position=position) for item in group]
        return
    fixed = _fixed(items, row)
    if fixed is not None:
        for value in sorted(set(fixed)):
            inside = [item for item, own in zip(items, fixed, strict=True) if own == value]
            yield from _laid(inside, row + 1, outside, places, taken)
        return
    name = _loop_name([item.timed.times[row] for item in items], {*taken, *items[0].loops})
    inside = [replace(item, loops=(*item.loops, name), rows=(*item.rows, item.timed.times[row])) for item in items]
    yield from _laid(inside, row + 1, (*outside, next(places)), count(), taken)


def _fixed(items: Sequence[_Item], row: int) -> list[int] | None:
    """The times of parts where the loops around them fix all of them, counted from one of these; None if they move."""
    times = [item.timed.times[row] for item in items]
    for loop in (None, *range(len(items[0].loops))):
        left = [time if loop is None else time - item.rows[loop] for time, item in zip(times, items, strict=True)]
        if all(value.is_constant for value in left):
            return [value.constant for value in left]
    return [0] if len(items) == 1 and follows(times[0], items[0].rows) else None


def _loop_name(rows: Sequence[Affine], taken: set[str]) -> str:
    """That of an old iterator that the loop runs through, or a new one."""
    plain = [row.terms[0][0] for row in rows if len(row.terms) == 1 and row == var(row.terms[0][0])]
    fresh = ("w", *(f"w{at}" for at in range(1, 99)))
    return next(name for name in (*plain, *fresh) if name not in taken)


def _twins(items: Sequence[_Item]) -> list[list[_Item]]:
    """Parts that compute the same at different points of one convex set are one statement, that of the first."""
    groups: list[list[_Item]] = []
    for item in items:
        for group in groups:
            together = next((order for order in ([*group, item], [item, *group]) if _is_one(order)), None)
            if together is not None:
                group[:] = together
                break
        else:
            groups.append([item])
    return groups


def _is_one(items: Sequence[_Item]) -> bool:
    """Whether the first part computes at the points of all others what they do."""
    first, *others = (_built(item, StmtId("one"))[0] for item in items)
    whole = first.domain
    for other in others:
        if not same_at(other.domain, other, first) or not whole.intersect(other.domain).is_empty():
            return False
        whole = whole.union(other.domain)
    return is_convex(whole)


def same_at(points: Set, one: Statement, other: Statement) -> bool:
    """Whether two statements over the same loops compute the same at some points: A[i][i] is A[i][j] at j = i."""
    if points.is_empty():
        return True
    known = equations(points)

    def there(statement: Statement) -> tuple[Ref, ScalarType, Expr]:
        return statement.write.substitute(known), statement.write_type, substitute(statement.rhs, known)

    return there(one) == there(other)


def _built(item: _Item, name: StmtId) -> tuple[Statement, Part]:
    """The statement over its new loops, and which instances of the old one these are."""
    old, timed = item.statement, item.timed
    values = inverse(Timed(timed.name, timed.instances, item.rows), item.loops)
    if values is None:
        raise ValueError(f"the times of `{old.id}` do not fix its iterators, or not by affine expressions")
    given = dict(zip(old.iterators, values, strict=True))
    same = [row.substitute(given) - var(loop) for loop, row in zip(item.loops, item.rows, strict=True)]
    whole = replace(old, domain=timed.instances, position=item.position)
    statement = named(over(whole, item.loops, given, zero=[e for e in same if e != Affine()]), name)
    return statement, Part(old.id, statement.domain, values)
