"""Bounds: an affine expression, or the minimum or maximum of several; knows neither syntax nor isl."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sisyphus.poly import Affine
from sisyphus.values import dataclass

# A conjunction is a tuple of expressions that are all >= 0; a condition is a union of conjunctions.
Conjunction = tuple[Affine, ...]
Condition = tuple[Conjunction, ...]

ALWAYS: Condition = ((),)
NEVER: Condition = ()
FLIPPED = {"": "", "min": "max", "max": "min"}
MOST_CASES = 256


class Fork(Exception):  # noqa: N818 - travels inside the front end only
    """What a place means depends on a condition: it is to be translated where it holds, and where it does not."""

    def __init__(self, condition: Condition) -> None:
        super().__init__()
        self.condition = condition


class TooManyCases(Exception):  # noqa: N818 - travels inside the front end only
    """A condition falls into more cases than anybody should look at."""


@dataclass(frozen=True)
class SourceBound:
    """`kind` is "" for a plain affine expression, else "min" or "max" over `parts`."""

    parts: tuple[Affine, ...]
    kind: str = ""

    @staticmethod
    def of(value: Affine) -> SourceBound:
        return SourceBound((value,))

    @property
    def affine(self) -> Affine | None:
        """The expression itself where there is just one."""
        return self.parts[0] if not self.kind else None

    @property
    def constant(self) -> int | None:
        return self.parts[0].constant if not self.kind and self.parts[0].is_constant else None

    def each(self, change: Callable[[Affine], Affine], *, flip: bool = False) -> SourceBound:
        return SourceBound(tuple(change(p) for p in self.parts), FLIPPED[self.kind] if flip else self.kind)

    def plus(self, other: SourceBound) -> SourceBound | None:
        """The sum, or None where it has no such form."""
        if self.kind and other.kind and self.kind != other.kind:
            return None
        return _bound(self.kind or other.kind, [a + b for a in self.parts for b in other.parts])

    def times(self, factor: int) -> SourceBound:
        return self.each(lambda a: a * factor, flip=factor < 0)

    def substitute(self, values: Mapping[str, Affine]) -> SourceBound:
        return self.each(lambda a: a.substitute(values))

    def at_least_zero(self) -> Condition:
        """Where the value is not negative."""
        if self.kind == "max":
            return tidy(tuple((p,) for p in self.parts))
        return tidy((self.parts,))


def extreme(kind: str, left: SourceBound, right: SourceBound) -> SourceBound | None:
    """The minimum or maximum of two bounds, or None where kinds mix."""
    if left.kind not in ("", kind) or right.kind not in ("", kind):
        return None
    return _bound(kind, [*left.parts, *right.parts])


def _bound(kind: str, parts: list[Affine]) -> SourceBound:
    """Parts that differ by a constant only are one part."""
    pick = min if kind == "min" else max
    best = dict[tuple[tuple[str, int], ...], Affine]()
    for part in parts:
        known = best.get(part.terms)
        best[part.terms] = part if known is None else pick(part, known, key=lambda a: a.constant)
    kept = tuple(best.values())
    return SourceBound(kept, kind if len(kept) > 1 else "")


def tidy(condition: Condition) -> Condition:
    """The same condition without conjunctions that never hold and tests that always do."""
    kept = dict[Conjunction, None]()
    for conjunction in condition:
        tests = dict.fromkeys(conjunction)
        if any(t.is_constant and t.constant < 0 for t in tests):
            continue
        kept.setdefault(tuple(t for t in tests if not t.is_constant))
        if len(kept) > MOST_CASES:
            raise TooManyCases
    return ALWAYS if () in kept else tuple(kept)


def conjoin(left: Condition, right: Condition) -> Condition:
    return tidy(tuple((*a, *b) for a in left for b in right))


def disjoin(left: Condition, right: Condition) -> Condition:
    return tidy((*left, *right))


def negate(condition: Condition) -> Condition:
    """Where none of the conjunctions holds, over the integers."""
    result = ALWAYS
    for conjunction in condition:
        result = conjoin(result, tidy(tuple((-1 - test,) for test in conjunction)))
    return result
