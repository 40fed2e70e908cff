"""Shared subexpressions: what a body computes once for several unrolled copies of a statement; knows no core, no cost.

for i2 unrolled x4: for j2 unrolled x8: C[i2][j2] += alpha * A[i2][k] * B[k][j2]
takes 4 products alpha * A[i2][k], one for each i2, and 32 with B[k][j2]. The tools find this in the code as it is
printed, which therefore does not spell it out.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from sisyphus.ir import (
    DOUBLE,
    FLOAT,
    Binary,
    Cast,
    Expr,
    Index,
    Literal,
    Read,
    Scop,
    Statement,
    StmtId,
    children,
    moved_by,
    reads,
    substitute,
    with_operands,
)
from sisyphus.plan.plan import Plan, Task
from sisyphus.plan.tree import For, LoopRole, Node, Run, descend
from sisyphus.poly import Affine
from sisyphus.values import dataclass

_NARROWED = frozenset("+-*/")
#: The unrolled loops over which each part of an expression changes.
Varying = Mapping[Expr, frozenset[str]]


@dataclass(frozen=True)
class Shared:
    """An operation that a start does once for all unrolled copies of a statement that differ in none of `loops`."""

    statement: StmtId
    expr: Expr
    loops: tuple[str, ...]


def shared_subexpressions(plan: Plan, task: Task) -> tuple[Shared, ...]:
    """The operations of a task that have fewer values in a start than the statement has unrolled copies."""
    found: dict[Shared, None] = {}
    outside: tuple[str, ...] = ()
    for run, unrolled in descend(task.body, outside, _unrolled):
        if not isinstance(run, Run):
            continue
        statement = plan.scop.statement(run.statement)
        for expr, loops in varying_in(plan.scop, run, unrolled).items():
            if children(expr) and len(loops) < len(unrolled) and reads(expr):
                found[Shared(statement.id, expr, tuple(loop for loop in unrolled if loop in loops))] = None
    return tuple(found)


def varying_in(scop: Scop, run: Run, unrolled: Sequence[str]) -> Varying:
    """The parts of a statement's value where it runs, and which of the unrolled loops around it change them."""
    return varying(scop.statement(run.statement), dict(run.values), unrolled)


def varying(statement: Statement, values: Mapping[str, Affine], unrolled: Collection[str]) -> Varying:
    """By the loops that `values` of iterators move with; what reads the element written has a value in every copy."""
    found: dict[Expr, frozenset[str]] = {}

    def visit(expr: Expr) -> frozenset[str]:
        if expr not in found:
            if isinstance(expr, Read) and expr.ref == statement.write:
                found[expr] = frozenset(unrolled)
            elif isinstance(expr, Read | Index):
                found[expr] = moved_by(substitute(expr, values)).intersection(unrolled)
            else:
                found[expr] = frozenset().union(*map(visit, children(expr)))
        return found[expr]

    visit(narrowed(statement.rhs))
    return found


def _unrolled(node: Node, around: tuple[str, ...]) -> tuple[str, ...]:
    """The unrolled loops around what is inside of a node."""
    return (*around, node.iterator) if isinstance(node, For) and node.role is LoopRole.UNROLLED else around


@lru_cache(maxsize=4096)
def narrowed(expr: Expr) -> Expr:
    """The expression as the tool simplifies it: double operations on floats whose result becomes a float again.

    (float)((double)x * 2.0) is x * 2.0f, the same bits; with 0.2, which is no float, it stays a double product.
    """
    match expr:
        case Cast(type=kind, operand=Binary(op=op, type=inner) as binary) if kind == FLOAT and inner == DOUBLE:
            parts = (_as_float(binary.left), _as_float(binary.right))
            if op in _NARROWED and None not in parts:
                left, right = (p for p in parts if p is not None)
                return Binary(op, narrowed(left), narrowed(right), FLOAT)
    return with_operands(expr, narrowed)


def _as_float(expr: Expr) -> Expr | None:
    """A double expression that holds a float, as that float."""
    match expr:
        case Cast(operand=operand) if operand.type == FLOAT:
            return operand
        case Literal(text=text):
            value = float(text.rstrip("fFlL"))
            exact = struct.unpack("f", struct.pack("f", value))[0] == value if abs(value) < 1e38 else False
            return Literal(text, FLOAT) if exact else None
        case _:
            return None
