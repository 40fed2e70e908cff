"""Choices of single nests that the search does not count, tried one by one on the design that it found.

- Full tiles apart from those on a boundary. The search counts every nest as one body, guarded where some tile needs it.
  Two bodies take more registers and LUTs and, as a rule, a few cycles more (the second one starts anew), so they are no
  better unless a guard costs cycles: it keeps unrolled additions from forming a tree.
- Tiles of one array after another in memory, so that each is one run of it, where the search counts a run for each row
  (`space/packed.py`); or, where tiles are not alike, columns of beats, so that it is a run for each of these.
- Tiles of the pipelined loop as iterations of it, where nothing stands between: 25x2x4 is 1x50x4 in as many cycles. No
  reported loop has both in one subscript (none of 1,059).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from sisyphus.ir import ArrayId
from sisyphus.search.deadline import Deadline
from sisyphus.search.effort import EFFORT
from sisyphus.search.session import Judge
from sisyphus.space import (
    COLUMNS,
    IN_TILES,
    KERNEL_PLACE,
    PACKED,
    DesignPoint,
    LoopSpace,
    NestSpace,
    Space,
    Tile,
    illegal,
)


def as_fixed(space: Space, point: DesignPoint) -> DesignPoint:
    """The point with nests split as the user fixed it."""
    fixed = {nest.id: nest.split for nest in space.nests}
    chosen = ((nest, fixed[nest.id]) for nest in point.nests)
    return replace(point, nests=tuple(n if split is None else replace(n, split=split) for n, split in chosen))


def polished(
    space: Space, point: DesignPoint, judge: Judge, deadline: float | None = None
) -> tuple[DesignPoint, float | None]:
    """The point with what makes it faster (merged tiles: no slower) and fits, and its cycles, or None as before.

    Nests and arrays that are left at the `deadline` of the search's clock stay as they are.
    """
    best, until = point, Deadline(deadline)
    cycles = before = judge(point).cycles
    ways: list[tuple[Callable[[DesignPoint], DesignPoint | None], float]]
    ways = [(partial(way, space, nest), least) for nest in space.nests for way, least in ((_merged, 0), (_split, 1))]
    homes = dict.fromkeys(map(space.scop.home, space.used_arrays))
    layouts = {PACKED: 1, COLUMNS: max(1, EFFORT.turning_share * (cycles or 0))}
    ways += [(partial(_lying_as, space, home, layout), least) for home in homes for layout, least in layouts.items()]
    for way, least in ways:
        other = None if until.is_over else way(best)
        if other is None or cycles is None:
            continue
        judged = judge(other)
        fits = not space.target.budget.exceeded_by(judged.usage)
        if judged.cycles is not None and judged.cycles <= cycles - least and fits:
            best, cycles = other, judged.cycles
    return best, None if cycles == before else cycles


def _lying_as(space: Space, array: ArrayId, layout: str, point: DesignPoint) -> DesignPoint | None:
    """The point with an array in memory in its tiles, or in columns of beats, be that legal or not."""
    held = {b.id: b for b in point.buffers if space.scop.home(b.array) == array}
    mine = [t for t in point.transfers if t.buffer in held]
    is_tiled = any(b.place != KERNEL_PLACE and len(b.partition) > 1 for b in held.values())
    may_be = is_tiled and space.options.packs and array not in space.layouts
    has_stripes = layout == PACKED and any(t.stripes > 1 for t in mine)
    if not may_be or has_stripes or any(t.layout in IN_TILES for t in mine):
        return None
    moved = (replace(t, layout=layout) if t in mine else t for t in point.transfers)
    return replace(point, transfers=tuple(moved))


def _split(space: Space, nest: NestSpace, point: DesignPoint) -> DesignPoint | None:
    own = point.nest(nest.id)
    if nest.split is not None or own.split or any(b.copies > 1 and nest.id in b.nests for b in point.buffers):
        return None
    if nest.nest.is_box and all(map(_is_even, nest.loops, own.tiles)):
        return None
    return point.with_nest(replace(own, split=True))


def _is_even(loop: LoopSpace, chosen: tuple[str, Tile]) -> bool:
    """Whether all tiles of a loop are full."""
    return loop.trip_count % (chosen[1].level1 * chosen[1].level2) == 0


def _merged(space: Space, nest: NestSpace, point: DesignPoint) -> DesignPoint | None:
    """No transfer is inside of the pipelined loop's own tile loop, and that may stand inside of the others."""
    own = point.nest(nest.id)
    if own.pipeline is None or own.unroll or own.tile(own.pipeline).level0 == 1:
        return None
    at = own.order.index(own.pipeline)
    if {buffer.place for buffer in point.buffers if nest.id in buffer.nests} & set(own.order[at:]):
        return None
    tile = own.tile(own.pipeline)
    whole = Tile(1, tile.level0 * tile.level1, tile.level2)
    tiles = tuple((loop, whole if loop == own.pipeline else t) for loop, t in own.tiles)
    order = (*own.order[:at], *own.order[at + 1 :], own.pipeline)
    found = replace(own, tiles=tiles, order=order if nest.order is None else own.order)
    changed = point.with_nest(found)
    if whole not in nest.loop(own.pipeline).tiles:
        return None
    return changed if illegal(space.dependences, space.distribution, changed) is None else None
