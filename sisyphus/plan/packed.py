"""Arrays that lie in memory tile after tile: where a tile begins there, and which plans can have them; knows no cost.

Element (i, j) of an array with tiles of 32 x 512 is element (i % 32, j % 512) of tile (i / 32, j / 512). Tiles follow
one another row by row of tiles, all of one size, with rows of whole beats: what hangs over the array is padding. So a
transfer of a tile moves one run of memory, as that of some rows of an array with rows of 512 does, in which all tiles
stand one below another. To formulas and printers it is one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sisyphus.algebra import EXACT, Algebra, Value
from sisyphus.errors import KernelError
from sisyphus.plan.plan import Buffer, Plan, Port
from sisyphus.plan.ranges import Ranges, affine_range
from sisyphus.poly import Affine, const
from sisyphus.space import PACKED, PADDED
from sisyphus.values import replace


def in_memory(alg: Algebra, buffer: Buffer, port: Port) -> tuple[tuple[Affine, ...], tuple[Value, ...]]:
    """Where what a buffer holds begins in its array, and the extents of that, both as memory has them.

    Of a packed tile the first row where all tiles stand one below another, and the extents of that.
    """
    if port.layout != PACKED:
        return buffer.origin, port.extents
    tile, terms, first = buffer.extents, list[tuple[str, Value]](), 0
    apart = tile[0]
    for begin, size, extent in reversed(list(zip(buffer.origin, tile, port.extents, strict=True))):
        terms += [(name, alg.ceil_div(step, size) * apart) for name, step in begin.terms]
        first += alg.ceil_div(begin.constant, size) * apart
        apart = apart * alg.ceil_div(extent, size)
    return (Affine.of(terms, first), *(const(0) for _ in tile[1:])), (apart, *tile[1:])


def as_it_lies(buffer: Buffer, port: Port) -> tuple[Buffer, Port]:
    """A buffer and the port of its array as transfers see them: rows of an array that is plain or padded."""
    if port.layout != PACKED:
        return buffer, port
    origin, extents = in_memory(EXACT, buffer, port)
    return replace(buffer, origin=origin), replace(port, extents=tuple(map(int, extents)), layout=PADDED, tile=())


def common_tile(array: str, buffers: Collection[Buffer]) -> tuple[int, ...]:
    """The extents of the tiles that all of these buffers hold; `KernelError` where they are not alike."""
    [tile, *others] = sorted({tuple(int(size) for size in buffer.extents) for buffer in buffers})
    if others:
        listed = " and ".join("x".join(map(str, each)) for each in (tile, *others))
        raise KernelError(f"`{array}` cannot be packed: its transfers move tiles of {listed}", hint=_HINT)
    return tile


_HINT = "tiles that lie one after another are all alike, and none begins inside of another one"


def whole_tiles(plan: Plan, places: Mapping[str, Ranges]) -> None:
    """Raise `KernelError` where a transfer of a packed array moves anything but one of its tiles.

    `places` are the values of iterators where a transfer runs (`walks.transfer_ranges`).
    """
    for transfer in (t for t in plan.transfers if plan.port_of(t).layout == PACKED and t.id in places):
        buffer, port = plan.buffer(transfer.buffer), plan.port_of(transfer)
        if buffer.extents != port.tile:
            raise KernelError(f"`{transfer.id}` moves {buffer.extents}, no tile of {port.tile}", hint=_HINT)
        for begin, size, extent in zip(buffer.origin, port.tile, port.extents, strict=True):
            low, high = affine_range(begin, places[transfer.id])
            if any(step % size for step in (begin.constant, *(step for _, step in begin.terms))):
                fault = f"is no multiple of {size}"
            elif low < 0 or high >= extent:
                fault = f"goes from {low} to {high}, outside of {extent} elements"
            else:
                continue
            raise KernelError(
                f"`{port.name}` cannot be packed: `{buffer.id}` begins at {begin}, which {fault}", hint=_HINT
            )
