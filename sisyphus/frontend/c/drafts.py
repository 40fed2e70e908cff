"""Statements before they get their numbers, and the conditions on data under which they count; knows no syntax.

if (d < best) { best = d; at = i; }   becomes   at = d < best ? i : at;   best = d < best ? d : best;
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sisyphus.frontend.c.arithmetic import COMPARISONS
from sisyphus.frontend.c.c_types import convert, integer_expression
from sisyphus.frontend.c.context import Context
from sisyphus.frontend.c.scope import Variable
from sisyphus.ir import ArrayId, Binary, Call, Expr, Lookup, Read, Ref, Select, Unary, reads, rebuild, walk
from sisyphus.ir.types import INT32
from sisyphus.source import Span
from sisyphus.values import dataclass, replace

TRUTHS = COMPARISONS | {"&&", "||"}


@dataclass(frozen=True)
class DataGuard:
    """A condition on data, or that it does not hold."""

    condition: Expr
    negated: bool = False

    @property
    def test(self) -> Expr:
        return Unary("!", self.condition, INT32) if self.negated else self.condition


@dataclass(frozen=True, eq=False)
class Draft:
    """A statement before it gets its number.

    Where one of its `guards` does not hold the element keeps its value; it may get any where it had none, which
    `fresh` says.
    """

    context: Context
    position: tuple[int, ...]
    write: Ref
    variable: Variable
    rhs: Expr
    span: Span
    guards: tuple[DataGuard, ...] = ()
    fresh: bool = False

    @property
    def value(self) -> Expr:
        """What the statement assigns whatever the data."""
        if not self.guards:
            return self.rhs
        kind = self.variable.type
        kept: Expr = convert(integer_expression(0, INT32), kind) if self.fresh else Read(self.write, kind)
        first, *others = self.guards
        if not others and first.negated:
            return Select(first.condition, kept, self.rhs, kind)
        test = first.test
        for guard in others:
            test = Binary("&&", test, guard.test, INT32)
        return Select(test, self.rhs, kept, kind)


def may_trap(expr: Expr) -> bool:
    """Whether a processor may refuse to compute the value: an integer division, or an element that may not exist."""
    divides = (isinstance(e, Binary) and e.op in ("/", "%") and not e.type.is_float for e in walk(expr))
    return any(divides) or any(isinstance(e, Lookup) for e in walk(expr))


def is_cheap(condition: Expr) -> bool:
    """Whether a condition may be computed once for every statement under it: comparisons of what is there already."""
    costly = (Binary, Unary)
    return not any(
        isinstance(e, Call) or (isinstance(e, costly) and e.op in ("+", "-", "*", "/", "%")) for e in walk(condition)
    )


def arrays_read(expr: Expr) -> frozenset[ArrayId]:
    return frozenset(ref.array for ref in reads(expr))


def in_safe_order(drafts: Sequence[Draft], asked: Collection[ArrayId], loops: int) -> list[Draft] | None:
    """The drafts of a branch in an order in which none reads its condition after one that changes it; None if none.

    `asked` are the arrays that the condition reads, `loops` are around it. A statement that changes them moves to the
    end.
    """
    changing = [at for at, draft in enumerate(drafts) if draft.write.array in asked]
    if not changing:
        return list(drafts)
    last = drafts[changing[0]]
    passed = drafts[changing[0] + 1 :]
    if len(changing) > 1 or len(last.context.loops) > loops:
        return None
    if not passed:
        return list(drafts)
    if len({d.position[:-1] for d in drafts}) > 1 or any(_conflict(last, other) for other in passed):
        return None
    order = [*drafts[: changing[0]], *passed, last]
    return [replace(draft, position=old.position) for draft, old in zip(order, drafts, strict=True)]


def merged(yes: Sequence[Draft], no: Sequence[Draft], condition: Expr) -> list[Draft]:
    """The drafts of both branches, as long as both assign the same elements in turn with one draft for each pair."""
    found = list[Draft]()
    for one, other in zip(yes, no, strict=False):
        places = _guard_on(one, condition), _guard_on(other, condition)
        if one.write != other.write or one.context is not other.context or None in places or places[0] != places[1]:
            break
        outer = one.guards[: places[0]]
        value = Select(condition, _inside(one, places[0] or 0), _inside(other, places[0] or 0), one.variable.type)
        found.append(replace(one, rhs=value, guards=outer))
    return [*found, *yes[len(found) :], *no[len(found) :]]


def _guard_on(draft: Draft, condition: Expr) -> int | None:
    """The place of a condition among the guards of a draft."""
    return next((at for at, guard in enumerate(draft.guards) if guard.condition == condition), None)


def _inside(draft: Draft, at: int) -> Expr:
    """What a draft assigns once the guards up to a place hold."""
    return replace(draft, guards=draft.guards[at + 1 :]).value


def with_condition(draft: Draft, placeholder: ArrayId, condition: Expr) -> Draft:
    """The draft with the placeholder of a condition replaced by the condition itself."""

    def leaf(expr: Expr) -> Expr:
        return condition if isinstance(expr, Read) and expr.ref.array == placeholder else expr

    guards = tuple(replace(g, condition=rebuild(g.condition, leaf)) for g in draft.guards)
    return replace(draft, rhs=rebuild(draft.rhs, leaf), guards=guards)


def truth(expr: Expr) -> Expr:
    """The expression as 0 or 1."""
    if (isinstance(expr, Binary) and expr.op in TRUTHS) or (isinstance(expr, Unary) and expr.op == "!"):
        return expr
    return Binary("!=", expr, convert(integer_expression(0, INT32), expr.type), INT32)


def _conflict(first: Draft, second: Draft) -> bool:
    """Whether two drafts beside each other may not change places."""
    if first.write.array == second.write.array:
        return True
    return first.write.array in arrays_read(second.value) or second.write.array in arrays_read(first.value)
