"""Searching until the design that was found fits every budget by the full model; knows no formula."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import inf

from sisyphus.errors import NoDesignError, TimeUp
from sisyphus.solve.contract import Limits
from sisyphus.solve.refine import refine
from sisyphus.solve.registry import EXACT, solver_list
from sisyphus.solve.search import COSTS, Found, search
from sisyphus.solve.session import Formulation, OnProgress
from sisyphus.space import DesignPoint, Space
from sisyphus.target import Budget

#: How often a design that is larger than the formulation thought is answered by tighter budgets.
MAX_ROUNDS = 12
#: Share of the cycles that an empty chip is worth over a full one: of nearly equal designs, the smaller is taken.
FULL_CHIP = 0.001


@dataclass(frozen=True)
class Judged:
    """What the full model says of a design: its cycles, and what it uses of each budget by the names of `Budget`."""

    cycles: float
    usage: Mapping[str, int]


#: The full model.
Judge = Callable[[DesignPoint], Judged]


def search_within(
    space: Space,
    formulate: Formulation,
    solver: str,
    limits: Limits,
    judge: Judge,
    *,
    improve: bool,
    on_progress: OnProgress | None = None,
) -> Found:
    """The best point whose built design fits.

    A formulation counts some resources only roughly. Our own search refuses designs that exceed a budget one by one;
    for other solvers the budget that the formulation sees is tightened in proportion (memory blocks: the number of
    banks) and the search repeated. With `improve`, the design found is then improved by the full model.
    """
    own = solver_list(solver)[0] == EXACT
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    budget, asked = space.target.budget, space

    def excess(point: DesignPoint) -> int:
        return _bytes_too_many(budget, judge(point).usage) if own else 0

    over: dict[str, float] = {}
    for _ in range(MAX_ROUNDS):
        found = search(asked, formulate, solver, _left(limits, deadline), excess, on_progress=on_progress)
        over = _excess(budget, judge(found.point).usage)
        if not over:
            return _improved(space, formulate, found, judge, deadline) if improve else found
        if deadline is not None and time.monotonic() >= deadline:
            raise TimeUp(f"time ran out before a design was found within {_named(over)}", hint="raise --time-limit")
        asked = _tightened(asked, over)
    raise NoDesignError(f"no design was found within {_named(over)}", hint="raise that budget, or fix knobs with --fix")


def _improved(space: Space, formulate: Formulation, found: Found, judge: Judge, deadline: float | None) -> Found:
    costs = COSTS.get(formulate)
    if costs is None:
        return found

    budget = space.target.budget

    def cost(point: DesignPoint) -> float:
        judged = judge(point)
        if _excess(budget, judged.usage):
            return inf
        return judged.cycles * (1 + FULL_CHIP * _fullest(budget, judged.usage))

    return replace(found, point=refine(costs(space), found.point, cost, deadline))


def _fullest(budget: Budget, used: Mapping[str, int]) -> float:
    """The largest share of a budget that is used."""
    limits = {name: getattr(budget, name) for name in used}
    return max((used[name] / limit for name, limit in limits.items() if limit), default=0.0)


def _left(limits: Limits, deadline: float | None) -> Limits:
    return limits if deadline is None else replace(limits, seconds=max(1.0, deadline - time.monotonic()))


def _excess(budget: Budget, used: Mapping[str, int]) -> dict[str, float]:
    """By how much each exceeded budget is exceeded, as a ratio above 1."""
    over = {}
    for name, amount in used.items():
        limit = getattr(budget, name)
        if limit is not None and amount > limit:
            over[name] = amount / max(limit, 1)
    return over


def _bytes_too_many(budget: Budget, used: Mapping[str, int]) -> int:
    """0 where a design fits; else by how many bytes less on chip it might, at least 1."""
    over = _excess(budget, used)
    blocks = max((over.get(name, 1.0) for name in ("bram18k", "uram", "onchip_bytes")), default=1.0)
    return max(len(over), int(used.get("onchip_bytes", 0) * (1 - 1 / blocks)))


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
