"""What solvers have found so far in one search, whichever they were; knows no solver."""

from __future__ import annotations

import time
from bisect import insort
from collections.abc import Callable, Mapping
from functools import cached_property
from math import inf, isfinite

from sisyphus import clock
from sisyphus.search.check import faults
from sisyphus.search.costs import CostModel, MakeCosts
from sisyphus.search.effort import EFFORT
from sisyphus.search.variety import varied
from sisyphus.solve.contract import Limits, SolveOutcome
from sisyphus.space import DesignPoint, Space
from sisyphus.values import dataclass, field, replace

#: Shares of a cost below which two of them are equal: ours, and that of solvers that compute with tolerances.
EQUAL, ROUGHLY_EQUAL = 1e-9, 1e-5
#: Seconds for a solver whose predecessors left neither a design nor time.
LEAST_S = 5.0


@dataclass(frozen=True)
class Judged:
    """What is known of a design once it is built: its cycles, and what it uses by the names of `Resources`.

    `cycles` is None where the cost model of the search has the last word.
    """

    cycles: float | None
    usage: Mapping[str, int]


@dataclass(frozen=True)
class Offered:
    """What was said of a design that was offered: by how much it exceeds which budgets, as ratios, and what it uses."""

    cost: float
    over: Mapping[str, float] = field(default_factory=dict)
    usage: Mapping[str, int] = field(default_factory=dict)


#: The last word about a design; that of the full model, as a rule.
Judge = Callable[[DesignPoint], Judged]
#: Told of every better design and every higher bound: cost (None: nothing yet), bound (None: unknown), seconds.
OnProgress = Callable[[float | None, float | None, float], None]


@dataclass(frozen=True)
class Candidate:
    """A legal design with its cost, the largest share of a budget that it uses, and who found it."""

    point: DesignPoint
    cost: float
    share: float
    solver: str

    @property
    def rank(self) -> tuple[float, float, str]:
        """Of equal cost, the smaller design is better; equal ones are told apart by their sorted JSON."""
        return self.cost, self.share, self.point.sort_key()


class Session:
    """The state of one search: what is asked, the best design, the bound, the time left."""

    def __init__(
        self,
        space: Space,
        make_costs: MakeCosts,
        limits: Limits,
        judge: Judge | None,
        *,
        on_progress: OnProgress | None,
        top: int = 1,
    ) -> None:
        self.space, self.make_costs, self.judge, self.top = space, make_costs, judge, top
        self.upper, self.on_progress = inf, on_progress
        self.near: DesignPoint | None = None
        self.found: list[Candidate] = []
        self._offered: list[Candidate] = []
        self.bound: float | None = None
        self.skipped: list[str] = []
        self.go_on(limits)

    def go_on(self, limits: Limits, upper: float = inf, near: DesignPoint | None = None) -> None:
        """From now on under these limits; of what is known, only what costs less than `upper` is still of interest.

        `near` is a design that costs so much, of another space of the same form.
        """
        self.limits, self.upper, self.near = limits, min(upper, self.upper), near
        self._begun, self.started = time.monotonic(), clock.now()
        self.deadline = None if limits.seconds is None else self.started + limits.seconds
        self._offered = [known for known in self._offered if known.cost < self.upper]
        self.found = varied(self._offered, lambda c: c.point, self.top)

    @property
    def best(self) -> Candidate | None:
        """The best design so far; `found` has the `top` best ones that are not alike."""
        return self.found[0] if self.found else None

    @property
    def incumbent(self) -> float:
        """What a design must cost less than to be among the `top` best ones, and below the upper bound."""
        return min(self.found[-1].cost if len(self.found) == self.top else inf, self.upper)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begun

    def begin_turn(self) -> None:
        """A solver is about to run; where those before it failed with the time gone, it gets a little more."""
        if self.limits.seconds is not None:
            least = LEAST_S if self.skipped and self.best is None else 0.0
            self.deadline = max(self.started + self.limits.seconds, clock.now() + least)

    @property
    def left(self) -> Limits:
        """The limits for whoever runs now."""
        if self.deadline is None:
            return self.limits
        return replace(self.limits, seconds=max(0.0, self.deadline - clock.now()))

    @property
    def is_over(self) -> bool:
        return self.deadline is not None and clock.now() >= self.deadline

    @property
    def is_proved(self) -> bool:
        """The best design is good enough, within the gap asked for; or none costs less than the upper bound."""
        cost = self.upper if self.best is None else self.best.cost
        if self.bound is None or not isfinite(cost):
            return False
        return cost * (1 - self.limits.gap) <= self.bound + EQUAL * abs(self.bound)

    @cached_property
    def costs(self) -> CostModel:
        """The cost model of the space of this search."""
        return self.make_costs(self.space)

    def faults(self, point: DesignPoint) -> tuple[str, ...]:
        """What is wrong with a point as far as it can be told."""
        return faults(self.costs, point)

    def judged(self, point: DesignPoint) -> Judged:
        """The last word about a design."""
        judged = Judged(None, {}) if self.judge is None else self.judge(point)
        if judged.cycles is not None:
            return judged
        return replace(judged, cycles=self.costs.evaluate(point))

    def offer(self, point: DesignPoint, solver: str) -> Offered:
        """Takes a legal design if it fits the budgets when it is built and is among the best."""
        judged = self.judged(point)
        cost, budget = judged.cycles if judged.cycles is not None else inf, self.space.target.budget
        over = budget.exceeded_by(judged.usage)
        if not over and cost < self.upper and all(point != other.point for other in self._offered):
            best = self.best
            candidate = Candidate(point, cost, budget.fullest(judged.usage), solver)
            insort(self._offered, candidate, key=lambda c: c.rank)
            del self._offered[EFFORT.spare_designs * self.top :]
            self.found = varied(self._offered, lambda c: c.point, self.top)
            if self.best is not best:
                self.tell()
        return Offered(cost, over, judged.usage)

    def raise_bound(self, bound: float | None) -> None:
        """A proven lower bound of every design's cost."""
        if bound is not None and isfinite(bound) and (self.bound is None or bound > self.bound):
            self.bound = bound
            self.tell()

    def skip(self, solver: str, reason: str) -> None:
        """Notes why a solver was of no use."""
        self.skipped.append(f"`{solver}` {reason}")

    def tell(self, cost: float | None = None, bound: float | None = None) -> None:
        """Passes progress on; `cost` and `bound` are of a solver that still runs."""
        if self.on_progress is not None:
            costs = [c for c in (cost, self.best.cost if self.best else None) if c is not None]
            bounds = [b for b in (bound, self.bound) if b is not None]
            self.on_progress(min(costs, default=None), max(bounds, default=None), self.seconds)

    def finish(self, outcome: SolveOutcome) -> SolveOutcome:
        """An outcome that speaks of the best design and of the whole search."""
        objective = outcome.objective if self.best is None else self.best.cost
        bound = self.bound if objective is None or self.bound is None else min(self.bound, objective)
        return replace(outcome, objective=objective, bound=bound, seconds=self.seconds)
