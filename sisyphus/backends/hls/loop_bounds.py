"""Loop bounds and iterators as C++ text, and their ranges, which tell what can be left out; knows no kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sisyphus.backends.hls.express import Affines, pick_name
from sisyphus.backends.hls.identifiers import Names
from sisyphus.backends.hls.writer import Writer
from sisyphus.ir import ALL_TYPES, PICKS
from sisyphus.ir.types import REINTERPRET
from sisyphus.plan import Bound, Buffer, For, Quotient
from sisyphus.plan.ranges import Ranges
from sisyphus.poly import Affine, affine_range
from sisyphus.values import dataclass


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
    """Prints bounds; helper functions that the text calls are added to `helpers`.

    `counted` gives the text of a quotient that is counted elsewhere (`apart.py`), if it is.
    """

    affines: Affines
    helpers: set[str]
    counted: Callable[[Affine, int], str | None] = lambda value, by: None

    def lower(self, bound: Bound, ranges: Ranges) -> str:
        return self._fold("larger", [self._ceil(q, ranges) for q in bound.terms])

    def below(self, bound: Bound, ranges: Ranges) -> str:
        """The first value past an inclusive upper bound."""
        if len(bound.terms) == 1 and bound.terms[0].divisor == 1:
            return self.affines.text(bound.terms[0].numerator + 1)
        return f"{self._fold('smaller', [self.floor(q, ranges) for q in bound.terms])} + 1"

    def _fold(self, function: str, texts: list[str]) -> str:
        folded = texts[0]
        for text in texts[1:]:
            self.helpers.add(function)
            folded = f"{function}({folded}, {text})"
        return folded

    def floor(self, quotient: Quotient, ranges: Ranges) -> str:
        """C rounds to zero, so that what may be negative is divided by a helper."""
        value, divisor = quotient.numerator, quotient.divisor
        if value.is_constant:
            return str(value.constant // divisor)
        if divisor == 1:
            return self.affines.text(value)
        if (counted := self.counted(value, divisor)) is not None:
            return counted
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
        if (counted := self.counted(value + (divisor - 1), divisor)) is not None:
            return counted
        if affine_range(value, ranges)[0] > -divisor:
            return f"{self.affines.factor(value + (divisor - 1))} / {divisor}"
        self.helpers.add("ceil_div")
        return f"ceil_div({self.affines.text(value)}, {divisor})"


#: Stands among the helpers for integers of any width, which a header has.
NARROW = "ap_int.h"


def divides_by(buffer: Buffer, at: int) -> bool:
    """Whether an index of a dimension finds its bank by a remainder: banks are neither a power of two nor all.

    The tool cannot tell how far a variable goes that is an argument, or is carried from beat to beat, and divides all
    32 bits of an `int`, in 36 cycles instead of 4 and the bits that are needed.
    """
    factor = buffer.partition[at]
    return factor < buffer.extents[at] and bool(factor & (factor - 1))


def narrowest(low: int, high: int) -> str:
    """The integer type that is as wide as the values from `low` to `high` need."""
    if low >= 0:
        return f"ap_uint<{max(high.bit_length(), 1)}>"
    return f"ap_int<{max(high.bit_length(), (-low - 1).bit_length()) + 1}>"


@dataclass(frozen=True)
class Iterators:
    """Outer iterators as the parameters of a function with these buffers, and what it begins with.

    Where the index of a buffer is divided, they are as wide as they need; inside they are an `int` like all others.
    """

    names: Names
    ranges: Ranges
    buffers: Sequence[Buffer]
    helpers: set[str]

    def parameters(self, iterators: Iterable[str]) -> list[str]:
        if not self._are_narrow:
            return [f"int {self.names.of('iterator', i)}" for i in iterators]
        self.helpers.add(NARROW)
        return [f"{narrowest(*self.ranges[i])} {self.names.of('argument', i)}" for i in iterators]

    def begin(self, w: Writer, iterators: Iterable[str]) -> None:
        for i in iterators if self._are_narrow else ():
            w.line(f"const int {self.names.of('iterator', i)} = {self.names.of('argument', i)};")

    @property
    def _are_narrow(self) -> bool:
        return any(divides_by(buffer, at) for buffer in self.buffers for at in range(len(buffer.extents)))


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
    **{
        name: (
            f"static {target.c_name} {name}({source.c_name} value)",
            f"union {{ {source.c_name} from; {target.c_name} to; }} bits = {{value}};",
            "return bits.to;",
        )
        for (source, target), name in REINTERPRET.items()
    },
    **{
        pick_name(function, kind): (
            f"static {kind.c_name} {pick_name(function, kind)}({kind.c_name} left, {kind.c_name} right)",
            f"return left {op} right ? left : right;",
        )
        for op, function in PICKS.items()
        for kind in ALL_TYPES
    },
    "long_abs": ("static long long long_abs(long long value)", "return value < 0 ? -value : value;"),
    "int_abs": ("static int int_abs(int value)", "return value < 0 ? -value : value;"),
}
