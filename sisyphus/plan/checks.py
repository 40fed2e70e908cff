"""Is a design point well-formed for this kernel: every nest, loop and array covered once; judges no cost, no order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sisyphus.analysis import Distribution, Nest
from sisyphus.errors import KernelError
from sisyphus.ir import Array, ArrayId, Role, Scop
from sisyphus.plan.plan import Buffer
from sisyphus.space import (
    COLUMNS,
    KERNEL_PLACE,
    MAX_BEAT_BITS,
    PACKED,
    PLAIN,
    STRIPES,
    BufferPoint,
    DesignPoint,
    NestPoint,
    RowUse,
    Tile,
    TransferPoint,
    factors_of,
    free_loops,
    lever_faults,
    places_around,
    port_names,
    port_width,
    unlisted,
)


def check_point(scop: Scop, distribution: Distribution, point: DesignPoint) -> None:
    """Raise `KernelError` with every fault of a point that does not fit the kernel."""
    faults = list(_faults(scop, distribution, point))
    if faults:
        raise KernelError(f"design point of `{point.kernel}`: {'; '.join(faults)}", hint="`sisy optimize` writes one")


def _faults(scop: Scop, distribution: Distribution, point: DesignPoint) -> Iterator[str]:
    given, wanted = [n.id for n in point.nests], [n.id for n in distribution.nests]
    if sorted(given) != sorted(wanted):
        yield f"its nests are {_listed(given)}, the kernel's are {_listed(wanted)}"
        return
    yield from _unbuilt(point)
    for nest in distribution.nests:
        yield from _nest_faults(scop, nest, point.nest(nest.id))
        yield from _cover_faults(scop, nest, point)
        yield from lever_faults(scop, nest, point)
        yield from _stripe_faults(scop, nest, point)
    yield from _buffer_faults(scop, distribution, point)


def _unbuilt(point: DesignPoint) -> Iterator[str]:
    """Fields that no plan has a form for yet, where they say anything but that there is none."""
    for nest in point.nests:
        if nest.interval and not (point.tree_reduction and nest.pipeline is not None):
            yield f"nest `{nest.id}`: an interval that is asked for is 1, of a pipeline with tree reduction"
    parts: list[tuple[str, DesignPoint | NestPoint | BufferPoint | TransferPoint]] = [("the design", point)]
    parts += [(f"nest `{nest.id}`", nest) for nest in point.nests]
    parts += [(f"buffer `{buffer.id}`", buffer) for buffer in point.buffers]
    parts += [(f"transfer of `{transfer.buffer}`", transfer) for transfer in point.transfers]
    for name, part in parts:
        for field, value, legal in unlisted(part):
            yield f"{name}: {field} `{value}` is none of {_listed([str(one) for one in legal])}"


def _nest_faults(scop: Scop, nest: Nest, choice: NestPoint) -> Iterator[str]:
    loops = dict(choice.tiles)
    for field, names in (("order", choice.order), ("tiles", tuple(loops))):
        if sorted(names) != sorted(nest.iterators):
            yield f"nest `{nest.id}`: {field} has {_listed(names)}, the loops are {_listed(nest.iterators)}"
            return
    if choice.pipeline is not None and choice.pipeline not in loops:
        yield f"nest `{nest.id}`: no loop `{choice.pipeline}` to pipeline"
    yield from _unroll_faults(scop, nest, choice)
    for loop in nest.band:
        tile = loops[loop.iterator]
        if not _covers(tile, loop.trip_count):
            yield f"nest `{nest.id}`: tile {tile} of loop `{loop.iterator}` does not make {loop.trip_count} iterations"
        if tile.level1 > 1 and choice.pipeline not in (loop.iterator, None):
            yield f"nest `{nest.id}`: level 1 of `{loop.iterator}` is not 1 though `{choice.pipeline}` is pipelined"


def _unroll_faults(scop: Scop, nest: Nest, choice: NestPoint) -> Iterator[str]:
    free = free_loops(scop, nest)
    for loop, factor in choice.unroll:
        if loop not in nest.iterators:
            yield f"nest `{nest.id}`: no loop `{loop}` to have copies of"
            continue
        legal = factors_of(choice.tile(loop)) if loop in free else (1,)
        if factor not in legal:
            listed = ", ".join(map(str, legal))
            yield f"nest `{nest.id}`: `{loop}` cannot have {factor} copies side by side, legal: {listed}"


def _covers(tile: Tile, trip_count: int) -> bool:
    """Enough iterations, and no tile without any."""
    return min(tile) >= 1 and ((tile.level0 - 1) * tile.size < max(trip_count, 1) <= tile.level0 * tile.size)


def _cover_faults(scop: Scop, nest: Nest, point: DesignPoint) -> Iterator[str]:
    for array in arrays_of(scop, nest):
        found = [b for b in point.buffers if b.array == array and nest.id in b.nests]
        if len(found) != 1:
            yield f"nest `{nest.id}` has {len(found)} buffers of `{array}`, not one"


def _buffer_faults(scop: Scop, distribution: Distribution, point: DesignPoint) -> Iterator[str]:
    nests = {n.id: n for n in distribution.nests}
    arrays = {a.id: a for a in scop.arrays}
    ids = [b.id for b in point.buffers]
    for repeated in sorted({i for i in ids if ids.count(i) > 1}):
        yield f"two buffers are `{repeated}`"
    for buffer in point.buffers:
        if buffer.array not in arrays:
            yield f"no array `{buffer.array}`"
        elif unknown := [n for n in buffer.nests if n not in nests]:
            yield f"buffer `{buffer.id}`: no nest {_listed(unknown)}"
        else:
            yield from _one_buffer_faults(scop, buffer, [nests[n] for n in buffer.nests])
            for nest in buffer.nests:
                yield from _view_faults(arrays[buffer.array], buffer, nests[nest], point)
    for transfer in point.transfers:
        if transfer.buffer not in ids:
            yield f"a transfer of no buffer `{transfer.buffer}`"
        yield from _port_faults(arrays, point, transfer)
    yield from _layout_faults(arrays, point)


def _port_faults(arrays: Mapping[ArrayId, Array], point: DesignPoint, transfer: TransferPoint) -> Iterator[str]:
    """One port, or several: of an array whole on chip, its own or those of the array that it is a copy of."""
    array = ArrayId(transfer.buffer.partition("@")[0])
    if array not in arrays or transfer.ports in ((), (arrays[array].port,)):
        return
    is_joining = arrays[array].own_port and transfer.buffer == array
    owners = {array, arrays[array].home} if is_joining else {array}
    legal = {port_names(owner, count) for count in STRIPES for owner in owners}
    if transfer.ports not in legal:
        listed = " or ".join(", ".join(names) for names in sorted(legal, key=len))
        yield f"transfer of `{transfer.buffer}`: one port, named like the array, or {listed} can be built"
    elif arrays[array].port != array or any(
        b.array != array and b.array in arrays and arrays[b.array].port == array for b in point.buffers
    ):
        yield f"transfer of `{transfer.buffer}`: an array that nests use through views has one port"
    elif any(point.transfer_of(b.id).stripes != transfer.stripes for b in point.buffers if b.array == array):
        yield f"transfer of `{transfer.buffer}`: all buffers of `{array}` travel through as many ports"


def _stripe_faults(scop: Scop, nest: Nest, point: DesignPoint) -> Iterator[str]:
    """Where the copies of a nest would find elements in another stripe of a dealt array in each iteration."""
    counts = {array: point.stripes_of(array) for array in arrays_of(scop, nest)}
    for array, stripes in counts.items():
        if stripes > 1 and not RowUse.of(scop, nest, array).keeps(stripes, dict(point.nest(nest.id).tiles)):
            yield f"nest `{nest.id}`: its unrolled loops do not keep to the {stripes} stripes of `{array}`"


def _layout_faults(arrays: Mapping[ArrayId, Array], point: DesignPoint) -> Iterator[str]:
    """The buffers of an array and of its views share one port, and so its memory."""
    homes = {b.id: arrays[b.array].home for b in point.buffers if b.array in arrays}
    for array in dict.fromkeys(homes.values()):
        ids = {buffer for buffer, home in homes.items() if home == array}
        mine = [t for t in point.transfers if t.buffer in ids]
        layouts, widths = sorted({t.layout for t in mine}), sorted({t.width for t in mine})
        if len(layouts) > 1:
            yield f"`{array}` lies in memory in one layout, not as {_listed(layouts)}"
        elif layouts != [PLAIN] and len(widths) > 1:
            yield f"the rows of `{array}` are padded to beats of one width, not of {' and '.join(map(str, widths))}"
        if PACKED in layouts and (any(t.stripes > 1 for t in mine) or len(arrays[array].extents) < 2):
            yield f"`{array}` cannot be packed: only an array of several dimensions, with one port, has tiles of rows"
        if COLUMNS in layouts and len(arrays[array].extents) < 2:
            yield f"`{array}` cannot lie in columns: an array of one dimension is one row"


def _one_buffer_faults(scop: Scop, buffer: BufferPoint, nests: list[Nest]) -> Iterator[str]:
    array = scop.array(buffer.array)
    if len(buffer.partition) != len(array.extents) or any(f < 1 for f in buffer.partition):
        yield f"buffer `{buffer.id}`: {buffer.partition} is not one factor for each of {len(array.extents)} dimensions"
    if not nests:
        yield f"buffer `{buffer.id}` has no nest"
    if array.id in scop.looked_up and (buffer.place != KERNEL_PLACE or any(f != 1 for f in buffer.partition)):
        yield f"buffer `{buffer.id}`: data pick elements of `{array.id}`, so that it is whole, in one bank"
    if buffer.place == KERNEL_PLACE:
        return
    if array.given:
        yield f"buffer `{buffer.id}`: a copy of what `{array.home}` was given is filled first, at `{KERNEL_PLACE}`"
    if array.role is Role.LOCAL:
        yield f"buffer `{buffer.id}`: `{array.id}` has no home in memory, its place must be `{KERNEL_PLACE}`"
    is_outer = all(buffer.place in n.outer for n in nests)
    if not is_outer and not (len(nests) == 1 and buffer.place in (*places_around(nests[0]), *nests[0].iterators)):
        yield f"buffer `{buffer.id}`: place `{buffer.place}` is no loop around its nests"


def _view_faults(view: Array, buffer: BufferPoint, nest: Nest, point: DesignPoint) -> Iterator[str]:
    """While a view's buffer lives, nothing may be read through another view that was written through it."""
    if view.view_of is None or view.lasting:
        return
    if buffer.place not in (*places_around(nest)[-1:], *nest.iterators):
        yield f"buffer `{buffer.id}`: a view of `{view.home}` cannot be at `{buffer.place}`"
        return
    chosen = point.nest(nest.id)
    if chosen.unroll:
        yield f"nest `{nest.id}`: copies would move views of `{view.home}` beside each other"
    outside = chosen.outside(buffer.place)
    for loop in view.still:
        if loop not in outside:
            yield f"buffer `{buffer.id}`: loop `{loop}` must be outside of its transfers"
        if chosen.tile(loop).size > 1:
            yield f"buffer `{buffer.id}`: tiles of loop `{loop}` must have one iteration"


def check_width(buffer: Buffer, extents: tuple[int, ...], width: int, layout: str, ports: int = 1) -> None:
    """Raise `KernelError` where a beat of `width` elements would cross a row of the buffer or of the array.

    In a padded layout an array's rows end with a whole beat, so that the last beat of a row may be ragged, in the array
    and in a buffer whose rows always reach that far. Rows of packed tiles begin and end with whole beats.
    """
    faults = []
    if width < 1 or width & (width - 1):
        faults.append("is no power of two")
    if ports > 1 and (width % ports or width == ports):
        faults.append(f"is not dealt evenly over {ports} ports, several elements to each")
    if ports > 1 and buffer.partition[-1] % ports and buffer.partition[-1] < buffer.extents[-1]:
        faults.append(f"is dealt over {ports} ports, but its rows are in {buffer.partition[-1]} banks")
    if width > ports * port_width(buffer.type.stored.bits):
        faults.append(f"is wider than {MAX_BEAT_BITS} bits for each port")
    rows, steps = _rows_and_steps(buffer, extents, layout)
    if width > 1 and any(number % width for number in (*rows, *steps)):
        faults.append(f"does not divide the last dimension ({', '.join(map(str, dict.fromkeys(rows)))}) or its origin")
    if faults:
        raise KernelError(
            f"buffer `{buffer.id}`: a transfer of {width} elements per beat {' and '.join(faults)}",
            hint="a width of 1 always fits",
        )


def _rows_and_steps(buffer: Buffer, extents: tuple[int, ...], layout: str) -> tuple[list[int], list[int]]:
    """What a beat must divide: lengths of rows in the array and in the buffer, and all that moves where they begin."""
    if not extents:
        return [1], []
    origin, row, last = buffer.origin[-1], buffer.extents[-1], extents[-1]
    steps = [origin.constant, *(factor for _, factor in origin.terms)]
    if layout == PACKED:
        return [], []
    if layout == PLAIN:
        return [last, row], steps
    reaches_end = origin.is_constant and origin.constant + row >= last
    return [] if reaches_end else [row], steps


def arrays_of(scop: Scop, nest: Nest) -> tuple[ArrayId, ...]:
    """Arrays that a nest touches, in the order of their declaration."""
    touched = {array for s in nest.statements for array in scop.statement(s).touched}
    return tuple(a.id for a in scop.arrays if a.id in touched)


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(f"`{n}`" for n in names) or "none"
