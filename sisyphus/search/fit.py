"""Searching until the design that was found fits every budget by the full model; knows no formula."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from sisyphus import clock
from sisyphus.errors import NoDesignError, TimeUp
from sisyphus.search.costs import MakeCosts
from sisyphus.search.effort import EFFORT
from sisyphus.search.excess import named
from sisyphus.search.refine import refine
from sisyphus.search.session import Judge, Judged, OnProgress
from sisyphus.search.turns import Found, Turns
from sisyphus.solve.contract import Limits, Stop
from sisyphus.space import DesignPoint, Space
from sisyphus.target import Resources

#: Seconds that a search gets at least.
LEAST_S = 0.5
#: Share of the cycles that an empty chip is worth over a full one: of nearly equal designs, the smaller is taken.
FULL_CHIP = 0.001


class SearchWithin:
    """The search for the best point whose built design fits, and the next best ones up to `top` in all.

    A formulation counts some resources only roughly, so every design found is judged by the full model. With `improve`,
    the best one is then improved by it, unless it is proved to be the best.
    """

    def __init__(
        self,
        space: Space,
        make_costs: MakeCosts,
        solver: str,
        judge: Judge,
        *,
        improve: bool,
        start: DesignPoint | None = None,
        top: int = 1,
        on_progress: OnProgress | None = None,
    ) -> None:
        self.space, self.make_costs, self.improve = space, make_costs, improve
        self._seen = _Seen(space.target.budget, judge)
        self._turns = Turns(space, make_costs, solver, self._seen, start=start, top=top, on_progress=on_progress)

    def run(self, limits: Limits, *, upper: float = inf, near: DesignPoint | None = None) -> Found:
        """What costs less than `upper`, the cost of `near`. Run again, it goes on where time ended it."""
        deadline = None if limits.seconds is None else clock.now() + limits.seconds
        searching = limits
        if self.improve and limits.seconds is not None:
            searching = replace(limits, seconds=max(LEAST_S, (1 - EFFORT.improving_share) * limits.seconds))
        try:
            found = self._turns.run(searching, upper=upper, near=near)
        except (NoDesignError, TimeUp) as failure:
            raise self._seen.explained(failure) from failure
        if not self.improve or found.point is None or found.outcome.stop in (Stop.PROVED, Stop.INTERRUPTED):
            return found
        return _improved(self.space, self.make_costs, found, self._seen, deadline)

    def look_around(self, limits: Limits, upper: float, near: DesignPoint) -> Found:
        """A design with other partitions than `near`, which costs `upper`, if one is found that costs less."""
        return self._turns.look_around(limits, upper, near)


class _Seen:
    """Designs that a search came across, judged by the full model; `best` is the cheapest that fits."""

    def __init__(self, budget: Resources, judge: Judge) -> None:
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
            over = self.budget.exceeded_by(judged.usage)
            if over and (self.nearest is None or max(over.values()) < max(self.nearest.values())):
                self.nearest = over
        return self._known[point]

    def cost_of(self, point: DesignPoint) -> float:
        """Cycles, and a little for a full chip; infinite where a design does not fit."""
        return self._cost(self(point))

    def _cost(self, judged: Judged) -> float:
        if judged.cycles is None or self.budget.exceeded_by(judged.usage):
            return inf
        return judged.cycles * (1 + FULL_CHIP * self.budget.fullest(judged.usage))

    def explained(self, failure: NoDesignError | TimeUp) -> NoDesignError | TimeUp:
        """The failure, with the budgets that the nearest design exceeds where designs were found but none fits."""
        if self.nearest is None or self.best is not None:
            return failure
        return type(failure)(
            f"no design was found that fits; the nearest one exceeds {named(self.nearest)}",
            hint=f"raise that budget, free a knob fixed with --fix, or give more {clock.raised()}",
        )


def _improved(space: Space, make_costs: MakeCosts, found: Found, seen: _Seen, deadline: float | None) -> Found:
    if seen.best is None:
        return found
    outcome = found.outcome
    try:
        point = refine(make_costs(space), seen.best, seen.cost_of, deadline)
    except KeyboardInterrupt:
        point, outcome = seen.best, replace(outcome, stop=Stop.INTERRUPTED)
    except MemoryError:  # the tables of a nest are too large; what was met before them stands
        point = seen.best
    return replace(found, point=point, outcome=replace(outcome, objective=seen(point).cycles))
