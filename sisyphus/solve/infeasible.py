"""Why nothing fits: which budget is too small, and how much of it would do with all others as they are."""

from __future__ import annotations

import time
from dataclasses import dataclass

from sisyphus.errors import NoDesignError
from sisyphus.solve.exact import CostModel, Engine, Limit, Terms
from sisyphus.solve.session import Session

#: Seconds for the whole explanation, and at least for each budget.
LIMIT_S, LEAST_S = 10.0, 1.0
#: No budget is raised further than this.
MOST = 1 << 40


@dataclass(frozen=True)
class Need:
    """A budget that alone stands in the way; `amount` fits and is the least that does, or about so."""

    limit: Limit
    amount: int
    is_least: bool

    @property
    def ratio(self) -> float:
        return self.amount / max(self.limit.amount, 1)


def explain_infeasible(session: Session) -> NoDesignError:
    """The error to raise where nothing fits, with the tightest budget and the smallest amount of it that would do."""
    name = session.space.scop.name
    costs = session.costs_of(session.space)
    needs = [] if costs is None else _needs(session, costs)
    if needs:
        tightest = min(needs, key=lambda need: need.ratio)
        others = [_said(need) for need in sorted(needs, key=lambda need: need.ratio)[1:]]
        return NoDesignError(
            f"no design of `{name}` fits: {tightest.limit.amount} {tightest.limit.unit} are too few, "
            f"the smallest number that fits is {'' if tightest.is_least else 'at most '}{tightest.amount}",
            hint=f"{_said(tightest)}" + (f", or {', or '.join(others)}" if others else ""),
        )
    budget = session.space.target.budget
    return NoDesignError(
        f"no design of `{name}` fits {budget.dsp} DSPs, {budget.onchip_bytes} bytes on chip and "
        f"{session.space.target.max_partition} banks per array, and raising one of them alone does not help",
        hint="raise several of --dsp, --mem and --max-partition, or free a knob fixed with --fix",
    )


def _said(need: Need) -> str:
    return f"`{need.limit.option} {need.amount}`"


def _needs(session: Session, costs: CostModel) -> list[Need]:
    limits = costs.limits()
    needs = []
    for limit in limits:
        deadline = time.monotonic() + max(LEAST_S, LIMIT_S / len(limits))
        need = _need(session, limit, deadline)
        if need is not None:
            needs.append(need)
    return needs


def _need(session: Session, limit: Limit, deadline: float) -> Need | None:
    """Growing and halving, with one search for any design at each step."""
    if not _fits(session, limit, MOST, deadline):
        return None
    low, high = limit.amount, max(2 * limit.amount, 1)
    while high < MOST and not _fits(session, limit, high, deadline):
        low, high = high, min(high * 8, MOST)
    while high - low > 1 and time.monotonic() < deadline:
        middle = (low + high) // 2
        low, high = (low, middle) if _fits(session, limit, middle, deadline) else (middle, high)
    return Need(limit, high, high - low <= 1)


def _fits(session: Session, limit: Limit, amount: int, deadline: float) -> bool:
    costs = session.costs_of(limit.relaxed(amount))
    if costs is None:
        return False
    return Engine(costs, Terms(deadline, first_only=True)).run().solution is not None
