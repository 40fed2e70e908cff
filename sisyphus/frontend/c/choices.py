"""Functions and `?:` that choose between values: as one expression, as a minimum or maximum, as a condition."""

from __future__ import annotations

from pycparser import c_ast

from sisyphus.frontend.c.bound import Condition, SourceBound, conjoin, extreme, negate
from sisyphus.frontend.c.scope import Function


def returned(function: Function) -> c_ast.Node | None:
    """The expression of a function that does nothing but return one or another; None for any other function."""
    items = list(function.body.block_items or []) if function.body else []
    if len(items) == 1 and isinstance(items[0], c_ast.Return):
        return items[0].expr
    return _chosen(items, function.decl.type.type)


def _chosen(items: list[c_ast.Node], kind: c_ast.Node) -> c_ast.Node | None:
    """`if (c) return a; return b;` as `c ? (T)a : (T)b`."""
    if not items:
        return None
    first, rest = items[0], items[1:]
    match first:
        case c_ast.Return(expr=c_ast.Node() as value):
            return c_ast.Cast(kind, value, value.coord)
        case c_ast.Compound():
            return _chosen([*(first.block_items or []), *rest], kind)
        case c_ast.If():
            yes, no = (_chosen([*([] if b is None else [b]), *rest], kind) for b in (first.iftrue, first.iffalse))
            return None if yes is None or no is None else c_ast.TernaryOp(first.cond, yes, no, first.coord)
    return None


def tests_of(op: str, ahead: SourceBound) -> Condition:
    """Where `left op right` holds, `ahead` being right - left (or left - right for `>`)."""
    if op in ("<", ">"):
        return ahead.each(lambda a: a - 1).at_least_zero()
    if op in ("<=", ">="):
        return ahead.at_least_zero()
    equal = conjoin(ahead.at_least_zero(), ahead.times(-1).at_least_zero())
    return equal if op == "==" else negate(equal)


def smaller_or_larger(
    left: SourceBound, right: SourceBound, yes: SourceBound, no: SourceBound, *, strict: bool
) -> SourceBound | None:
    """`left < right ? yes : no` (or `<=`) as a minimum or maximum, where it is one."""
    if (yes, no) == (left, right):
        return extreme("min", left, right)
    if (yes, no) == (right, left):
        return extreme("max", left, right)
    if left.affine is None or right.affine is None or yes.affine is None or no.affine is None:
        return None
    # The choice is `yes` where e >= 0. Where no - yes is e or e + 1, it is not negative just there, or zero beside it.
    e = right.affine - left.affine - int(strict)
    for kind, gap in (("min", no.affine - yes.affine - e), ("max", yes.affine - no.affine - e)):
        if gap.is_constant and gap.constant in (0, 1):
            return extreme(kind, yes, no)
    return None
