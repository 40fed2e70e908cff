"""Kernels with a nest of several statements around which a loop is parallel, and points with copies side by side."""

from __future__ import annotations

import random
from collections.abc import Sequence

from builders import scop as build_scop

from sisyphus.analysis import Loop, LoopKind, Nest
from sisyphus.ir import ArrayId, Scop
from sisyphus.plan.checks import arrays_of
from sisyphus.space import BufferPoint, DesignPoint, NestPoint, Tile, factors_of, free_loops

KERNELS = {
    "rows": (
        """
        for i in range(12):
            for j in range(6):
                X[i, j + 1] = Y[i, j] * A[j]
                Y[i, j + 1] = X[i, j] * B[i]
        """,
        {"X": (12, 7), "Y": (12, 7), "A": (6,), "B": (12,)},
    ),
    "planes": (
        """
        for i in range(1, 14):
            for k in range(6):
                for j in range(5):
                    X[i, k, j + 1] = Y[i, k, j] * A[j]
                    Y[i, k, j + 1] = X[i, k, j] * B[i] + c
        """,
        {"X": (14, 6, 6), "Y": (14, 6, 6), "A": (5,), "B": (14,)},
    ),
    "rows under an outer loop": (
        """
        for t in range(3):
            for i in range(2, 14):
                for j in range(5):
                    X[i, j + 1] = Y[i, j] * A[t]
                    Y[i, j + 1] = X[i, j] + X[i, j + 1] * Z[i, j]
        """,
        {"X": (15, 6), "Y": (15, 6), "A": (3,), "Z": (15, 5)},
    ),
}


def built(name: str) -> Scop:
    text, extents = KERNELS[name]
    return build_scop(text, **extents)


def copied_point(rng: random.Random, scop: Scop, nest: Nest, *, ragged: bool = True) -> DesignPoint:
    """A random legal point with copies of loops of the only nest; often each copy has arrays of its own."""
    while True:
        pipeline = rng.choice(nest.iterators)
        tiles = {loop.iterator: _tile(rng, loop, loop.iterator == pipeline, ragged=ragged) for loop in nest.band}
        unroll = {loop: rng.choice(factors_of(tiles[loop])) for loop in free_loops(scop, nest)}
        order = tuple(rng.sample(nest.iterators, len(nest.iterators)))
        if max(unroll.values()) > 1:
            break
    copied = tuple((loop, factor) for loop, factor in unroll.items() if factor > 1)
    chosen = NestPoint(nest.statements, order, tuple(tiles.items()), pipeline, copied)
    first, *_, last = sorted(order.index(loop) for loop, _ in copied * 2)
    outermost = rng.choice([0, first, last, last, last])
    buffers = tuple(_buffer(rng, scop, nest, array, order[outermost:]) for array in arrays_of(scop, nest))
    return DesignPoint(scop.name, (chosen,), buffers)


def _tile(rng: random.Random, loop: Loop, is_pipelined: bool, *, ragged: bool) -> Tile:
    sizes = [s for s in range(1, loop.trip_count + 1) if ragged or loop.trip_count % s == 0]
    level2 = 1 if loop.kind is LoopKind.SEQUENTIAL else rng.choice([1, 1, *sizes])
    inside = [s for s in sizes if s * level2 <= loop.trip_count and (ragged or loop.trip_count % (s * level2) == 0)]
    level1 = rng.choice(inside) if is_pipelined else 1
    return Tile(-(-loop.trip_count // (level1 * level2)), level1, level2)


def _buffer(rng: random.Random, scop: Scop, nest: Nest, array: ArrayId, places: Sequence[str]) -> BufferPoint:
    """Under one of some loops; now and then resident, which does not keep copies apart if it is only read."""
    extents = scop.array(array).extents
    written = any(scop.statement(s).write.array == array for s in nest.statements)
    if rng.random() < (0.05 if written else 0.3):
        return BufferPoint(array, (nest.id,), "kernel", extents)
    return BufferPoint(array, (nest.id,), rng.choice(places), tuple(rng.choice((1, 1, 2, e)) for e in extents))


def plain_point(scop: Scop, nest: Nest, tiles: dict[str, Tile], unroll: dict[str, int], place: str) -> DesignPoint:
    """One point: every array under one loop, the first loop pipelined if it can be."""
    pipelined = [loop for loop, tile in tiles.items() if tile.level1 > 1]
    chosen = NestPoint(
        nest.statements, nest.iterators, tuple(tiles.items()), (pipelined or [None])[0], tuple(unroll.items())
    )
    buffers = tuple(
        BufferPoint(ArrayId(a), (nest.id,), place, (1,) * len(scop.array(a).extents)) for a in arrays_of(scop, nest)
    )
    return DesignPoint(scop.name, (chosen,), buffers)
