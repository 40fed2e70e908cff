"""All tilings of one nest with what they ask of every array's partition; knows no cost and no transfer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sisyphus import clock
from sisyphus.ir import ArrayId
from sisyphus.search.costs import Batch, Ints, Mask, Tilings
from sisyphus.search.partitions import IMPOSSIBLE, States
from sisyphus.space import ArrayUse, Copies, LoopSpace, NestSpace, Space, Tile, intervals, never_both


def candidates_of(space: Space, nest: NestSpace, states: Mapping[ArrayId, States]) -> Tilings:
    """Every tiling of a nest that its precedence, its pipelined loop and the partitions of its arrays allow."""
    unrolls, demands = _unrolls(nest, states)
    loops = tuple(loop.iterator for loop in nest.loops)
    parts = [_with_pipeline(nest, loops, unrolls, pipelined) for pipelined in (None, *filter(None, nest.pipelines))]
    rows = np.concatenate([rows for rows, _, _ in parts])
    level0 = np.concatenate([level0 for _, level0, _ in parts], axis=1)
    level1 = np.concatenate([level1 for _, _, level1 in parts], axis=1)
    places, copies = _copies(nest, level0)
    rows = rows[places]
    batch = Batch(loops, level0[:, places], level1[:, places], unrolls[:, rows], copies, np.zeros(len(rows), np.int64))
    batch, asking = _intervals(nest, batch)
    rows = rows[asking]
    found = Tilings(batch, {array: demand[rows] for array, demand in demands.items()})
    clock.added_up(found.count)
    kept = _in_order(space, nest, batch)
    return found if kept.all() else found.take(np.flatnonzero(kept))


class _Demands:
    """Places in the lattices of an array while the loops of a nest are given unroll factors one by one."""

    def __init__(self, use: ArrayUse, states: States) -> None:
        self.use, self.states = use, states
        self.places = [np.full(1, lattice.index[1], np.int64) for lattice in states.lattices]

    def extend(self, loop: LoopSpace, level2: Ints, rows: Ints) -> None:
        for at, (dim, lattice) in enumerate(zip(self.use.dims, self.states.lattices, strict=True)):
            places = self.places[at][rows]
            if loop.iterator in dim.banked:
                asked = np.array([lattice.index.get(int(v), IMPOSSIBLE) for v in level2], np.int64)
                joined = lattice.joins[places, np.maximum(asked, 0)]
                places = np.where(asked < 0, IMPOSSIBLE, joined)
            self.places[at] = places

    def keep(self, kept: Mask) -> None:
        self.places = [places[kept] for places in self.places]

    def numbers(self, count: int) -> Ints:
        return self.states.number(self.places, count)


def _unrolls(nest: NestSpace, states: Mapping[ArrayId, States]) -> tuple[Ints, dict[ArrayId, Ints]]:
    """Level-2 trip counts [loop, candidate] that the partitions allow, built loop by loop, and what they ask."""
    demands = {use.array: _Demands(use, states[use.array]) for use in nest.arrays}
    unrolls = np.ones((0, 1), np.int64)
    for loop in nest.loops:
        values = np.array(sorted({tile.level2 for tile in loop.tiles}), np.int64)
        rows = np.repeat(np.arange(unrolls.shape[1]), len(values))
        level2 = np.tile(values, unrolls.shape[1])
        kept = np.ones(len(rows), np.bool_)
        for demand in demands.values():
            demand.extend(loop, level2, rows)
            kept &= demand.numbers(len(rows)) >= 0
        for demand in demands.values():
            demand.keep(kept)
        unrolls = np.concatenate([unrolls[:, rows], level2[None, :]])[:, kept]
    return unrolls, {array: demand.numbers(unrolls.shape[1]) for array, demand in demands.items()}


def _with_pipeline(
    nest: NestSpace, loops: Sequence[str], unrolls: Ints, pipelined: str | None
) -> tuple[Ints, Ints, Ints]:
    """For each unroll vector the trip counts at levels 0 and 1, if `pipelined` alone has level-1 iterations."""
    rows = np.arange(unrolls.shape[1])
    level0, level1 = np.ones((0, len(rows)), np.int64), np.ones((0, len(rows)), np.int64)
    for at, name in enumerate(loops):
        tiles = [t for t in nest.loop(name).tiles if (t.level1 > 1) == (name == pipelined)]
        places, chosen = _matching(unrolls[at, rows], tiles)
        rows = rows[places]
        counts = np.array([(t.level0, t.level1) for t in tiles], np.int64).reshape(-1, 2)[chosen].T
        level0 = np.concatenate([level0[:, places], counts[:1]])
        level1 = np.concatenate([level1[:, places], counts[1:]])
    return rows, level0, level1


def _copies(nest: NestSpace, level0: Ints) -> tuple[Ints, Ints]:
    """Every candidate with all coarse-grained factors that divide its level 0: its place, the factors per loop."""
    places, copies = np.arange(level0.shape[1]), np.ones((0, level0.shape[1]), np.int64)
    for at, loop in enumerate(nest.loops):
        parts = [(np.flatnonzero(level0[at, places] % factor == 0), factor) for factor in loop.unroll]
        kept = np.concatenate([rows for rows, _ in parts])
        chosen = np.concatenate([np.full(len(rows), factor, np.int64) for rows, factor in parts])
        places, copies = places[kept], np.concatenate([copies[:, kept], chosen[None, :]])
    return places, copies


def _intervals(nest: NestSpace, batch: Batch) -> tuple[Batch, Ints]:
    """Every candidate with all that the tool may be asked for, and the places of these candidates."""
    pipelined = {name: batch.level1[at] > 1 for at, name in enumerate(batch.loops)}
    found = []
    for value in sorted({0, *nest.intervals}):
        rows = np.logical_and.reduce([~runs for runs in pipelined.values()]) & (value in intervals(nest, None))
        for name, runs in pipelined.items():
            rows = rows | (runs & (value in intervals(nest, name)))
        found.append((np.flatnonzero(rows), value))
    places = np.concatenate([rows for rows, _ in found])
    asked = np.concatenate([np.full(len(rows), value, np.int64) for rows, value in found])
    return replace(batch.take(places), interval=asked), places


def _matching(level2: Ints, tiles: Sequence[Tile]) -> tuple[Ints, Ints]:
    """All pairs (place in `level2`, place in `tiles`) of equal level-2 trip count, by place in `level2`."""
    own = np.array([tile.level2 for tile in tiles], np.int64)
    order = np.argsort(own, kind="stable")
    first = np.searchsorted(own[order], level2, side="left")
    counts = np.searchsorted(own[order], level2, side="right") - first
    places = np.repeat(np.arange(len(level2)), counts)
    within = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
    return places, np.asarray(order[np.repeat(first, counts) + within], np.int64)


def _in_order(space: Space, nest: NestSpace, batch: Batch) -> Mask:
    """Candidates in which no two copies of loops have several iterations that must not both."""
    row = {name: at for at, name in enumerate(batch.loops)}
    levels = (batch.level0, batch.level1, batch.level2)

    def has_several(copies: Copies) -> Mask:
        several = [levels[level][row[copies.loop]] > 1 for level in copies.levels]
        return np.asarray(np.any(several, axis=0), np.bool_)

    kept = np.ones(batch.count, np.bool_)
    for one, other in never_both(space, nest):
        kept &= ~(has_several(one) & has_several(other))
    return kept
