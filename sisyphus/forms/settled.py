"""Choices whose conditions on loops always or never hold, without what is not chosen; knows no statement.

j < n - 1 ? a[j + 1] : a[j]   is   a[j + 1]   where j is 0
"""

from __future__ import annotations

from sisyphus.ir import Binary, Expr, Index, Literal, Select, with_operands
from sisyphus.poly import Affine, Set, const, dim_names, make_set


def settled(expr: Expr, points: Set) -> Expr:
    """The same value at all of these points of the loops around."""
    if isinstance(expr, Select):
        holds = _holds(expr.condition, points)
        if holds is not None:
            return settled(expr.then if holds else expr.other, points)
    return with_operands(expr, lambda part: settled(part, points))


def _holds(condition: Expr, points: Set) -> bool | None:
    """Whether a condition holds at all points, or at none; None where it depends, or no comparison of loops says."""
    if not isinstance(condition, Binary):
        return None
    left, right = _affine(condition.left), _affine(condition.right)
    if left is None or right is None:
        return None
    at_least_zero = {"<": right - left - 1, "<=": right - left, ">": left - right - 1, ">=": left - right}
    value = at_least_zero.get(condition.op)
    if value is None:
        return None
    holds = make_set("", dim_names(points), at_least_zero=[value])
    if points.is_subset(holds):
        return True
    return False if points.is_disjoint(holds) else None


def _affine(expr: Expr) -> Affine | None:
    """What a sum of loops and numbers comes to, if it is one of signed integers, which no value leaves."""
    if expr.type.kind != "int":
        return None
    match expr:
        case Index(value=value):
            return value
        case Literal() if expr.integer is not None:
            return const(expr.integer)
        case Binary(op="+" | "-" as op, left=left, right=right):
            first, second = _affine(left), _affine(right)
            if first is None or second is None:
                return None
            return first + second if op == "+" else first - second
        case _:
            return None
