"""The smaller or the larger of two values as a call, in which each of them stands once; knows no statement.

`x < m ? x : m` has both operands twice, so that a window of k values, each in place of the one before, is an expression
of 2^k parts. `pick_less(x, m)` is the same, bit for bit, and has k.
"""

from __future__ import annotations

from collections.abc import Callable

from sisyphus.ir.expr import FLIPPED, Binary, Call, Cast, Expr, Select, with_operands

#: The functions by the comparison of which the first operand is chosen, which are no names of C.
PICKS = {"<": "pick_less", "<=": "pick_less_or_equal", ">": "pick_greater", ">=": "pick_greater_or_equal"}


def is_pick(expr: Expr) -> bool:
    return isinstance(expr, Call) and expr.function in PICKS.values()


def with_picks(expr: Expr, worth: Callable[[Select], bool]) -> Expr:
    """The expression with a call in place of each such choice that is `worth` it."""
    expr = with_operands(expr, lambda part: with_picks(part, worth))
    found = _picked(expr) if isinstance(expr, Select) and worth(expr) else None
    return expr if found is None else found


def _picked(expr: Select) -> Call | None:
    """The choice as a call, if it is one of the two values that are compared."""
    test = expr.condition
    if not isinstance(test, Binary) or test.op not in PICKS:
        return None
    left, right = _narrow(test.left), _narrow(test.right)
    chosen = _narrow(expr.then), _narrow(expr.other)
    for values, op in (((left, right), test.op), ((right, left), FLIPPED[test.op])):
        if values == chosen:
            return Call(PICKS[op], (expr.then, expr.other), expr.type)
    return None


def _narrow(expr: Expr) -> Expr:
    """Without a conversion to a type that has all values of the one before, in their order."""
    if not isinstance(expr, Cast):
        return expr
    own, wide = expr.operand.type, expr.type
    is_like = own.kind == wide.kind or (own.kind, wide.kind) == ("uint", "int")
    return expr.operand if is_like and own.bits < wide.bits else expr
