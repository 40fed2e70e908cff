"""What solvers have found so far in one search, whichever they were; knows no solver."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isfinite
from typing import Protocol

from sisyphus.nlp import Knobs
from sisyphus.solve.check import faults
from sisyphus.solve.contract import Limits, SolveOutcome
from sisyphus.solve.exact import CostModel, MakeCosts
from sisyphus.space import DesignPoint, Space

#: Shares of a cost below which two of them are equal: ours, and that of solvers that compute with tolerances.
EQUAL, ROUGHLY_EQUAL = 1e-9, 1e-5
#: Seconds for a solver whose predecessors left neither a design nor time.
LEAST_S = 5.0


class Formulation(Protocol):
    """Builds the optimization problem of a space."""

    def __call__(self, space: Space) -> Knobs: ...


#: Bytes by which a built design exceeds the on-chip budget; 0 or less where it fits.
Excess = Callable[[DesignPoint], int]
#: Told of every better design and every higher bound: cost (None: nothing yet), bound (None: unknown), seconds.
OnProgress = Callable[[float | None, float | None, float], None]


@dataclass(frozen=True)
class Candidate:
    """A design point with its cost, and who found it."""

    point: DesignPoint
    cost: float
    solver: str


class Session:
    """The state of one search: what is asked, the best design, the bound, the time left."""

    def __init__(
        self,
        space: Space,
        formulate: Formulation,
        limits: Limits,
        excess: Excess,
        *,
        costs: MakeCosts | None,
        on_progress: OnProgress | None,
    ) -> None:
        self.space, self.formulate, self.limits, self.excess = space, formulate, limits, excess
        self.make_costs = costs
        self.on_progress = on_progress
        self.started = time.monotonic()
        self.deadline = None if limits.seconds is None else self.started + limits.seconds
        self.best: Candidate | None = None
        self.bound: float | None = None
        self.skipped: list[str] = []

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def begin_turn(self) -> None:
        """A solver is about to run; where those before it failed with the time gone, it gets a little more."""
        if self.limits.seconds is not None:
            least = LEAST_S if self.skipped and self.best is None else 0.0
            self.deadline = max(self.started + self.limits.seconds, time.monotonic() + least)

    @property
    def left(self) -> Limits:
        """The limits for whoever runs now."""
        if self.deadline is None:
            return self.limits
        return replace(self.limits, seconds=max(0.0, self.deadline - time.monotonic()))

    @property
    def is_over(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline

    @property
    def is_proved(self) -> bool:
        """The best design is known to be within the gap asked for."""
        if self.best is None or self.bound is None:
            return False
        return self.best.cost * (1 - self.limits.gap) <= self.bound + EQUAL * abs(self.bound)

    def costs_of(self, space: Space) -> CostModel | None:
        """The cost model of a space with other budgets."""
        return None if self.make_costs is None else self.make_costs(space)

    def faults(self, point: DesignPoint) -> tuple[str, ...]:
        """What is wrong with a point as far as it can be told."""
        costs = self.costs_of(self.space)
        return () if costs is None else faults(costs, point)

    def cost(self, point: DesignPoint, claimed: float | None) -> float:
        """By our own count; what the solver says where there is none."""
        costs = self.costs_of(self.space)
        return costs.evaluate(point) if costs is not None else float("inf") if claimed is None else claimed

    def offer(self, point: DesignPoint, cost: float, solver: str) -> bool:
        """Takes a legal design if it is better than the best; equal ones are told apart by their sorted JSON."""
        best = self.best
        if best is not None:
            if cost > best.cost:
                return False
            if cost == best.cost and point.sort_key() >= best.point.sort_key():
                return False
        self.best = Candidate(point, cost, solver)
        self.tell()
        return True

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
