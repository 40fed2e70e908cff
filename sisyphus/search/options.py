"""The choices of one nest, worst ones left out: a tiling and, for its tiled arrays, the place of their transfers.

Choices are made only up to a limit of cycles, because places multiply with tilings: the search asks for the cheapest
first and for more where it has to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sisyphus.errors import InternalError
from sisyphus.ir import ArrayId
from sisyphus.search.chains import Chains
from sisyphus.search.costs import Arrays, CostModel, Costs, Floats, Ints, Mask, Placed, Tilings
from sisyphus.search.places import Block, Placing
from sisyphus.space import ArrayUse, NestSpace, Tile

#: Tilings whose places are looked at together; bounds memory.
BLOCK = 1024
#: Choices with places that are looked at for a sample.
MOST_FAMILIES = 50_000


@dataclass(frozen=True, eq=False)
class Table:
    """Choices of a nest: cycles, demands on partitions per array, usage per budget [kind, choice].

    `rows` are places in the candidates of the nest, `families` the sets of loops outside of each tiled array.
    """

    nest: str
    cycles: Floats
    states: Mapping[ArrayId, Ints]
    usage: Mapping[str, Floats]
    rows: Ints
    families: Ints

    @property
    def count(self) -> int:
        return len(self.cycles)

    def take(self, chosen: Ints | Mask) -> Table:
        return replace(
            self,
            cycles=self.cycles[chosen],
            states={a: s[chosen] for a, s in self.states.items()},
            usage={b: u[:, chosen] for b, u in self.usage.items()},
            rows=self.rows[chosen],
            families=self.families[chosen],
        )


@dataclass(frozen=True)
class Choice:
    """What was chosen in one nest: tiles, copies, and per tiled array the loops outside of its transfers."""

    nest: str
    tiles: Mapping[str, Tile]
    outside: Mapping[ArrayId, frozenset[str]]
    copies: Mapping[str, int]


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
        self._apart = frozenset(tiled) if costs.is_sociable else frozenset()
        self.chains = Chains(costs.space, nest, tiled)
        self.least_tiles = costs.least_tiles([costs.least_tile(nest, use) for use in self.uses])
        self._least_usage = self._usage_with_all_outside()
        #: Per tiling no choice that is not in the table takes fewer cycles.
        self._lower = base.cycles + self.least_tiles
        self._table: Table | None = None
        self._every = self._entry(np.zeros(0, np.int64), base.cycles[:0], base.take(np.zeros(0, np.int64)).usage)
        self._limit = -np.inf
        self._budgets: dict[str, float] = {}
        self._floor = float(base.cycles.min(initial=np.inf)) + self.least_tiles

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
        return max(self._floor, min(max(self._limit, others), float(self._table.cycles.min(initial=np.inf))))

    def ceiling(self) -> float:
        """Where all is counted, no choice takes more cycles."""
        return float(self.base.cycles.max(initial=0)) if self.is_counted else np.inf

    def breadth(self, limit: float) -> int:
        """How many choices of at most `limit` cycles there may be."""
        tilings = int((self._lower <= limit).sum())
        return tilings * (len(self.chains.families((1 << len(self.nest.loops)) - 1)) if self.uses else 1)

    def within(
        self, limit: float, budgets: Mapping[str, float], tick: Callable[[], None], *, alike: bool = False
    ) -> Table:
        """Choices of at most `limit` cycles that fit the budgets alone; `tick` is called now and then.

        `alike`: also those that another one matches in everything, which may yet get along better with other nests.
        """
        if self._table is None or any(most > self._budgets[name] for name, most in budgets.items()):
            self._table = self._every = self._every.take(np.zeros(0, np.int64))
            self._limit, self._budgets = -np.inf, dict(budgets)
            self._lower = self.base.cycles + self.least_tiles
        if limit > self._limit:
            rows = np.flatnonzero(self._fits(self._budgets) & (self._lower <= limit))
            more = self._entries(rows, self._limit, limit, self._budgets, tick)
            self._every = _joined([self._every, more])
            self._table = pareto(_joined([self._table, more]))
            self._limit = limit
        return _fitting(self._every if alike else self._table, limit, budgets)

    def sample(
        self, count: int, places: int, limit: float, budgets: Mapping[str, float], tick: Callable[[], None]
    ) -> Table:
        """Some choices of at most `limit` cycles that fit the budgets alone: the cheapest, and others evenly spread.

        `count` tilings, or twice as many of tilings with places, which are of no more than `places` kinds.
        """
        rows = np.flatnonzero(self._fits(budgets) & (self.base.cycles + self.least_tiles <= limit))
        rows = rows[np.argsort(self.base.cycles[rows], kind="stable")]
        if not self.uses:
            rows = rows[_spread(len(rows), count)]
            return pareto(_fitting(self._entries(np.sort(rows), -np.inf, limit, budgets, tick), limit, budgets))
        families = len(self.chains.families((1 << len(self.nest.loops)) - 1))
        rows = rows[_spread(len(rows), min(count, max(MOST_FAMILIES // families, 8)))]
        found, _ = self._bounded(np.sort(rows), -np.inf, limit, budgets, tick)
        found = _of_few_kinds(found.take(np.argsort(found.cycles, kind="stable")), places)
        found = found.take(_spread(found.count, 2 * count))
        return pareto(_fitting(self._counted(found, tick), limit, budgets))

    def _fits(self, budgets: Mapping[str, float]) -> Mask:
        """Tilings that may fit the budgets alone."""
        fits = np.ones(self.tilings.count, np.bool_)
        for name, most in budgets.items():
            fits &= self._least_usage[name] <= most
        return fits

    def choice(self, pick: Table) -> Choice:
        """A table of one entry in words."""
        batch = self.tilings.batch.take(pick.rows[:1])
        counts = np.stack([batch.level0[:, 0], batch.level1[:, 0], batch.level2[:, 0]], axis=1).tolist()
        tiles = {name: Tile(*row) for name, row in zip(batch.loops, counts, strict=True)}
        sets = self.chains.whole(batch.level0[:, 0], pick.families[0]) if self.uses else ()
        outside = {use.array: s for use, s in zip(self.uses, sets, strict=True)}
        return Choice(self.nest.id, tiles, outside, dict(zip(batch.loops, batch.copies[:, 0].tolist(), strict=True)))

    def _entries(
        self, rows: Ints, above: float, limit: float, budgets: Mapping[str, float], tick: Callable[[], None]
    ) -> Table:
        """Choices with these tilings whose least cycles are more than `above` and no more than `limit`."""
        if self.uses:
            found, self._lower[rows] = self._bounded(rows, above, limit, budgets, tick)
            return self._counted(found, tick)
        rows = rows[self.base.cycles[rows] > above]
        found = self._entry(rows, self.base.cycles[rows], {b: u[:, rows] for b, u in self.base.usage.items()})
        return found if self.is_counted else self._counted(found, tick)

    def _entry(self, rows: Ints, cycles: Floats, usage: Mapping[str, Floats], families: Ints | None = None) -> Table:
        states = {array: state[rows] for array, state in self.tilings.states.items() if array not in self._apart}
        if families is None:
            families = np.zeros((len(rows), len(self.uses)), np.int64)
        return Table(self.nest.id, cycles, states, usage, rows, families)

    def _bounded(
        self, rows: Ints, above: float, limit: float, budgets: Mapping[str, float], tick: Callable[[], None]
    ) -> tuple[Table, Floats]:
        """Choices of tiles and places with lower bounds of what they cost, and per tiling of those above the limit."""
        none, left_out = rows[:0], np.full(len(rows), np.inf)
        parts = [self._entry(none, self.base.cycles[none], {b: u[:, none] for b, u in self.base.usage.items()})]
        active = self.chains.active(self.tilings.batch.level0[:, rows])
        for bits in np.unique(active):
            same = np.flatnonzero(active == bits)
            for start in range(0, len(same), BLOCK):
                tick()
                chosen = same[start : start + BLOCK]
                block = self._block(rows[chosen], int(bits))
                parts += [self._placed_entry(rows[chosen], block, p) for p in block.within(above, limit, budgets)]
                left_out[chosen] = block.left_out
        return _joined(parts), left_out

    def _block(self, rows: Ints, active: int) -> Block:
        batch, usage = self.tilings.batch.take(rows), {b: used[rows] for b, used in self._least_usage.items()}
        return Block(self.costs, self.nest, self.chains, self.uses, batch, active, self.base.cycles[rows], usage)

    def _placed_entry(self, rows: Ints, block: Block, placing: Placing) -> Table:
        own = rows[placing.places]
        usage = {name: used[:, own] for name, used in self.base.usage.items()}
        for name, added in block.usage(placing).items():
            usage[name] = usage[name] + added
        return self._entry(own, placing.cycles, usage, placing.families)

    def _counted(self, table: Table, tick: Callable[[], None]) -> Table:
        """The table with what its entries cost in place of lower bounds of it."""
        if not table.count:
            return table
        tick()
        tilings = self.tilings.take(table.rows)
        counted = self.costs.count(self.nest, tilings, self._placed(table), self.registers)
        if counted is None:
            return table
        rounded = self.costs.rounded(counted)
        return replace(table, cycles=rounded.cycles, usage=rounded.usage)

    def _placed(self, table: Table) -> Placed:
        """Where the entries of a table transfer their arrays."""
        level0 = self.tilings.batch.level0[:, table.rows]
        keys = np.concatenate([self.chains.active(level0)[:, None], table.families], axis=1)
        kinds, first, chosen = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        choices = [self.chains.whole(level0[:, at], kind[1:]) for at, kind in zip(first, kinds, strict=True)]
        arrays = tuple(use.array for use in self.uses)
        return Placed(arrays, tuple(choices) if arrays else ((),) * len(kinds), chosen.reshape(-1))

    def recount(self, table: Table, states: Mapping[ArrayId, Ints]) -> Costs:
        """Entries whose resident arrays come to these states."""
        tiled = {use.array for use in self.uses}
        own = {a: asked[table.rows] for a, asked in self.tilings.states.items()}
        asked = {a: own[a] if a in tiled else states[a] for a in own}
        tilings = Tilings(self.tilings.batch.take(table.rows), asked)
        counted = self.costs.count(self.nest, tilings, self._placed(table), self.registers)
        return Costs(table.cycles, table.usage) if counted is None else counted


def _of_few_kinds(table: Table, most: int) -> Table:
    """Entries with some of the places, those of the cheapest ones and others: each kind is counted by itself."""
    kinds, first, kind = np.unique(table.families, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    chosen = order[_spread(len(kinds), most)]
    return table.take(np.isin(kind.reshape(-1), chosen))


def _spread(count: int, most: int) -> Ints:
    """At most so many of `count` places: the first ones, and as many evenly spread over the others."""
    if count <= most:
        return np.arange(count)
    rest = np.linspace(most // 2, count - 1, most - most // 2).astype(np.int64)
    return np.asarray(np.unique(np.concatenate([np.arange(most // 2), rest])), np.int64)


def _fitting(table: Table, limit: float, budgets: Mapping[str, float]) -> Table:
    """Entries of at most `limit` cycles that fit the budgets alone."""
    kept = table.cycles <= limit
    for name, most in budgets.items():
        kept &= table.usage[name].sum(axis=0) <= most
    return table.take(kept)


def _joined(parts: Sequence[Table]) -> Table:
    first = parts[0]
    return replace(
        first,
        cycles=np.concatenate([p.cycles for p in parts]),
        states={a: np.concatenate([p.states[a] for p in parts]) for a in first.states},
        usage={b: np.concatenate([p.usage[b] for p in parts], axis=1) for b in first.usage},
        rows=np.concatenate([p.rows for p in parts]),
        families=np.concatenate([p.families for p in parts]),
    )


def pareto(table: Table) -> Table:
    """Without choices that another one matches in cycles, in every kind of usage and in all demands.

    Some that are matched may stay: only choices that differ in one kind at most are compared. What is left is sorted
    by cycles.
    """
    if table.count < 2:
        return table
    kinds = _ranks(table)
    same, compared = kinds[:-1], kinds[-1]
    groups = [*same, *table.states.values()]
    order = np.lexsort([table.rows, compared, table.cycles, *groups])
    fresh = np.zeros(table.count, np.bool_)
    fresh[0] = True
    for key in groups:
        fresh[1:] |= key[order][1:] != key[order][:-1]
    # later groups lie below all earlier ones, so that the running minimum starts anew in each
    shifted = compared[order] - np.cumsum(fresh) * (table.count + 1)
    kept = fresh.copy()
    kept[1:] |= shifted[1:] < np.minimum.accumulate(shifted)[:-1]
    left = order[kept]
    return table.take(left[np.argsort(table.cycles[left], kind="stable")])


def _ranks(table: Table) -> list[Ints]:
    """Every kind of usage as ranks, kinds that rank all choices alike only once; at least one."""
    found: list[Ints] = []
    for used in table.usage.values():
        for kind in used:
            ranks = np.asarray(np.unique(kind, return_inverse=True)[1], np.int64)
            if ranks.any() and not any(np.array_equal(ranks, other) for other in found):
                found.append(ranks)
    return found or [np.zeros(table.count, np.int64)]
