"""How a search begins, to have a design soon: with which placement of arrays, and how long with each; knows no cost."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

import numpy as np

from sisyphus.search.combine import branch_and_bound
from sisyphus.search.costs import Placement
from sisyphus.search.effort import EFFORT
from sisyphus.search.events import Bound, Combine
from sisyphus.search.greedy import greedy
from sisyphus.search.lower_bounds import Offers
from sisyphus.search.nodes import Problem
from sisyphus.search.placements import first_placements
from sisyphus.search.sampling import Sample
from sisyphus.search.solution import problem_of
from sisyphus.values import dataclass, replace

if TYPE_CHECKING:
    from sisyphus.search.exact import Search


@dataclass(frozen=True)
class Attempt:
    """How much a short search does, counted so that it finds the same on every machine.

    It looks at `nodes` combinations of one nest, fewer of several, and `longer` times as many while there is no design
    at all; it ends after so many designs that were `refused` or no better. Then it may keep to a smaller one of the
    `shares` of the budgets, or `of_exceeded` alone. `places`: in how many ways transfers are placed.
    """

    shares: tuple[float, ...] = (1.0, 0.7, 0.4)
    refused: int = 3
    places: int = 10
    nodes: int = 600
    longer: int = 4
    of_exceeded: bool = False


#: Where no design was found: what fills half of the memory, as windows of strips do, has no place in less of it,
#: however few operations are done at once; then a longer one.
LESS_OF_ONE = Attempt(of_exceeded=True)
MORE = Attempt(shares=(1.0,), refused=30, places=1000, longer=10)


def first_designs(search: Search) -> list[Placement]:
    """A first design from a few tilings. Returns other placements that are worth a try."""
    bounds = search.lower_bounds
    starts = first_placements(search.costs.space, bounds.in_registers)
    waiting = [placement for placement in starts if bounds.has_room(placement)]
    for attempt in (Attempt(), LESS_OF_ONE, MORE):
        for tried, placement in enumerate(waiting, start=1):
            try_placement(search, placement, attempt)
            if np.isfinite(search.incumbent.cycles):
                return waiting[tried : EFFORT.sampled_placements]
    return []


def try_placement(search: Search, placement: Placement, attempt: Attempt | None = None) -> None:
    """Short searches among some of the tilings, within less of the budgets where designs turn out too large.

    At first a design is put together of choices that are good enough; it has to fit.
    """
    attempt = attempt or Attempt()
    offers = search.lower_bounds.with_most_ports(placement).offers(placement, sampled=True)
    floors = offers.floors()
    caps = offers.bounds.caps(offers.steps, floors, search.cutoff)
    sample = Sample(EFFORT.sampled_tilings, attempt.places, offers.bounds.total_of(offers.steps, floors))
    tables = [o.sample(caps[nest], offers.most, sample) for nest, o in offers.options.items()]
    if not all(table.count for table in tables):
        return
    nodes = max(attempt.nodes * (1 if np.isfinite(search.incumbent.cycles) else attempt.longer) // len(tables), 1)
    less = [budget.name for budget in offers.budgets if budget.name in search.exceeded or not attempt.of_exceeded]

    problem = problem_of(offers, tables, coupled=True).with_lookahead()
    alone = replace(problem, recount=None)

    def is_refused(share: float) -> bool:
        return short(search, within(offers, share, less), alone, greedy, most_refused=1) > 0

    with_shares(is_refused, lambda: search.has_enough)
    for share in attempt.shares:
        before, part = search.incumbent.cycles, within(offers, share, less)
        # what is next to them may change what designs cost, but not whether there is one
        for asked in (alone, problem):
            refused = short(search, part, asked, branch_and_bound, nodes, most_refused=attempt.refused)
            if not np.isfinite(search.incumbent.cycles):
                break
        if search.incumbent.cycles < before or not refused or search.is_stopped:
            return


def short(
    search: Search,
    offers: Offers,
    problem: Problem,
    combine: Combine,
    nodes: float = float("inf"),
    *,
    most_refused: int,
) -> int:
    """Looks at so many nodes of a problem within the budgets of the offers, or until so many designs were no better.

    How many these were.
    """
    problem = replace(problem, budgets=offers.budgets)
    refused = 0
    for event in search.judged(problem, offers, None, search.cutoff, combine, may_leave_out=False):
        if isinstance(event, Bound):
            nodes -= 1
        elif not getattr(event, "is_better", True):
            refused += 1
        if nodes < 0 or refused >= most_refused:
            break
    return refused


def within(offers: Offers, share: float, names: Collection[str]) -> Offers:
    """The same choices with only a share of the budgets of some names."""
    budgets = [replace(b, limit=b.limit * share) if b.name in names else b for b in offers.budgets]
    return replace(offers, budgets=budgets)


def with_shares(
    is_refused: Callable[[float], bool], has_enough: Callable[[], bool] = lambda: False, most: float = 1.0
) -> None:
    """Tries smaller and smaller shares of the budgets until a design is not refused, then some that are larger.

    `most` is the first one. Models of the search count less than a design takes when built, one more so than another.
    No other one is tried once the search `has_enough`.
    """
    refused = None
    for share in (most, *(share for share in EFFORT.budget_shares if share < most)):
        if not is_refused(share):
            break
        if has_enough():
            return
        refused = share
    else:
        return
    for _ in range(EFFORT.budget_halves if refused is not None else 0):
        middle = (share + (refused or 1.0)) / 2
        if is_refused(middle):
            refused = middle
        else:
            share = middle
