"""In which order a transfer visits its beats, and where its loops follow the edge of the array; knows no C, no cost."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from math import ceil

from sisyphus.plan.packed import as_it_lies, whole_tiles
from sisyphus.plan.plan import Buffer, Plan, Port
from sisyphus.plan.ranges import Ranges, ranges_of
from sisyphus.plan.tree import For, Node, copies_in, descend, widened
from sisyphus.poly import Affine, affine_range, const
from sisyphus.space import PACKED


class Walk(Enum):
    """What the loops of a transfer are over."""

    ELEMENT = "one element"
    RUN = "all beats of one contiguous run, with counters of rows and columns"
    ROWS = "the beats of each row"


def walk_of(buffer: Buffer, port: Port, origin: Sequence[Affine]) -> Walk:
    """Every dimension but the outermost is held whole: one run; else the rows. `origin` is that of the buffer."""
    sizes = buffer.extents
    if not sizes:
        return Walk.ELEMENT
    is_whole = sizes[1:] == port.extents[1:] and all(o == const(0) for o in origin[1:])
    return Walk.RUN if len(sizes) > 1 and is_whole else Walk.ROWS


def hangs_over(origin: Affine, ranges: Ranges, *, size: int, extent: int, unit: int = 1) -> tuple[bool, bool]:
    """Whether a tile may begin before the array in a dimension, and end behind it, by more than a part of a unit."""
    low, high = affine_range(origin, ranges)
    return low < 0, ceil((extent - high) / unit) < ceil(size / unit)


def is_clipped(plan: Plan, transfer_id: str, ranges: Ranges) -> bool:
    """Whether the loops of a transfer have bounds that move, because its tiles may hang over the array."""
    transfer = plan.transfer(transfer_id)
    buffer, port = as_it_lies(plan.buffer(transfer.buffer), plan.port_of(transfer))
    origin = settled(buffer, ranges)
    kind, last = walk_of(buffer, port, origin), len(buffer.extents) - 1
    dims = {Walk.RUN: range(1), Walk.ROWS: range(last + 1)}.get(kind, range(0))
    units = {last: port.width} if kind is Walk.ROWS else {}
    return any(
        any(hangs_over(origin[d], ranges, size=buffer.extents[d], extent=port.extents[d], unit=units.get(d, 1)))
        for d in dims
    )


def check_packed(plan: Plan) -> None:
    """Raise `KernelError` where a transfer of a packed array moves anything but one of its tiles."""
    if any(port.layout == PACKED for port in plan.ports):
        whole_tiles(plan, transfer_ranges(plan))


def settled(buffer: Buffer, ranges: Ranges) -> tuple[Affine, ...]:
    """The first element of a buffer, with the values of iterators that have just one."""
    values = {name: const(low) for name, (low, high) in ranges.items() if low == high}
    return tuple(o.substitute(values) for o in buffer.origin)


def transfer_ranges(plan: Plan) -> dict[str, Ranges]:
    """Per transfer that runs somewhere the values of the iterators in all places where it does."""
    places: dict[str, Ranges] = {}
    outer = ranges_at(plan.body, {})
    for body, around in ((plan.body, {}), *((task.body, outer) for task in plan.called)):
        inside = ranges_at(body, around)
        for copy in copies_in(body):
            places[copy.transfer] = union(places.get(copy.transfer, {}), inside)
    return places


def union(one: Ranges, other: Ranges) -> dict[str, tuple[int, int]]:
    """Ranges that hold wherever those of one or the other do."""
    found = {**one, **other}
    for name in one.keys() & other.keys():
        found[name] = (min(one[name][0], other[name][0]), max(one[name][1], other[name][1]))
    return found


def ranges_at(nodes: Sequence[Node], outside: Ranges) -> dict[str, tuple[int, int]]:
    """Ranges of all iterators below `nodes` where there is a tile; one name used twice gets the union."""
    found: dict[str, tuple[int, int]] = {}
    for node, around in descend(nodes, outside, _ranges_inside):
        if isinstance(node, For):
            found = union(found, _ranges_with_tiles(node, around))
    return {**outside, **found}


def _ranges_inside(node: Node, around: Ranges) -> Ranges:
    return {**around, **_ranges_with_tiles(node, around)} if isinstance(node, For) else around


def _ranges_with_tiles(loop: For, around: Ranges) -> Ranges:
    return ranges_of(widened(loop, -loop.idle // 2) if loop.idle else loop, around)
