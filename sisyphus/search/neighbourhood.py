"""Improving the best known design: each nest is chosen anew, beside what the others have, until nothing improves.

Windows above what nests take at least do not come to designs that share tight budgets: with so much of a budget for one
nest, others are far from their best. Around a known design nests have choices that go with the partitions that arrays
have in it, and others, both of the best value among them. Proves nothing, and knows no formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sisyphus.search.combine import branch_and_bound
from sisyphus.search.costs import Placement
from sisyphus.search.effort import EFFORT
from sisyphus.search.events import Combine, Whole
from sisyphus.search.greedy import descent, greedy
from sisyphus.search.lower_bounds import LowerBounds, Offers
from sisyphus.search.partitions import IMPOSSIBLE
from sisyphus.search.sampling import Sample
from sisyphus.search.solution import Solution, solution_of
from sisyphus.search.start import short, with_shares, within
from sisyphus.search.tables import Table, joined_tables
from sisyphus.space import DesignPoint, NotADesign, choices
from sisyphus.values import replace

if TYPE_CHECKING:
    from sisyphus.search.exact import Search


def of_point(search: Search, point: DesignPoint) -> Solution | None:
    """A design of a like space as one of this one; None where it is none, as with tiles that are not in it."""
    bounds = search.lower_bounds
    try:
        chosen = choices(search.costs.space, point)
    except NotADesign:
        return None
    residents = frozenset(array for nest in chosen.nests.values() for array in nest.residents)
    placement = Placement(residents, chosen.registers & bounds.in_registers)
    offers = bounds.with_most_ports(placement).offers(placement, sampled=True)
    picks = [options.find(chosen.nests[nest]) for nest, options in offers.options.items()]
    found = [pick for pick in picks if pick is not None]
    if len(found) < len(picks):
        return None
    known = solution_of(offers, found, Whole(search.incumbent.cycles, (0,) * len(found)), None)
    return known if IMPOSSIBLE not in known.states.values() else None


class Neighbourhood:
    """Looks for designs better than the best one around a `known` one, and around each of these, which is known then.

    `near` is that design as choices of this search, if it is one. Each sweep that finds nothing is followed by one
    among more choices, as long as there are more. `share` is what was left of exceeded budgets when a design was last
    not refused.
    """

    def __init__(self, search: Search, known: Solution | DesignPoint) -> None:
        self.search, self.known, self.share = search, known, 1.0
        self.near = of_point(search, known) if isinstance(known, DesignPoint) else known
        self._wider, self._looked_at = 1, 0
        self._is_exhausted = False

    near: Solution | None

    def look(self) -> None:
        """As long as that pays, in a share of the time that is left; again, it goes on from there."""
        search = self.search
        until = search.lower_bounds.deadline.after(EFFORT.near_share)
        while not (self._is_exhausted or search.is_stopped or self.near is None or self.near.bounds is None):
            before = search.incumbent.cycles
            looked_at = self._sweep(self.near, self.near.bounds)
            if search.best is not None and search.incumbent.cycles < before * (1 - EFFORT.worth_a_sweep):
                self.known = self.near = search.best
            else:
                self._is_exhausted = looked_at <= self._looked_at or self._wider >= EFFORT.near_widest
                self._wider, self._looked_at = 2 * self._wider, looked_at
                if until.is_over:
                    return

    def _sweep(self, near: Solution, bounds: LowerBounds) -> int:
        """Chooses all nests anew, from what `near` has, from nothing, and by a short search; among how many choices."""
        search, before = self.search, self.search.incumbent.cycles
        offers = bounds.offers(near.placement, sampled=True)
        tables = self._tables(near, offers)
        for combine in (descent, greedy):
            self._with_shares(offers, tables, combine)
            if search.incumbent.cycles < before or search.is_stopped:
                break
        else:
            nodes = max(EFFORT.near_nodes // len(tables), 1)
            short(search, offers, tables, branch_and_bound, nodes, most_refused=3, coupled=True)
        return sum(table.count for table in tables)

    def _with_shares(self, offers: Offers, tables: Sequence[Table], combine: Combine) -> None:
        def is_refused(share: float) -> bool:
            part = within(offers, share, self.search.exceeded)
            if not short(self.search, part, tables, combine, most_refused=1, coupled=combine is descent):
                self.share = share
                return False
            return bool(self.search.exceeded)

        with_shares(is_refused, most=self.share)

    def _tables(self, near: Solution, offers: Offers) -> list[Table]:
        """Choices of each nest, those of `near` first; others that ask for no other partitions, and as many for any."""
        search, states, wider = self.search, offers.bounds.costs.states, self._wider
        agreed = {array: known.joined_with(near.states[array]) == near.states[array] for array, known in states.items()}
        caps = offers.bounds.caps(offers.steps, offers.floors(), search.cutoff)
        free = Sample(wider * EFFORT.near_tilings, wider * EFFORT.near_places, search.incumbent.cycles)
        found = []
        for pick in near.picks:
            options, cap = offers.options[pick.nest], caps[pick.nest]
            samples = (options.sample(cap, offers.most, sample) for sample in (replace(free, agreed=agreed), free))
            found.append(joined_tables([pick, *samples]))
        return found
