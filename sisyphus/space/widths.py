"""Elements per beat that a buffer's tile allows; knows no cost."""

from __future__ import annotations

from math import gcd

from sisyphus.ir import ArrayId
from sisyphus.poly import Affine
from sisyphus.space.point import KERNEL_PLACE, BufferPoint, NestPoint
from sisyphus.space.space import NestSpace, Space


def tile_widths(space: Space, nest: NestSpace, chosen: NestPoint, buffer: BufferPoint) -> tuple[int, ...]:
    """Those of `space.widths` that divide where every tile begins and ends in the last dimension."""
    widths = space.widths[buffer.array]
    if buffer.place == KERNEL_PLACE or not buffer.partition:
        return widths
    grid = tile_grid(space, nest, chosen, buffer)
    return tuple(w for w in widths if grid % w == 0)


def tile_grid(space: Space, nest: NestSpace, chosen: NestPoint, buffer: BufferPoint) -> int:
    """The largest number that divides every tile's first place and length in the last dimension; 0: a whole row."""
    use = nest.use(buffer.array)
    last = len(buffer.partition) - 1
    if use is None or use.dims[last].coefficients is None:
        return 0
    outside = chosen.order[: chosen.order.index(buffer.place) + 1] if buffer.place in chosen.order else ()
    sizes = {s.iterator: chosen.tile(s.iterator).size if s.iterator in outside else s.trip_count for s in nest.loops}
    grid = use.dims[last].span(sizes)
    if grid == use.dims[last].extent:
        return 0
    for subscript in _last_subscripts(space, nest, buffer.array):
        first = subscript.constant
        for name, factor in subscript.terms:
            if name not in sizes:  # an outer sequential loop moves the tile by single places
                grid = gcd(grid, factor)
                continue
            loop = nest.loop(name)
            first += factor * (loop.lower if factor > 0 else loop.lower + loop.trip_count - 1)
            if name in outside and chosen.tile(name).level0 > 1:
                grid = gcd(grid, factor * sizes[name])
        grid = gcd(grid, first)
    return grid


def _last_subscripts(space: Space, nest: NestSpace, array: ArrayId) -> list[Affine]:
    statements = [space.scop.statement(s) for s in nest.nest.statements]
    return [r.index[-1] for s in statements for r in (s.write, *s.reads) if r.array == array]
