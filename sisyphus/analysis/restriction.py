"""A kernel with fewer instances and smaller arrays: what one unit does of it; decides nothing.

for i < 100: for j < 8: C[i][j] += A[i] * B[j]   becomes, for the unit that delivers rows 60 to 99 of C,
for i < 40: for j < 8: C[i][j] += A[i] * B[j]    where C and A have 40 rows, which are 60 to 99 of the source's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sisyphus.analysis.dealing import Share
from sisyphus.ir import (
    Array,
    ArrayId,
    Expr,
    Lookup,
    Read,
    Ref,
    Role,
    Scop,
    Statement,
    StmtId,
    rebuild,
    substitute,
    walk,
)
from sisyphus.poly import dim_range, pull_back, renamed, var
from sisyphus.values import dataclass, replace

#: Per loop, by the place of a statement down to it: what an iterator of the unit lacks of the source's.
_Shifts = Mapping[tuple[int, ...], int]


@dataclass(frozen=True, eq=False)
class Restricted:
    """The kernel of a unit, and how its names for instances and elements become those of the source by adding.

    `elements` has the first element of each array, `iterations` what is added to the iterators of each statement.
    """

    scop: Scop
    elements: Mapping[ArrayId, tuple[int, ...]]
    iterations: Mapping[StmtId, tuple[int, ...]]


def restricted(scop: Scop, share: Share) -> Restricted:
    """The kernel of a share. Loops begin where those of the source do, arrays at element 0.

    So equal shares of one kernel are the same kernel, wherever its values do not depend on the place.
    """
    kept = [s for s in scop.statements if s.id in share.domains]
    shifts = _shifts(kept, share)
    iterations = {s.id: tuple(shifts[s.position[: depth + 1]] for depth in range(len(s.iterators))) for s in kept}
    elements = {array: tuple(low for low, _ in box) for array, box in share.boxes.items()}
    statements = tuple(_moved(s, share, iterations[s.id], elements) for s in kept)
    tables = {str(e.table) for s in statements for e in walk(s.rhs) if isinstance(e, Lookup)}
    arrays = tuple(_part(a, share, statements) for a in scop.arrays if a.id in share.boxes)
    used = {str(array.id) for array in arrays}
    own = replace(
        scop,
        arguments=tuple(a for a in scop.arguments if a.kind == "scalar" or a.name in used),
        arrays=arrays,
        statements=statements,
        tables=tuple(t for t in scop.tables if t.id in tables),
    )
    return Restricted(own, elements, iterations)


def _shifts(kept: Iterable[Statement], share: Share) -> _Shifts:
    """The loops that several statements share move by what moves none of them to before its beginning."""
    found = dict[tuple[int, ...], int]()
    for statement in kept:
        for depth, iterator in enumerate(statement.iterators):
            loop = statement.position[: depth + 1]
            low = dim_range(share.domains[statement.id].intersect(statement.domain), iterator)[0]
            moved = low - dim_range(statement.domain, iterator)[0]
            found[loop] = min(moved, found.get(loop, moved))
    return found


def _moved(
    statement: Statement, share: Share, shift: tuple[int, ...], elements: Mapping[ArrayId, tuple[int, ...]]
) -> Statement:
    values = [var(name) + low for name, low in zip(statement.iterators, shift, strict=True)]
    given = dict(zip(statement.iterators, values, strict=True))
    domain = renamed(
        pull_back(share.domains[statement.id], statement.iterators, values), statement.id, statement.iterators
    )

    def place(ref: Ref) -> Ref:
        index = (e - low for e, low in zip(ref.index, elements[ref.array], strict=True))
        return replace(ref, index=tuple(index))

    def leaf(expr: Expr) -> Expr:
        return replace(expr, ref=place(expr.ref)) if isinstance(expr, Read) else expr

    return replace(
        statement,
        domain=domain,
        write=place(statement.write.substitute(given)),
        rhs=rebuild(substitute(statement.rhs, given), leaf),
    )


def _part(array: Array, share: Share, statements: Iterable[Statement]) -> Array:
    """The box of an array; an argument that the unit does not write, or not read, says so."""
    role = array.role
    if role is not Role.LOCAL:
        written = any(s.write.array == array.id for s in statements)
        read = any(ref.array == array.id for s in statements for ref in s.reads)
        role = Role.IN if not written else Role.INOUT if read or role is Role.INOUT else Role.OUT
    return replace(array, extents=tuple(high - low + 1 for low, high in share.boxes[array.id]), role=role)
