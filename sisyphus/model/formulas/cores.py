"""Which core computes an expression node, and what it costs; knows the operator table, no loop and no memory."""

from __future__ import annotations

from functools import lru_cache
from math import prod

from sisyphus.ir import Binary, Call, Cast, Expr, Literal, Lookup, ScalarType, Select, Unary, is_pick, promote
from sisyphus.ir.types import REINTERPRET
from sisyphus.model.facts.multiply_adds import PRODUCT, bits_of, has_multiply_add
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
_MULTIPLY_ADD = "multiply_add"
#: One core adds and subtracts.
_SHARED = {"sub": "add"}


@dataclass(frozen=True, slots=True)
class Core:
    """A kind of core (nodes of one kind may share instances) and what one instance costs."""

    kind: str
    cost: OpCost

    @property
    def is_logic(self) -> bool:
        """Whether it is combinational and takes look-up tables alone, or the DSP of a sum: an expression in a report.

        Such a row has one operation; no other one, of another cycle or another function, shares what it takes.
        """
        is_combinational = self.cost.latency == 0 and not (self.cost.dsp or self.cost.ff or self.cost.bram18k)
        return is_combinational or self.kind.startswith(_MULTIPLY_ADD)


#: What a sum takes beside the DSP of the product that feeds it.
_IN_DSP = Core("sum", OpCost(0, 1, 0, 0, 0, measured=True, source="the sum of a multiply_add"))


@lru_cache(maxsize=1 << 16)
def core_of(table: OperatorTable, expr: Expr) -> Core | None:
    """The core that computes the root of an expression from its operands; None for a leaf or plain wiring."""
    match expr:
        case Binary(op=op, left=left, right=right) if op in _COMPARISONS:
            return _core(table, "cmp", promote(left.type, right.type))
        case Binary(op="*", left=left, right=right, type=kind) if not kind.is_float:
            cost = table.cost("mul", kind.key, bits_of(left), bits_of(right))
            return Core(f"mul {bits_of(left)}x{bits_of(right)}", cost)
        case Binary() if has_multiply_add(expr):
            return _IN_DSP
        case Binary(op=op, type=kind):
            return _core(table, _BINARY[op], kind)
        case Call(function=function, arguments=(left, right)) if function == PRODUCT:
            return Core(f"{_MULTIPLY_ADD} {bits_of(left)}x{bits_of(right)}", table.multiply_add())
        case Unary(op=op, type=kind):
            return _core(table, _UNARY[op], kind)
        case Select(type=kind):
            return _core(table, "select", kind)
        case Call(type=kind) if is_pick(expr):
            return _pick(table, kind)
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
    is_wiring = is_shift or core is _IN_DSP or (isinstance(expr, Call) and expr.function in REINTERPRET.values())
    if core is None or core.cost.latency or is_wiring:
        return 0
    if is_pick(expr):
        return table.delay_ps("cmp") + table.delay_ps("select")
    return table.delay_ps(core.kind.split()[0])


def core_of_sums(table: OperatorTable, expr: Expr, *, asked: bool) -> Core | None:
    """The adder of a sum along the pipeline: one without DSPs where an interval is asked for (178 of 178 loops)."""
    if not asked or table.adders == "fabric":  # then all adders are
        return core_of(table, expr)
    return Core(f"add_fabric {expr.type}", table.cost("add_fabric", expr.type.key))


def _core(table: OperatorTable, op: str, kind: ScalarType) -> Core:
    return Core(f"{_SHARED.get(op, op)} {kind}", table.cost(op, kind.key))


def _pick(table: OperatorTable, kind: ScalarType) -> Core:
    """A comparison and the choice behind it."""
    test, choice = _core(table, "cmp", promote(kind, kind)).cost, _core(table, "select", kind).cost
    both = OpCost(
        test.latency + choice.latency,
        max(test.ii, choice.ii),
        test.dsp + choice.dsp,
        test.ff + choice.ff,
        test.lut + choice.lut,
        measured=test.measured and choice.measured,
        source=f"{test.source}; {choice.source}",
    )
    return Core(f"pick {kind}", both)


def terms(expr: Expr) -> tuple[Expr, ...]:
    """The operands of the topmost chain of additions and subtractions of one type; the expression itself if none."""
    if isinstance(expr, Binary) and expr.op in "+-":
        same = [part if part.type == expr.type else None for part in (expr.left, expr.right)]
        left, right = (terms(part) if part is not None else None for part in same)
        return (left or (expr.left,)) + (right or (expr.right,))
    return (expr,)
