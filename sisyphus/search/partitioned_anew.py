"""Designs in which all nests ask for other partitions at once than in the best known one; knows no formula.

A nest that would be faster with other banks is not chosen so as long as others have no choices that go with these: of
choices sampled by their cycles hardly any two ask for the same. Here the slowest nests ask, one partition of all their
arrays after another, and all others offer what goes with it. Proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from sisyphus.ir import ArrayId
from sisyphus.search.costs import Mask
from sisyphus.search.effort import EFFORT
from sisyphus.search.greedy import greedy
from sisyphus.search.lower_bounds import LowerBounds, Offers
from sisyphus.search.neighbourhood import Neighbourhood
from sisyphus.search.sampling import Sample, shares_of
from sisyphus.search.solution import Solution
from sisyphus.search.tables import Table, joined_tables
from sisyphus.space import DesignPoint

if TYPE_CHECKING:
    from sisyphus.search.exact import Search

#: What a choice asks of the partition of each array that its nest shares with others (numbers of `States`).
Asked = tuple[int, ...]


class PartitionedAnew:
    """Looks for designs with other partitions around the `known` one, and around each better one, until time is up."""

    def __init__(self, search: Search, known: DesignPoint) -> None:
        self.search, self.around = search, Neighbourhood(search, known)

    def look(self) -> None:
        """Nests are chosen anew around a better design before they ask again."""
        search, near = self.search, self.around.near
        while near is not None and near.bounds is not None and search.goes_on():
            before = search.incumbent.cycles
            self._ask(near, near.bounds)
            if search.best is None or search.incumbent.cycles >= before * (1 - EFFORT.worth_a_sweep):
                return
            self.around = Neighbourhood(search, search.best)
            self.around.look()
            near = self.around.near

    def _ask(self, near: Solution, bounds: LowerBounds) -> None:
        """One partition after another, as long as no design is better."""
        search, before = self.search, self.search.incumbent.cycles
        offers = bounds.offers(near.placement, sampled=True)
        caps = bounds.caps(offers.steps, offers.floors(), search.cutoff)
        own, states = {pick.nest: pick for pick in near.picks}, bounds.costs.states
        for asking, asked in self._asked(near, offers, caps):
            wanted = dict(zip(asking.states, asked, strict=True))
            agreed = {array: states[array].allowed_by(state) for array, state in wanted.items()}
            few = Sample(EFFORT.answering_tilings, EFFORT.near_places, before, agreed)
            tables = [
                _asking_for(asking, wanted)
                if nest == asking.nest
                else _with_known(own[nest], options.sample(caps[nest], offers.most, few), agreed)
                for nest, options in offers.options.items()
            ]
            if all(table.count for table in tables):
                self.around.choose_anew(offers, tables, (greedy,))
            if search.incumbent.cycles < before or not search.goes_on():
                return

    def _asked(self, near: Solution, offers: Offers, caps: Mapping[str, float]) -> Iterator[tuple[Table, Asked]]:
        """Each table of a slow nest with what the best of its choices ask for, at one price after another."""
        worth, seen, tables = self.search.incumbent.cycles, set[tuple[str, Asked]](), dict[str, Table]()
        sample = Sample(EFFORT.near_tilings, EFFORT.near_places, worth)
        slow = [pick for pick in near.picks if pick.cycles[0] >= EFFORT.asking_share * worth]
        slow.sort(key=lambda pick: -float(pick.cycles[0]))
        for price in EFFORT.asking_prices:
            for nest in (pick.nest for pick in slow):
                if nest not in tables:
                    tables[nest] = offers.options[nest].sample(caps[nest], offers.most, sample)
                table = tables[nest]
                used = {name: amounts.sum(axis=0) for name, amounts in table.usage.items()}
                paid = price * worth * shares_of(used, offers.most, table.count)
                order = np.argsort(table.cycles + paid, kind="stable")
                each = np.stack([*table.states.values()], axis=1)[order].tolist() if table.states else []
                for asked in [*dict.fromkeys(map(tuple, each))][: EFFORT.asked_partitions]:
                    if (nest, asked) not in seen:
                        seen.add((nest, asked))
                        yield table, asked


def _with_known(known: Table, offered: Table, agreed: Mapping[ArrayId, Mask]) -> Table:
    """What a nest offers behind its choice in the known design, if that is agreed, too."""
    is_agreed = all(agreed[array][own].all() for array, own in known.states.items() if array in agreed)
    return joined_tables([known, offered]) if is_agreed else offered


def _asking_for(table: Table, wanted: Mapping[ArrayId, int]) -> Table:
    """The choices that ask for these partitions and no others."""
    same = np.ones(table.count, np.bool_)
    for array, own in table.states.items():
        same &= own == wanted[array]
    return table.take(same)
