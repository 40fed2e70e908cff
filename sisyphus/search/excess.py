"""What a built design uses beside what it may use, and spaces with smaller budgets; knows no search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sisyphus.space import Space
from sisyphus.target import Budget


def excess(budget: Budget, used: Mapping[str, int]) -> dict[str, float]:
    """By how much each exceeded budget is exceeded, as a ratio above 1."""
    over = {}
    for name, amount in used.items():
        limit = getattr(budget, name)
        if limit is not None and amount > limit:
            over[name] = amount / max(limit, 1)
    return over


def fullest(budget: Budget, used: Mapping[str, int]) -> float:
    """The largest share of a budget that is used."""
    limits = {name: getattr(budget, name) for name in used}
    return max((used[name] / limit for name, limit in limits.items() if limit), default=0.0)


def named(over: Mapping[str, float]) -> str:
    """Exceeded budgets in words."""
    return ", ".join(f"{name} by {100 * (ratio - 1):.0f} %" for name, ratio in sorted(over.items()))


def with_smaller_budgets(space: Space, over: Mapping[str, float], *, by_banks: bool = False) -> Space:
    """Budgets smaller in proportion to how designs exceeded them; `by_banks`: of memory blocks, by fewer banks."""
    target = space.target
    budget, most = target.budget, target.max_partition
    for name, ratio in over.items():
        if by_banks and name in ("bram18k", "uram"):
            most = max(1, int(most / ratio * 0.95))
        else:
            limit = getattr(budget, name) or 0
            budget = replace(budget, **{name: max(0, int(limit / ratio) - 1)})
    return replace(space, target=replace(target, budget=budget, max_partition=most))
