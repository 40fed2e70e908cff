"""Arrays that lie in memory in tiles: where a tile begins there, and which plans can have them; knows no cost.

Element (i, j) of an array with tiles of 32 x 512 is element (i % 32, j % 512) of tile (i / 32, j / 512). Tiles follow
one another row by row of tiles, all of one size, with rows of whole beats: what hangs over the array is padding. So a
transfer of a tile moves one run of memory, as that of some rows of an array with rows of 512 does, in which all tiles
stand one below another. To formulas and printers it is one.

An array in columns of beats has tiles of all its rows, each of them one beat wide. There a transfer may move any part
of any tiles, in whole beats: element (i, j) is in row j / width of what lies in memory, whose rows are as long as the
array is high. So a tile of 128 rows of 8 beats is 8 runs of memory and not 128.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sisyphus.algebra import EXACT, Algebra, Value
from sisyphus.errors import KernelError
from sisyphus.plan.plan import Buffer, Plan, Port
from sisyphus.plan.ranges import Ranges
from sisyphus.poly import Affine, affine_range, const
from sisyphus.space import COLUMNS, PACKED, PADDED
from sisyphus.values import dataclass, replace


@dataclass(frozen=True)
class Lying:
    """What a buffer holds of an array as memory has it: where that begins, its extents, and those of the array."""

    origin: tuple[Affine, ...]
    held: tuple[Value, ...]
    extents: tuple[Value, ...]


def in_memory(alg: Algebra, buffer: Buffer, port: Port, width: Value) -> Lying:
    """How what a buffer holds lies in memory, in beats of `width` elements.

    Of a packed tile the first row where all tiles stand one below another, and the extents of that.
    """
    if port.layout == COLUMNS:
        return _in_columns(alg, buffer, port, width)
    if port.layout != PACKED:
        return Lying(buffer.origin, buffer.extents, port.extents)
    tile, terms, first = buffer.extents, list[tuple[str, Value]](), 0
    apart = tile[0]
    for begin, size, extent in reversed(list(zip(buffer.origin, tile, port.extents, strict=True))):
        terms += [(name, alg.ceil_div(step, size) * apart) for name, step in begin.terms]
        first += alg.ceil_div(begin.constant, size) * apart
        apart = apart * alg.ceil_div(extent, size)
    return Lying((Affine.of(terms, first), *(const(0) for _ in tile[1:])), tile, (apart, *tile[1:]))


def _in_columns(alg: Algebra, buffer: Buffer, port: Port, width: Value) -> Lying:
    *others, row, last = buffer.origin
    column = Affine.of(((n, alg.ceil_div(step, width)) for n, step in last.terms), alg.ceil_div(last.constant, width))
    start = Affine.of(((n, step * width) for n, step in row.terms), row.constant * width)
    held, extents = (in_columns(alg, extents, width) for extents in (buffer.extents, port.extents))
    return Lying((column, *others, start), held, extents)


def in_columns(alg: Algebra, extents: Sequence[Value], width: Value) -> tuple[Value, ...]:
    """The extents of an array, or of a part of it, as columns of beats have them: the elements of all rows are last."""
    *others, rows, last = extents
    return (alg.ceil_div(last, width), *others, rows * width)


def as_it_lies(buffer: Buffer, port: Port) -> tuple[Buffer, Port]:
    """A buffer and the port of its array as transfers see them: rows of an array that is plain or padded."""
    if not port.tile:
        return buffer, port
    lying = in_memory(EXACT, buffer, port, port.width)
    whole = replace(port, extents=tuple(map(int, lying.extents)), layout=PADDED, tile=())
    return replace(buffer, origin=lying.origin, extents=tuple(map(int, lying.held))), whole


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
