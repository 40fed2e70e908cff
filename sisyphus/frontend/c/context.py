"""Where the translation stands: the loops and conditions around a place, and questions to be put to isl later."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sisyphus.frontend.c.bound import ALWAYS, Condition, conjoin
from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.frontend.c.scope import Variable
from sisyphus.poly import Affine
from sisyphus.source import Span
from sisyphus.values import dataclass, field, replace

#: Parts of a condition, one of which holds, that are looked at one by one.
MOST_CASES = 8


@dataclass(frozen=True, eq=False)
class OpenLoop:
    """A loop around the current place: `value` is the source's iterator in terms of the normalised `name`."""

    name: str
    variable: Variable
    value: Affine
    range: tuple[int, int] | None


@dataclass(frozen=True, eq=False)
class Context:
    """Loops outermost first, the condition under which the place is reached, and whether both are known.

    `calls` are notes that say where the functions of the file were called whose statements stand here.
    """

    loops: tuple[OpenLoop, ...] = ()
    condition: Condition = ALWAYS
    known: bool = True
    calls: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(loop.name for loop in self.loops)

    def under(self, condition: Condition) -> Context:
        return replace(self, condition=conjoin(self.condition, condition))

    def lost(self) -> Context:
        """The same place, after a fault made its condition unknown."""
        return replace(self, known=False)

    def interval(self, value: Affine) -> tuple[int, int] | None:
        """An interval that holds every value of the expression, or None where that is not known.

        Of a condition, what it says of one iterator where the others have any value is looked at.
        """
        ranges = {loop.name: loop.range for loop in self.loops if loop.range is not None}
        if not value.names <= ranges.keys():
            return None
        cases = self.condition if 0 < len(self.condition) <= MOST_CASES else ALWAYS
        found = [_interval(value, narrowed) for one in cases if (narrowed := _narrowed(ranges, one)) is not None]
        found = found or [_interval(value, ranges)]  # a place that is never reached
        return min(low for low, _ in found), max(high for _, high in found)

    def where(self, point: Mapping[str, int]) -> tuple[str, ...]:
        """A note that names the source's iterators at a point of the normalised ones."""
        values = dict.fromkeys(f"{loop.variable.name} = {loop.value.evaluate(point)}" for loop in self.loops)
        return (f"at {', '.join(values)}", *self.calls) if values else self.calls


def _interval(value: Affine, ranges: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    ends = [sorted(factor * end for end in ranges[name]) for name, factor in value.terms]
    return value.constant + sum(low for low, _ in ends), value.constant + sum(high for _, high in ends)


def _narrowed(
    ranges: Mapping[str, tuple[int, int]], conjunction: Iterable[Affine]
) -> Mapping[str, tuple[int, int]] | None:
    """The ranges where inequalities (each >= 0) hold, too, one after another; None where they leave nothing of one."""
    found = dict(ranges)
    for one in conjunction:
        if not one.names <= found.keys():
            continue
        most = _interval(one, found)[1]
        for name, factor in one.terms:
            low, high = found[name]
            # All other terms are at most what they are together, and this one has to make up for the rest.
            needed = max(factor * low, factor * high) - most
            low, high = (max(low, -(-needed // factor)), high) if factor > 0 else (low, min(high, needed // factor))
            if low > high:
                return None
            found[name] = low, high
    return found


@dataclass(frozen=True, eq=False)
class Question:
    """`bad` must hold nowhere in `context`; `fault` makes the fault for a (normalised) point where it does."""

    context: Context
    bad: Condition
    span: Span
    fault: Callable[[Mapping[str, int]], Refused]


@dataclass
class Ledger:
    """What is put off until the whole kernel is known."""

    questions: list[Question] = field(default_factory=list)
