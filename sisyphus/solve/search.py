"""From a design space to a proven design point with a solver of the user's choice; knows no formula and no code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from sisyphus.errors import InternalError, NoDesignError, TimeUp
from sisyphus.nlp import Knobs, decode
from sisyphus.solve.contract import Limits, SolveOutcome, SolveRequest, Stop
from sisyphus.solve.registry import find_adapter
from sisyphus.solve.run import solve
from sisyphus.space import DesignPoint, Space

#: How often a design that is larger than the formulation thought is answered by a tighter budget.
MAX_ROUNDS = 8


class Formulation(Protocol):
    """Builds the optimization problem of a space."""

    def __call__(self, space: Space) -> Knobs: ...


@dataclass(frozen=True)
class Found:
    """A design point and how it was found."""

    point: DesignPoint
    outcome: SolveOutcome


#: Bytes by which a built design exceeds the on-chip budget; 0 or less where it fits.
Excess = Callable[[DesignPoint], int]


def search(space: Space, formulate: Formulation, solver: str, limits: Limits, excess: Excess) -> Found:
    """The best point of a space.

    Banks are whole words, so that a partition that does not divide an extent takes a little more memory than the
    formulation counts: then the budget is tightened by the difference and the search repeated.
    Raises `NoDesignError` where nothing fits, `TimeUp` where time ran out first.
    """
    find_adapter(solver)
    for _ in range(MAX_ROUNDS):
        knobs = formulate(space)
        outcome = solve(solver, SolveRequest(knobs.model, limits))
        if outcome.values is None:
            raise _no_design(space, solver, outcome)
        point = decode(space, outcome.values)
        over = excess(point)
        if over <= 0:
            return Found(point, outcome)
        space = _tightened(space, over)
    raise NoDesignError("no design was found whose banks fit the on-chip memory", hint="raise --mem")


def _tightened(space: Space, over: int) -> Space:
    budget = space.target.budget
    if budget.onchip_bytes is None:
        raise InternalError("a design exceeds a budget that there is not")
    budget = replace(budget, onchip_bytes=budget.onchip_bytes - over)
    return replace(space, target=replace(space.target, budget=budget))


def _no_design(space: Space, solver: str, outcome: SolveOutcome) -> Exception:
    if outcome.stop is Stop.INFEASIBLE:
        budget = space.target.budget
        return NoDesignError(
            f"no design of `{space.scop.name}` fits {budget.dsp} DSPs and {budget.onchip_bytes} bytes on chip",
            hint="raise --dsp or --mem, or free a knob fixed with --fix",
        )
    if outcome.stop is Stop.TIME:
        return TimeUp(f"time ran out before `{solver}` found a design", hint="raise --time-limit")
    return NoDesignError(f"solver `{solver}` failed: {outcome.message or 'no design, no reason'}")
