"""Values of the knobs back to a DesignPoint, in one canonical form; knows no solver.

A solver may return any of many equal answers: an order is rebuilt from the nested sets of loops, and partition factors
are the smallest that serve, so that equal choices give equal points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import lcm

from sisyphus.analysis import LoopKind
from sisyphus.errors import InternalError
from sisyphus.ir import ArrayId
from sisyphus.space import (
    KERNEL_PLACE,
    BufferPoint,
    DesignPoint,
    NestPoint,
    NestSpace,
    Space,
    Tile,
    TransferPoint,
    precedence,
    tile_widths,
)

#: Values of the binary knobs by component name and index, as `SolveOutcome.values` has them.
Values = Mapping[str, int]


def knob(component: str, *index: object) -> str:
    """The name under which a knob's value travels."""
    return f"{component}[{','.join(map(str, index))}]"


def decode(space: Space, values: Values) -> DesignPoint:
    """The design point that the binary knobs say."""
    nests = tuple(_nest_point(space, nest, values) for nest in space.nests)
    chosen = {point.id: point for point in nests}
    buffers = tuple(b for array in space.used_arrays for b in _buffers(space, chosen, array, values))
    transfers = tuple(
        TransferPoint(b.id, _width(space, chosen, array, buffers, values))
        for array in space.used_arrays
        for b in buffers
        if b.array == array and b.partition
    )
    return DesignPoint(
        kernel=space.scop.name,
        nests=nests,
        buffers=buffers,
        transfers=transfers,
        tree_reduction=space.options.tree_reduction,
    )


def _nest_point(space: Space, nest: NestSpace, values: Values) -> NestPoint:
    tiles = {loop.iterator: _chosen_tile(nest, loop.iterator, values) for loop in nest.loops}
    pipelined = [name for name, tile in tiles.items() if tile.level1 > 1]
    if len(pipelined) > 1:
        raise InternalError(f"nest `{nest.id}`: {pipelined} are all pipelined")
    order = nest.order or _order(space, nest, tiles, values)
    return NestPoint(nest.nest.statements, order, tuple(tiles.items()), pipelined[0] if pipelined else None)


def _chosen_tile(nest: NestSpace, loop: str, values: Values) -> Tile:
    tiles = nest.loop(loop).tiles
    return next(tile for k, tile in enumerate(tiles) if values[knob("tile", nest.id, loop, k)])


def outside_loops(nest: NestSpace, array: ArrayId, values: Values) -> frozenset[str]:
    """Level-0 loops that the solver put outside of an array's transfer."""
    return frozenset(s.iterator for s in nest.loops if values.get(knob("outside", array, nest.id, s.iterator), 0))


def _order(space: Space, nest: NestSpace, tiles: Mapping[str, Tile], values: Values) -> tuple[str, ...]:
    """Loops outside of most transfers first; among equals reductions outside, then as in the source.

    A reduction outside leaves the most other work between two additions into one element.
    """
    sets = [outside_loops(nest, use.array, values) for use in nest.arrays]
    last = {u.places[0] for u in nest.arrays if len(u.places) == 1 and u.places[0] != KERNEL_PLACE}
    pairs = precedence(nest.nest, tree_reduction=space.options.tree_reduction)
    before = [(a, b) for a, b in pairs if tiles[a].level0 > 1 and tiles[b].level0 > 1]
    remaining, order = [s.iterator for s in nest.loops], list[str]()

    def rank(loop: str) -> tuple[int, bool, bool, int]:
        is_reduction = nest.loop(loop).kind is LoopKind.REDUCTION
        return -sum(loop in s for s in sets), loop in last, not is_reduction, remaining.index(loop)

    while remaining:
        free = [b for b in remaining if not any(a in remaining for a, then in before if then == b)]
        order.append(min(free, key=rank))
        remaining.remove(order[-1])
    return tuple(order)


def _buffers(space: Space, chosen: Mapping[str, NestPoint], array: ArrayId, values: Values) -> Iterable[BufferPoint]:
    """One buffer for all nests in which the array is resident, one for each other nest."""
    users = list(space.users(array))
    resident = [n for n in users if values[knob("resident", array, n.id)]]
    width = next(w for w in space.widths[array] if values[knob("width", array, w)])
    if resident:
        factors = _partition(space, chosen, array, resident, width)
        yield BufferPoint(array, tuple(n.id for n in resident), KERNEL_PLACE, factors)
    for nest in users:
        if nest not in resident:
            place = _place(chosen[nest.id], outside_loops(nest, array, values))
            tile = BufferPoint(array, (nest.id,), place, _partition(space, chosen, array, [nest], 1))
            yield replace(tile, partition=space.pinned.get(tile.id, tile.partition))


def _place(nest: NestPoint, outside: frozenset[str]) -> str:
    """The innermost loop outside of a transfer; loops of one tile do not count unless there is no other."""
    prefix = [loop for loop in nest.order if loop in outside]
    while len(prefix) > 1 and nest.tile(prefix[-1]).level0 == 1:
        prefix.pop()
    return prefix[-1]


def _partition(
    space: Space, chosen: Mapping[str, NestPoint], array: ArrayId, nests: Iterable[NestSpace], width: int
) -> tuple[int, ...]:
    """Per dimension the smallest legal factor that every unroll factor (and the beat, in the last) divides."""
    nests = list(nests)
    factors = []
    for at, legal in enumerate(space.partitions[array]):
        needed = width if at == len(space.partitions[array]) - 1 else 1
        for nest in nests:
            use = nest.use(array)
            for loop in use.dims[at].loops if use else ():
                needed = lcm(needed, chosen[nest.id].tile(loop).level2)
        fitting = [v for v in legal if v % needed == 0]
        if not fitting:
            raise InternalError(f"no partition factor of `{array}` dimension {at} is a multiple of {needed}")
        factors.append(fitting[0])
    return tuple(factors)


def _width(
    space: Space,
    chosen: Mapping[str, NestPoint],
    array: ArrayId,
    buffers: Iterable[BufferPoint],
    values: Values,
) -> int:
    """Elements per beat of the array's port: as chosen for a resident array, else the widest its tiles allow.

    A beat of one element fits every tile, also where another width was asked for.
    """
    legal = set(space.widths[array])
    for buffer in buffers:
        if buffer.array != array:
            continue
        if buffer.place == KERNEL_PLACE:
            return next(w for w in space.widths[array] if values[knob("width", array, w)])
        nest = space.nest(buffer.nests[0])
        legal &= set(tile_widths(space, nest, chosen[nest.id], buffer))
    return max(legal, default=1)
