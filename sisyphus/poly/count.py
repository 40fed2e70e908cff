"""How many integer points a set has, exactly, without visiting them; knows no kernel.

A dimension whose constraints all have it with coefficient 1 or -1 is summed away symbolically: between its greatest
lower and its least upper bound, one polynomial for every pair of bounds that can be the binding ones. What cannot be
summed so (`2*i <= j`, when nothing else is left) is cut into slices.
"""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from sisyphus.errors import InternalError
from sisyphus.poly.affine import Affine, const
from sisyphus.poly.polynomial import Polynomial
from sisyphus.poly.sets import Set, constraints, dim_range, make_set, with_dims
from sisyphus.values import dataclass

#: Regions looked at before counting is given up; a triangle takes three or four.
MANY_REGIONS = 20_000


class CountError(InternalError):
    """The set is unbounded, or takes more regions than allowed."""


def count(points: Set, limit: int = MANY_REGIONS) -> int:
    """The exact number of points, or `CountError` where it is infinite or takes more than `limit` regions."""
    if not points.is_bounded():
        raise CountError(f"unbounded set {points}")
    counter, total = _Counter(limit), 0
    for part in points.coalesce().make_disjoint().compute_divs().get_basic_sets():
        total += counter.total(_lifted(part), Polynomial.constant(1))
    return total


def _lifted(part: isl.BasicSet) -> Set:
    """As many points without existential variables: each becomes a dimension that has one value per point."""
    flat = part.lift().flatten() if part.dim(isl.dim_type.div) else part
    points = flat.to_set().reset_tuple_id()
    return with_dims(points, isl.dim_type.set, (f"x{at}" for at in range(points.dim(isl.dim_type.set))))


@dataclass
class _Counter:
    """Sums a polynomial over regions, and counts the regions."""

    left: int

    def total(self, points: Set, weight: Polynomial) -> int:
        """The sum of `weight` over the points of a convex set."""
        self.left -= 1
        if self.left < 0:
            raise CountError("too many regions to count")
        if points.is_empty():
            return 0
        ((at_least, equal),) = constraints(points)
        names = _names(at_least, equal)
        for equation in equal:
            for name, factor in equation.terms:
                if abs(factor) == 1:
                    value = (equation - Affine.of({name: factor})) * -factor
                    return self._solved(names, name, value, at_least, [e for e in equal if e is not equation], weight)
        if not names:
            return int(weight.value())
        choice = None if equal else _summable(names, at_least)
        return self._sliced(points, names, weight) if choice is None else self._summed(names, choice, at_least, weight)

    def _solved(
        self,
        names: Sequence[str],
        name: str,
        value: Affine,
        at_least: Sequence[Affine],
        equal: Sequence[Affine],
        weight: Polynomial,
    ) -> int:
        """With a dimension that is an affine expression of the others replaced."""
        rest = [n for n in names if n != name]
        replaced = {name: value}
        at_least = [e.substitute(replaced) for e in at_least]
        equal = [e.substitute(replaced) for e in equal]
        return self.total(make_set("", rest, at_least_zero=at_least, zero=equal), weight.substitute(name, value))

    def _summed(self, names: Sequence[str], name: str, at_least: Sequence[Affine], weight: Polynomial) -> int:
        """The sum over all pairs of a binding lower and a binding upper bound; ties go to the first bound."""
        rest = [n for n in names if n != name]
        lowers, uppers, others = _bounds(name, at_least)
        total = 0
        for low, lower in enumerate(lowers):
            greatest = [lower - other - (at < low) for at, other in enumerate(lowers) if at != low]
            for high, upper in enumerate(uppers):
                least = [other - upper - (at < high) for at, other in enumerate(uppers) if at != high]
                region = make_set("", rest, at_least_zero=[*others, *greatest, *least, upper - lower])
                total += self.total(region, weight.sum_over(name, lower, upper))
        return total

    def _sliced(self, points: Set, names: Sequence[str], weight: Polynomial) -> int:
        ranges = {name: dim_range(points, name) for name in names}
        name = min(names, key=lambda n: ranges[n][1] - ranges[n][0])
        ((at_least, equal),) = constraints(points)
        low, high = ranges[name]
        if high - low >= self.left:
            raise CountError(f"too many slices of {points}")
        return sum(self._solved(names, name, const(v), at_least, equal, weight) for v in range(low, high + 1))


def _names(*groups: Sequence[Affine]) -> list[str]:
    """Dimensions in use; an unused one cannot be, as the set is bounded."""
    return sorted({name for group in groups for e in group for name in e.names})


def _summable(names: Sequence[str], at_least: Sequence[Affine]) -> str | None:
    """The dimension that only occurs with coefficient 1 or -1 and has the fewest pairs of bounds."""
    pairs: dict[str, int] = {}
    for name in names:
        factors = [e.coefficient(name) for e in at_least if e.coefficient(name)]
        if all(abs(f) == 1 for f in factors):
            pairs[name] = factors.count(1) * factors.count(-1)
    return min(pairs, key=lambda n: (pairs[n], n)) if pairs else None


def _bounds(name: str, at_least: Sequence[Affine]) -> tuple[list[Affine], list[Affine], list[Affine]]:
    """Lower bounds of a dimension, its upper bounds, and the constraints without it."""
    lowers, uppers, others = list[Affine](), list[Affine](), list[Affine]()
    for e in at_least:
        factor = e.coefficient(name)
        rest = e - Affine.of({name: factor})
        if factor == 0:
            others.append(e)
        elif factor > 0:
            lowers.append(-rest)
        else:
            uppers.append(rest)
    return lowers, uppers, others
