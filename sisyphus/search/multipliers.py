"""Prices for budgets that nests share, which turn a shared limit into a bound per nest; knows no formula.

Any price p >= 0 gives a lower bound of cost under the limit: least (cost + p * usage) of every nest, less p * limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sisyphus.search.costs import Floats
from sisyphus.search.effort import EFFORT


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
            others = found[:at] + found[at + 1 :]
            priced = {nest: _priced(nest, cycles[nest], others) for nest in group.usage}
            found[at] = replace(group, multiplier=_best_price(group, priced))
    return tuple(group for group in found if group.multiplier > 0)


def _priced(nest: str, cycles: Floats, groups: Sequence[SharedGroup]) -> Floats:
    for group in groups:
        if nest in group.usage and group.multiplier:
            cycles = cycles + group.multiplier * group.usage[nest]
    return cycles


def _best_price(group: SharedGroup, cycles: Mapping[str, Floats]) -> float:
    """Where the nests, each at its best under the price, take about as much as there is: the bound is highest."""
    if _taken(group, cycles, 0.0) <= group.limit:
        return 0.0
    high = 1.0
    while _taken(group, cycles, high) > group.limit:
        high *= 4
        if high > 1e18:
            return 0.0
    low = 0.0
    for _ in range(EFFORT.price_halvings):
        middle = (low + high) / 2
        low, high = (middle, high) if _taken(group, cycles, middle) > group.limit else (low, middle)
    return high


def _taken(group: SharedGroup, cycles: Mapping[str, Floats], price: float) -> float:
    total = 0.0
    for nest, usage in group.usage.items():
        total += float(usage[np.argmin(cycles[nest] + price * usage)])
    return total
