"""Does a design point lie in the space and fit its budgets? A solver's answer is believed only after this."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from sisyphus.errors import KernelError
from sisyphus.plan import check_point
from sisyphus.search.costs import CostModel
from sisyphus.space import (
    KERNEL_PLACE,
    BufferPoint,
    DesignPoint,
    NestSpace,
    Space,
    intervals,
    level0_pairs,
    levers_unmet,
    places_around,
)


def faults(costs: CostModel, point: DesignPoint) -> tuple[str, ...]:
    """What is wrong with a point, in words; nothing if it is a design of this space within its budgets."""
    space = costs.space
    try:
        check_point(space.scop, space.distribution, point)
    except KernelError as wrong:
        return (wrong.message,)
    found = [*_all_nests(space, point), *_all_buffers(space, point)]
    return tuple(found or costs.excesses(point))


def _all_nests(space: Space, point: DesignPoint) -> Iterator[str]:
    if point.tree_reduction != space.options.tree_reduction:
        yield f"tree reduction is {point.tree_reduction}, not {space.options.tree_reduction}"
    if point.adders != space.options.adders:
        yield f"additions run on {point.adders}, not on {space.options.adders}"
    for nest in space.nests:
        yield from _nest(space, nest, point)


def _nest(space: Space, nest: NestSpace, point: DesignPoint) -> Iterator[str]:
    chosen = point.nest(nest.id)
    for loop in nest.loops:
        if chosen.tile(loop.iterator) not in loop.tiles:
            yield f"nest `{nest.id}`: {chosen.tile(loop.iterator)} is no tile of `{loop.iterator}`"
        if (factor := dict(chosen.unroll).get(loop.iterator, 1)) not in loop.unroll:
            yield f"nest `{nest.id}`: `{loop.iterator}` cannot have {factor} copies side by side"
    if chosen.pipeline not in nest.pipelines:
        yield f"nest `{nest.id}`: `{chosen.pipeline or 'none'}` cannot be pipelined"
    if chosen.interval not in intervals(nest, chosen.pipeline):
        yield f"nest `{nest.id}`: the tool cannot be asked for an interval of {chosen.interval}"
    yield from levers_unmet(space, nest, point)
    if nest.order is not None and chosen.order != nest.order:
        yield f"nest `{nest.id}`: its order is fixed to {','.join(nest.order)}"
    active = [loop.iterator for loop in nest.loops if chosen.tile(loop.iterator).level0 > 1]
    for a, b in level0_pairs(space, nest, active):
        if chosen.order.index(b) < chosen.order.index(a):
            yield f"nest `{nest.id}`: loop `{a}` must stay outside of `{b}`"


def _all_buffers(space: Space, point: DesignPoint) -> Iterator[str]:
    for buffer in point.buffers:
        if buffer.array in space.used_arrays:
            yield from _places(space, buffer)
            yield from _partition(space, buffer, point)
            width = point.transfer_of(buffer.id).width
            if buffer.place == KERNEL_PLACE and width not in space.widths[buffer.array]:
                yield f"`{buffer.id}` cannot move {width} elements per beat"


def _places(space: Space, buffer: BufferPoint) -> Iterator[str]:
    for nest in (space.nest(n) for n in buffer.nests):
        use = nest.use(buffer.array)
        if use is None:
            yield f"nest `{nest.id}` does not use `{buffer.array}`"
        elif KERNEL_PLACE not in use.places and buffer.place == KERNEL_PLACE:
            yield f"nest `{nest.id}`: `{buffer.array}` cannot be resident"
        elif buffer.place != KERNEL_PLACE and not use.can_be_tiled:
            yield f"nest `{nest.id}`: `{buffer.array}` can only be resident"
        elif buffer.place in places_around(nest.nest) and buffer.place not in use.places:
            yield f"nest `{nest.id}`: `{buffer.array}` cannot be transferred at `{buffer.place}`"
        elif buffer.place in nest.nest.iterators and not nest.band_places(use):
            yield f"nest `{nest.id}`: `{buffer.array}` can only be transferred around it"


def _partition(space: Space, buffer: BufferPoint, point: DesignPoint) -> Iterator[str]:
    if prod(buffer.partition) > space.target.max_partition:
        yield f"`{buffer.id}` has {prod(buffer.partition)} banks, more than {space.target.max_partition}"
    for nest in (space.nest(n) for n in buffer.nests):
        use = nest.use(buffer.array)
        for at, (dim, factor) in enumerate(zip(use.dims if use else (), buffer.partition, strict=False)):
            for loop in dim.banked:
                unroll = point.nest(nest.id).tile(loop).level2
                if not space.factors(buffer.array, at).serves(factor, copies=unroll):
                    yield f"`{buffer.id}`: factor {factor} is no multiple of the {unroll} copies of `{loop}`"
