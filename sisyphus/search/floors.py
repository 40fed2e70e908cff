"""Lower bounds of the measured rules for thousands of tilings of a nest, wherever its arrays are; knows no search.

Each figure is at most what the full model counts for the same choice (docs/model.md): every start of the pipeline
takes an interval, every new start of it its latency, every transfer its beats and the latency of its port. Where only
measured designs count, what no report shows (`model/constructs.py`) takes for ever.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from sisyphus.algebra import VECTOR
from sisyphus.analysis import LoopKind
from sisyphus.ir import index_names
from sisyphus.model import NestModel
from sisyphus.model.bounds.body import body_of, must_load
from sisyphus.model.formulas.burst_cycles import least_move_cycles
from sisyphus.model.formulas.cores import Core
from sisyphus.model.formulas.recurrence import accumulation
from sisyphus.model.formulas.waits import Turns, Wait, turns_of, waits_of
from sisyphus.plan import bursts_of, in_columns
from sisyphus.search.costs import Batch, Floats, Ints, Mask
from sisyphus.search.memory_costs import footprint, tile_spans
from sisyphus.search.paper_costs import trips_of
from sisyphus.search.tilebeats import TileBeats
from sisyphus.space import COLUMNS, ArrayUse, NestSpace, Space, most_added


class NestFloor:
    """The bounds of one nest."""

    def __init__(self, space: Space, nest: NestSpace, model: NestModel, beats: TileBeats) -> None:
        self.space, self.nest, self.model, self.beats = space, nest, model, beats
        self.rules = model.rules
        self.tree = space.options.tree_reduction
        self.body = body_of(space, nest, model.rules)
        self._batch: Batch | None = None
        self._tiles: dict[frozenset[str], Floats] = {}

    @cached_property
    def cores(self) -> Mapping[str, Core]:
        """The cores of the body by kind, which others may share."""
        return {kind: core for kind, core in self._kinds.items() if not core.is_logic}

    @cached_property
    def _kinds(self) -> Mapping[str, Core]:
        return {core.kind: core for core in (*(op.core for op in self.body.operations), *(self.body.asked or ()))}

    def _last(self, batch: Batch) -> Ints:
        """Cycles of the last of the additions into an element: fewer where the tool is asked for an interval."""
        chain = self.body.chain
        asked = chain if self.body.asked is None else min(self.body.asked[1].cost.latency, chain)
        return np.where(batch.interval > 0, asked, chain)

    def latency(self, batch: Batch) -> Floats:
        """Of one iteration of the pipeline: operands, products, then the additions one after another or as a tree."""
        alone = self._with_nothing_asked(batch) - self.body.chain + self._last(batch)
        found: Floats = np.maximum.reduce([alone, *(turn for turn, _ in self._successive(batch))])
        return found

    def _with_nothing_asked(self, batch: Batch) -> Floats:
        """The same where the tool is asked for nothing."""
        copies = self._adding(batch, batch.level2)
        additions = np.ceil(np.log2(copies + 1)) if self.tree else copies
        found: Floats = self.body.depth + self.body.chain * additions.astype(np.float64)
        return found

    def interval(self, batch: Batch) -> Floats:
        """Between two starts: what a pipelined loop has to wait for, or one cycle; without a pipeline the latency."""
        chain, copies = self.body.chain, self._adding(batch, batch.level2)
        single = accumulation(VECTOR, self._last(batch), 1 if self.tree else copies, single=True)
        reduces = (self._adding(batch, batch.level1) > 1) & bool(chain)
        runs = (batch.level1 > 1).any(axis=0)
        waits = np.maximum.reduce([np.where(reduces, single, 1), self._wait(batch), self._again(batch)])
        for turn, distance in self._successive(batch):
            waits = np.maximum(waits, np.minimum(np.ceil(turn / distance), turn - 1))
        found: Floats = np.where(runs, waits, self.latency(batch))
        return found

    def _wait(self, batch: Batch) -> Ints:
        """Of the pipelined loop by the loop alone."""
        found = np.ones(batch.count, np.int64)
        for wait in self._waits:
            within = (batch.level1[batch.loops.index(wait.loop)] > wait.distance) & (batch.interval == wait.interval)
            found = np.where(within, np.maximum(found, -(-wait.cycles // wait.distance)), found)
        return found

    def _successive(self, batch: Batch) -> Iterator[tuple[Floats, Floats]]:
        """What copies take that follow each other, and within how many starts others may read what they wrote."""
        for turns in self._turns:
            copies = np.prod(batch.level2[[name not in turns.alike for name in batch.loops]], axis=0)
            yield np.where(copies > 1, turns.cycles * copies, 0.0), self._distance(batch, turns.alike)

    def _distance(self, batch: Batch, moving: Collection[str]) -> Floats:
        """Starts within which loops that do not move an element come back to it at most; for ever if none turns."""
        turns, moves = batch.level1 * (batch.level0 // batch.copies), np.array([name in moving for name in batch.loops])
        return np.where((turns[~moves] > 1).any(axis=0), np.prod(turns[moves], axis=0, dtype=np.float64), np.inf)

    def _again(self, batch: Batch) -> Floats:
        """Between two starts where a loop outside of the pipelined one comes back to the element that is added to."""
        if self._moving is None:
            return np.ones(batch.count)
        copies, chain = self._adding(batch, batch.level2), self.body.chain
        own = least = chain * (np.ceil(np.log2(copies + 1)) if self.tree else copies)
        if self.tree:
            least = np.where(copies > 1, np.minimum(own, chain * np.floor(np.log2(copies)) + 1), own)
        spread = own + self.rules.cycles.read + self.rules.cycles.write
        runs = (batch.level1[[name in self._moving for name in batch.loops]] > 1).any(axis=0)
        waits = np.minimum(least, np.ceil(spread / self._distance(batch, self._moving)))
        return np.where(runs, np.maximum(waits, 1), 1)

    @cached_property
    def _moving(self) -> frozenset[str] | None:
        """The loops that move the element that a nest of one statement adds to; None where it adds to none."""
        if len(self.nest.nest.statements) > 1 or not self.body.chain:
            return None
        statement = self.space.scop.statement(self.nest.nest.statements[0])
        own = dict(
            zip(statement.iterators[len(self.nest.nest.outer) :], (s.iterator for s in self.nest.loops), strict=True)
        )
        return frozenset(own[name] for name in index_names(statement.write) if name in own)

    @cached_property
    def _turns(self) -> tuple[Turns, ...]:
        return turns_of(self.space, self.nest, self.rules)

    @cached_property
    def _waits(self) -> tuple[Wait, ...]:
        return waits_of(self.space, self.nest, self.rules)

    def _adding(self, batch: Batch, counts: Ints) -> Ints:
        """Product of the trip counts of the loops that add to one element."""
        rows = [row for row, name in enumerate(batch.loops) if name in self.body.sums]
        return np.asarray(np.prod(counts[rows], axis=0, dtype=np.int64))

    def cycles(self, batch: Batch) -> Floats:
        """Every start at the least interval, or at the one at which its operations find enough cores."""
        shares = []
        for name in ("dsp", "lut", "ff"):
            each = {kind: getattr(core.cost, name) for kind, core in self._kinds.items()}
            work = sum((count * each[kind] for kind, count in self._operations(batch).items()), np.zeros(batch.count))
            shares.append(work / max(getattr(self.space.target.budget, name), 1))
        # copies side by side share the starts, and what there is of cores
        copies = np.prod(batch.copies, axis=0)
        share = np.ceil(copies * np.maximum.reduce(shares))
        found: Floats = self.starts(batch) / copies * np.maximum(self.interval(batch), share)
        # no report shows a nest without a pipeline
        return np.where((batch.level1 > 1).any(axis=0), found, np.inf) if self.model.trusted else found

    def starts(self, batch: Batch) -> Floats:
        """Those with work: tiles of what is unrolled that hold a point; where points are listed, as few as may be."""
        counts = self.model.counts
        if counts.listed:
            return np.asarray(counts.points / np.prod(batch.level2, axis=0), np.float64)
        sizes = dict(zip(batch.loops, batch.level2, strict=True))
        visits = counts.visits(batch.loops, sizes, skips=counts.groups)
        return np.asarray(np.broadcast_to(visits, (batch.count,)), np.float64)

    def refill(self, batch: Batch, outside: frozenset[str]) -> Floats:
        """What every new start of the pipeline adds."""
        copies = np.prod(batch.copies, axis=0)
        found: Floats = self.tiles(batch, outside) / copies * np.maximum(self.latency(batch) - self.interval(batch), 0)
        return found

    def tiles(self, batch: Batch, outside: frozenset[str]) -> Floats:
        """Iterations with work of the level-0 loops outside of a transfer; remembered for the last batch."""
        if self._batch is not batch:
            self._batch, self._tiles = batch, {}
        if outside not in self._tiles:
            self._tiles[outside] = self._tiles_of(batch, outside)
        return self._tiles[outside]

    def _tiles_of(self, batch: Batch, outside: frozenset[str]) -> Floats:
        counts = self.model.counts
        sizes = {name: batch.level1[row] * batch.level2[row] for row, name in enumerate(batch.loops)}
        turning = {name: bool((batch.level0[row] > 1).any()) for row, name in enumerate(batch.loops)}
        prefix = tuple(name for name in batch.loops if name in outside and turning[name])
        visits = counts.visits(prefix, sizes, skips=counts.groups)
        return np.asarray(np.broadcast_to(visits, (batch.count,)), np.float64)

    @cached_property
    def calls(self) -> int:
        """Calls of the nest that have work, each of which transfers every tiled array at least once."""
        counts = self.model.counts
        return int(counts.visits((), {}, skips=counts.groups)[0])

    @cached_property
    def alike(self) -> int:
        """Calls that each run all iterations of the band; one where the outer loops bound these."""
        outer, band = set(self.nest.nest.outer), {loop.iterator for loop in self.nest.loops}
        is_box = not any(outer & set(group.loops) and band & set(group.loops) for group in self.model.counts.groups)
        return self.calls if is_box else 1

    def transfers(self, use: ArrayUse, batch: Batch, outside: frozenset[str]) -> Floats:
        """Beats at the widest width of such tiles, and the port's latency for every contiguous run of memory.

        There are fewer runs if the rows of tiles are longer by what whole beats add. No report shows tiles of several.
        """
        spans = tile_spans(self.nest, use, batch, outside)
        widest = max(self.beats.cap(use.array), 1)
        added = most_added(self.space, self.nest, use.array, widest)
        grown, extents = [*spans[:-1], *(span + added for span in spans[-1:])], [dim.extent for dim in use.dims]
        if use.layout == COLUMNS:
            grown, extents = (list(in_columns(VECTOR, box, widest)) for box in (spans, extents))
        bursts = bursts_of(VECTOR, grown, grown if use.packed else extents)
        widths = np.asarray(self.beats.of(self.nest, use, batch, outside))
        once = least_move_cycles(self.model.setting(), footprint(spans, batch.count) / np.maximum(widths, 1), bursts)
        once = np.where(widths > 0, once, np.inf)
        if self.model.trusted and self.directions(use):
            once = np.where(bursts > 1, np.inf, once)
        return np.asarray(self.tiles(batch, outside) * self.directions(use) * once, np.float64)

    def directions(self, use: ArrayUse) -> int:
        """How often a tile travels at least: in, out or both."""
        return int(must_load(self.space, self.nest, use)) + int(use.writes)

    def stored(self, use: ArrayUse) -> float:
        """The share of the transfers of an array that are stores."""
        return int(use.writes) / max(self.directions(use), 1)

    def operators(self, batch: Batch) -> dict[str, Floats]:
        """Cores by kind at the largest interval that a recurrence can ask for."""
        interval = self._largest_interval(batch)
        return {kind: np.ceil(n / interval) for kind, n in self._operations(batch).items() if kind in self.cores}

    def logic(self, batch: Batch, resource: str) -> Floats:
        """What the operations of one start take that share nothing."""
        none = np.zeros(batch.count)
        if len(self.cores) == len(self._kinds):
            return none
        counts = self._operations(batch).items()
        return sum(
            (n * getattr(self._kinds[kind].cost, resource) for kind, n in counts if kind not in self.cores), none
        )

    def _operations(self, batch: Batch) -> dict[str, Floats]:
        """Of one start, by kind of core.

        Under tree reduction products may be reassociated, so that only operations of all unrolled loops count. Where
        the tool is asked for an interval, one addition into each element has a core of its own.
        """
        row_of = {name: row for row, name in enumerate(batch.loops)}
        most = max((len(op.loops) for op in self.body.operations), default=0)
        found: dict[str, Any] = {}
        for op in self.body.operations:
            if not self.tree or len(op.loops) == most:
                copies = np.prod([batch.level2[row_of[name]] for name in op.loops], axis=0) if op.loops else 1
                found[op.core.kind] = found.get(op.core.kind, 0) + copies
        asking = (batch.interval > 0) * np.prod(batch.level2, axis=0) // self._adding(batch, batch.level2)
        for core in (self.body.asked or ())[:1]:
            found[core.kind] = np.maximum(found.get(core.kind, 0) - asking, 0)
        return {kind: count * np.ones(batch.count) for kind, count in found.items()}

    def _largest_interval(self, batch: Batch) -> Floats:
        """A recurrence over a distance of at least the iterations of a pipelined parallel loop (docs/model.md).

        Every start may wait for the one before where an element may be taken for the next one.
        """
        rules, trips = self.rules.cycles, trips_of(self.nest, batch)
        waits = self._with_nothing_asked(batch) + self.body.chain + rules.read + rules.write
        waits = np.maximum.reduce([waits, *(turn for turn, _ in self._successive(batch))])
        has_sequential = any(loop.kind is LoopKind.SEQUENTIAL for loop in self.nest.loops)
        stuck = any(wait.loop not in self.body.sums for wait in self._waits)
        if has_sequential or stuck or not self.nest.loops:
            return np.maximum(waits, self._wait(batch))
        apart = np.maximum(trips.pipelined_parallel, 1)
        again = np.where(trips.pipelined_reduction > 1, waits, np.ceil(waits / apart))
        alone = (batch.level1 > 1).any(axis=0) & ~self._may_be_few(batch)
        found: Floats = np.maximum(np.where(alone, again, waits), self._wait(batch))
        return found

    def _may_be_few(self, batch: Batch) -> Mask:
        """Whether some array that is added to may have so few words per bank that it waits as registers do."""
        every = frozenset(batch.loops)
        most = self.rules.register_words * self.space.target.max_partition
        found = np.zeros(batch.count, np.bool_)
        for use in self.nest.arrays:
            if use.reads and use.writes:
                elements = np.prod(tile_spans(self.nest, use, batch, every), axis=0, dtype=np.int64)
                found |= elements <= most
        return found
