"""Products of integers that feed a sum: synthesis computes both in one DSP; knows no operator's cost."""

from __future__ import annotations

from functools import lru_cache

from sisyphus.ir import Binary, Call, Cast, Expr, Literal, ScalarType, Select, children, is_pick, with_operands
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
    """Bits that an integer operand can really have: those of what it is made of, not of C's `int`.

    As in addresses, whose products have the widths of loops; a sum has a bit more, a product as many as both operands.
    """
    most = expr.type.bits
    match expr:
        case Cast(operand=operand) if not operand.type.is_float:
            found = bits_of(operand)
        case Literal(integer=int(value)):
            found = value.bit_length() + 1
        case Binary(op="+" | "-", left=left, right=right, type=kind) if kind.kind == "int":
            found = max(_signed_bits_of(left), _signed_bits_of(right)) + 1
        case Binary(op="*", left=left, right=right, type=kind) if not kind.is_float:
            found = bits_of(left) + bits_of(right)
        case Binary(op=">>", left=left, right=Literal(integer=int(places))):
            found = max(bits_of(left) - places, 1)
        case Select(then=then, other=other, type=kind) if not kind.is_float:
            found = max(bits_of(then), bits_of(other))
        case Call(arguments=parts, type=kind) if is_pick(expr) and not kind.is_float:
            found = max(map(bits_of, parts))
        case _:
            found = most
    return min(found, most)


def _signed_bits_of(expr: Expr) -> int:
    """With one for the sign of what is never negative."""
    is_unsigned = isinstance(expr, Cast) and expr.operand.type.kind == "uint"
    return bits_of(expr) + is_unsigned


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
