"""Reductions recognised by the shape of a statement; knows nothing of dependences."""

from __future__ import annotations

from collections.abc import Iterator

from sisyphus.ir import (
    PICKS,
    Binary,
    Call,
    Cast,
    Expr,
    Read,
    Ref,
    Select,
    Statement,
    StmtId,
    Unary,
    children,
    index_names,
    reads,
)
from sisyphus.values import dataclass

EXACT = frozenset({"+", "*"})
#: The widths of whole numbers that wrap around as C's do.
WRAPPING = frozenset({8, 16, 32, 64})
LESS, GREATER = frozenset({"<", "<="}), frozenset({">", ">="})
MAX_CALLS = frozenset({"fmax", "fmaxf", *(PICKS[op] for op in GREATER)})
MIN_CALLS = frozenset({"fmin", "fminf", *(PICKS[op] for op in LESS)})


@dataclass(frozen=True)
class Reduction:
    """`x = x op e` where `e` does not read the element `x`.

    `op` is `+` (subtractions of `e` included), `*`, `max` or `min`. `loops` are the iterators of the statement that
    do not occur in the subscript of `x`, outermost first; it may be empty although the statement accumulates, as in
    `out[2*y + p] += e`, and it may be that no instance accumulates at all, as in `C[i][j] = C[i][j] * beta`.
    """

    statement: StmtId
    op: str
    loops: tuple[str, ...]


def reduction_of(statement: Statement) -> Reduction | None:
    """The reduction that a statement is by its shape, if any."""
    op = _operator(statement.rhs, statement.write)
    if op is None:
        return None
    written = index_names(statement.write)
    return Reduction(statement.id, op, tuple(name for name in statement.iterators if name not in written))


def runs_in_any_order(statement: Statement) -> bool:
    """Whether it is a reduction whose result is the same in any order, bit for bit: a sum or product of whole numbers.

    Both are taken modulo a power of two where what is between the element and its new value has no fewer bits.
    """
    found, bits = reduction_of(statement), statement.write_type.bits
    between = _between(statement.rhs, statement.write)
    return found is not None and found.op in EXACT and all(_wraps(expr, bits) for expr in between)


def _between(expr: Expr, element: Ref) -> Iterator[Expr]:
    """The operations between a value and the element that it is an update of, both included."""
    if element in reads(expr):
        yield expr
        for part in children(expr):
            yield from _between(part, element)


def _wraps(expr: Expr, bits: int) -> bool:
    """Whether an operation keeps at least so many bits of a whole number: what is narrower would cut each sum."""
    return expr.type.kind in ("int", "uint") and expr.type.bits >= bits and {bits, expr.type.bits} <= WRAPPING


def _operator(rhs: Expr, element: Ref) -> str | None:
    rhs = _bare(rhs)
    if _is_minmax_select(rhs, element):
        return _select_operator(rhs, element)
    if reads(rhs).count(element) != 1:
        return None
    match rhs:
        case Binary(op="+" | "-") if _in_sum(rhs, element):
            return "+"
        case Binary(op="*") if _in_product(rhs, element):
            return "*"
        case Call(function=name, arguments=arguments) if any(_is_element(a, element) for a in arguments):
            return "max" if name in MAX_CALLS else "min" if name in MIN_CALLS else None
        case _:
            return None


def _bare(expr: Expr) -> Expr:
    """Without conversions that keep the kind: float to double reassociates as a sum does, float to int truncates."""
    while isinstance(expr, Cast) and expr.operand.type.is_float == expr.type.is_float:
        expr = expr.operand
    return expr


def _is_element(expr: Expr, element: Ref) -> bool:
    expr = _bare(expr)
    return isinstance(expr, Read) and expr.ref == element


def _in_sum(expr: Expr, element: Ref) -> bool:
    """Is the element a positive term of the topmost chain of additions and subtractions?"""
    expr = _bare(expr)
    match expr:
        case Binary(op="+"):
            return _in_sum(expr.left, element) or _in_sum(expr.right, element)
        case Binary(op="-"):
            return _in_sum(expr.left, element) or _in_negative(expr.right, element)
        case _:
            return _is_element(expr, element)


def _in_negative(expr: Expr, element: Ref) -> bool:
    """As `_in_sum` for an operand that is subtracted: there only a doubly negated element counts."""
    expr = _bare(expr)
    match expr:
        case Binary(op="-"):
            return _in_sum(expr.right, element) or _in_negative(expr.left, element)
        case Binary(op="+"):
            return _in_negative(expr.left, element) or _in_negative(expr.right, element)
        case Unary(op="-"):
            return _in_sum(expr.operand, element)
        case _:
            return False


def _in_product(expr: Expr, element: Ref) -> bool:
    """Is the element a factor of the topmost chain of multiplications?"""
    expr = _bare(expr)
    if isinstance(expr, Binary) and expr.op == "*":
        return _in_product(expr.left, element) or _in_product(expr.right, element)
    return _is_element(expr, element)


def _is_minmax_select(rhs: Expr, element: Ref) -> bool:
    """Does a ternary compare the element with `e` and choose between the same two?"""
    if not isinstance(rhs, Select) or not isinstance(rhs.condition, Binary):
        return False
    compared = (_bare(rhs.condition.left), _bare(rhs.condition.right))
    chosen = (_bare(rhs.then), _bare(rhs.other))
    if chosen not in (compared, compared[::-1]) or rhs.condition.op not in LESS | GREATER:
        return False
    return (
        sum(_is_element(e, element) for e in chosen) == 1
        and reads(chosen[0]).count(element) + reads(chosen[1]).count(element) == 1
    )


def _select_operator(rhs: Expr, element: Ref) -> str:
    """`x < e ? x : e` is a minimum, `x < e ? e : x` a maximum, and so on."""
    if not (isinstance(rhs, Select) and isinstance(rhs.condition, Binary)):
        return ""
    left_chosen = _bare(rhs.condition.left) == _bare(rhs.then)
    return "min" if left_chosen == (rhs.condition.op in LESS) else "max"
