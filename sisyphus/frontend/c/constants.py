"""Whole numbers that are known from the text: of expressions of literals, and of elements of constant tables."""

from __future__ import annotations

from collections.abc import Sequence

from sisyphus.frontend.c.arithmetic import OPERATIONS
from sisyphus.frontend.c.c_types import integer_literal
from sisyphus.ir import Binary, Cast, Expr, Literal, ScalarType, Table, Unary
from sisyphus.ir.types import BOOL

SHIFTS = ("<<", ">>")
DIVISIONS = ("/", "%")


def element_of(table: Table, index: Sequence[int]) -> int | None:
    """An element of a table of whole numbers; None where it has none, or no such element."""
    at = 0
    for value, extent in zip(index, table.extents, strict=True):
        if not 0 <= value < extent:
            return None
        at = at * extent + value
    return constant_of(table.values[at])


def constant_of(expr: Expr) -> int | None:
    """The value of an integer expression of constants, None where it has data in it or no value."""
    if expr.type.is_float:
        return None
    match expr:
        case Literal(text=text):
            found = integer_literal(text)
            return found[0] if found else None
        case Cast(operand=operand, type=kind):
            inner = constant_of(operand)
            return None if inner is None else wrapped(inner, kind)
    value = computed(expr)
    return None if value is None else wrapped(value, expr.type)


def computed(expr: Expr) -> int | None:
    """What an operation on constants computes with unlimited digits."""
    match expr:
        case Unary(op=op, operand=operand):
            value = constant_of(operand)
            return None if value is None else {"-": -value, "~": ~value, "!": int(not value)}.get(op)
        case Binary(op=op, left=left, right=right) if op in OPERATIONS:
            first, second = constant_of(left), constant_of(right)
            if first is None or second is None:
                return None
            has_value = 0 <= second < expr.type.bits if op in SHIFTS else second != 0 or op not in DIVISIONS
            return OPERATIONS[op](first, second) if has_value else None
    return None


def wrapped(value: int, kind: ScalarType) -> int:
    """The value after conversion to an integer type, as two's complement has it."""
    if kind == BOOL:
        return int(value != 0)
    value &= (1 << kind.bits) - 1
    return value - (1 << kind.bits) if kind.kind == "int" and value >> (kind.bits - 1) else value
