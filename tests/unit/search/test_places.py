"""Places of transfers found array by array against all families of every tiling, one by one."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from unit.search.solve_spaces import random_space

from sisyphus.model.formulas.steps import Moved
from sisyphus.search import MeasuredCosts, PaperCosts, places
from sisyphus.search.candidates import candidates_of
from sisyphus.search.chains import Chains
from sisyphus.search.costs import CostModel, Ints, Tilings, Transfers
from sisyphus.search.effort import EFFORT
from sisyphus.search.memory_costs import MEMORY
from sisyphus.search.places import Block
from sisyphus.space import ArrayUse, NestSpace

SEEDS = range(8)
MOST_TILINGS = 12

#: Tiling (place), family and whether tiles are loaded ahead.
Pair = tuple[int, tuple[int, ...]]


class Case:
    """Some tilings of a nest with the same active loops, its arrays tiled as far as they may be."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        space = random_space(rng, in_paper=seed % 2 == 0)
        self.costs: CostModel = (PaperCosts if seed % 2 == 0 else MeasuredCosts)(space)
        self.nest: NestSpace = rng.choice(space.nests)
        self.uses: list[ArrayUse] = [u for u in self.nest.arrays if self.nest.band_places(u)]
        self.chains = Chains(space, self.nest, [use.array for use in self.uses])
        tilings = candidates_of(space, self.nest, self.costs.states)
        active = self.chains.active(tilings.batch.level0)
        self.active = int(rng.choice(sorted(set(active.tolist()))))
        rows = np.flatnonzero(active == self.active)
        self.tilings: Tilings = tilings.take(np.sort(rng.sample(rows.tolist(), min(len(rows), MOST_TILINGS))))
        base = self.costs.least(self.nest, self.tilings)
        self.base, outside = base.cycles, frozenset(self.tilings.batch.loops)
        self.usage = {name: used.sum(axis=0) for name, used in base.usage.items()}
        for use in self.uses:
            for name, used in self.costs.tile_usage(self.nest, use, self.tilings.batch, outside).items():
                self.usage[name] = self.usage[name] + used.sum(axis=0)
        self.budgets = {MEMORY: float(np.median(self.usage[MEMORY]) * 1.5)}

    def block(self) -> Block:
        return Block(
            self.costs, self.nest, self.chains, self.uses, self.tilings.batch, self.active, self.base, self.usage
        )

    def one_by_one(self) -> tuple[dict[Pair, float], dict[Pair, float]]:
        """Cycles of every pair that fits, and its usage of the memory; with tiles loaded ahead where they may be."""
        cycles, taken = dict[Pair, float](), dict[Pair, float]()
        for row in range(self.tilings.count):
            batch = self.tilings.batch.take(np.array([row]))
            for family in self.chains.families(self.active).tolist():
                sets = [self.chains.names(bits) for bits in family]
                tiles = [self.costs.tile(self.nest, u, batch, s) for u, s in zip(self.uses, sets, strict=True)]
                again = self.costs.refill(self.nest, batch, frozenset().union(*sets))
                for ahead in {0, int(self.loads_ahead(row, family) > 0)}:
                    turns = self.turns(row, family) if ahead else [0.0] * len(family)
                    parts = zip(self.uses, family, tiles, turns, strict=True)
                    moved = [Transfers(use, Moved(bits, tile.cycles, turn)) for use, bits, tile, turn in parts]
                    held = zip(self.uses, family, tiles, turns, strict=True)
                    used = sum(float(t.usage[MEMORY].sum()) * (1 + self.is_sure(u, b, n)) for u, b, t, n in held)
                    if used <= self.budgets[MEMORY]:
                        found = self.costs.latency(self.nest, self.base[[row]] + again, moved)
                        cycles[row, (*family, ahead)], taken[row, (*family, ahead)] = float(found[0]), used
        return cycles, taken

    def loads_ahead(self, row: int, family: list[int]) -> int:
        """The loops outside of the loads that may be ahead of their tiles; none with coarse-grained copies."""
        early = (bits for use, bits in zip(self.uses, family, strict=True) if use.array in self.nest.early)
        return max(early, default=0) if (self.tilings.batch.copies[:, row] == 1).all() else 0

    def turns(self, row: int, family: list[int]) -> list[float]:
        """Per array how many of its tiles follow each other where it is loaded ahead."""
        loops, most = self.chains.names(self.loads_ahead(row, family)), self.loads_ahead(row, family)
        batch = self.tilings.batch
        tiles = max((float(batch.level0[batch.loops.index(loop), row]) for loop in loops), default=0.0)
        may_be = (self.legal(use) & loops and bits == most for use, bits in zip(self.uses, family, strict=True))
        return [tiles if on else 0.0 for on in may_be]

    def legal(self, use: ArrayUse) -> frozenset[str]:
        """The loops under which tiles of an array may be loaded ahead."""
        return self.nest.early.get(use.array, frozenset())

    def is_sure(self, use: ArrayUse, bits: int, turns: float) -> bool:
        """Whether an array that may be loaded ahead has two copies, whichever of the loops outside is the innermost."""
        return turns > 0 and self.chains.names(bits) <= self.legal(use)


def usage_of(block: Block, place: int, family: Ints) -> float:
    """Bytes that the buffers of one pair take."""
    batch, (*sets, ahead) = block.batch.take(np.array([place])), family.tolist()
    early = max((bits for use, bits in zip(block.uses, sets, strict=True) if use.array in block.nest.early), default=0)
    total = 0.0
    for use, bits in zip(block.uses, sets, strict=True):
        taken = float(block.costs.tile_usage(block.nest, use, batch, block.chains.names(bits))[MEMORY].sum())
        is_sure = block.chains.names(bits) <= block.nest.early.get(use.array, frozenset())
        total += taken * (2 if ahead and is_sure and bits == early and bits else 1)
    return total


def found_by(block: Block, above: float, limit: float, budgets: Mapping[str, float]) -> dict[Pair, tuple[float, float]]:
    """Cycles and memory of the pairs of a block, none of them twice."""
    found: dict[Pair, tuple[float, float]] = {}
    for placing in block.within(above, limit, budgets):
        usage = [usage_of(block, *pair) for pair in zip(placing.places, placing.families, strict=True)]
        pairs = zip(placing.places.tolist(), map(tuple, placing.families.tolist()), strict=True)
        for pair, cycles, used in zip(pairs, placing.cycles.tolist(), usage, strict=True):
            assert pair not in found
            found[pair] = cycles, used
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_all_places_within_the_limits_are_found(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "EFFORT", replace(EFFORT, places_at_once=7))
    case = Case(seed)
    cycles, taken = case.one_by_one()
    finite = sorted(filter(np.isfinite, cycles.values()))  # a tile without legal beats takes for ever
    ends = np.quantile(finite, [0.0, 0.2, 0.7, 1.0]).tolist()
    for above, limit in ((-np.inf, ends[1]), (ends[1], ends[2]), (ends[2], ends[3]), (-np.inf, np.inf)):
        block = case.block()
        found = found_by(block, above, limit, case.budgets)
        wanted = {pair for pair, count in cycles.items() if above < count <= limit and np.isfinite(count)}
        assert found.keys() == wanted
        for pair in wanted:
            assert found[pair] == (pytest.approx(cycles[pair]), taken[pair])
        for row in range(case.tilings.count):
            rest = [count for (place, _), count in cycles.items() if place == row and count > limit]
            assert block.left_out[row] <= min(rest, default=np.inf)
            assert block.left_out[row] > limit or limit == np.inf


def test_a_bound_that_is_too_high_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above notices where what the arrays after the first one take at least is overrated."""
    found = Block._least_of_others
    monkeypatch.setattr(Block, "_least_of_others", lambda self, b: [later + 1e6 for later in found(self, b)])
    with pytest.raises(AssertionError):
        test_all_places_within_the_limits_are_found(0, monkeypatch)
