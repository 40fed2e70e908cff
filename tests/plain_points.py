"""Design points that no search is needed for: everything on chip, loops pipelined or unrolled in one plain way."""

from __future__ import annotations

from sisyphus.analysis import Distribution, Loop, LoopKind, Nest
from sisyphus.ir import Scop
from sisyphus.plan.checks import arrays_of
from sisyphus.space import KERNEL_PLACE, BufferPoint, DesignPoint, NestPoint, Tile


def pipelined_point(scop: Scop, distribution: Distribution) -> DesignPoint:
    """The innermost loop of every nest is pipelined, nothing is unrolled."""
    return _point(scop, distribution, unrolled=False)


def unrolled_point(scop: Scop, distribution: Distribution) -> DesignPoint:
    """Every loop that may be unrolled is unrolled whole, and every element has a bank of its own."""
    return _point(scop, distribution, unrolled=True)


def _point(scop: Scop, distribution: Distribution, *, unrolled: bool) -> DesignPoint:
    nests = tuple(_nest(nest, unrolled=unrolled) for nest in distribution.nests)
    buffers = []
    for array in scop.arrays:
        users = tuple(n.id for n in distribution.nests if array.id in arrays_of(scop, n))
        banks = unrolled and array.id not in scop.looked_up
        partition = array.extents if banks else (1,) * len(array.extents)
        if users:
            buffers.append(BufferPoint(array.id, users, KERNEL_PLACE, partition))
    return DesignPoint(scop.name, nests, tuple(buffers))


def _nest(nest: Nest, *, unrolled: bool) -> NestPoint:
    last = nest.iterators[-1] if nest.band and not unrolled else None
    tiles = tuple((loop.iterator, _tile(loop, loop.iterator == last, unrolled=unrolled)) for loop in nest.band)
    return NestPoint(nest.statements, nest.iterators, tiles, last)


def _tile(loop: Loop, is_pipelined: bool, *, unrolled: bool) -> Tile:
    trips = max(loop.trip_count, 1)
    if is_pipelined:
        return Tile(1, trips, 1)
    return Tile(1, 1, trips) if unrolled and loop.kind is not LoopKind.SEQUENTIAL else Tile(trips, 1, 1)
