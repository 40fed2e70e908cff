"""What sisy_types.h does with one number: the conversions that hardware does by wiring; knows no syntax."""

from __future__ import annotations

import struct
from math import floor, isfinite

from sisyphus.frontend.c.c_types import convert, fits, integer_expression, limits
from sisyphus.frontend.c.constants import constant_of, wrapped
from sisyphus.ir import DOUBLE, FLOAT, INT32, Binary, Cast, Expr, Literal, ScalarType, Select, Unary
from sisyphus.ir.any_width import AnyWidth
from sisyphus.ir.types import INT64


def converted(named: AnyWidth, function: str, value: Expr) -> Expr | None:
    """`NAME_function(value)`; None where the function's own text says it."""
    if function == "wrap":
        return convert(convert(value, INT64) if value.type.is_float else value, named.type)
    if function == "saturate":
        return _saturated(value, named.type)
    constant = _constant(convert(value, DOUBLE)) if function == "of" and named.point is not None else None
    if constant is None or named.point is None:
        return None
    return integer_expression(wrapped(floor(constant * (1 << named.point)), named.type), named.type)


def _saturated(value: Expr, kind: ScalarType) -> Expr:
    """The nearest number of the type, compared in `int` where that is wide enough."""
    ends = limits(kind)
    narrow = not value.type.is_float and value.type.promoted == INT32 and all(fits(end, INT32) for end in ends)
    common = INT32 if narrow else INT64
    value = found = convert(value, common)
    for op, end in zip("<>", ends, strict=True):
        # Nothing lies beyond the end of the widest type.
        if fits(end + (1 if op == ">" else -1), common):
            at_end = integer_expression(end, common)
            found = Select(Binary(op, value, at_end, INT32), at_end, found, common)
    return convert(found, kind)


def _constant(expr: Expr) -> float | None:
    """The value of constants in floating point, as every machine computes it."""
    if not expr.type.is_float:
        integer = constant_of(expr)
        return None if integer is None or abs(integer) > 1 << 53 else float(integer)
    match expr:
        case Literal(text=text, type=kind):
            try:
                value = float(text.rstrip("fF"))
            except ValueError:
                return None
            found: float | None = struct.unpack("f", struct.pack("f", value))[0] if kind == FLOAT else value
        case Cast(operand=operand) if expr.type == DOUBLE:
            found = _constant(operand)
        case Unary(op="-", operand=operand):
            inner = _constant(operand)
            found = None if inner is None else -inner
        case Binary(op=op, left=left, right=right) if expr.type == DOUBLE:
            found = _computed(op, _constant(left), _constant(right))
        case _:
            found = None
    return found if found is not None and isfinite(found) else None


def _computed(op: str, left: float | None, right: float | None) -> float | None:
    if left is None or right is None or (op == "/" and right == 0):
        return None
    return {"+": left + right, "-": left - right, "*": left * right, "/": left / (right or 1)}.get(op)
