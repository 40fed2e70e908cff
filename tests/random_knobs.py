"""Random legal points of a design space, drawn knob by knob: any tiling, any residency, any nested places."""

from __future__ import annotations

import random
from collections.abc import Iterator

from sisyphus.analysis import LoopKind
from sisyphus.space import KERNEL_PLACE, DesignPoint, NestSpace, NotADesign, Space, decode, illegal, knob


def random_points(space: Space, count: int, seed: int = 0, *, resident: bool = False) -> Iterator[DesignPoint]:
    """`count` legal points; with `resident`, all arrays stay on chip."""
    rng, made, tried = random.Random(seed), 0, 0
    while made < count:
        tried += 1
        if tried > 200 * count:
            raise AssertionError(f"too few legal points in the space of {space.scop.name}")
        try:
            point = decode(space, _values(space, rng, resident=resident))
        except NotADesign:
            continue  # no partition serves all its unroll factors
        banks = [_product(b.partition) for b in point.buffers]
        if max(banks, default=1) > space.target.max_partition:
            continue
        if illegal(space.dependences, space.distribution, point) is None:
            made += 1
            yield point


def _values(space: Space, rng: random.Random, *, resident: bool) -> dict[str, int]:
    values: dict[str, int] = {}
    views = {a.id for a in space.scop.arrays if a.view_of is not None}
    stays = {
        a: a not in views and (resident or rng.random() < 0.6 or not _can_tile(space, a)) for a in space.used_arrays
    }
    for nest in space.nests:
        values.update(_tiles(nest, rng))
        if len(nest.intervals) > 1:
            values[knob("interval", nest.id)] = rng.choice(nest.intervals)
        order, still = [loop.iterator for loop in nest.loops], {loop for use in nest.arrays for loop in use.still}
        ranks = {name: (name not in still, nest.loop(name).kind is not LoopKind.REDUCTION) for name in order}
        order.sort(key=lambda name: (ranks[name], rng.random()))
        for use in nest.arrays:
            values[knob("resident", use.array, nest.id)] = int(stays[use.array])
            least = len(still) if use.still else 0 if nest.can_move_around(use) else 1
            length = 0 if stays[use.array] else rng.randint(least, len(order))
            for at, name in enumerate(order):
                values[knob("outside", use.array, nest.id, name)] = int(at < length)
    for array in space.used_arrays:
        width = rng.choice(space.widths[array])
        values.update({knob("width", array, w): int(w == width) for w in space.widths[array]})
    return values


def _can_tile(space: Space, array: str) -> bool:
    uses = [u for n in space.nests for u in n.arrays if u.array == array]
    return all(any(place != KERNEL_PLACE for place in use.places) for use in uses)


def _tiles(nest: NestSpace, rng: random.Random) -> dict[str, int]:
    pipelined = rng.choice(nest.pipelines)
    values = {}
    for loop in nest.loops:
        legal = [k for k, t in enumerate(loop.tiles) if t.level1 == 1 or loop.iterator == pipelined]
        chosen = rng.choice(legal)
        values.update({knob("tile", nest.id, loop.iterator, k): int(k == chosen) for k in range(len(loop.tiles))})
        factors = [f for f in loop.unroll if loop.tiles[chosen].level0 % f == 0]
        if len(factors) > 1:
            values[knob("unroll", nest.id, loop.iterator, rng.choice(factors))] = 1
    return values


def _product(factors: tuple[int, ...]) -> int:
    total = 1
    for factor in factors:
        total *= factor
    return total
