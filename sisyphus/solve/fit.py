"""Searching until the design that was found fits every budget by the full model; knows no formula."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
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

    A formulation counts some resources only roughly, so every design found is judged by the full model. With `improve`,
    the best one is then improved by it.
    """
    first, *others = solver_list(solver)
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    budget, seen = space.target.budget, _Seen(space.target.budget, judge)
    asked = _Asked(formulate, first, limits, deadline, seen.excess, on_progress)
    try:
        found = _found(space, asked, others, seen)
    except (NoDesignError, TimeUp) as failure:
        raise seen.explained(failure) from failure
    if not improve:
        return found
    best = found if seen.best is None else replace(found, point=seen.best)
    return _improved(space, formulate, best, lambda p: _cost(budget, judge(p)), deadline)


def _found(space: Space, asked: _Asked, others: Sequence[str], seen: _Seen) -> Found:
    """By our own search if that comes first, then by the other solvers."""
    if asked.solver != EXACT:
        names = ",".join([asked.solver, *others])
        return _by_tighter_budgets(space, replace(asked, solver=names, excess=_nothing), seen)
    try:
        return _by_smaller_banks(space, asked)
    except TimeUp:
        if not others or asked.is_over:
            raise
    return _by_tighter_budgets(space, replace(asked, solver=",".join(others), excess=_nothing), seen)


def _nothing(point: DesignPoint) -> int:
    """Every budget is looked at after the search."""
    return 0


class _Seen:
    """Designs that a search came across, judged by the full model; `best` is the cheapest that fits."""

    def __init__(self, budget: Budget, judge: Judge) -> None:
        self.budget, self.judge = budget, judge
        self.best: DesignPoint | None = None
        self.cost = inf
        self.nearest: dict[str, float] | None = None

    def excess(self, point: DesignPoint) -> int:
        """0 where a design fits; else by how many bytes less on chip it might."""
        judged = self.judge(point)
        cost = _cost(self.budget, judged)
        if cost < self.cost:
            self.best, self.cost = point, cost
        over = _excess(self.budget, judged.usage)
        if over and (self.nearest is None or max(over.values()) < max(self.nearest.values())):
            self.nearest = over
        return _bytes_too_many(self.budget, judged.usage)

    def explained(self, failure: NoDesignError | TimeUp) -> NoDesignError | TimeUp:
        """The failure, with the budgets that the nearest design exceeds where designs were found but none fits."""
        if self.nearest is None or self.best is not None:
            return failure
        return type(failure)(
            f"no design was found that fits; the nearest one exceeds {_named(self.nearest)}",
            hint="raise that budget, free a knob fixed with --fix, or give more --time-limit",
        )


@dataclass(frozen=True)
class _Asked:
    """One search after another with what is left of the time."""

    formulate: Formulation
    solver: str
    limits: Limits
    deadline: float | None
    excess: Callable[[DesignPoint], int]
    on_progress: OnProgress | None

    def search(self, space: Space, share: float = 1.0) -> Found:
        limits = _left(self.limits, self.deadline, share)
        return search(space, self.formulate, self.solver, limits, self.excess, on_progress=self.on_progress)

    @property
    def is_over(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline


def _by_smaller_banks(space: Space, asked: _Asked) -> Found:
    """Our own search refuses designs one by one; where none fits, it has fewer banks per array to choose from.

    Fewer banks take less logic and fewer memory blocks, and narrow the ports.
    """
    most = space.target.max_partition
    steps = [most, *(banks for banks in (256, 64, 16, 4, 1) if banks < most)]
    failures: list[NoDesignError | TimeUp] = []
    for left, banks in zip(range(len(steps), 0, -1), steps, strict=True):
        if failures and asked.is_over:
            break
        try:
            return asked.search(_with_banks(space, banks), share=1 / min(left, 3))
        except (NoDesignError, TimeUp) as reason:
            failures.append(reason)
    raise next((f for f in failures if isinstance(f, NoDesignError)), failures[0])


def _with_banks(space: Space, banks: int) -> Space:
    partitions = {
        array: tuple(tuple(v for v in values if v <= banks) or values[:1] for values in dims)
        for array, dims in space.partitions.items()
    }
    return replace(space, partitions=partitions, target=replace(space.target, max_partition=banks))


def _by_tighter_budgets(space: Space, asked: _Asked, seen: _Seen) -> Found:
    """Other solvers are asked again with budgets tightened in proportion (memory blocks: the number of banks)."""
    over: dict[str, float] = {}
    narrowed = space
    for _ in range(MAX_ROUNDS):
        found = asked.search(narrowed)
        over = _excess(seen.budget, seen.judge(found.point).usage)
        if not over:
            return found
        if asked.is_over:
            raise TimeUp(f"time ran out before a design was found within {_named(over)}", hint="raise --time-limit")
        narrowed = _tightened(narrowed, over)
    raise NoDesignError(f"no design was found within {_named(over)}", hint="raise that budget, or fix knobs with --fix")


def _cost(budget: Budget, judged: Judged) -> float:
    """Cycles, and a little for a full chip; infinite where a design does not fit."""
    if _excess(budget, judged.usage):
        return inf
    return judged.cycles * (1 + FULL_CHIP * _fullest(budget, judged.usage))


def _improved(
    space: Space, formulate: Formulation, found: Found, cost: Callable[[DesignPoint], float], deadline: float | None
) -> Found:
    costs = COSTS.get(formulate)
    if costs is None:
        return found
    return replace(found, point=refine(costs(space), found.point, cost, deadline))


def _fullest(budget: Budget, used: Mapping[str, int]) -> float:
    """The largest share of a budget that is used."""
    limits = {name: getattr(budget, name) for name in used}
    return max((used[name] / limit for name, limit in limits.items() if limit), default=0.0)


def _left(limits: Limits, deadline: float | None, share: float) -> Limits:
    return limits if deadline is None else replace(limits, seconds=max(0.5, share * (deadline - time.monotonic())))


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
    return ", ".join(f"{name} by {100 * (ratio - 1):.0f} %" for name, ratio in sorted(over.items()))
