"""The smallest budgets for which a search finds a design; knows neither a model nor a solver."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt

#: No budget is raised further than this.
UNLIMITED = 1 << 40
#: A large budget is told to this share of itself: each step costs a search.
CLOSE = 0.01

#: Searches for any design within the budgets, and says what it uses of each; None where none is found.
Fits = Callable[[Mapping[str, int]], Mapping[str, int] | None]


@dataclass(frozen=True)
class Size:
    """A budget as users know it, and how much of it they gave."""

    name: str
    option: str
    unit: str
    given: int


@dataclass(frozen=True)
class Need:
    """An amount of a budget with which a design was found, and the largest one tried with which none was."""

    size: Size
    amount: int
    too_few: int

    @property
    def ratio(self) -> float:
        """How many times what was given; the larger, the tighter the budget."""
        return self.amount / max(self.size.given, 1)


def needs_alone(sizes: Sequence[Size], fits: Fits, seconds: float) -> tuple[Need, ...]:
    """Budgets of which more, with all others as they are, lets a design in; the smallest raise first."""
    given = {size.name: size.given for size in sizes}
    deadline = time.monotonic() + seconds
    helping = []
    for size in sizes:
        used = fits({**given, size.name: UNLIMITED})
        if used is not None and used[size.name] > size.given:
            helping.append((size, used))
    found = []
    for left, (size, used) in zip(range(len(helping), 0, -1), helping, strict=True):
        share = time.monotonic() + max(0.0, deadline - time.monotonic()) / left
        found.append(_smallest(size, given, used[size.name], fits, share))
    return tuple(sorted(found, key=lambda need: need.ratio))


def needs_together(sizes: Sequence[Size], fits: Fits, seconds: float) -> tuple[Need, ...]:
    """Budgets that have to be raised together, the tightest first; nothing where no budgets let a design in.

    One budget after another is made as small as the ones before it, now fixed, and the ones after it, still without
    limit, allow.
    """
    limits = {size.name: UNLIMITED for size in sizes}
    used = fits(limits)
    if used is None:
        return ()
    deadline = time.monotonic() + seconds
    found = []
    for left, size in zip(range(len(sizes), 0, -1), sizes, strict=True):
        least = used if used[size.name] <= size.given else fits({**limits, size.name: size.given})
        if least is not None:
            limits[size.name], used = size.given, least
            continue
        share = time.monotonic() + max(0.0, deadline - time.monotonic()) / left
        need = _smallest(size, limits, used[size.name], fits, share)
        limits[size.name] = need.amount
        found.append(need)
    return tuple(sorted(found, key=lambda need: -need.ratio))


def _smallest(size: Size, limits: Mapping[str, int], high: int, fits: Fits, deadline: float) -> Need:
    """Halving between what was given, which does not do, and what a design takes.

    A search need not find the design that takes `high` when it has no more than that; then it is given twice as much.
    """
    low = size.given
    while high < UNLIMITED and fits({**limits, size.name: high}) is None:
        low, high = high, min(2 * high, UNLIMITED)
    while high - low > max(1, CLOSE * high) and time.monotonic() < deadline:
        middle = isqrt(low * high) if high > 4 * max(low, 1) else (low + high) // 2
        middle = min(max(middle, low + 1), high - 1)
        if fits({**limits, size.name: middle}) is None:
            low = middle
        else:
            high = middle
    return Need(size, high, low)
