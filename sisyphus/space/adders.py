"""Additions of floating point on look-up tables alone, which is chosen for all of a design; knows no cost.

The sums are the same, bit for bit: an adder in fabric adds as IEEE 754 says, like one of DSPs. It is offered where
reports have it, for this family of parts at this clock, of every type that the kernel adds.
"""

from __future__ import annotations

from sisyphus.ir import Binary, Call, Expr, Scop, walk
from sisyphus.target import Target


def added_in(expr: Expr) -> frozenset[str]:
    """The floating-point types that an expression adds or subtracts, itself or in functions of the C library."""
    parts = (part for part in walk(expr) if part.type.is_float)
    return frozenset(
        part.type.key for part in parts if isinstance(part, Call) or (isinstance(part, Binary) and part.op in "+-")
    )


def added_types(scop: Scop) -> frozenset[str]:
    """The same of all statements."""
    return frozenset().union(*(added_in(statement.rhs) for statement in scop.statements))


def may_add_in_fabric(scop: Scop, target: Target) -> bool:
    """Whether the kernel adds, and reports have the adders of each of its types in fabric."""
    added = added_types(scop)
    return bool(added) and all(target.operators.knows_in_fabric(kind) for kind in added)
