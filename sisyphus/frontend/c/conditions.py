"""Conditions of `if` and `for` as unions of conjunctions of affine inequalities."""

from __future__ import annotations

from pycparser import c_ast

from sisyphus.frontend.c.affine import CONDITION, Affines, Use
from sisyphus.frontend.c.arithmetic import COMPARISONS
from sisyphus.frontend.c.bound import (
    ALWAYS,
    NEVER,
    Bound,
    Condition,
    TooManyCases,
    conjoin,
    disjoin,
    negate,
)
from sisyphus.ir import promote


def condition(node: c_ast.Node, affines: Affines, use: Use = CONDITION) -> Condition:
    """Where the condition holds."""
    try:
        return _condition(node, affines, use)
    except TooManyCases:
        raise affines.fault(
            "too-complex", f"{use.noun} falls into too many cases", node, "split it into several statements"
        ) from None


def _condition(node: c_ast.Node, affines: Affines, use: Use) -> Condition:
    match node:
        case c_ast.BinaryOp(op="&&"):
            return conjoin(_condition(node.left, affines, use), _condition(node.right, affines, use))
        case c_ast.BinaryOp(op="||"):
            return disjoin(_condition(node.left, affines, use), _condition(node.right, affines, use))
        case c_ast.UnaryOp(op="!"):
            return negate(_condition(node.expr, affines, use))
        case c_ast.BinaryOp(op=op) if op in COMPARISONS:
            return _comparison(node, affines, use)
    bound, _ = affines.typed(node, use)
    if bound.constant is not None:
        return ALWAYS if bound.constant else NEVER
    return negate(conjoin(bound.at_least_zero(), bound.times(-1).at_least_zero()))


def _comparison(node: c_ast.BinaryOp, affines: Affines, use: Use) -> Condition:
    left, left_type = affines.typed(node.left, use)
    right, right_type = affines.typed(node.right, use)
    affines.balanced(left, right, promote(left_type, right_type), node)
    match node.op:
        case "<":
            return _not_negative(right, left, -1, node, affines)
        case "<=":
            return _not_negative(right, left, 0, node, affines)
        case ">":
            return _not_negative(left, right, -1, node, affines)
        case ">=":
            return _not_negative(left, right, 0, node, affines)
    equal = conjoin(_not_negative(left, right, 0, node, affines), _not_negative(right, left, 0, node, affines))
    return equal if node.op == "==" else negate(equal)


def _not_negative(left: Bound, right: Bound, offset: int, node: c_ast.Node, affines: Affines) -> Condition:
    """Where left - right + offset >= 0."""
    difference = left.plus(right.times(-1))
    if difference is None:
        raise affines.fault("min-max-bound", f"`{affines.text(node)}` mixes minimum and maximum", node)
    return difference.each(lambda a: a + offset).at_least_zero()
