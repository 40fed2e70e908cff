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
from sisyphus.solve.exact.candidates import Candidates
from sisyphus.solve.exact.chains import Chains
from sisyphus.solve.exact.costs import Batch, CostModel, Costs, Floats, Ints, Mask
from sisyphus.space import ArrayUse, NestSpace, Tile

#: Tilings whose places are looked at together; bounds memory.
BLOCK = 256


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
    """What was chosen in one nest: tiles per loop, and per tiled array the loops outside of its transfers."""

    nest: str
    tiles: Mapping[str, Tile]
    outside: Mapping[ArrayId, frozenset[str]]


class Options:
    """The choices of a nest whose arrays `tiled` are transferred tile by tile."""

    def __init__(
        self, costs: CostModel, nest: NestSpace, candidates: Candidates, whole: Costs, tiled: Sequence[ArrayId]
    ) -> None:
        self.costs, self.nest, self.candidates, self.whole = costs, nest, candidates, whole
        self.uses = [self._use(array) for array in tiled]
        self.chains = Chains(costs.space, nest, tiled)
        self.least_tiles = sum(costs.least_tile(nest, use).cycles for use in self.uses)
        self._least_usage = self._usage_with_all_outside()
        self._table: Table | None = None
        self._limit = -np.inf
        self._budgets: dict[str, float] = {}

    def _use(self, array: ArrayId) -> ArrayUse:
        use = self.nest.use(array)
        if use is None:
            raise InternalError(f"nest `{self.nest.id}` does not use `{array}`")
        return use

    def _usage_with_all_outside(self) -> dict[str, Floats]:
        """Per budget what each tiling takes at least, over all kinds."""
        least = {name: np.asarray(used.sum(axis=0)) for name, used in self.whole.usage.items()}
        outside = frozenset(self.candidates.batch.loops)
        for use in self.uses:
            for name, used in self.costs.tile(self.nest, use, self.candidates.batch, outside).usage.items():
                least[name] = least[name] + used.sum(axis=0)
        return least

    def floor(self) -> float:
        """No choice takes fewer cycles."""
        return float(self.whole.cycles.min(initial=np.inf)) + self.least_tiles

    def ceiling(self) -> float:
        """Without tiled arrays, no choice takes more cycles."""
        return np.inf if self.uses else float(self.whole.cycles.max(initial=0))

    def within(self, limit: float, budgets: Mapping[str, float], tick: Callable[[], None]) -> Table:
        """Choices of at most `limit` cycles that fit the budgets alone; `tick` is called now and then."""
        grown = any(most > self._budgets.get(name, -np.inf) for name, most in budgets.items())
        if self._table is None or limit > self._limit or grown:
            fits = self.whole.cycles + self.least_tiles <= limit
            for name, most in budgets.items():
                fits &= self._least_usage[name] <= most
            rows = np.flatnonzero(fits)
            self._table = self._tiled(rows, limit, budgets, tick) if self.uses else self._untiled(rows)
            self._limit, self._budgets = limit, dict(budgets)
        kept = self._table.cycles <= limit
        for name, most in budgets.items():
            kept &= self._table.usage[name].sum(axis=0) <= most
        return self._table.take(kept)

    def choice(self, pick: Table) -> Choice:
        """A table of one entry in words."""
        batch = self.candidates.batch.take(pick.rows[:1])
        counts = np.stack([batch.level0[:, 0], batch.level1[:, 0], batch.level2[:, 0]], axis=1).tolist()
        tiles = {name: Tile(*row) for name, row in zip(batch.loops, counts, strict=True)}
        sets = self.chains.whole(batch.level0[:, 0], pick.families[0]) if self.uses else ()
        return Choice(self.nest.id, tiles, {use.array: s for use, s in zip(self.uses, sets, strict=True)})

    def _untiled(self, rows: Ints) -> Table:
        table = self._entry(rows, self.whole.cycles[rows], {b: u[:, rows] for b, u in self.whole.usage.items()})
        return pareto(table)

    def _entry(self, rows: Ints, cycles: Floats, usage: Mapping[str, Floats], families: Ints | None = None) -> Table:
        states = {array: state[rows] for array, state in self.candidates.states.items()}
        if families is None:
            families = np.zeros((len(rows), 0), np.int64)
        return Table(self.nest.id, cycles, states, usage, rows, families)

    def _tiled(self, rows: Ints, limit: float, budgets: Mapping[str, float], tick: Callable[[], None]) -> Table:
        parts = [self._untiled(rows[:0]).take(np.zeros(0, np.int64))]
        parts[0] = replace(parts[0], families=np.zeros((0, len(self.uses)), np.int64))
        active = self.chains.active(self.candidates.batch.level0[:, rows])
        for bits in np.unique(active):
            same = rows[active == bits]
            for start in range(0, len(same), BLOCK):
                tick()
                parts.append(self._block(same[start : start + BLOCK], int(bits), limit, budgets))
        return pareto(_joined(parts))

    def _block(self, rows: Ints, active: int, limit: float, budgets: Mapping[str, float]) -> Table:
        """Every tiling of a block with every family of sets, as far as limit and budgets allow."""
        families = self.chains.families(active)
        batch = self.candidates.batch.take(rows)
        cycles = np.broadcast_to(self.whole.cycles[rows], (len(families), len(rows))).copy()
        usage = {b: np.repeat(u[:, None, rows], len(families), axis=1) for b, u in self.whole.usage.items()}
        for at, use in enumerate(self.uses):
            sets, places = np.unique(families[:, at], return_inverse=True)
            tiles = [self._tile(use, batch, int(bits)) for bits in sets]
            cycles += np.array([t.cycles for t in tiles]).reshape(len(sets), len(rows))[places]
            for name in usage:
                added = [t.usage[name] for t in tiles if name in t.usage]
                if added:
                    usage[name] += np.stack(added, axis=1)[:, places]
        kept = cycles <= limit
        for name, most in budgets.items():
            kept &= usage[name].sum(axis=0) <= most
        family, place = np.nonzero(kept)
        return pareto(
            self._entry(
                rows[place],
                cycles[family, place],
                {name: used[:, family, place] for name, used in usage.items()},
                families[family],
            )
        )

    def _tile(self, use: ArrayUse, batch: Batch, bits: int) -> Costs:
        return self.costs.tile(self.nest, use, batch, self.chains.names(bits))


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
