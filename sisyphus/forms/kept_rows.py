"""Elements of rows that a loop never writes, written again with what they are in each turn; knows no cost.

h0[0] = h1[0] = 0   for q: { for j > 0: h1[j] = f(h0[j], h1[j-1])   for j > 0: h0[j] = f(h1[j], h0[j-1]) }   becomes
h0[0] = h1[0] = 0   for q: { h1[0] = h1[0]   for j > 0: h1[j] = …   h0[0] = h0[0]   for j > 0: h0[j] = … }

So each turn writes all of its row, and rows of a table have borders of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

from sisyphus.analysis import elements_touched
from sisyphus.forms.building import Names, copying
from sisyphus.ir import Array, Ref, Role, Scop, Statement, StmtId
from sisyphus.poly import (
    Set,
    dim_names,
    dim_range,
    extend,
    fix,
    is_convex,
    plain_shadow,
    pull_back,
    renamed,
    union_of,
    var,
)
from sisyphus.values import replace


def with_borders(scop: Scop, turns: Sequence[Sequence[Statement]], depth: int) -> Scop:
    """The kernel with such statements in front of those of each turn, which the loop inside of so many others counts.

    Nothing has another value then.
    """
    inside = {s.id: s for turn in turns for s in turn}
    statements, names, made = [s for s in scop.statements if s.id in inside], Names(scop), list[Statement]()
    first = min(s.position[depth + 2] for s in statements)
    for turn in turns:
        for array in (a for a in scop.arrays if a.role is Role.LOCAL and a.extents):
            points = _kept(array, statements, turn)
            rounds = _rounds_of(turn, depth)
            if not points.is_empty() and is_convex(points) and is_convex(rounds):
                place = (*statements[0].position[: depth + 2], first - 1 - len(made))
                made.append(_written_again(array, points, rounds, place, names, turn[0]))
    return replace(scop, statements=tuple(sorted((*scop.statements, *made), key=lambda s: s.position)))


def _kept(array: Array, statements: Sequence[Statement], turn: Sequence[Statement]) -> Set:
    """The elements of what a turn writes of an array that the statements of all turns read and never write."""
    read = elements_touched(statements, array, writes=False)
    own = elements_touched(turn, array, reads=False)
    if own.is_empty():
        return own
    points = read.subtract(elements_touched(statements, array, reads=False))
    ends = {name: dim_range(own, name) for name in dim_names(own)}
    return fix(points, {name: low for name, (low, high) in ends.items() if low == high}).coalesce()


def _rounds_of(turn: Sequence[Statement], depth: int) -> Set:
    """Iterations of the loops around what a turn does."""
    around = turn[0].iterators[: depth + 2]
    own = [plain_shadow(s.domain.reset_tuple_id(), s.iterators[: depth + 2]) for s in turn]
    return union_of([renamed(points, "around", around) for points in own]).coalesce()


def _written_again(
    array: Array, points: Set, rounds: Set, place: tuple[int, ...], names: Names, like: Statement
) -> Statement:
    """A statement that gives the elements the values that they have."""
    around = dim_names(rounds)
    dims = [names.wanted(name) for name in dim_names(points)]
    loops, element = [*around, *dims], Ref(array.id, tuple(map(var, dims)))
    whole = extend(rounds.reset_tuple_id(), loops)
    whole = whole.intersect(pull_back(points.reset_tuple_id(), loops, [*map(var, dims)]))
    label = names.statement(StmtId(f"same_{array.id}"))
    return copying(label, like.span, loops, whole, place, array.type, (element, element))
