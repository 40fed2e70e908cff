"""A DesignPoint as values of the knobs, to start a solver from; the inverse of decode, and knows no solver either."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sisyphus.ir import ArrayId
from sisyphus.space.decode import NotADesign, knob, serving_factor
from sisyphus.space.point import KERNEL_PLACE, DesignPoint
from sisyphus.space.space import ArrayUse, NestSpace, Space


def encode(space: Space, point: DesignPoint) -> dict[str, int]:
    """Every binary knob, 0 or 1 by its name, of a point that lies in the space; `NotADesign` where it does not."""
    values = choices(space, point)
    for array in space.used_arrays:
        width = _width(space, point, array)
        resident = any(b.array == array and b.place == KERNEL_PLACE for b in point.buffers)
        values.update({knob("moved", array, w): int(w == width and resident) for w in space.widths[array]})
        for at, legal in enumerate(space.partitions[array]):
            chosen = ((nest, point.nest(nest.id)) for nest in space.users(array))
            factor = serving_factor(space, array, at, chosen, width)
            values.update({knob("factor", array, at, v): int(v == factor) for v in legal})
    return values


def choices(space: Space, point: DesignPoint) -> dict[str, int]:
    """The knobs that `decode` reads, by name: tiles, places and widths; partitions follow. `NotADesign` as `encode`."""
    values: dict[str, int] = {}
    for nest in space.nests:
        values.update(_tiles(nest, point))
        values.update(_places(nest, point))
        values[knob("ahead", nest.id)] = int(any(b.copies > 1 and nest.id in b.nests for b in point.buffers))
    for array in space.used_arrays:
        width = _width(space, point, array)
        values.update({knob("width", array, w): int(w == width) for w in space.widths[array]})
        whole = space.scop.array(array).extents
        if whole and any(b.array == array and b.place == KERNEL_PLACE and b.partition == whole for b in point.buffers):
            values[knob("registers", array)] = 1
    return values


def _tiles(nest: NestSpace, point: DesignPoint) -> Iterator[tuple[str, int]]:
    chosen = point.nest(nest.id)
    unroll = dict(chosen.unroll)
    for loop in nest.loops:
        if chosen.tile(loop.iterator) not in loop.tiles:
            raise NotADesign(f"nest `{nest.id}`: {chosen.tile(loop.iterator)} is no tile of `{loop.iterator}`")
        for k, tile in enumerate(loop.tiles):
            yield knob("tile", nest.id, loop.iterator, k), int(tile == chosen.tile(loop.iterator))
        for factor in loop.unroll if loop.unroll != (1,) else ():
            yield knob("unroll", nest.id, loop.iterator, factor), int(factor == unroll.get(loop.iterator, 1))
    yield knob("interval", nest.id), chosen.interval
    for name in nest.pipelines:
        if name is not None:
            yield knob("pipeline", nest.id, name), int(name == chosen.pipeline)


def _places(nest: NestSpace, point: DesignPoint) -> Iterator[tuple[str, int]]:
    outside = {use.array: _outside(nest, use, point) for use in nest.arrays}
    for use in nest.arrays:
        buffer = point.buffer_of(use.array, nest.id)
        yield knob("resident", use.array, nest.id), int(buffer.place == KERNEL_PLACE)
        if buffer.place in nest.nest.outer and (buffer.place != nest.around or len(buffer.nests) > 1):
            yield knob("shared", use.array, nest.id, buffer.place), 1
        if use.can_be_tiled:
            for loop in nest.loops:
                yield knob("outside", use.array, nest.id, loop.iterator), int(loop.iterator in outside[use.array])
    for a, b in combinations([use for use in nest.arrays if use.can_be_tiled], 2):
        yield knob(f"larger_{nest.id}", a.array, b.array), int(outside[a.array] <= outside[b.array])


def _outside(nest: NestSpace, use: ArrayUse, point: DesignPoint) -> frozenset[str]:
    order, place = point.nest(nest.id).order, point.buffer_of(use.array, nest.id).place
    return frozenset(order[: order.index(place) + 1]) if place in order else frozenset()


def _width(space: Space, point: DesignPoint, array: ArrayId) -> int:
    """Of the resident buffer; the narrowest where there is none."""
    for buffer in point.buffers:
        if buffer.array == array and buffer.place == KERNEL_PLACE:
            width = point.width_of(buffer.id)
            return width if width in space.widths[array] else min(space.widths[array])
    return min(space.widths[array])
