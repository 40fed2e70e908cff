"""Loop bounds as C++ text, and the ranges of iterators that tell which checks can be left out; knows no kernel."""

from __future__ import annotations

from dataclasses import dataclass

from sisyphus.backends.hls.express import Affines
from sisyphus.ir import ALL_TYPES
from sisyphus.plan import Bound, For, Quotient
from sisyphus.plan.ranges import Ranges, affine_range


def least_trips(loop: For, ranges: Ranges) -> int:
    """A number of iterations that the loop has at least, wherever it stands."""
    least: int = loop.trip_count
    for upper in loop.upper.terms:
        for lower in loop.lower.terms:
            if upper.divisor == lower.divisor == 1:
                trips = affine_range(upper.numerator - lower.numerator, ranges)[0] + 1
            else:
                last = affine_range(upper.numerator, ranges)[0] // upper.divisor
                trips = last + 1 + (-affine_range(lower.numerator, ranges)[1] // lower.divisor)
            least = min(least, trips)
    return max(0, least)


@dataclass(frozen=True)
class Bounds:
    """Prints bounds; helper functions that the text calls are added to `helpers`."""

    affines: Affines
    helpers: set[str]

    def lower(self, bound: Bound, ranges: Ranges) -> str:
        return self._fold("larger", [self._ceil(q, ranges) for q in bound.terms])

    def below(self, bound: Bound, ranges: Ranges) -> str:
        """The first value past an inclusive upper bound."""
        if len(bound.terms) == 1 and bound.terms[0].divisor == 1:
            return self.affines.text(bound.terms[0].numerator + 1)
        return f"{self._fold('smaller', [self._floor(q, ranges) for q in bound.terms])} + 1"

    def _fold(self, function: str, texts: list[str]) -> str:
        folded = texts[0]
        for text in texts[1:]:
            self.helpers.add(function)
            folded = f"{function}({folded}, {text})"
        return folded

    def _floor(self, quotient: Quotient, ranges: Ranges) -> str:
        value, divisor = quotient.numerator, quotient.divisor
        if value.is_constant:
            return str(value.constant // divisor)
        if divisor == 1:
            return self.affines.text(value)
        if affine_range(value, ranges)[0] >= 0:
            return f"{self.affines.factor(value)} / {divisor}"
        self.helpers.add("floor_div")
        return f"floor_div({self.affines.text(value)}, {divisor})"

    def _ceil(self, quotient: Quotient, ranges: Ranges) -> str:
        value, divisor = quotient.numerator, quotient.divisor
        if value.is_constant:
            return str(-(-value.constant // divisor))
        if divisor == 1:
            return self.affines.text(value)
        if affine_range(value, ranges)[0] > -divisor:
            return f"{self.affines.factor(value + (divisor - 1))} / {divisor}"
        self.helpers.add("ceil_div")
        return f"ceil_div({self.affines.text(value)}, {divisor})"


#: Stands among the helpers for integers of any width, which a header has.
NARROW = "ap_int.h"
#: Name of a function that chooses between an element and what it would become, before its type; it is inlined.
UPDATED = "updated_"

HELPERS: dict[str, tuple[str, ...]] = {
    "floor_div": (
        "static int floor_div(int value, int divisor)",
        "return value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor);",
    ),
    "ceil_div": (
        "static int ceil_div(int value, int divisor)",
        "return value > 0 ? (value - 1) / divisor + 1 : -(-value / divisor);",
    ),
    "larger": ("static int larger(int left, int right)", "return left > right ? left : right;"),
    "smaller": ("static int smaller(int left, int right)", "return left < right ? left : right;"),
    **{
        f"{UPDATED}{kind.key}": (
            f"static {kind.c_name} {UPDATED}{kind.key}(bool runs, {kind.c_name} kept, {kind.c_name} updated)",
            "return runs ? updated : kept;",
        )
        for kind in ALL_TYPES
    },
    "long_abs": ("static long long long_abs(long long value)", "return value < 0 ? -value : value;"),
    "int_abs": ("static int int_abs(int value)", "return value < 0 ? -value : value;"),
}
