"""The smallest budgets for which a search finds a design; knows neither a model nor a solver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isqrt

from sisyphus import clock
from sisyphus.search.effort import EFFORT
from sisyphus.target import Kind
from sisyphus.values import dataclass

#: No budget is raised further than this.
UNLIMITED = 1 << 40

#: Searches for any design within the budgets, and says what it uses of each; None where none is found.
Fits = Callable[[Mapping[str, int]], Mapping[str, int] | None]


@dataclass(frozen=True)
class Need:
    """An amount of a budget with which a design was found, and the largest one tried with which none was."""

    kind: Kind
    given: int
    amount: int
    too_few: int

    @property
    def ratio(self) -> float:
        """How many times what was given; the larger, the tighter the budget."""
        return self.amount / max(self.given, 1)


def needs_alone(given: Mapping[Kind, int], fits: Fits, seconds: float) -> tuple[Need, ...]:
    """Budgets of which more, with all others as they are, lets a design in; the smallest raise first."""
    amounts = {kind.name: amount for kind, amount in given.items()}
    deadline = clock.now() + seconds
    helping = []
    for kind, amount in given.items():
        used = fits({**amounts, kind.name: UNLIMITED})
        if used is not None and used[kind.name] > amount:
            helping.append((kind, used[kind.name]))
    found = []
    for left, (kind, high) in zip(range(len(helping), 0, -1), helping, strict=True):
        share = clock.now() + max(0.0, deadline - clock.now()) / left
        found.append(_smallest(kind, given[kind], amounts, high, fits, share))
    return tuple(sorted(found, key=lambda need: need.ratio))


def needs_together(given: Mapping[Kind, int], fits: Fits, seconds: float) -> tuple[Need, ...]:
    """Budgets that have to be raised together, the tightest first; nothing where no budgets let a design in.

    One budget after another is made as small as the ones before it, now fixed, and the ones after it, still without
    limit, allow.
    """
    limits = {kind.name: UNLIMITED for kind in given}
    used = fits(limits)
    if used is None:
        return ()
    deadline = clock.now() + seconds
    found = []
    for left, (kind, amount) in zip(range(len(given), 0, -1), given.items(), strict=True):
        least = used if used[kind.name] <= amount else fits({**limits, kind.name: amount})
        if least is not None:
            limits[kind.name], used = amount, least
            continue
        share = clock.now() + max(0.0, deadline - clock.now()) / left
        need = _smallest(kind, amount, limits, used[kind.name], fits, share)
        limits[kind.name] = need.amount
        found.append(need)
    return tuple(sorted(found, key=lambda need: -need.ratio))


def _smallest(kind: Kind, given: int, limits: Mapping[str, int], high: int, fits: Fits, deadline: float) -> Need:
    """Halving between what was given, which does not do, and what a design takes.

    A search need not find the design that takes `high` when it has no more than that; then it is given twice as much.
    """
    low = given
    while high < UNLIMITED and fits({**limits, kind.name: high}) is None:
        low, high = high, min(2 * high, UNLIMITED)
    while high - low > max(1, EFFORT.budget_step * high) and clock.now() < deadline:
        middle = isqrt(low * high) if high > 4 * max(low, 1) else (low + high) // 2
        middle = min(max(middle, low + 1), high - 1)
        if fits({**limits, kind.name: middle}) is None:
            low = middle
        else:
            high = middle
    return Need(kind, given, high, low)
