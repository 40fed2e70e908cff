"""Places of the transfers of tiled arrays for many tilings of a nest at once, array by array; knows no formula.

A tiling may have thousands of families of places. What the transfers of some of the arrays cost is a lower bound for
all of them, so that most families are left out before they are complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from sisyphus import clock
from sisyphus.algebra import distinct, distinct_rows
from sisyphus.model.formulas.steps import Moved
from sisyphus.search.chains import Chains
from sisyphus.search.costs import MANY, Batch, CostModel, Costs, Floats, Ints, Mask, Transfers
from sisyphus.search.effort import EFFORT
from sisyphus.space import ArrayUse, NestSpace, Places
from sisyphus.values import dataclass, replace


def least_latency(costs: CostModel, nest: NestSpace, work: Floats, tiled: Iterable[ArrayUse]) -> Floats:
    """Cycles of a nest at least, wherever its tiled arrays are transferred: all of them at one place, or ahead."""
    turns = {use: MANY if use.array in nest.early else 0.0 for use in tiled}
    moved = [Transfers(use, Moved(0, costs.least_tile(nest, use).cycles, n)) for use, n in turns.items()]
    return costs.latency(nest, work, moved)


def breadth_of(nest: NestSpace, chains: Chains) -> int:
    """How many families of places a tiling has at most, each with tiles loaded ahead and not where they may be."""
    ways = 2 if any(array in nest.early for array in chains.arrays) else 1
    return ways * len(chains.families((1 << len(nest.loops)) - 1))


def places_of(chains: Chains, level0: Ints, row: Ints) -> Places:
    """The places that a family stands for, a row as `Placing` has it, of a tiling with these level-0 tiles."""
    *family, ahead = row.tolist()
    return Places(dict(zip(chains.arrays, chains.whole(level0, family), strict=True)), bool(ahead))


@dataclass(frozen=True, eq=False)
class Placing:
    """Tilings (by place in their block) with a family each [pair, array] and least cycles [pair].

    A last column of the families says whether tiles are loaded ahead.
    """

    places: Ints
    families: Ints
    cycles: Floats


@dataclass(frozen=True, eq=False)
class _Part:
    """Pairs of a tiling and places of the first arrays, a row of `prefixes`; `moved` are cycles [array, pair]."""

    places: Ints
    prefix: Ints
    moved: Floats
    used: Mapping[str, Floats]

    def take(self, chosen: Ints | Mask) -> _Part:
        used = {name: amounts[chosen] for name, amounts in self.used.items()}
        return _Part(self.places[chosen], self.prefix[chosen], self.moved[:, chosen], used)


class Block:
    """Tilings of a nest with the same active loops; `base` are their least cycles without transfers.

    `usage` is what each takes at least of every budget with all loops outside of all transfers.
    """

    def __init__(
        self,
        costs: CostModel,
        nest: NestSpace,
        chains: Chains,
        uses: Sequence[ArrayUse],
        batch: Batch,
        active: int,
        base: Floats,
        usage: Mapping[str, Floats],
    ) -> None:
        self.costs, self.nest, self.chains, self.uses, self.batch = costs, nest, chains, uses, batch
        self.base, self._least_usage = base, usage
        self.families = chains.families(active)
        self._refills: dict[int, Floats] = {}
        #: Per tiling the least cycles of anything that a limit left out.
        self.left_out = np.full(batch.count, np.inf)

    @cached_property
    def prefixes(self) -> list[Ints]:
        """Families of the first arrays, in order, so that those with the same beginning follow each other."""
        return [distinct_rows(list(self.families[:, : at + 1].T))[0] for at in range(len(self.uses))]

    @cached_property
    def _children(self) -> list[tuple[Ints, Ints]]:
        """Per prefix the first of those that continue it, and how many do."""
        found = []
        for at in range(1, len(self.uses)):
            counts = np.bincount(distinct_rows(list(self.prefixes[at][:, :at].T))[1])
            found.append((np.cumsum(counts) - counts, counts))
        return found

    @cached_property
    def _sets(self) -> list[Ints]:
        return [distinct(self.families[:, at]) for at in range(len(self.uses))]

    @cached_property
    def _tiles(self) -> list[list[Costs]]:
        """Per array and set of loops what its transfers and buffers cost the tilings."""
        return [
            [self.costs.tile(self.nest, use, self.batch, self.chains.names(bits)) for bits in sets.tolist()]
            for use, sets in zip(self.uses, self._sets, strict=True)
        ]

    @cached_property
    def _moved(self) -> list[Floats]:
        """Per array the cycles of its transfers [set, tiling]."""
        return [np.array([t.cycles for t in tiles]).reshape(len(tiles), self.batch.count) for tiles in self._tiles]

    @cached_property
    def _used(self) -> list[dict[str, Floats]]:
        """Per array what its tiles take, by budget [set, tiling]."""
        found = []
        for tiles in self._tiles:
            names = tiles[0].usage if tiles else ()
            sums = {name: [tile.usage[name].sum(axis=0) for tile in tiles] for name in names}
            found.append({n: np.array(each).reshape(len(tiles), self.batch.count) for n, each in sums.items()})
        return found

    @cached_property
    def _added(self) -> list[dict[str, Floats]]:
        """Per array what it takes beyond the least, by budget [set, tiling]."""
        found, everything = [], frozenset(self.batch.loops)
        for use, used in zip(self.uses, self._used, strict=True):
            least = self.costs.tile_usage(self.nest, use, self.batch, everything)
            found.append({name: amounts - least[name].sum(axis=0) for name, amounts in used.items()})
        return found

    def within(self, above: float, limit: float, budgets: Mapping[str, float]) -> Iterator[Placing]:
        """Every tiling with every family, as far as budgets allow, with more than `above` and at most `limit`."""
        others = self._least_of_others(budgets)
        rows, first = self.batch.count, len(self.prefixes[0])
        places, prefix = np.tile(np.arange(rows), first), np.repeat(np.arange(first), rows)
        nothing = _Part(places, prefix, np.zeros((0, len(places))), {n: self._least_usage[n][places] for n in budgets})

        def grown(at: int, part: _Part) -> Iterator[Placing]:
            part = self._with_array(at, part, budgets)
            if at + 1 == len(self.uses):
                for ahead in (False, True) if self._early else (False,):
                    yield self._placing(part, above, limit, budgets, ahead=ahead)
                return
            turns = [MANY if of in self._early else 0.0 for of in range(at + 1)]
            for longer in self._continued(at, self._limited(at, part, turns, others[at], limit)[0]):
                yield from grown(at + 1, longer)

        yield from grown(0, nothing)

    @cached_property
    def _early(self) -> tuple[int, ...]:
        """Arrays whose tiles may be loaded ahead."""
        return tuple(at for at, use in enumerate(self.uses) if use.array in self.nest.early)

    def _placing(
        self, part: _Part, above: float, limit: float, budgets: Mapping[str, float], *, ahead: bool
    ) -> Placing:
        """Pairs within the limits whose tiles are loaded ahead, or not."""
        last, turns = len(self.uses) - 1, list[Floats | float]([0.0] * len(self.uses))
        if ahead:
            part, turns = self._loading_ahead(part.take(self._may_load_ahead(part)), budgets)
        elif self.nest.ahead:
            part = part.take(~self._may_load_ahead(part))
        part, cycles = self._limited(last, part, turns, self._nothing, limit)
        part, cycles = part.take(cycles > above), cycles[cycles > above]
        families = self.prefixes[last][part.prefix]
        return Placing(part.places, np.column_stack([families, np.full(len(families), ahead, np.int64)]), cycles)

    def _may_load_ahead(self, part: _Part) -> Mask:
        """Pairs without coarse-grained copies whose loads stand under loops of several tiles."""
        early = self.prefixes[-1][part.prefix][:, self._early]
        return np.asarray(early.any(axis=1) & (self.batch.copies[:, part.places] == 1).all(axis=0))

    def _loading_ahead(self, part: _Part, budgets: Mapping[str, float]) -> tuple[_Part, list[Floats | float]]:
        """Pairs with two copies of what is loaded ahead, and per array how many tiles follow each other so at most.

        That are the arrays with the most loops outside: the innermost of these loads their tiles.
        """
        clock.added_up(len(part.prefix))
        families = self.prefixes[-1][part.prefix]
        most = families[:, self._early].max(axis=1, initial=0)
        tiles, turns = np.zeros(len(most)), [np.zeros(len(most)) for _ in self.uses]
        for bits in distinct(most).tolist():
            same, around = most == bits, [name in self.chains.names(bits) for name in self.batch.loops]
            tiles[same] = self.batch.level0[around][:, part.places[same]].max(axis=0)
        used = dict(part.used)
        for at in self._early:
            is_ahead, which = families[:, at] == most, np.searchsorted(self._sets[at], families[:, at])
            may_be, is_sure = self._legal_under(at, most)
            turns[at] = np.where(is_ahead & may_be, tiles, 0.0)
            for name in used.keys() & self._used[at].keys():
                used[name] = used[name] + (is_ahead & is_sure) * self._used[at][name][which, part.places]
        fits = _fitting(used, budgets, len(most))
        return replace(part, used=used).take(fits), [turn[fits] for turn in turns]

    def _legal_under(self, at: int, most: Ints) -> tuple[Mask, Mask]:
        """Whether tiles of an array may be loaded ahead under some of these sets of loops, and whether under each."""
        legal = self.nest.early[self.uses[at].array]
        some, every = np.zeros(len(most), np.bool_), np.ones(len(most), np.bool_)
        for bits in distinct(most).tolist():
            names = self.chains.names(bits)
            some[most == bits], every[most == bits] = not legal.isdisjoint(names), legal.issuperset(names)
        return some, every

    def _least_of_others(self, budgets: Mapping[str, float]) -> list[Floats]:
        """Per array and tiling the least cycles that one of the arrays after it takes if it fits.

        Those of one that may be loaded ahead need not add to anything.
        """
        found = [self._nothing]
        for at in range(len(self.uses) - 1, 0, -1):
            moved, added = self._moved[at], self._added[at]
            fits = np.ones(moved.shape, np.bool_)
            for name, amounts in added.items():
                if name in budgets:
                    fits &= self._least_usage[name] + amounts <= budgets[name]
            least = np.where(fits, moved, np.inf).min(axis=0, initial=np.inf)
            found.append(np.maximum(found[-1], np.where(np.isinf(least) | (at not in self._early), least, 0.0)))
        return found[::-1]

    @cached_property
    def _nothing(self) -> Floats:
        return np.zeros(self.batch.count)

    def _with_array(self, at: int, part: _Part, budgets: Mapping[str, float]) -> _Part:
        """Pairs that may fit the budgets once one more array has its place."""
        clock.added_up(len(part.prefix))
        which = np.searchsorted(self._sets[at], self.prefixes[at][:, at])[part.prefix]
        moved = np.concatenate([part.moved, self._moved[at][which, part.places][None, :]])
        used = dict(part.used)
        for name, amounts in self._added[at].items():
            if name in used:
                used[name] = used[name] + amounts[which, part.places]
        return _Part(part.places, part.prefix, moved, used).take(_fitting(used, budgets, len(which)))

    def _limited(
        self, at: int, part: _Part, turns: Sequence[Floats | float], other: Floats, limit: float
    ) -> tuple[_Part, Floats]:
        """Pairs that may lead to something of at most `limit` cycles, and what they take at least.

        `other` has per tiling what one of the arrays takes that have no place yet.
        """
        families = self.prefixes[at][part.prefix]
        work = self.base[part.places] + self._refill(families, part.places)
        all_moved = list(map(Transfers, self.uses[: at + 1], map(Moved, families.T, part.moved, turns)))
        cycles = self.costs.latency(self.nest, work, all_moved, other[part.places])
        kept = (cycles <= limit) & np.isfinite(cycles)
        np.minimum.at(self.left_out, part.places[~kept], cycles[~kept])
        return part.take(kept), cycles[kept]

    def _refill(self, families: Ints, places: Ints) -> Floats:
        """The pipeline starts anew after each transfer: once in every iteration of the loops outside of any."""
        sets, which = np.unique(np.bitwise_or.reduce(families, axis=1), return_inverse=True)
        for bits in sets.tolist():
            if bits not in self._refills:
                self._refills[bits] = self.costs.refill(self.nest, self.batch, self.chains.names(bits))
        if not len(sets):
            return np.zeros(0)
        return np.stack([self._refills[bits] for bits in sets.tolist()])[which.reshape(-1), places]

    def _continued(self, at: int, part: _Part) -> Iterator[_Part]:
        """The pairs with all places of the next array, not too many at once."""
        first, counts = (found[part.prefix] for found in self._children[at])
        ends = np.cumsum(counts)
        most = EFFORT.places_at_once
        cuts = np.searchsorted(ends, np.arange(most, int(ends[-1]) if len(ends) else 0, most))
        for chosen in np.split(np.arange(len(ends)), cuts):
            if len(chosen):
                rows = np.repeat(chosen, counts[chosen])
                within = np.arange(len(rows)) - np.repeat(np.cumsum(counts[chosen]) - counts[chosen], counts[chosen])
                longer = part.take(rows)
                yield _Part(longer.places, first[rows] + within, longer.moved, longer.used)


def _fitting(used: Mapping[str, Floats], budgets: Mapping[str, float], count: int) -> Mask:
    """Which of so many pairs fit the budgets."""
    fits = np.ones(count, np.bool_)
    for name, most in budgets.items():
        fits &= used[name] <= most
    return fits
