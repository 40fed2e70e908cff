"""Conditions of `if` and `for` as unions of conjunctions of affine inequalities."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from pycparser import c_ast

from sisyphus.frontend.c.affine_faults import CONDITION, Purpose
from sisyphus.frontend.c.affine_reader import Affines
from sisyphus.frontend.c.arithmetic import COMPARISONS
from sisyphus.frontend.c.bound import (
    ALWAYS,
    NEVER,
    Condition,
    SourceBound,
    TooManyCases,
    conjoin,
    disjoin,
    negate,
)
from sisyphus.ir import promote


def condition(node: c_ast.Node, affines: Affines, use: Purpose = CONDITION) -> Condition:
    """Where the condition holds."""
    try:
        return _condition(node, affines, use)
    except TooManyCases:
        raise affines.fault(
            "too-complex", f"{use.noun} falls into too many cases", node, "split it into several statements"
        ) from None


def parted_condition(node: c_ast.If, is_affine: Callable[[c_ast.Node], bool]) -> c_ast.If | None:
    """The same choice with the affine part of a mixed condition outside of what asks for data; None if all does.

    if (i > 0 && a[i - 1] > x) S else T   becomes   if (i > 0) { if (a[i - 1] > x) S else T } else T
    """
    match node.cond:
        case c_ast.UnaryOp(op="!", expr=inner):
            nothing = node.iffalse or c_ast.EmptyStatement(node.coord)
            return parted_condition(c_ast.If(inner, nothing, node.iftrue, node.coord), is_affine)
        case c_ast.BinaryOp(op="&&" | "||" as op):
            parts = operands(node.cond, op)
            affine = [part for part in parts if is_affine(part)]
            data = [part for part in parts if part not in affine]
            if not affine:
                return None
            outer, inner = (reduce(lambda a, b: c_ast.BinaryOp(op, a, b, a.coord), group) for group in (affine, data))
            chosen = c_ast.If(inner, node.iftrue, node.iffalse, node.coord)
            if op == "&&":
                return c_ast.If(outer, chosen, node.iffalse, node.coord)
            return c_ast.If(outer, node.iftrue, chosen, node.coord)
    return None


def operands(node: c_ast.Node, op: str) -> list[c_ast.Node]:
    """The operands of a chain of `&&` or of `||`."""
    if isinstance(node, c_ast.BinaryOp) and node.op == op:
        return [*operands(node.left, op), *operands(node.right, op)]
    return [node]


def _condition(node: c_ast.Node, affines: Affines, use: Purpose) -> Condition:
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


def _comparison(node: c_ast.BinaryOp, affines: Affines, use: Purpose) -> Condition:
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


def _not_negative(left: SourceBound, right: SourceBound, offset: int, node: c_ast.Node, affines: Affines) -> Condition:
    """Where left - right + offset >= 0."""
    difference = left.plus(right.times(-1))
    if difference is None:
        raise affines.fault("min-max-bound", f"`{affines.text(node)}` mixes minimum and maximum", node)
    return difference.each(lambda a: a + offset).at_least_zero()
