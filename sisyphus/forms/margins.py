"""Statements that read something else at a border made one, with arrays that have a margin; knows no cost.

for 0 < i < n: b[i] = a[i-1] + a[i]   b[0] = a[0] + a[0]   becomes
for i: m[i] = 0   for i: m[i+1] = a[i]   for i: b[i] = (i <= 0 ? m[i+1] : m[i]) + m[i+1]

What is in such a margin is read and never asked for. An element beyond the border exists, so that one nest may read it
whatever the condition says, as hardware does that selects. Where it is a number that is read instead, the margin has
that number, and nothing is chosen: for -1 <= k <= 1: s += (0 <= i + k && i + k < n ? a[i+k] : 0) * w[k]   becomes
for i: m[i] = 0   for i: m[i+1] = a[i]   for -1 <= k <= 1: s += m[i+k+1] * w[k]
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import combinations, groupby

from sisyphus.analysis import Dependences, count_or_none, liveness
from sisyphus.forms.building import Names, copying, local, runs_of, with_elements
from sisyphus.forms.settled import settled
from sisyphus.ir import (
    INT32,
    Array,
    ArrayId,
    Binary,
    Cast,
    Expr,
    Index,
    Literal,
    Read,
    Ref,
    Role,
    Scop,
    Select,
    Statement,
    children,
    rebuild,
    walk,
)
from sisyphus.poly import (
    Affine,
    Set,
    affine_range,
    comparisons,
    empty_set,
    hull_of,
    make_box,
    make_set,
    remaining_conditions,
    renamed,
    union_of,
    var,
)
from sisyphus.values import dataclass, replace

#: Elements of a margin at each end of a dimension at most.
WIDEST = 8
#: Convex parts of the points at which something else is read, at most.
MOST_PARTS = 4
#: Per dimension the first and the last place of an array.
Places = tuple[tuple[int, int], ...]


def with_margins(found: Dependences) -> Scop | None:
    """The kernel with statements that differ in what they read beyond borders made one each; None where none do."""
    scop, numbers = found.scop, dict[ArrayId, Literal]()
    if scop.fused:
        return None
    merged = [one for group in _groups(scop.statements) if (one := _merged(scop, group, numbers)) is not None]
    if not merged:
        return None
    by_id, gone = {one.id: one for one, _ in merged}, {name for _, names in merged for name in names}
    left = tuple(by_id.get(s.id, s) for s in scop.statements if s.id not in gone)
    scop = replace(scop, statements=left)
    places = _places(scop, [*by_id.values()])
    if any(_is_wide(scop.array(array), margin) for array, margin in places.items()):
        return None
    for array, margin in places.items():
        scop = _in_margin(scop, scop.array(array), margin, numbers.get(array))
    return scop


def _groups(statements: Sequence[Statement]) -> Iterator[list[Statement]]:
    """Statements of one body, one behind the other, that write the same element."""
    for _, group in groupby(statements, lambda s: (s.body, s.write, s.write_type)):
        alike = list(group)
        if len(alike) > 1 and alike[0].iterators:
            yield alike


@dataclass(frozen=True, eq=False)
class _Piece:
    """A statement at so many points of its loops, and what it computes there."""

    statement: Statement
    points: Set
    count: int
    value: Expr


def _merged(
    scop: Scop, group: Sequence[Statement], numbers: dict[ArrayId, Literal]
) -> tuple[Statement, set[str]] | None:
    """A statement in place of several, and the others of them; None where they differ in more than borders.

    It is one of most points, which chooses what others read instead where its own element lies beyond the border, but
    for the `numbers` that margins have; here they are found.
    """
    pieces = sorted(map(_piece, group), key=lambda piece: -piece.count)
    if len({_shape(piece.value) for piece in pieces}) > 1:
        return None
    if not all(one.points.is_disjoint(other.points) for one, other in combinations(pieces, 2)):
        return None
    whole = hull_of(union_of([piece.points for piece in pieces]))
    if whole is None:
        return None
    for main in (piece for piece in pieces if piece.count == pieces[0].count):
        rhs = _with_choices(scop, main, pieces, whole, numbers)
        if rhs is not None:
            own = main.statement
            made = replace(own, domain=renamed(whole, own.id, own.iterators), rhs=rhs)
            return made, {s.id for s in group if s is not own}
    return None


def _piece(statement: Statement) -> _Piece:
    points = statement.domain.reset_tuple_id()
    return _Piece(statement, points, count_or_none(points) or 0, settled(statement.rhs, points))


def _with_choices(
    scop: Scop, main: _Piece, pieces: Sequence[_Piece], whole: Set, numbers: dict[ArrayId, Literal]
) -> Expr | None:
    """What all pieces compute as the main one does; None where they differ in more than what is beyond borders."""
    loops = main.statement.iterators
    instead = defaultdict[int, dict[Expr, Set]](dict)
    for piece in pieces:
        for at, (own, other) in enumerate(zip(_leaves(main.value), _leaves(piece.value), strict=True)):
            if own == other:
                continue
            if not isinstance(own, Read) or own.type != other.type:
                return None
            points = piece.points.subtract(_same(own, other, loops))
            if _may_exist(scop, own.ref, loops, points):
                return None
            if not points.is_empty():
                known = (one for one in instead[at] if points.is_subset(_same(one, other, loops)))
                name = next(known, other)
                instead[at][name] = points.union(instead[at].get(name, points))
    for at, leaf in enumerate(_leaves(main.value)):
        match leaf, [*instead[at]]:
            case Read(ref=Ref(array=array)), [Literal() as number] if numbers.setdefault(array, number) == number:
                del instead[at]
    leaves = [_chosen(leaf, instead[at], whole) for at, leaf in enumerate(_leaves(main.value))]
    found = iter([leaf for leaf in leaves if leaf is not None])
    return None if None in leaves else rebuild(main.value, lambda _: next(found))


def _leaves(expr: Expr) -> list[Expr]:
    return [part for part in walk(expr) if not children(part)]


def _shape(expr: Expr) -> tuple[tuple[object, ...], ...]:
    """An expression but for what it reads."""
    return tuple(
        (type(part), part.type, *(getattr(part, name, None) for name in ("op", "function", "table", "extents")))
        if children(part)
        else ()
        for part in walk(expr)
    )


def _same(one: Expr, other: Expr, loops: Sequence[str]) -> Set:
    """The points at which two expressions read one element."""
    if not isinstance(one, Read) or not isinstance(other, Read) or one.ref.array != other.ref.array:
        return empty_set("", loops)
    return make_set("", loops, zero=[a - b for a, b in zip(one.ref.index, other.ref.index, strict=True)])


def _may_exist(scop: Scop, ref: Ref, loops: Sequence[str], points: Set) -> bool:
    """Whether at any of some points an element lies in its array."""
    extents = scop.array(ref.array).extents
    inside = [end for index, extent in zip(ref.index, extents, strict=True) for end in (index, extent - 1 - index)]
    return not points.intersect(make_set("", loops, at_least_zero=inside)).is_empty()


def _chosen(leaf: Expr, instead: Mapping[Expr, Set], whole: Set) -> Expr | None:
    """What a leaf of the statement becomes: others `instead` at some points; None where no conditions tell which."""
    for other, points in instead.items():
        parts = remaining_conditions(points.coalesce(), whole)
        if not parts or len(parts) > MOST_PARTS or not all(parts):
            return None
        cases = [_joined("&&", [_compared(*each) for each in comparisons(part)]) for part in parts]
        leaf = Select(_joined("||", cases), other, leaf, leaf.type)
    return leaf


def _compared(left: Affine, op: str, right: Affine) -> Expr:
    return Binary(op, Index(left, INT32), Index(right, INT32), INT32)


def _joined(op: str, conditions: Sequence[Expr]) -> Expr:
    return reduce(lambda one, other: Binary(op, one, other, INT32), conditions)


def _places(scop: Scop, merged: Sequence[Statement]) -> dict[ArrayId, Places]:
    """Where the arrays begin and end of which some statements read more than there is."""
    whole: dict[ArrayId, Places] = {a.id: tuple((0, extent - 1) for extent in a.extents) for a in scop.arrays}
    found = dict[ArrayId, Places]()
    for statement in merged:
        ends = {name: (run.start, run.stop - 1) for name, run in runs_of(statement).items()}
        for ref in statement.reads:
            own = found.get(ref.array, whole[ref.array])
            read = [affine_range(index, ends) for index in ref.index]
            found[ref.array] = tuple((min(a, low), max(b, high)) for (a, b), (low, high) in zip(own, read, strict=True))
    return {array: places for array, places in found.items() if places != whole[array]}


def _is_wide(array: Array, places: Places) -> bool:
    return any(-low > WIDEST or high >= e + WIDEST for (low, high), e in zip(places, array.extents, strict=True))


def _in_margin(scop: Scop, array: Array, places: Places, number: Literal | None) -> Scop:
    """The kernel with an array of its own, with room for more places, in place of an array.

    The margin has a number, which is zero where nobody asks for it. What the array holds comes in at first and goes
    back in the end, if anybody wants it.
    """
    names, live = Names(scop), liveness(scop)[array.id]
    inside = local(array, names.array(array.id), [high - low + 1 for low, high in places])

    def shifted(index: Sequence[Affine]) -> Ref:
        return Ref(inside.id, tuple(at - low for at, (low, _) in zip(index, places, strict=True)))

    statements = [
        with_elements(s, {ref: shifted(ref.index) for ref in (s.write, *s.reads) if ref.array == array.id})
        for s in scop.statements
    ]
    first, last = statements[0], statements[-1]
    loops = [names.wanted(f"{array.id}_{at}") for at in range(len(places))]
    own = [var(loop) for loop in loops]
    within = shifted(own)

    def nest(place: int, extents: Sequence[int], moved: tuple[Ref, Ref]) -> Statement:
        name = names.statement(first.id)
        return copying(name, array.span, loops, make_box("", extents), (place,), array.type, moved)

    here, there = Ref(inside.id, tuple(own)), Ref(array.id, tuple(own))
    empty = nest(first.position[0] - 2, inside.extents, (here, here))
    before = [replace(empty, rhs=number or Cast(Literal("0", INT32), array.type))]
    if live.load:
        before.append(nest(first.position[0] - 1, array.extents, (within, there)))
    after = [nest(last.position[0] + 1, array.extents, (there, within))] if live.store else []
    kept = [a for a in scop.arrays if a.id != array.id or a.role is not Role.LOCAL]
    return replace(scop, arrays=(*kept, inside), statements=(*before, *statements, *after))
