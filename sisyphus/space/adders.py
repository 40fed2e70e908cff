"""Additions of floating point on look-up tables alone, which is chosen for all of a design; knows no cost.

The sums are the same, bit for bit: an adder in fabric adds as IEEE 754 says, like one of DSPs. It is offered where
reports have it, for this family of parts at this clock, of every type that the kernel adds.
"""

from __future__ import annotations

from sisyphus.ir import Binary, Call, Expr, Scop, walk
from sisyphus.space.narrowing import Fix, Knob
from sisyphus.space.space import Space
from sisyphus.target import ADDERS, Target
from sisyphus.values import replace


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


def _fix(fix: Fix, space: Space) -> Space:
    """The space with these adders, whichever it had: what may be chosen beside them does not depend on them."""
    legal = {name: name for name in (ADDERS if may_add_in_fabric(space.scop, space.target) else ADDERS[:1])}
    unseen = f"the kernel adds nothing of which a report at {space.target.clock_mhz:g} MHz has an adder in fabric"
    adders = legal[fix.one_of(legal, unseen if fix.value in ADDERS else f"`{fix.value}` is neither")]  # type: ignore[index]
    return replace(space, options=replace(space.options, adders=adders), target=space.target.adding_in(adders))


IN_FABRIC = Knob(
    "adders",
    "what all additions of floating point run on: `dsp`, or `fabric` (look-up tables)",
    _fix,
    off="dsp",
)
