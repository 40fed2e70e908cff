"""Random legal points of a design space, drawn knob by knob: any tiling, any residency, any nested places."""

from __future__ import annotations

import random
from collections.abc import Iterator

from sisyphus.analysis import LoopKind
from sisyphus.space import (
    KERNEL_PLACE,
    Choices,
    DesignPoint,
    NestChoices,
    NestSpace,
    NotADesign,
    Space,
    Tile,
    decode,
    illegal,
)


def random_points(space: Space, count: int, seed: int = 0, *, resident: bool = False) -> Iterator[DesignPoint]:
    """`count` legal points; with `resident`, all arrays stay on chip."""
    rng, made, tried = random.Random(seed), 0, 0
    while made < count:
        tried += 1
        if tried > 200 * count:
            raise AssertionError(f"too few legal points in the space of {space.scop.name}")
        try:
            point = decode(space, _choices(space, rng, resident=resident))
        except NotADesign:
            continue  # no partition serves all its unroll factors
        banks = [_product(b.partition) for b in point.buffers]
        if max(banks, default=1) > space.target.max_partition:
            continue
        if illegal(space.dependences, space.distribution, point) is None:
            made += 1
            yield point


def _choices(space: Space, rng: random.Random, *, resident: bool) -> Choices:
    nests = {}
    views = {a.id for a in space.scop.arrays if a.view_of is not None}
    stays = {
        a: a not in views and (resident or rng.random() < 0.6 or not _can_tile(space, a)) for a in space.used_arrays
    }
    for nest in space.nests:
        tiles, copies = _tiles(nest, rng)
        interval = rng.choice(nest.intervals) if len(nest.intervals) > 1 else nest.intervals[0]
        order, still = [loop.iterator for loop in nest.loops], {loop for use in nest.arrays for loop in use.still}
        ranks = {name: (name not in still, nest.loop(name).kind is not LoopKind.REDUCTION) for name in order}
        order.sort(key=lambda name: (ranks[name], rng.random()))
        outside = {}
        for use in nest.arrays:
            least = len(still) if use.still else 0 if nest.can_move_around(use) else 1
            length = 0 if stays[use.array] else rng.randint(least, len(order))
            outside[use.array] = frozenset(order[:length])
        residents = frozenset(array for array, stay in stays.items() if stay)
        nests[nest.id] = NestChoices(nest.id, tiles, copies, outside, interval, residents)
    return Choices(nests, {array: rng.choice(space.widths[array]) for array in space.used_arrays})


def _can_tile(space: Space, array: str) -> bool:
    uses = [u for n in space.nests for u in n.arrays if u.array == array]
    return all(any(place != KERNEL_PLACE for place in use.places) for use in uses)


def _tiles(nest: NestSpace, rng: random.Random) -> tuple[dict[str, Tile], dict[str, int]]:
    pipelined = rng.choice(nest.pipelines)
    tiles, copies = {}, {}
    for loop in nest.loops:
        tile = tiles[loop.iterator] = rng.choice([t for t in loop.tiles if t.level1 == 1 or loop.iterator == pipelined])
        factors = [f for f in loop.unroll if tile.level0 % f == 0]
        if len(factors) > 1:
            copies[loop.iterator] = rng.choice(factors)
    return tiles, copies


def _product(factors: tuple[int, ...]) -> int:
    total = 1
    for factor in factors:
        total *= factor
    return total
