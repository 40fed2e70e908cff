"""Which core computes an expression node, and what it costs; knows the operator table, no loop and no memory."""

from __future__ import annotations

from functools import lru_cache
from math import prod

from sisyphus.ir import Binary, Call, Cast, Expr, Literal, Lookup, ScalarType, Select, Unary, promote
from sisyphus.ir.types import REINTERPRET
from sisyphus.target import OpCost, OperatorTable
from sisyphus.values import dataclass

_BINARY = dict(
    zip(
        ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&&", "||"],
        ["add", "sub", "mul", "div", "rem", "and", "or", "xor", "shl", "shr", "and", "or"],
        strict=True,
    )
)
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_UNARY = {"-": "neg", "~": "not", "!": "not"}
#: One core adds and subtracts.
_SHARED = {"sub": "add"}


@dataclass(frozen=True, slots=True)
class Core:
    """A kind of core (nodes of one kind may share instances) and what one instance costs."""

    kind: str
    cost: OpCost

    @property
    def is_logic(self) -> bool:
        """Whether it is combinational and takes look-up tables alone: an expression of its function in a report.

        Such a row has one operation; no other one, of another cycle or another function, shares what it takes.
        """
        return self.cost.latency == 0 and not (self.cost.dsp or self.cost.ff or self.cost.bram18k)


@lru_cache(maxsize=1 << 16)
def core_of(table: OperatorTable, expr: Expr) -> Core | None:
    """The core that computes the root of an expression from its operands; None for a leaf or plain wiring."""
    match expr:
        case Binary(op=op, left=left, right=right) if op in _COMPARISONS:
            return _core(table, "cmp", promote(left.type, right.type))
        case Binary(op="*", left=left, right=right, type=kind) if not kind.is_float:
            cost = table.cost("mul", kind.key, _bits(left), _bits(right))
            return Core(f"mul {_bits(left)}x{_bits(right)}", cost)
        case Binary(op=op, type=kind):
            return _core(table, _BINARY[op], kind)
        case Unary(op=op, type=kind):
            return _core(table, _UNARY[op], kind)
        case Select(type=kind):
            return _core(table, "select", kind)
        case Call(function=function) if function in REINTERPRET.values():
            return Core(function, OpCost(0, 1, 0, 0, 0, measured=False, source="wiring"))
        case Call(function=function, type=kind):
            return _core(table, table.operation(function, kind.key), kind)
        case Lookup(table=name, extents=extents, type=kind, loaded=loaded):
            return Core(f"table {name}", table.table(words=prod(extents), bits=kind.bits, loaded=loaded))
        case Cast(operand=operand, type=kind):
            if not (operand.type.is_float or kind.is_float) or operand.type == kind:
                return None
            return Core(f"{operand.type} to {kind}", table.cast(source=operand.type.key, target=kind.key))
        case _:
            return None


def delay_of(table: OperatorTable, expr: Expr) -> int:
    """Picoseconds of the root operator where it is combinational; 0 for wiring, as shifts by constants are."""
    core = core_of(table, expr)
    is_shift = isinstance(expr, Binary) and expr.op in ("<<", ">>") and isinstance(expr.right, Literal)
    is_wiring = is_shift or (isinstance(expr, Call) and expr.function in REINTERPRET.values())
    return 0 if core is None or core.cost.latency or is_wiring else table.delay_ps(core.kind.split()[0])


def core_of_sums(table: OperatorTable, expr: Expr, *, asked: bool) -> Core | None:
    """The adder of a sum along the pipeline: one without DSPs where an interval is asked for (178 of 178 loops)."""
    if not asked or table.adders == "fabric":  # then all adders are
        return core_of(table, expr)
    return Core(f"add_fabric {expr.type}", table.cost("add_fabric", expr.type.key))


def _core(table: OperatorTable, op: str, kind: ScalarType) -> Core:
    return Core(f"{_SHARED.get(op, op)} {kind}", table.cost(op, kind.key))


def _bits(expr: Expr) -> int:
    """Bits that an integer operand can really have."""
    match expr:
        case Cast(operand=operand) if not operand.type.is_float:
            return min(_bits(operand), expr.type.bits)
        case Literal(integer=int(value)):
            return min(value.bit_length() + 1, expr.type.bits)
        case _:
            return expr.type.bits


def terms(expr: Expr) -> tuple[Expr, ...]:
    """The operands of the topmost chain of additions and subtractions of one type; the expression itself if none."""
    if isinstance(expr, Binary) and expr.op in "+-":
        same = [part if part.type == expr.type else None for part in (expr.left, expr.right)]
        left, right = (terms(part) if part is not None else None for part in same)
        return (left or (expr.left,)) + (right or (expr.right,))
    return (expr,)
