"""The paper's model in the form that the exact search asks for; the formulas themselves are in sisyphus.model.paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, reduce
from typing import Any

import numpy as np

from sisyphus import clock
from sisyphus.ir import ArrayId
from sisyphus.model import paper
from sisyphus.search.costs import (
    Arrays,
    Batch,
    Beat,
    Costs,
    Floats,
    Ints,
    Least,
    Move,
    Placed,
    Placement,
    Step,
    Tilings,
    Transfers,
    Width,
)
from sisyphus.search.effort import EFFORT
from sisyphus.search.memory_costs import MEMORY, MemoryCosts, footprint, tile_spans, touched
from sisyphus.space import ArrayUse, DesignPoint, NestSpace, Space
from sisyphus.target import Budget

DSP = "dsp"
#: Quotients of whole numbers are exact up to this share; solvers keep limits only up to a larger one.
ROUNDING, TOLERANCE = 1e-9, 1e-6


class Vectors:
    """`sisyphus.model.paper.Numbers` for NumPy arrays."""

    def log2(self, value: Any) -> Any:
        return np.log2(value)

    def maximum(self, values: Iterable[Any]) -> Any:
        return reduce(np.maximum, values, 0)


NUMBERS = Vectors()


class PaperCosts(MemoryCosts):
    """`CostModel` of the paper: nests and stores add up, loads run side by side where arrays are used first."""

    has_couplings = False
    has_formulas = True

    def __init__(self, space: Space) -> None:
        super().__init__(space)
        self._nest_costs = {nest.id: paper.nest_cost(space, nest) for nest in space.nests}

    @cached_property
    def operations(self) -> tuple[str, ...]:
        """Kinds of the DSP budget."""
        return tuple(sorted({op for cost in self._nest_costs.values() for op, _, dsp in cost.operations if dsp}))

    @property
    def _is_pessimistic(self) -> bool:
        return self.space.options.reuse == "pessimistic"

    def steps(self, placement: Placement) -> tuple[Step, ...]:
        moved = [a for a in paper.moved_arrays(self.space) if a in placement.residents]
        steps = [Step(nests=(nest.id,)) for nest in self.space.nests]
        for nest in self.space.nests:
            first = tuple(Move(a, True) for a in moved if next(self.space.users(a)) is nest)
            if first:
                steps.append(Step(moves=first))
        steps += [Step(moves=(Move(a, False),)) for a in moved if any(_writes(n, a) for n in self.space.users(a))]
        return tuple(steps)

    def budgets(self, residents: Arrays) -> tuple[Budget, ...]:
        nests = tuple(nest.id for nest in self.space.nests)
        groups = (nests,) if self._is_pessimistic else tuple((nest,) for nest in nests)
        limit = self.space.target.budget.dsp * (1 + ROUNDING)
        return Budget(DSP, limit, groups), self.memory_budget(residents)

    def always_resident(self) -> Arrays:
        """Arrays whose tiles travel for no less than a slow transfer of the whole, if memory never stands against it.

        Making such an array resident takes tiles out of every nest and adds at most that transfer.
        """
        moved = paper.moved_arrays(self.space)
        found = frozenset(a for a in moved if self._slowest_whole(a) <= self._least_tiles(a))
        limit = self.space.target.budget.onchip_bytes
        most = sum(self.bytes_of(a) * (1 if a in found else len(list(self.space.users(a)))) for a in moved)
        most += sum(self.bytes_of(a) for a in self.space.used_arrays if a not in moved)
        return found if most <= limit else frozenset()

    def _slowest_whole(self, array: ArrayId) -> float:
        width = min(self.space.widths[array])
        stored = any(_writes(nest, array) for nest in self.space.users(array))
        return self._move(array, width) * (2 if stored else 1)

    def _least_tiles(self, array: ArrayId) -> float:
        uses = [(nest, use) for nest in self.space.users(array) for use in nest.arrays if use.array == array]
        return sum(self.least_tile(nest, use).cycles for nest, use in uses)

    def in_registers(self) -> Arrays:
        return frozenset()

    def may_hold(self, residents: Arrays) -> bool:
        return True

    def counted_per_look(self, nest: NestSpace) -> int:
        return EFFORT.points_per_look

    def nest(self, nest: NestSpace, tilings: Tilings, registers: Arrays) -> Costs:
        batch = tilings.batch
        clock.did(clock.CALL + batch.count)
        cost, trips = self._nest_costs[nest.id], trips_of(nest, batch)
        tree = self.space.options.tree_reduction
        latency = paper.nest_latency(cost, trips, tree=tree, numbers=NUMBERS)
        interval = np.ones(batch.count)
        if cost.chain:
            reduces = trips.pipelined_reduction > 1
            interval = np.where(reduces, paper.interval(cost, trips, tree=tree), 1)
        dsp = np.zeros((len(self.operations) + 1, batch.count))  # the last row: nothing is left unshared
        for op, count, each in cost.operations:
            if each:
                row, used = self.operations.index(op), count * each * (trips.unrolled / interval)
                dsp[row] = dsp[row] + used if self._is_pessimistic else np.maximum(dsp[row], used)
        memory = np.zeros((1, batch.count))
        return Costs(nest.outer_trips * np.asarray(latency, np.float64), {DSP: dsp, MEMORY: memory})

    def least(self, nest: NestSpace, tilings: Tilings) -> Costs:
        return self.nest(nest, tilings, frozenset())

    def count(self, nest: NestSpace, tilings: Tilings, placed: Placed, registers: Arrays) -> Costs | None:
        return None

    def rounded(self, costs: Costs) -> Costs:
        return costs

    def latency(self, nest: NestSpace, work: Floats, moved: Sequence[Transfers], other: Floats | float = 0.0) -> Floats:
        return np.asarray(work + np.maximum(sum(one.moved.cycles for one in moved), other))

    def refill(self, nest: NestSpace, batch: Batch, outside: frozenset[str]) -> Floats:
        return np.zeros(batch.count)

    def tile(self, nest: NestSpace, use: ArrayUse, batch: Batch, outside: frozenset[str]) -> Costs:
        transfers = np.ones(batch.count, np.int64)
        for row, name in enumerate(batch.loops):
            if name in outside:
                transfers = transfers * batch.level0[row]
        moved = footprint(tile_spans(nest, use, batch, outside), batch.count)
        directions = 2 if use.writes else 1
        cycles = directions * nest.outer_trips * paper.tile_traffic(moved, transfers)
        return Costs(cycles.astype(np.float64), self.tile_usage(nest, use, batch, outside))

    def least_tile(self, nest: NestSpace, use: ArrayUse) -> Least:
        """Every element that the nest touches travels at least once; a buffer holds what one iteration touches."""
        directions = 2 if use.writes else 1
        return Least(float(directions * nest.outer_trips * touched(nest, use)), self.least_memory(use))

    def resident_usage(self, placement: Placement) -> Mapping[str, Mapping[ArrayId, Floats]]:
        return {}

    def moves(self, move: Move) -> Floats:
        return np.array([self._move(move.array, int(width)) for width in self.states[move.array].width], np.float64)

    def by_width(self, array: ArrayId) -> Sequence[Width]:
        states = self.states[array]
        widths = sorted(self.space.widths[array], reverse=True)
        cycles = [np.full(states.count, self._move(array, width), np.float64) for width in widths]
        return [Width(w, c, c, {}, states.serving(w)[1]) for w, c in zip(widths, cycles, strict=True)]

    def beats(self, array: ArrayId, state: int) -> Sequence[Beat]:
        widest = int(self.states[array].width[state])
        widths = [w for w in self.space.widths[array] if w <= widest]
        return [Beat(w, self._move(array, w), self._move(array, w), {}) for w in widths]

    def _move(self, array: ArrayId, width: int) -> float:
        return paper.whole_transfer(self.space.scop.array(array).elements, width)

    def evaluate(self, point: DesignPoint) -> float:
        return paper.evaluate(self.space, point).objective

    def excesses(self, point: DesignPoint) -> tuple[str, ...]:
        budget, estimate = self.space.target.budget, paper.evaluate(self.space, point)
        found = []
        if estimate.dsp > budget.dsp * (1 + TOLERANCE):
            found.append(f"{estimate.dsp:g} DSPs of {budget.dsp}")
        if estimate.onchip_bytes > budget.onchip_bytes:
            found.append(f"{estimate.onchip_bytes} bytes on chip of {budget.onchip_bytes}")
        return tuple(found)


def trips_of(nest: NestSpace, batch: Batch) -> paper.Trips:
    """Products of trip counts of every candidate."""
    levels = (batch.level0, batch.level1, batch.level2)

    def over(level: int, loops: Sequence[str]) -> Ints:
        rows = [batch.loops.index(name) for name in loops]
        return np.asarray(np.prod(levels[level][rows], axis=0, dtype=np.int64))

    copies = np.prod(batch.copies, axis=0, dtype=np.int64)
    return paper.trips_of(nest, over, tiles=over(0, batch.loops) // copies, copies=copies)


def _writes(nest: NestSpace, array: str) -> bool:
    return any(use.writes for use in nest.arrays if use.array == array)
