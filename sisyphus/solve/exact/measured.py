"""The measured rules in the form that the exact search asks for; the full model judges what it finds."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from sisyphus.analysis import LoopKind
from sisyphus.model import bound
from sisyphus.model.rules import VITIS_2023_2, Rules
from sisyphus.solve.exact.costs import Batch, Budget, Costs, Floats, Ints, Least, Move, Residents, Step
from sisyphus.solve.exact.paper import MEMORY, TOLERANCE, PaperCosts, span, tile_sizes, trips_of
from sisyphus.space import KERNEL_PLACE, ArrayUse, DesignPoint, NestSpace, Space

CORES = ("dsp", "lut", "ff")


class MeasuredCosts(PaperCosts):
    """`CostModel` of the measured rules: stages side by side, II from recurrences, operators after common values.

    Tiles, footprints and the memory budget are those of the paper's model; everything about time is not.
    """

    rules: Rules = VITIS_2023_2

    def __init__(self, space: Space) -> None:
        super().__init__(space)
        self._bodies = {nest.id: bound.body_of(space, nest, self.rules) for nest in space.nests}
        self._moving = {nest.id: bound.moving_pairs(space, nest) for nest in space.nests}

    @cached_property
    def _cores(self) -> dict[str, Any]:
        return {op.core.kind: op.core.cost for body in self._bodies.values() for op in body.operations}

    def steps(self, residents: Residents) -> tuple[Step, ...]:
        return tuple(
            Step(
                nests=stage.nests,
                moves=(*(Move(a, True) for a in stage.loads), *(Move(a, False) for a in stage.stores)),
            )
            for stage in bound.stages(self.space, residents)
        )

    def budgets(self, residents: Residents) -> tuple[Budget, ...]:
        groups = tuple(stage.nests for stage in bound.stages(self.space, residents) if stage.nests)
        amounts = self.space.target.budget
        found = [Budget(name, getattr(amounts, name), groups) for name in CORES]
        return (*found, *(b for b in super().budgets(residents) if b.name == MEMORY))

    def nest(self, nest: NestSpace, batch: Batch) -> Costs:
        body, trips = self._bodies[nest.id], trips_of(nest, batch)
        tree = self.space.options.tree_reduction
        copies = trips.reduction_unrolled
        depth = np.ceil(np.log2(copies + 1)) if tree else copies
        latency = bound.iteration_latency(body, copies, depth, tree=tree)
        interval = self._interval(nest, batch, body, depth)
        cycles = self._loop_cycles(nest, batch, latency, interval)
        usage = self._operators(body, batch, interval)
        usage[MEMORY] = np.zeros((1, batch.count))
        return Costs(nest.outer_trips * (cycles + self.rules.cycles.step), usage)

    def _interval(self, nest: NestSpace, batch: Batch, body: bound.Body, depth: Floats | Ints) -> Ints:
        """II of each candidate: the pipelined reduction's own chain, or additions that wait across tiles."""
        trips = trips_of(nest, batch)
        ones = np.ones(batch.count, np.int64)
        sequential = np.where(trips.pipelined_sequential > 1, body.depth + body.chain, 1)
        if not body.chain:
            return np.asarray(sequential * ones)
        rows = [r for r, name in enumerate(batch.loops) if nest.loop(name).kind is LoopKind.REDUCTION]
        others = [r for r in range(len(batch.loops)) if r not in rows]
        again = np.prod(batch.level0[rows], axis=0) > 1
        apart = np.prod(batch.level0[others], axis=0) * trips.pipelined_parallel
        waits = body.chain * depth + self.rules.cycles.read + self.rules.cycles.write
        across = np.where(again, -(-waits // np.maximum(apart, 1)), 1)
        single = (
            body.chain - 1
            if self.space.options.tree_reduction
            else np.where(trips.reduction_unrolled > 1, body.chain * trips.reduction_unrolled, body.chain - 1)
        )
        reduces = trips.pipelined_reduction > 1
        return np.asarray(np.maximum(np.where(reduces, single, across), sequential) * ones, np.int64)

    def _loop_cycles(self, nest: NestSpace, batch: Batch, latency: Any, interval: Ints) -> Floats:
        """Flattened where the tool does it; else one run of the pipeline per tile; without a pipeline, one by one.

        Not flattened: a reduction with many accumulators, and tile loops of which one bounds the other.
        """
        trips, rules = trips_of(nest, batch), self.rules.cycles
        inner = trips.pipelined_parallel * trips.pipelined_reduction * trips.pipelined_sequential
        flat = (trips.tiles * inner - 1) * interval + latency - 1 + rules.call
        single = (inner - 1) * interval + latency - 1
        apart = trips.tiles * (single + rules.unflattened + rules.call)
        accumulators = trips.unrolled // trips.reduction_unrolled
        many = (trips.pipelined_reduction > 1) & (accumulators > self.rules.flatten_accumulators)
        row = {name: at for at, name in enumerate(batch.loops)}
        for first, second in self._moving[nest.id]:
            many = many | ((batch.level0[row[first]] > 1) & (batch.level0[row[second]] > 1))
        found = np.where(many & (trips.tiles > 1), apart, flat)
        return np.asarray(np.where(inner > 1, found, trips.tiles * (latency + rules.call)), np.float64)

    def _operators(self, body: bound.Body, batch: Batch, interval: Ints) -> dict[str, Floats]:
        row_of = {name: row for row, name in enumerate(batch.loops)}
        counts: dict[str, Any] = {}
        for op in body.operations:
            copies = np.prod([batch.level2[row_of[name]] for name in op.loops], axis=0) if op.loops else 1
            counts[op.core.kind] = counts.get(op.core.kind, 0) + copies
        kinds = sorted(self._cores)
        zero = np.zeros((1, batch.count))
        instances = [-(-np.asarray(counts.get(kind, 0)) // interval) for kind in kinds]
        return {
            name: np.array([n * getattr(self._cores[k], name) for k, n in zip(kinds, instances, strict=True)], float)
            if kinds
            else zero
            for name in CORES
        }

    def tile(self, nest: NestSpace, use: ArrayUse, batch: Batch, outside: frozenset[str]) -> Costs:
        """Beats at the widest width, the latency of every contiguous run, and the pipeline's own start after each."""
        found = super().tile(nest, use, batch, outside)
        transfers = np.ones(batch.count)
        for row, name in enumerate(batch.loops):
            if name in outside:
                transfers = transfers * batch.level0[row]
        directions = int(use.reads) + int(use.writes)
        beats = found.cycles / (2 if use.writes else 1) * directions / max(self.space.widths[use.array])
        bursts = transfers * _bursts(nest, use, batch, outside)
        extra = bound.transfer_cycles(0, bursts, self.rules) * directions + transfers * self._bodies[nest.id].depth
        return Costs(beats + nest.outer_trips * extra, found.usage)

    def least_tile(self, nest: NestSpace, use: ArrayUse) -> Least:
        found = super().least_tile(nest, use)
        share = 0.5 if use.writes and not use.reads else 1.0
        return replace(found, cycles=found.cycles * share / max(self.space.widths[use.array]))

    def move(self, move: Move, width: int) -> float:
        elements = self.space.scop.array(move.array).elements
        return float(bound.transfer_cycles(-(-elements // width), 1, self.rules) + self.rules.cycles.step)

    def evaluate(self, point: DesignPoint) -> float:
        """The objective of this search at a point; what the design really costs is for the full model to say."""
        residents = frozenset(b.array for b in point.buffers if b.place == KERNEL_PLACE)
        cycles = {nest.id: float(self._at(nest, point)[0].cycles[0]) for nest in self.space.nests}
        total = 0.0
        for step in self.steps(residents):
            moves = [self.move(move, point.width_of(move.array)) for move in step.moves]
            total += max([*(cycles[n] for n in step.nests), *moves], default=0.0)
        return total

    def excesses(self, point: DesignPoint) -> tuple[str, ...]:
        residents = frozenset(b.array for b in point.buffers if b.place == KERNEL_PLACE)
        usage = {nest.id: self._at(nest, point)[1] for nest in self.space.nests}
        found = []
        for budget in self.budgets(residents):
            groups = [np.sum([usage[n][budget.name] for n in group], axis=0) for group in budget.groups]
            used = float(np.max(groups, axis=0).sum()) if groups else 0.0
            if used > budget.limit * (1 + TOLERANCE):
                found.append(f"{used:g} of {budget.limit:g} {budget.name}")
        return tuple(found)

    def _at(self, nest: NestSpace, point: DesignPoint) -> tuple[Costs, dict[str, Floats]]:
        """Cycles and usage of one nest at a point, tiles included."""
        chosen = point.nest(nest.id)
        tiles = [chosen.tile(loop.iterator) for loop in nest.loops]
        counts = [np.array([[getattr(t, level)] for t in tiles], np.int64) for level in ("level0", "level1", "level2")]
        batch = Batch(tuple(loop.iterator for loop in nest.loops), *(c.reshape(len(tiles), 1) for c in counts))
        whole = self.nest(nest, batch)
        cycles, usage = whole.cycles, {name: used[:, 0] for name, used in whole.usage.items()}
        for use in nest.arrays:
            buffer = point.buffer_of(use.array, nest.id)
            if buffer.place != KERNEL_PLACE:
                outside = chosen.order[: chosen.order.index(buffer.place) + 1]
                added = self.tile(nest, use, batch, frozenset(outside))
                cycles = cycles + added.cycles
                for name, used in added.usage.items():
                    usage[name] = usage[name] + used[:, 0]
        return Costs(cycles, {}), usage


def _bursts(nest: NestSpace, use: ArrayUse, batch: Batch, outside: frozenset[str]) -> Ints:
    """Contiguous runs of memory of one tile: the places of all dimensions before the last one that is not whole."""
    sizes = tile_sizes(nest, batch, outside)
    spans = [np.broadcast_to(span(dim, sizes), (batch.count,)) for dim in use.dims]
    bursts = np.ones(batch.count, np.int64)
    whole = np.ones(batch.count, np.bool_)
    for at in reversed(range(len(use.dims))):
        before = np.prod(spans[:at], axis=0, dtype=np.int64) if at else np.ones(batch.count, np.int64)
        partial = whole & (spans[at] < use.dims[at].extent)
        bursts = np.where(partial, before, bursts)
        whole &= ~partial
    return bursts
