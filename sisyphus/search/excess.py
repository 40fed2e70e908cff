"""Exceeded budgets in words, and spaces with smaller budgets; knows no search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sisyphus.space import Space


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
            budget = budget.with_amounts({name: max(0, int(getattr(budget, name) / ratio) - 1)})
    return replace(space, target=replace(target, budget=budget, max_partition=most))
