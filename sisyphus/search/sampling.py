"""Some of the many tilings of a nest: the fastest, others of all kinds, and the best ones at prices of the budgets.

The fastest tilings of all nests together take more than there is, and of others chosen evenly few are any good. What is
best where nests pay for what they take is as a rule what the best design is made of; but tilings of one price are much
alike, and ask for partitions that other nests cannot do with, so that both kinds are needed. Knows no formula.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sisyphus.algebra import distinct
from sisyphus.ir import ArrayId
from sisyphus.search.costs import Floats, Ints, Mask
from sisyphus.search.effort import EFFORT
from sisyphus.search.tables import spread
from sisyphus.values import dataclass, field


@dataclass(frozen=True, eq=False)
class Sample:
    """So many tilings by their cycles, and as many at prices, whose transfers have places of at most so many kinds.

    All of every budget is taken to be worth `worth` cycles. Where `agreed` has an array, only tilings that ask for one
    of these states of its partition are of interest.
    """

    count: int
    places: int
    worth: float
    agreed: Mapping[ArrayId, Mask] = field(default_factory=dict)


def shares_of(used: Mapping[str, Floats], limits: Mapping[str, float], count: int) -> Floats:
    """What each of so many choices takes of all budgets, in shares of their limits added up."""
    found: Floats = sum((used[name] / max(most, 1.0) for name, most in limits.items()), np.zeros(count))
    return found


def sampled(least: Floats, sizes: Floats, count: int, worth: float) -> Ints:
    """Places of some tilings, whose cycles are `least`; `sizes` are their shares of all budgets, added up."""
    order = np.argsort(least, kind="stable")
    most = max(count // (2 * len(EFFORT.sampled_prices)), 1)
    priced = (np.argsort(least + price * worth * sizes, kind="stable")[:most] for price in EFFORT.sampled_prices)
    return np.asarray(distinct(np.concatenate([order[spread(len(order), count)], *priced])), np.int64)
