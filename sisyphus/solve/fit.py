"""Searching until the design that was found fits every budget by the full model; knows no formula."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sisyphus.errors import NoDesignError, TimeUp
from sisyphus.solve.contract import Limits
from sisyphus.solve.search import Found, search
from sisyphus.solve.session import Formulation
from sisyphus.space import DesignPoint, Space
from sisyphus.target import Budget

#: How often a design that is larger than the formulation thought is answered by tighter budgets.
MAX_ROUNDS = 12

#: What a built design uses of each budget, by the names of `Budget`.
Usage = Callable[[DesignPoint], Mapping[str, int]]


@dataclass(frozen=True)
class Fitted:
    """A design within all budgets. `first_bound`: the proven bound of the untightened problem, None where unknown."""

    found: Found
    first_bound: float | None
    rounds: int


def search_within(space: Space, formulate: Formulation, solver: str, limits: Limits, usage: Usage) -> Fitted:
    """The best point whose built design fits.

    A formulation counts some resources only roughly. Where the design found exceeds a budget, the budget that the
    formulation sees is tightened in proportion (memory blocks: the number of banks) and the search repeated.
    """
    budget, asked = space.target.budget, space
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    first_bound: float | None = None
    over: dict[str, float] = {}
    for round_ in range(MAX_ROUNDS):
        found = search(asked, formulate, solver, _left(limits, deadline), excess=_nothing)
        if round_ == 0:
            first_bound = found.outcome.bound
        over = _excess(budget, usage(found.point))
        if not over:
            return Fitted(found, first_bound, round_ + 1)
        if deadline is not None and time.monotonic() >= deadline:
            raise TimeUp(f"time ran out before a design was found within {_named(over)}", hint="raise --time-limit")
        asked = _tightened(asked, over)
    raise NoDesignError(f"no design was found within {_named(over)}", hint="raise that budget, or fix knobs with --fix")


def _nothing(point: DesignPoint) -> int:
    """The memory in bytes is one of the budgets that are looked at here."""
    return 0


def _left(limits: Limits, deadline: float | None) -> Limits:
    return limits if deadline is None else replace(limits, seconds=max(1.0, deadline - time.monotonic()))


def _excess(budget: Budget, used: Mapping[str, int]) -> dict[str, float]:
    """By how much each exceeded budget is exceeded, as a ratio above 1."""
    limits = {name: getattr(budget, name) for name in used}
    return {
        name: used[name] / max(limit, 1) for name, limit in limits.items() if limit is not None and used[name] > limit
    }


def _tightened(space: Space, over: Mapping[str, float]) -> Space:
    target = space.target
    budget, most = target.budget, target.max_partition
    for name, ratio in over.items():
        if name in ("bram18k", "uram"):
            most = max(1, int(most / ratio * 0.95))
        else:
            limit = getattr(budget, name) or 0
            budget = replace(budget, **{name: max(0, int(limit / ratio) - 1)})
    return replace(space, target=replace(target, budget=budget, max_partition=most))


def _named(over: Mapping[str, float]) -> str:
    return ", ".join(f"{name} (exceeded by {100 * (ratio - 1):.0f} %)" for name, ratio in sorted(over.items()))
