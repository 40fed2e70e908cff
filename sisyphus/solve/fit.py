"""Searching until the design that was found fits every budget by the full model; knows no formula."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf

from sisyphus.errors import NoDesignError, TimeUp
from sisyphus.solve.budgets import excess, fullest, named, with_smaller_budgets
from sisyphus.solve.contract import Limits, Stop
from sisyphus.solve.refine import refine
from sisyphus.solve.registry import EXACT, solver_list
from sisyphus.solve.search import COSTS, Found, search
from sisyphus.solve.session import Formulation, Judge, Judged, OnProgress
from sisyphus.space import DesignPoint, Space
from sisyphus.target import Budget

#: How often a design that is larger than the formulation thought is answered by tighter budgets.
MAX_ROUNDS = 12
#: Share of the time limit that is kept for improving a design that is not proved to be the best.
IMPROVING = 0.15
#: Share of the cycles that an empty chip is worth over a full one: of nearly equal designs, the smaller is taken.
FULL_CHIP = 0.001


def search_within(
    space: Space,
    formulate: Formulation,
    solver: str,
    limits: Limits,
    judge: Judge,
    *,
    improve: bool,
    start: DesignPoint | None = None,
    top: int = 1,
    on_progress: OnProgress | None = None,
) -> Found:
    """The best point whose built design fits, and the next best ones up to `top` in all.

    A formulation counts some resources only roughly, so every design found is judged by the full model. With `improve`,
    the best one is then improved by it, unless it is proved to be the best.
    """
    first, *others = solver_list(solver)
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    seen = _Seen(space.target.budget, judge)
    search_until = deadline if deadline is None or not improve else deadline - IMPROVING * (limits.seconds or 0.0)
    asked = _Asked(formulate, first, limits, search_until, seen, start, top, on_progress)
    try:
        found = _found(space, asked, others, seen)
    except (NoDesignError, TimeUp) as failure:
        raise seen.explained(failure) from failure
    if not improve or found.outcome.stop is Stop.PROVED:
        return found
    best = found if seen.best is None else replace(found, point=seen.best)
    return _improved(space, formulate, best, seen.cost_of, deadline)


def _found(space: Space, asked: _Asked, others: Sequence[str], seen: _Seen) -> Found:
    """By our own search if that comes first, then by the other solvers."""
    if asked.solver != EXACT:
        names = ",".join([asked.solver, *others])
        return _by_tighter_budgets(space, replace(asked, solver=names, judge=seen.unlimited), seen)
    try:
        return asked.search(space)
    except TimeUp:
        if not others or asked.is_over:
            raise
    return _by_tighter_budgets(space, replace(asked, solver=",".join(others), judge=seen.unlimited), seen)


class _Seen:
    """Designs that a search came across, judged by the full model; `best` is the cheapest that fits."""

    def __init__(self, budget: Budget, judge: Judge) -> None:
        self.budget, self.judge = budget, judge
        self.best: DesignPoint | None = None
        self.cost = inf
        self.nearest: dict[str, float] | None = None
        self._known: dict[DesignPoint, Judged] = {}

    def __call__(self, point: DesignPoint) -> Judged:
        """The judgement of a design, which is remembered."""
        if point not in self._known:
            judged = self._known[point] = self.judge(point)
            cost = self._cost(judged)
            if cost < self.cost:
                self.best, self.cost = point, cost
            over = excess(self.budget, judged.usage)
            if over and (self.nearest is None or max(over.values()) < max(self.nearest.values())):
                self.nearest = over
        return self._known[point]

    def unlimited(self, point: DesignPoint) -> Judged:
        """The judgement of a design whose budgets are looked at after the search."""
        return replace(self(point), usage={})

    def cost_of(self, point: DesignPoint) -> float:
        """Cycles, and a little for a full chip; infinite where a design does not fit."""
        return self._cost(self(point))

    def _cost(self, judged: Judged) -> float:
        if judged.cycles is None or excess(self.budget, judged.usage):
            return inf
        return judged.cycles * (1 + FULL_CHIP * fullest(self.budget, judged.usage))

    def explained(self, failure: NoDesignError | TimeUp) -> NoDesignError | TimeUp:
        """The failure, with the budgets that the nearest design exceeds where designs were found but none fits."""
        if self.nearest is None or self.best is not None:
            return failure
        return type(failure)(
            f"no design was found that fits; the nearest one exceeds {named(self.nearest)}",
            hint="raise that budget, free a knob fixed with --fix, or give more --time-limit",
        )


@dataclass(frozen=True)
class _Asked:
    """One search after another with what is left of the time."""

    formulate: Formulation
    solver: str
    limits: Limits
    deadline: float | None
    judge: Judge
    start: DesignPoint | None
    top: int
    on_progress: OnProgress | None

    def search(self, space: Space) -> Found:
        limits = _left(self.limits, self.deadline)
        return search(
            space,
            self.formulate,
            self.solver,
            limits,
            self.judge,
            start=self.start,
            top=self.top,
            on_progress=self.on_progress,
        )

    @property
    def is_over(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline


def _by_tighter_budgets(space: Space, asked: _Asked, seen: _Seen) -> Found:
    """Other solvers are asked again with budgets tightened in proportion (memory blocks: the number of banks)."""
    over: dict[str, float] = {}
    narrowed = space
    for _ in range(MAX_ROUNDS):
        found = asked.search(narrowed)
        over = excess(seen.budget, seen(found.point).usage)
        if not over:
            return found
        if asked.is_over:
            raise TimeUp(f"time ran out before a design was found within {named(over)}", hint="raise --time-limit")
        narrowed = with_smaller_budgets(narrowed, over, by_banks=True)
    raise NoDesignError(f"no design was found within {named(over)}", hint="raise that budget, or fix knobs with --fix")


def _improved(
    space: Space, formulate: Formulation, found: Found, cost: Callable[[DesignPoint], float], deadline: float | None
) -> Found:
    costs = COSTS.get(formulate)
    if costs is None:
        return found
    return replace(found, point=refine(costs(space), found.point, cost, deadline))


def _left(limits: Limits, deadline: float | None) -> Limits:
    return limits if deadline is None else replace(limits, seconds=max(0.5, deadline - time.monotonic()))
