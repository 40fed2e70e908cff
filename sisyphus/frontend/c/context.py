"""Where the translation stands: the loops and conditions around a place, and questions to be put to isl later."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sisyphus.frontend.c.bound import ALWAYS, Condition, conjoin
from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.frontend.c.scope import Variable
from sisyphus.poly import Affine
from sisyphus.source import Span
from sisyphus.values import dataclass, field, replace


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
        """An interval that holds every value of the expression, or None where that is not known."""
        ranges = {loop.name: loop.range for loop in self.loops}
        low = high = value.constant
        for name, factor in value.terms:
            found = ranges.get(name)
            if found is None:
                return None
            ends = (factor * found[0], factor * found[1])
            low, high = low + min(ends), high + max(ends)
        return low, high

    def where(self, point: Mapping[str, int]) -> tuple[str, ...]:
        """A note that names the source's iterators at a point of the normalised ones."""
        values = dict.fromkeys(f"{loop.variable.name} = {loop.value.evaluate(point)}" for loop in self.loops)
        return (f"at {', '.join(values)}", *self.calls) if values else self.calls


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
