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
from sisyphus.search.nodes import Problem
from sisyphus.search.partitions import IMPOSSIBLE
from sisyphus.search.placements import moved_by_one
from sisyphus.search.sampling import Sample
from sisyphus.search.solution import Solution, problem_of, solution_of
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

    `near` is that design as choices of this search, if it is one. Where a sweep finds nothing, one array after another
    is moved on chip or off it, once around each design; then comes a sweep among more choices, as long as there are
    more. `share` is what was left of exceeded budgets when a design was last not refused.
    """

    def __init__(self, search: Search, known: Solution | DesignPoint) -> None:
        self.search, self.known, self.share = search, known, 1.0
        self.near = of_point(search, known) if isinstance(known, DesignPoint) else known
        self._wider, self._looked_at = 1, 0
        self._moved: Solution | DesignPoint | None = None
        self._is_exhausted = False

    near: Solution | None

    def look(self) -> None:
        """As long as that pays, in a share of the time that is left; again, it goes on from there."""
        search = self.search
        until = search.lower_bounds.deadline.after(EFFORT.near_share)
        while not (self._is_exhausted or search.is_stopped or self.near is None or self.near.bounds is None):
            before = search.incumbent.cycles
            looked_at = self._sweep(self.near, self.near.bounds)
            if not self._is_better(before) and self.known is not self._moved:
                self._moved = self.known
                self._move_arrays(self.near)
            if search.best is not None and self._is_better(before):
                self.known = self.near = search.best
            else:
                self._is_exhausted = looked_at <= self._looked_at or self._wider >= EFFORT.near_widest
                self._wider, self._looked_at = 2 * self._wider, looked_at
                if until.is_over:
                    return

    def _is_better(self, before: float) -> bool:
        return self.search.incumbent.cycles < before * (1 - EFFORT.worth_a_sweep)

    def _move_arrays(self, near: Solution) -> None:
        """Looks at placements that have one array elsewhere, as long as no design is better than `near`.

        Nests that do not use the array have what they have there among their choices.
        """
        search, before = self.search, self.search.incumbent.cycles
        for array, placement in moved_by_one(search.costs.space, near.placement):
            if self._is_better(before) or not search.goes_on():
                return
            if not search.lower_bounds.has_room(placement):
                continue
            offers = search.lower_bounds.with_most_ports(placement).offers(placement, sampled=True)
            kept = [pick for pick in near.picks if search.costs.space.nest(pick.nest).use(array) is None]
            tables = self._tables(kept, near, offers)
            if all(table.count for table in tables):
                self.choose_anew(offers, tables, (greedy,))

    def _sweep(self, near: Solution, bounds: LowerBounds) -> int:
        """Chooses all nests anew, from what `near` has, from nothing, and by a short search; among how many choices."""
        offers = bounds.offers(near.placement, sampled=True)
        tables = self._tables(near.picks, near, offers)
        self.choose_anew(offers, tables, (descent, greedy))
        return sum(table.count for table in tables)

    def choose_anew(self, offers: Offers, tables: Sequence[Table], ways: Sequence[Combine]) -> None:
        """Every nest from its table: in these ways, and if no design is better, by a short search."""
        search, before = self.search, self.search.incumbent.cycles
        problem = problem_of(offers, tables, coupled=True).with_lookahead()
        for combine in ways:
            self._with_shares(offers, problem, combine)
            if search.incumbent.cycles < before or search.is_stopped:
                return
        nodes = max(EFFORT.near_nodes // len(tables), 1)
        short(search, offers, problem, branch_and_bound, nodes, most_refused=3)

    def _with_shares(self, offers: Offers, problem: Problem, combine: Combine) -> None:
        def is_refused(share: float) -> bool:
            part = within(offers, share, self.search.exceeded)
            if not short(self.search, part, problem, combine, most_refused=1):
                self.share = share
                return False
            return bool(self.search.exceeded)

        with_shares(is_refused, lambda: self.search.has_enough, self.share)

    def _tables(self, picks: Sequence[Table], near: Solution, offers: Offers) -> list[Table]:
        """Choices of each nest, `picks` first; others that ask for no other partitions than `near`, as many for any."""
        search, states, wider = self.search, offers.bounds.costs.states, self._wider
        agreed = {array: known.allowed_by(near.states[array]) for array, known in states.items()}
        caps = offers.bounds.caps(offers.steps, offers.floors(), search.cutoff)
        free = Sample(wider * EFFORT.near_tilings, wider * EFFORT.near_places, search.incumbent.cycles)
        found = []
        for nest, options in offers.options.items():
            own = [pick for pick in picks if pick.nest == nest]
            samples = (
                options.sample(caps[nest], offers.most, sample) for sample in (replace(free, agreed=agreed), free)
            )
            found.append(joined_tables([*own, *samples]))
        return found
