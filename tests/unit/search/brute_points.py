"""Every design point of a tiny space with one nest, by plain enumeration of all its knobs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from math import lcm

from sisyphus.space import (
    KERNEL_PLACE,
    ArrayUse,
    BufferPoint,
    DesignPoint,
    NestPoint,
    NestSpace,
    Space,
    Tile,
    TransferPoint,
    form_for,
)


def every_point(space: Space) -> Iterator[DesignPoint]:
    """Also those that break a rule or a budget; factors are the smallest that the unroll factors and beats allow."""
    [nest] = space.nests
    loops = [loop.iterator for loop in nest.loops]
    for tiles in product(*(loop.tiles for loop in nest.loops)):
        pipelined = [name for name, tile in zip(loops, tiles, strict=True) if tile.level1 > 1]
        if len(pipelined) <= 1:
            chosen = dict(zip(loops, tiles, strict=True))
            for order in permutations(loops):
                point = NestPoint(nest.nest.statements, order, tuple(chosen.items()), (pipelined or [None])[0])
                yield from _with_buffers(space, nest, point, chosen)


def _with_buffers(space: Space, nest: NestSpace, point: NestPoint, tiles: dict[str, Tile]) -> Iterator[DesignPoint]:
    choices = [
        [(use, place, width) for place in use.places for width in space.widths[use.array]] for use in nest.arrays
    ]
    for picks in product(*choices):
        buffers = tuple(
            BufferPoint(use.array, (nest.id,), place, _factors(use, tiles, width if place == KERNEL_PLACE else 1))
            for use, place, width in picks
        )
        transfers = tuple(
            TransferPoint(b.id, width, form=form_for(space, b.array, width))
            for b, (_, _, width) in zip(buffers, picks, strict=True)
        )
        yield DesignPoint(space.scop.name, (point,), buffers, transfers, space.options.tree_reduction)


def _factors(use: ArrayUse, tiles: dict[str, Tile], width: int) -> tuple[int, ...]:
    factors = [lcm(*(tiles[loop].level2 for loop in dim.loops)) for dim in use.dims]
    factors[-1] = lcm(factors[-1], width)
    return tuple(factors)
