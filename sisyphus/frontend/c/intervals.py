"""What values an integer expression can have, whatever the data; knows types and conditions, no loops' domains."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager

from sisyphus.frontend.c.c_types import fits, limits
from sisyphus.frontend.c.constants import constant_of
from sisyphus.ir import (
    FLIPPED,
    ArrayId,
    Binary,
    Cast,
    Expr,
    Index,
    Lookup,
    Read,
    Ref,
    ScalarType,
    Select,
    Table,
    Unary,
    reads,
)
from sisyphus.poly import Affine

Interval = tuple[int, int]
#: What is known of some expressions beyond their types.
Facts = Mapping[Expr, Interval]
MOST_TRIES = 64
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


class Intervals:
    """Intervals by the rules of C at the place that the translation has come to.

    `known` are those of scalars, `tables` those of all values of constant tables, `tests` conditions on data that hold
    here or do not; `of_index` says what iterators can be. `tries` is how often a body may still be read again
    (`carried.py`).
    """

    def __init__(self, of_index: Callable[[Affine], Interval | None]) -> None:
        self._of_index = of_index
        self.known: dict[Ref, Interval] = {}
        self.tables: dict[str, Interval] = {}
        self.tests: list[tuple[Expr, bool]] = []
        self.tries = MOST_TRIES

    @contextmanager
    def under(self, condition: Expr, holds: bool) -> Iterator[None]:
        """Within, a condition holds, or does not."""
        self.tests.append((condition, holds))
        try:
            yield
        finally:
            self.tests = [test for test in self.tests if test != (condition, holds)]

    def learn(self, ref: Ref, value: Expr | None) -> None:
        """An element has a new value, or an unknown one."""
        found = self.of(value) if value is not None and not ref.index else None
        self.forget({ref.array})
        if found is not None:
            self.known[ref] = found

    def learn_table(self, table: Table) -> None:
        """A table of constants is read."""
        values = [] if table.id in self.tables else [constant_of(value) for value in table.values]
        known = [value for value in values if value is not None]
        if values and len(known) == len(values):
            self.tables[table.id] = min(known), max(known)

    def forget(self, arrays: Collection[ArrayId]) -> None:
        """Some arrays change: what was known of them is no longer."""
        self.known = {ref: found for ref, found in self.known.items() if ref.array not in arrays}
        self.tests = [t for t in self.tests if not any(ref.array in arrays for ref in reads(t[0]))]

    def join(self, other: Mapping[Ref, Interval]) -> None:
        """What is known whichever of two ways was taken."""
        both = self.known.keys() & other.keys()
        self.known = {r: (min(self.known[r][0], other[r][0]), max(self.known[r][1], other[r][1])) for r in both}

    def of(self, expr: Expr, facts: Facts | None = None) -> Interval | None:
        """The smallest interval found; None for a floating-point value."""
        if expr.type.is_float:
            return None
        if facts is None:
            facts = {}
            for condition, holds in self.tests:
                facts = self._under(condition, facts, holds)
        found = self._found(expr, facts) or limits(expr.type)
        low, high = found
        for part in _same_value(expr):
            if part in facts:
                low, high = max(low, facts[part][0]), min(high, facts[part][1])
        # Conditions that contradict each other say nothing: the place is never reached.
        return (low, high) if low <= high else found

    def _found(self, expr: Expr, facts: Facts) -> Interval | None:
        value = constant_of(expr)
        if value is not None:
            return value, value
        match expr:
            case Index(value=index):
                return self._of_index(index)
            case Read(ref=ref):
                return self.known.get(ref)
            case Lookup(table=table, loaded=False):
                return self.tables.get(table)
            case Cast(operand=operand, type=kind):
                inner = self.of(operand, facts)
                return inner if inner is not None and _within(inner, kind) else None
            case Select(condition=condition, then=then, other=other):
                yes, no = (self.of(e, self._under(condition, facts, h)) for e, h in ((then, True), (other, False)))
                return None if yes is None or no is None else (min(yes[0], no[0]), max(yes[1], no[1]))
            case Unary(op="!"):
                return 0, 1
            case Unary(op="-", operand=operand, type=kind):
                inner = self.of(operand, facts)
                return _kept((-inner[1], -inner[0]), kind) if inner else None
            case Binary():
                return self._binary(expr, facts)
        return None

    def _binary(self, expr: Binary, facts: Facts) -> Interval | None:
        if expr.op in FLIPPED or expr.op in ("&&", "||"):
            return 0, 1
        left, right = self.of(expr.left, facts), self.of(expr.right, facts)
        if left is None or right is None:
            return None
        match expr.op:
            case "&" if left[0] >= 0 or right[0] >= 0:
                return 0, min(side[1] for side in (left, right) if side[0] >= 0)
            case "|" | "^" if left[0] >= 0 and right[0] >= 0:
                return 0, (1 << max(left[1], right[1]).bit_length()) - 1
            case "%" if right[0] > 0:
                most = right[1] - 1
                return (0 if left[0] >= 0 else max(-most, left[0])), (min(most, left[1]) if left[1] >= 0 else 0)
            case "/" if right[0] > 0:
                ends = [int(a / b) if abs(a) < 2**50 else a // b for a in left for b in right]
                return min(ends) - (left[0] < -(2**50)), max(ends)
            case ">>" if right[0] >= 0 and right[1] < 64:
                ends = [a >> b for a in left for b in right]
                return min(ends), max(ends)
            case "<<" if right[0] >= 0 and right[1] < 64:
                return _kept((min(left[0] << b for b in right), max(left[1] << b for b in right)), expr.type)
            case "+":
                return _kept((left[0] + right[0], left[1] + right[1]), expr.type)
            case "-":
                return _kept((left[0] - right[1], left[1] - right[0]), expr.type)
            case "*":
                ends = [a * b for a in left for b in right]
                return _kept((min(ends), max(ends)), expr.type)
        return None

    def _under(self, condition: Expr, facts: Facts, holds: bool) -> Facts:
        """The facts where a condition holds, or does not."""
        match condition:
            case Unary(op="!", operand=operand):
                return self._under(operand, facts, not holds)
            case Binary(op="&&", left=left, right=right) if holds:
                return self._under(right, self._under(left, facts, True), True)
            case Binary(op="||", left=left, right=right) if not holds:
                return self._under(right, self._under(left, facts, False), False)
            case Binary(op=op, left=left, right=right) if op in FLIPPED and not left.type.is_float:
                op = op if holds else OPPOSITE[op]
                found = dict(facts)
                for one, test, other in ((left, op, right), (right, FLIPPED[op], left)):
                    bounds, own = self.of(other, facts), self.of(one, facts)
                    if bounds is not None and own is not None:
                        fact = _compared(own, test, bounds)
                        found |= dict.fromkeys(_same_value(one), fact)
                        far = _kept((own[0] - bounds[1], own[1] - bounds[0]), one.type)
                        if far is not None:  # `a > b ? a - b : b - a` is never below zero
                            found[Binary("-", one, other, one.type)] = _compared(far, test, (0, 0))
                return found
        return facts


def _compared(own: Interval, test: str, other: Interval) -> Interval:
    """What is left of an interval where the comparison with a value of another one holds."""
    low, high = own
    match test:
        case "<":
            return low, min(high, other[1] - 1)
        case "<=":
            return low, min(high, other[1])
        case ">":
            return max(low, other[0] + 1), high
        case ">=":
            return max(low, other[0]), high
        case "==":
            return max(low, other[0]), min(high, other[1])
    return own


def _same_value(expr: Expr) -> list[Expr]:
    """The expression and what it converts to a type that holds all values of its own."""
    found = [expr]
    while isinstance(expr, Cast) and not expr.operand.type.is_float and _within(limits(expr.operand.type), expr.type):
        expr = expr.operand
        found.append(expr)
    return found


def _within(interval: Interval, kind: ScalarType) -> bool:
    return not kind.is_float and fits(interval[0], kind) and fits(interval[1], kind)


def _kept(interval: Interval, kind: ScalarType) -> Interval | None:
    """The interval, unless values may wrap."""
    return interval if _within(interval, kind) else None
