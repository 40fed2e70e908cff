"""Prices for budgets that nests share, which turn a shared limit into a bound per nest; knows no formula.

Any price p >= 0 gives a lower bound of cost under the limit: least (cost + p * usage) of every nest, less p * limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sisyphus.search.costs import Floats, Ints
from sisyphus.search.effort import EFFORT
from sisyphus.values import dataclass, replace


@dataclass(frozen=True, eq=False)
class SharedGroup:
    """Nests that add up in one budget: its limit, what each entry of each nest takes, and the price."""

    limit: float
    usage: Mapping[str, Floats]
    multiplier: float = 0.0


def multipliers(shared: Sequence[SharedGroup], cycles: Mapping[str, Floats]) -> tuple[SharedGroup, ...]:
    """The groups whose limit binds, with prices that give a high bound."""
    found = list(shared)
    for _ in range(EFFORT.price_rounds if len(found) > 1 else 1):
        for at, group in enumerate(found):
            others = [other for other in found if other.multiplier and other is not group]
            priced = {nest: _priced(nest, cycles[nest], others) for nest in group.usage}
            found[at] = replace(group, multiplier=_best_price(group, priced))
    return tuple(group for group in found if group.multiplier > 0)


def _priced(nest: str, cycles: Floats, groups: Sequence[SharedGroup]) -> Floats:
    for group in groups:
        if nest in group.usage:
            cycles = cycles + group.multiplier * group.usage[nest]
    return cycles


def _best_price(group: SharedGroup, cycles: Mapping[str, Floats]) -> float:
    """Where the nests, each at its best under the price, take about as much as there is: the bound is highest."""
    entries = _Entries.of(group, cycles)
    if entries.taken(0.0) <= group.limit:
        return 0.0
    high = 1.0
    while entries.taken(high) > group.limit:
        high *= 4
        if high > 1e18:
            return 0.0
    low = 0.0
    for _ in range(EFFORT.price_halvings):
        middle = (low + high) / 2
        low, high = (middle, high) if entries.taken(middle) > group.limit else (low, middle)
    return high


@dataclass(frozen=True, eq=False)
class _Entries:
    """The entries of all nests of a group in one row, those of each from `starts` on."""

    starts: Ints
    sizes: Ints
    cycles: Floats
    usage: Floats

    @staticmethod
    def of(group: SharedGroup, cycles: Mapping[str, Floats]) -> _Entries:
        sizes = np.array([len(usage) for usage in group.usage.values()], np.int64)
        costs = np.concatenate([cycles[nest] for nest in group.usage])
        return _Entries(np.cumsum(sizes) - sizes, sizes, costs, np.concatenate(list(group.usage.values())))

    def taken(self, price: float) -> float:
        """What the first of the cheapest entries of every nest take together."""
        cost = self.cycles + price * self.usage
        least = np.repeat(np.minimum.reduceat(cost, self.starts), self.sizes)
        cheapest = np.flatnonzero(cost == least)
        return float(self.usage[cheapest[np.searchsorted(cheapest, self.starts)]].sum())
