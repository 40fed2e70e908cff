"""The choices of one nest, worst ones left out: a tiling and, for its tiled arrays, the place of their transfers.

Choices are made only up to a limit of cycles, because places multiply with tilings: the search asks for the cheapest
first and for more where it has to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from sisyphus.algebra import distinct, first_of_rows
from sisyphus.errors import InternalError
from sisyphus.ir import ArrayId
from sisyphus.search.chains import Chains
from sisyphus.search.costs import Arrays, CostModel, Costs, Floats, Ints, Mask, Placed, Tilings
from sisyphus.search.deadline import Deadline
from sisyphus.search.effort import EFFORT
from sisyphus.search.places import Block, breadth_of, least_latency, places_of
from sisyphus.search.recounts import Recounts
from sisyphus.search.sampling import Sample, sampled, shares_of
from sisyphus.search.tables import (
    Table,
    cheapest,
    fitting_alone,
    joined_tables,
    just_below,
    of_few_kinds,
    pareto,
    spread,
)
from sisyphus.space import ArrayUse, NestChoices, NestSpace
from sisyphus.values import replace


class Options:
    """The choices of a nest whose arrays `tiled` are transferred tile by tile and some others lie in `registers`.

    `base` is what its tilings cost without transfers: exactly if it `is_counted`, which needs all arrays resident, or
    else at least.
    """

    def __init__(
        self,
        costs: CostModel,
        nest: NestSpace,
        tilings: Tilings,
        base: Costs,
        tiled: Sequence[ArrayId],
        registers: Arrays,
        *,
        is_counted: bool,
    ) -> None:
        self.costs, self.nest, self.tilings, self.base, self.registers = costs, nest, tilings, base, registers
        self.is_counted = is_counted
        self.uses = [self._use(array) for array in tiled]
        #: Arrays with a buffer for this nest alone; in the paper's model an array has one partition for all nests.
        self._apart = frozenset(tiled) if costs.has_couplings else frozenset()
        self.chains = Chains(costs.space, nest, tiled)
        self._least_usage = self._usage_with_all_outside()
        #: Per tiling its cycles at least, and those of all its choices that are not in the table.
        self._at_least = least_latency(costs, nest, base.cycles, self.uses)
        self._lower = self._at_least
        nothing = self._entry(np.zeros(0, np.int64), base.cycles[:0])
        self._nothing = replace(nothing, complete_to=-np.inf)
        self._table: Table | None = None
        self._recounts = Recounts()
        self._budgets: dict[str, float] = {}
        self._floor = float(self._at_least.min(initial=np.inf))

    def _use(self, array: ArrayId) -> ArrayUse:
        use = self.nest.use(array)
        if use is None:
            raise InternalError(f"nest `{self.nest.id}` does not use `{array}`")
        return use

    def _usage_with_all_outside(self) -> dict[str, Floats]:
        """Per budget what each tiling takes at least, over all kinds."""
        least = {name: np.asarray(used.sum(axis=0)) for name, used in self.base.usage.items()}
        outside = frozenset(self.tilings.batch.loops)
        for use in self.uses:
            for name, used in self.costs.tile_usage(self.nest, use, self.tilings.batch, outside).items():
                least[name] = least[name] + used.sum(axis=0)
        return least

    def floor(self, budgets: Mapping[str, float]) -> float:
        """No choice that fits the budgets alone takes fewer cycles."""
        if self._table is None or any(most > self._budgets[name] for name, most in budgets.items()):
            return self._floor
        others = float(self._lower[self._fits(self._budgets)].min(initial=np.inf))
        known = self._table
        return max(self._floor, min(max(known.complete_to, others), float(known.cycles.min(initial=np.inf))))

    def breadth(self, limit: float) -> int:
        """How many choices of at most `limit` cycles there may be."""
        tilings = int((self._lower <= limit).sum())
        return tilings * (breadth_of(self.nest, self.chains) if self.uses else 1)

    def within(self, limit: float, budgets: Mapping[str, float], deadline: Deadline) -> Table:
        """Choices of at most `limit` cycles that fit the budgets alone, without those that another one matches.

        The table says up to which cycles it is complete: not up to the limit where there are too many choices at once,
        so that the next call goes on from there, or where time is over.
        """
        if self._table is None or any(most > self._budgets[name] for name, most in budgets.items()):
            self._table, self._budgets = self._nothing, dict(budgets)
            self._lower = self._at_least.copy()
        known = self._table
        if limit > known.complete_to:
            more = self._slice(self._lower, known.complete_to, limit, self._budgets, deadline)
            both = pareto(joined_tables([known, more]) if known.count else more)
            known = self._table = replace(both, complete_to=more.complete_to)
        return fitting_alone(known, limit, budgets)

    def alike(self, limit: float, budgets: Mapping[str, float], deadline: Deadline, most: int) -> Table:
        """The same with those that another one matches in everything: they may get along better with other nests.

        No more than `most` at once.
        """
        found = self._slice(self._at_least.copy(), -np.inf, limit, budgets, deadline, most, is_rounded=False)
        return fitting_alone(found, limit, budgets)

    def sample(self, limit: float, budgets: Mapping[str, float], sample: Sample) -> Table:
        """Some choices of at most `limit` cycles that fit the budgets alone.

        Where arrays are tiled, some times as many tilings as asked for, and twice as many of these with places.
        """
        kept = self._fits(budgets) & (self._at_least <= limit)
        for array, states in self._resident_states().items():
            if array in sample.agreed:
                kept &= sample.agreed[array][states]
        rows, most = np.flatnonzero(kept), self.costs.counted_per_look(self.nest)
        count = min(sample.count, most)
        if self.uses:
            families = len(self.chains.families((1 << len(self.nest.loops)) - 1))
            # no order of all loops need be legal
            count = min(count * EFFORT.sampled_more, max(EFFORT.sampled_places // max(families, 1), 8))
        least = self._at_least if self.uses else self.base.cycles
        sizes = shares_of({name: used[rows] for name, used in self._least_usage.items()}, budgets, len(rows))
        rows = rows[sampled(least[rows], sizes, count, sample.worth)]
        if not self.uses:
            return pareto(fitting_alone(self._counted(self._entry(rows, self.base.cycles[rows])), limit, budgets))
        scratch = np.full(self.tilings.count, np.inf)
        found = joined_tables([self._nothing, *self._placed_entries(scratch, rows, -np.inf, limit, budgets)])
        found = of_few_kinds(found.take(np.argsort(found.cycles, kind="stable")), sample.places)
        found = found.take(spread(found.count, min(2 * EFFORT.sampled_more * sample.count, most)))
        return pareto(fitting_alone(self._counted(found), limit, budgets))

    def find(self, choice: NestChoices) -> Table | None:
        """A table of one entry for what is chosen, or None where that is none of the choices."""
        batch = self.tilings.batch
        is_same = batch.interval == choice.interval
        for at, loop in enumerate(batch.loops):
            tile = choice.tiles[loop]
            own = (batch.level0[at], batch.level1[at], batch.level2[at], batch.copies[at])
            for counts, count in zip(own, (tile.level0, tile.level1, tile.level2, choice.copies[loop]), strict=True):
                is_same &= counts == count
        rows = np.flatnonzero(is_same)[:1]
        if not len(rows):
            return None
        anything = dict.fromkeys(self._least_usage, np.inf)
        scratch = np.full(self.tilings.count, np.inf)
        found = joined_tables([self._nothing, *self._lower_bounded(scratch, rows, -np.inf, np.inf, anything)])
        active = self.chains.names(int(self.chains.active(batch.level0[:, rows])[0]))
        wanted = {use.array: choice.outside.get(use.array, frozenset()) & active for use in self.uses}
        for at in range(found.count):
            pick = found.take(np.array([at]))
            places = self.choice(pick)
            if places.ahead == choice.ahead and all(places.outside[a] & active == s for a, s in wanted.items()):
                return self._counted(pick)
        return None

    def _resident_states(self) -> dict[ArrayId, Ints]:
        """What each tiling asks of the partitions of arrays that it shares with other nests."""
        return {array: states for array, states in self.tilings.states.items() if array not in self._apart}

    def _fits(self, budgets: Mapping[str, float]) -> Mask:
        """Tilings that may fit the budgets alone."""
        fits = np.ones(self.tilings.count, np.bool_)
        for name, most in budgets.items():
            fits &= self._least_usage[name] <= most
        return fits

    def choice(self, pick: Table) -> NestChoices:
        """A table of one entry in words."""
        batch = self.tilings.batch.take(pick.rows[:1])
        return places_of(self.chains, batch.level0[:, 0], pick.families[0]).chosen(self.nest.id, *batch.tiling(0))

    def _slice(
        self,
        lower: Floats,
        above: float,
        limit: float,
        budgets: Mapping[str, float],
        deadline: Deadline,
        most: int = EFFORT.new_entries,
        *,
        is_rounded: bool = True,
    ) -> Table:
        """Choices whose least cycles are more than `above` and at most `limit`, or as far as the table says.

        Tilings are looked at in the order of their lower bounds, so that all that is left costs more than what was
        looked at. Afterwards `lower` is of what is not in the table.
        """
        fits = self._fits(budgets)
        rows = np.flatnonzero(fits & (lower > above) & (lower <= limit))
        rows = rows[np.argsort(lower[rows], kind="stable")]
        found, count, looked_at = [self._nothing], 0, 0
        while looked_at < len(rows) and lower[rows[looked_at]] <= limit:
            if deadline.is_over:
                limit = just_below(float(lower[rows[looked_at]]))
                break
            chunk = rows[looked_at : looked_at + EFFORT.tilings_in_turn]
            looked_at += len(chunk)
            for part in self._lower_bounded(lower, np.sort(chunk[lower[chunk] <= limit]), above, limit, budgets):
                found, count = [*found, part], count + part.count
                if count > 2 * most:
                    kept, limit = cheapest(joined_tables(found), limit, lower, most)
                    found, count = [kept], kept.count
        kept, limit = cheapest(joined_tables(found), limit, lower, most)
        kept = kept.take(np.lexsort((*kept.families.T[::-1], kept.rows)))
        counted, late = self._counted_in_time(kept, deadline, is_rounded=is_rounded)
        if late.count:
            limit = just_below(float(late.cycles.min()))
            np.minimum.at(lower, late.rows, late.cycles)
        is_all = not (fits & (lower > limit) & (lower < np.inf)).any()
        return replace(counted, complete_to=np.inf if is_all else limit)

    def _lower_bounded(
        self, lower: Floats, rows: Ints, above: float, limit: float, budgets: Mapping[str, float]
    ) -> Iterator[Table]:
        """Entries of some tilings with lower bounds of what they cost."""
        if self.uses:
            yield from self._placed_entries(lower, rows, above, limit, budgets)
        else:
            rows = rows[self.base.cycles[rows] > above]
            yield self._entry(rows, self.base.cycles[rows])

    def _entry(self, rows: Ints, cycles: Floats, families: Ints | None = None) -> Table:
        """Entries without what they take of the budgets."""
        states = {array: state[rows] for array, state in self._resident_states().items()}
        if families is None:
            families = np.zeros((len(rows), len(self.uses) + 1), np.int64)
        return Table(self.nest.id, cycles, states, {}, rows, families)

    def _placed_entries(
        self, lower: Floats, rows: Ints, above: float, limit: float, budgets: Mapping[str, float]
    ) -> Iterator[Table]:
        """Entries of some tilings with all places of their transfers; `lower` is then of those above the limit."""
        active = self.chains.active(self.tilings.batch.level0[:, rows])
        for bits in distinct(active):
            same = np.flatnonzero(active == bits)
            for start in range(0, len(same), EFFORT.tilings_at_once):
                chosen = rows[same[start : start + EFFORT.tilings_at_once]]
                lower[chosen] = np.inf
                block = self._block(chosen, int(bits))
                for placing in block.within(above, limit, budgets):
                    yield self._entry(chosen[placing.places], placing.cycles, placing.families)
                lower[chosen] = np.minimum(lower[chosen], block.left_out)

    def _block(self, rows: Ints, active: int) -> Block:
        batch, usage = self.tilings.batch.take(rows), {b: used[rows] for b, used in self._least_usage.items()}
        return Block(self.costs, self.nest, self.chains, self.uses, batch, active, self.base.cycles[rows], usage)

    def _counted(self, table: Table, *, is_rounded: bool = True) -> Table:
        """The table with what its entries cost in place of lower bounds of it, and what they take.

        That `is_rounded` where of entries alike one stands for all.
        """
        if self.is_counted or not table.count:
            usage = {name: used[:, table.rows] for name, used in self.base.usage.items()}
            found: Costs | None = Costs(table.cycles, usage)
        else:
            tilings = self.tilings.take(table.rows)
            found = self.costs.count(self.nest, tilings, self._placed(table), self.registers)
        if found is None:
            return replace(table, usage=self._usage_with_buffers(table))
        found = self.costs.rounded(found) if is_rounded and table.count else found
        return replace(table, cycles=found.cycles, usage=found.usage)

    def _counted_in_time(self, table: Table, deadline: Deadline, *, is_rounded: bool) -> tuple[Table, Table]:
        """Entries as they are counted, and those that there was no time for: kind by kind, the cheapest kinds first.

        The formulas of a kind are written down when it is met first, which takes longer than to count its entries.
        """
        if self.is_counted or not table.count:
            return self._counted(table, is_rounded=is_rounded), table.take(np.zeros(0, np.int64))
        rows, parts = list[Ints](), list[Table]()
        for portion in self._portions(table):
            if parts and deadline.is_over:
                break
            rows.append(portion)
            parts.append(self._counted(table.take(portion), is_rounded=is_rounded))
        done = np.concatenate(rows)
        return joined_tables(parts).take(np.argsort(done)), table.take(np.delete(np.arange(table.count), done))

    def _portions(self, table: Table) -> Iterator[Ints]:
        """Entries of a few kinds each, the cheapest kinds first; of those that take long to count as few as may be."""
        kinds = self._placed(table).chosen
        least = np.full(int(kinds.max()) + 1, np.inf)
        np.minimum.at(least, kinds, table.cycles)
        in_turn, most = np.argsort(least, kind="stable"), self.costs.counted_per_look(self.nest)
        for start in range(0, len(in_turn), EFFORT.kinds_in_turn):
            some = np.flatnonzero(np.isin(kinds, in_turn[start : start + EFFORT.kinds_in_turn]))
            if len(some) > most:
                some = some[np.argsort(table.cycles[some], kind="stable")]
            yield from (some[first : first + most] for first in range(0, len(some), most))

    def _usage_with_buffers(self, table: Table) -> dict[str, Floats]:
        """What entries take with the buffers of their tiled arrays, by budget [kind, entry]."""
        usage = {name: used[:, table.rows] for name, used in self.base.usage.items()}
        batch = self.tilings.batch.take(table.rows)
        for at, use in enumerate(self.uses):
            for bits in distinct(table.families[:, at]).tolist():
                same = table.families[:, at] == bits
                added = self.costs.tile_usage(self.nest, use, batch.take(same), self.chains.names(bits))
                for name, amounts in added.items():
                    usage[name][:, same] += amounts
        return usage

    def _placed(self, table: Table) -> Placed:
        """Where the entries of a table transfer their arrays."""
        level0 = self.tilings.batch.level0[:, table.rows]
        first, chosen = first_of_rows([self.chains.active(level0), *table.families.T])
        return Placed(tuple(places_of(self.chains, level0[:, at], table.families[at]) for at in first), chosen)

    def recount(self, table: Table, states: Mapping[ArrayId, Ints]) -> Costs:
        """Entries whose resident arrays come to these states."""
        tiled = {use.array for use in self.uses}
        asked = {a: own[table.rows] if a in tiled else states[a] for a, own in self.tilings.states.items()}

        def count(new: Ints) -> Costs:
            some, beside = table.take(new), {array: state[new] for array, state in asked.items()}
            tilings = Tilings(self.tilings.batch.take(some.rows), beside)
            counted = self.costs.count(self.nest, tilings, self._placed(some), self.registers)
            return Costs(some.cycles, some.usage) if counted is None else counted

        return self._recounts.costs([table.rows, table.families, *asked.values()], count)
