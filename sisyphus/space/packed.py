"""Arrays whose tiles may lie in memory one after another, whatever the tiles are; knows no cost and no plan.

A tile that is shorter than the rows of its array is a run of memory for each of its rows, and has part of a beat at
their ends. Where all tiles of an array are alike and none begins inside of another one, the host can put one after
another, with rows of whole beats. Where arrays have little room on chip, the search counts all tiles of an array so if
that is sure for every tiling: one nest has tiles of it, whose subscripts are single loops. Others may be packed once
their tiles are known (`search/polish.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from sisyphus.analysis import Nest, refs_to
from sisyphus.analysis.rewrite import range_of
from sisyphus.ir import ArrayId, Scop
from sisyphus.poly import Affine, var
from sisyphus.space.point import PACKED
from sisyphus.space.space import ArrayUse, NestSpace, Space
from sisyphus.values import replace

#: Where arrays take no more than this share of the memory on chip, few designs have tiles of any.
FEW_TILES = 0.5


def with_packed_tiles(scop: Scop, nests: Sequence[NestSpace], onchip_bytes: int) -> tuple[NestSpace, ...]:
    """The nests with arrays whose tiles lie one after another wherever they are tiled; none where all have room."""
    used = {use.array for nest in nests for use in nest.arrays}
    if sum(a.elements * a.type.stored.bytes for a in scop.arrays if a.id in used) <= FEW_TILES * onchip_bytes:
        return tuple(nests)
    homes = [scop.home(use.array) for nest in nests for use in nest.arrays]

    def packed(nest: NestSpace, use: ArrayUse) -> ArrayUse:
        alone = homes.count(scop.home(use.array)) == 1 and use.can_be_tiled and len(use.dims) > 1
        return replace(use, layout=PACKED) if alone and _are_aligned(scop, nest, use) else use

    return tuple(replace(nest, arrays=tuple(packed(nest, use) for use in nest.arrays)) for nest in nests)


def lying_as(space: Space, array: ArrayId, layout: str) -> Space:
    """The space in which an array, and its views and copies, lie in memory as PACKED or COLUMNS; PLAIN: as they may."""
    home = space.scop.home(array)

    def lying(use: ArrayUse) -> ArrayUse:
        return replace(use, layout=layout) if space.scop.home(use.array) == home else use

    return replace(space, nests=tuple(replace(n, arrays=tuple(map(lying, n.arrays))) for n in space.nests))


def _are_aligned(scop: Scop, nest: NestSpace, use: ArrayUse) -> bool:
    """Whether tiles of an array begin at multiples of their size, whatever the tiles of loops are.

    A dimension is all in each tile, one element of it, or as much of it as the tile of a loop that begins with 0. Of
    outer loops only the outermost one stands still wherever a tile is transferred, in iterations without work, too.
    """
    for at, dim in enumerate(use.dims):
        if dim.coefficients is None:
            continue
        subscripts = {ref.index[at] for ref in refs_to(scop, nest.nest, use.array)}
        [subscript, *others] = subscripts
        moving = [loop for loop in nest.loops if subscript.coefficient(loop.iterator)]
        is_loop = len(moving) == 1 and subscript == var(moving[0].iterator) and moving[0].lower == 0
        ranging = any(subscript.coefficient(name) for name in nest.nest.outer[1:])
        if others or ranging or (moving and not is_loop) or not _stays_inside(scop, nest.nest, subscript, dim.extent):
            return False
    return True


def _stays_inside(scop: Scop, nest: Nest, subscript: Affine, extent: int) -> bool:
    """Whether what the outermost loop around a nest adds to a subscript stays inside of a dimension."""
    step = subscript.coefficient(nest.outer[0]) if nest.outer else 0
    if not step:
        return True
    place = scop.statement(nest.statements[0]).position[0]
    values = range_of([s for s in scop.statements if s.position[0] == place and s.iterators], 0)
    ends = [subscript.constant + step * value for value in (values.start, values.stop - 1)]
    return min(ends) >= 0 and max(ends) < extent
