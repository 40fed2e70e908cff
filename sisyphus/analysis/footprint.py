"""How much data and how many operations statements take, counted exactly; knows no memory and no operator cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from sisyphus.analysis.isl_limits import ask
from sisyphus.ir import (
    Array,
    ArrayId,
    Binary,
    Call,
    Cast,
    Expr,
    Lookup,
    ScalarType,
    Scop,
    Select,
    Statement,
    StmtId,
    Unary,
    walk,
)
from sisyphus.poly import CountError, Set, box_of, count, empty_set
from sisyphus.values import dataclass

COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})

#: (smallest, largest) index per dimension.
Box = tuple[tuple[int, int], ...]

#: An operator or function name and the type it works on.
Operation = tuple[str, ScalarType]


@dataclass(frozen=True)
class Footprint:
    """The elements of an array that a statement touches: how many, and the smallest box around them.

    `elements` is None where the number was too hard to count; `box` is empty for a scalar and where nothing is touched.
    """

    statement: StmtId
    array: ArrayId
    elements: int | None
    box: Box


def footprint(statement: Statement, array: Array) -> Footprint:
    """What a statement touches of an array over its whole domain, reading or writing."""
    touched = elements_touched([statement], array)
    return Footprint(statement.id, array.id, count_or_none(touched), box_around(touched, array))


def box_around(elements: Set, array: Array, ask: Callable[[Callable[[], Box]], Box | None] = ask) -> Box:
    """The smallest box around some elements of an array (empty where there are none), or all of it if isl gives up."""
    box = ask(lambda: () if elements.is_empty() else box_of(elements))
    return tuple((0, extent - 1) for extent in array.extents) if box is None else box


def footprints(scop: Scop) -> tuple[Footprint, ...]:
    """One per statement and array that it accesses."""
    pairs = ((s, array) for s in scop.statements for array in dict.fromkeys(a.array for a in s.accesses))
    return tuple(footprint(s, scop.array(array)) for s, array in pairs)


def elements_touched(statements: Sequence[Statement], array: Array, *, writes: bool = True, reads: bool = True) -> Set:
    """The elements that the statements write, read, or both."""
    touched = empty_set(array.id, [f"d{at}" for at in range(len(array.extents))])
    for statement in statements:
        for access in statement.accesses:
            if access.array == array.id and (writes if access.is_write else reads):
                touched = touched.union(access.relation.range())
    return touched.coalesce()


def count_or_none(points: Set) -> int | None:
    """The number of points, or None where counting takes too long."""
    try:
        return ask(partial(count, points))
    except CountError:
        return None


def operations(statement: Statement) -> Counter[Operation]:
    """Operators and calls of one instance, as the source writes them; comparisons and casts by their operand's type."""
    return Counter(op for e in walk(statement.rhs) if (op := _operation(e)) is not None)


def computes(statement: Statement) -> bool:
    """Whether an instance has any operation: it is no copy and no constant."""
    return any(_operation(e) is not None for e in walk(statement.rhs))


def _operation(expr: Expr) -> Operation | None:
    match expr:
        case Binary(op=op) if op in COMPARISONS:
            return op, expr.left.type
        case Binary(op=op):
            return op, expr.type
        case Unary(op=op):
            return f"unary {op}", expr.type
        case Call(function=name):
            return name, expr.type
        case Lookup():
            return "lookup", expr.type
        case Select():
            return "select", expr.type
        case Cast():
            return f"to {expr.type}", expr.operand.type
        case _:
            return None


def instances(statement: Statement) -> int:
    """How often a statement runs."""
    return count(statement.domain)


def total_operations(scop: Scop) -> Counter[Operation]:
    """Operators and calls of the whole kernel."""
    total: Counter[Operation] = Counter()
    for statement in scop.statements:
        times = instances(statement)
        for operation, number in operations(statement).items():
            total[operation] += number * times
    return total


def float_operations(scop: Scop) -> int | None:
    """Operations of floating point of the source over its true domain; None where they cannot be counted."""
    try:
        return sum(times for (_, kind), times in total_operations(scop).items() if kind.is_float)
    except CountError:
        return None
