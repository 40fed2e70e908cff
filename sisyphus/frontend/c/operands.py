"""Operands that give an operation of C no meaning: shift counts beyond the width, zero divisors, constant overflow."""

from __future__ import annotations

from collections.abc import Mapping

from pycparser import c_ast

from sisyphus.frontend.c.affine_reader import Affines
from sisyphus.frontend.c.bound import Condition
from sisyphus.frontend.c.c_types import fits
from sisyphus.frontend.c.constants import DIVISIONS, SHIFTS, computed, constant_of
from sisyphus.frontend.c.context import Question
from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.ir import Binary, Cast, Expr, Index, Unary
from sisyphus.poly import Affine


def check_operands(expr: Binary | Unary, node: c_ast.Node, affines: Affines, *, always: bool) -> None:
    """Refuses an integer operation without a value, `always` saying that C computes it whenever its place is reached.

    Iterators as shift counts and divisors become questions. Data is not judged: nobody knows it.
    """
    if expr.type.is_float:
        return
    if isinstance(expr, Binary) and expr.op in SHIFTS + DIVISIONS:
        _check_right(expr, node, affines, always=always)
    value = computed(expr)
    if value is not None and expr.type.kind == "int" and not fits(value, expr.type):
        message = f"`{affines.text(node)}` leaves the range of `{expr.type.c_name}`"
        raise affines.fault("integer-overflow", message, node)


def _check_right(expr: Binary, node: c_ast.Node, affines: Affines, *, always: bool) -> None:
    """The shift count or the divisor."""
    right, index, kind = constant_of(expr.right), index_of(expr.right), expr.type
    is_shift = expr.op in SHIFTS

    def fault(value: int, notes: tuple[str, ...] = ()) -> Refused:
        return affines.bad_shift(node, value, kind, notes) if is_shift else affines.by_zero(node, notes)

    if right is not None and (not 0 <= right < kind.bits if is_shift else right == 0):
        raise fault(right)
    if expr.op == "<<" and right is not None and (constant_of(expr.left) or 0) < 0:
        message = f"`{affines.text(node)}` shifts a negative value to the left"
        raise affines.fault("integer-overflow", message, node, "multiply by a power of two")
    if index is not None and always:
        value, context = index, affines.context
        bad: Condition = ((-1 - value,), (value - kind.bits,)) if is_shift else ((value, -1 * value),)

        def at(point: Mapping[str, int]) -> Refused:
            return fault(value.evaluate(point), context.where(point))

        affines.ledger.questions.append(Question(context, bad, affines.tree.span(node), at))


def index_of(expr: Expr) -> Affine | None:
    """The value of iterators that an expression is, whatever conversions to wide types stand around it."""
    while isinstance(expr, Cast) and not expr.type.is_float and expr.type.bits >= expr.operand.type.bits:
        expr = expr.operand
    return expr.value if isinstance(expr, Index) else None
