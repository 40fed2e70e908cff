"""Elements per beat that a buffer's tile allows; knows no cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd

from sisyphus.ir import ArrayId
from sisyphus.poly import Affine
from sisyphus.space.point import DIRECT, KERNEL_PLACE, STREAM, BufferPoint, NestPoint
from sisyphus.space.space import NestSpace, Space


def layout_for(extents: Sequence[int], width: int) -> str:
    """How an array must lie in memory for beats of `width` elements that cross no row."""
    return "padded" if extents and extents[-1] % width else "plain"


def form_for(space: Space, array: ArrayId, width: int) -> str:
    """How loads of an array reach its buffers with beats of `width` elements."""
    return DIRECT if width <= space.direct_width(array) else STREAM


def tile_widths(space: Space, nest: NestSpace, chosen: NestPoint, buffer: BufferPoint) -> tuple[int, ...]:
    """Those of `space.widths` that divide where every tile begins and ends in the last dimension.

    A tile that always reaches the end of a row may end with any part of a beat: the rest is padding.
    """
    widths = space.widths[buffer.array]
    if buffer.place == KERNEL_PLACE or not buffer.partition:
        return widths
    grid = tile_grid(space, nest, chosen, buffer)
    return tuple(w for w in widths if grid % w == 0)


def tile_grid(space: Space, nest: NestSpace, chosen: NestPoint, buffer: BufferPoint) -> int:
    """The largest number that divides every tile's first place in the last dimension, and its length.

    The length does not count where the tile always reaches the end of the row; 0: any number divides.
    """
    use = nest.use(buffer.array)
    last = len(buffer.partition) - 1
    if use is None or use.dims[last].coefficients is None:
        return 0
    outside = chosen.order[: chosen.order.index(buffer.place) + 1] if buffer.place in chosen.order else ()
    sizes = {
        s.iterator: min(chosen.tile(s.iterator).size, s.trip_count) if s.iterator in outside else s.trip_count
        for s in nest.loops
    }
    subscripts = _last_subscripts(space, nest, buffer.array)
    first = min(_first_place(nest, subscript, sizes) for subscript in subscripts)
    extent, length = use.dims[last].extent, use.dims[last].reach(sizes)
    steps = [
        # an outer sequential loop moves the tile by single places
        factor * (chosen.tile(name).size if name in sizes else 1)
        for name, factor in subscripts[0].terms
        if name in outside or name not in sizes
    ]
    if steps:
        return 0 if length >= extent else gcd(first, length, *steps)
    end = first + length
    first = max(first, 0)
    return first if end >= extent else gcd(first, end - first)


def _first_place(nest: NestSpace, subscript: Affine, sizes: Mapping[str, int]) -> int:
    """The least value of a subscript in the first tile, outer loops left out."""
    total = subscript.constant
    for name, factor in subscript.terms:
        if name in sizes:
            total += factor * (nest.loop(name).lower + (sizes[name] - 1 if factor < 0 else 0))
    return total


def _last_subscripts(space: Space, nest: NestSpace, array: ArrayId) -> list[Affine]:
    statements = [space.scop.statement(s) for s in nest.nest.statements]
    return [r.index[-1] for s in statements for r in (s.write, *s.reads) if r.array == array]
