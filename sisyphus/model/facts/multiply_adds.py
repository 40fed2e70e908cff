"""Products of integers that feed a sum: synthesis computes both in one DSP; knows no operator's cost."""

from __future__ import annotations

from functools import lru_cache

from sisyphus.ir import Binary, Call, Cast, Expr, Literal, ScalarType, children, with_operands
from sisyphus.target import fits_multiply_add
from sisyphus.values import replace

#: The function that a product is which a sum takes into its DSP.
PRODUCT = "product in a sum"


@lru_cache(maxsize=4096)
def with_multiply_adds(expr: Expr) -> Expr:
    """The expression with a call of `PRODUCT` for each product that is one DSP with the sum it feeds; of equal shape.

    Of two products in one sum the second is. A product by a power of two is a shift.
    """
    inner = with_operands(expr, with_multiply_adds)
    if not isinstance(inner, Binary) or inner.op not in ("+", "-") or inner.type.is_float:
        return inner
    right = _taken(inner.right, inner.type)
    if right is not None:
        return replace(inner, right=right)
    return replace(inner, left=_taken(inner.left, inner.type) or inner.left)


def has_multiply_add(expr: Expr) -> bool:
    """Whether an expression is a sum with a product in its DSP."""
    return isinstance(expr, Binary) and expr.op in "+-" and any(map(_is_taken, children(expr)))


def bits_of(expr: Expr) -> int:
    """Bits that an integer operand can really have."""
    match expr:
        case Cast(operand=operand) if not operand.type.is_float:
            return min(bits_of(operand), expr.type.bits)
        case Literal(integer=int(value)):
            return min(value.bit_length() + 1, expr.type.bits)
        case _:
            return expr.type.bits


def _taken(expr: Expr, kind: ScalarType) -> Expr | None:
    """An operand of a sum of this type with its product in the sum's DSP, where it is one that fits."""
    match expr:
        case Cast(operand=operand) if expr.type.bits >= operand.type.bits:
            inner = _taken(operand, kind)
            return None if inner is None else replace(expr, operand=inner)
        case Binary(op="*", left=left, right=right, type=product) if not product.is_float:
            is_shift = any(isinstance(factor, Literal) and _is_power_of_two(factor.integer) for factor in (left, right))
            fits = fits_multiply_add(bits_of(left), bits_of(right), kind.bits)
            return Call(PRODUCT, (left, right), product) if fits and not is_shift else None
        case _:
            return None


def _is_taken(expr: Expr) -> bool:
    while isinstance(expr, Cast):
        expr = expr.operand
    return isinstance(expr, Call) and expr.function == PRODUCT


def _is_power_of_two(value: int | None) -> bool:
    return value is not None and value != 0 and abs(value) & (abs(value) - 1) == 0
