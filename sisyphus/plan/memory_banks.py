"""How arrays lie in the memory of the board: extents with padding, beats, and the bank of each port; knows no C.

Layouts: `plain` is the array as C has it; `padded` rounds the last extent up to whole beats; `packed` is one tile after
another, `columns` one column of beats after another (`packed.py`). `width` elements travel in one beat, over all
stripes of a port.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from sisyphus.errors import InternalError
from sisyphus.plan.plan import Port
from sisyphus.space import LAYOUTS, PADDED
from sisyphus.target import Device


def layout_extents(port: Port) -> tuple[int, ...]:
    """Extents in elements of what lies in memory."""
    if port.layout not in LAYOUTS:
        raise InternalError(f"port `{port.name}` has the unknown layout `{port.layout}`")
    if not port.extents:
        return (_rounded(1, port.width),)
    if port.tile:
        tiles = (-(-extent // size) for extent, size in zip(port.extents, port.tile, strict=True))
        return (*tiles, *port.tile[:-1], _rounded(port.tile[-1], port.width))
    last = port.extents[-1]
    if port.layout == PADDED:
        return (*port.extents[:-1], _rounded(last, port.width))
    if last % port.width:
        raise InternalError(f"port `{port.name}`: {port.width} elements a beat do not divide {last} in a plain layout")
    return port.extents


def _rounded(size: int, width: int) -> int:
    return -(-size // width) * width


def beats(port: Port) -> int:
    """Number of beats that hold the array, each of one element of every stripe."""
    return prod(layout_extents(port)) // port.width


def banks_of(ports: Sequence[Port], device: Device) -> dict[str, tuple[int, ...]]:
    """The bank of each stripe of the arrays of a plan by name."""
    return spread({p.name: (prod(p.extents) * p.type.bytes, p.stripes) for p in ports}, device)


def spread(arrays: Mapping[str, tuple[int, int]], device: Device) -> dict[str, tuple[int, ...]]:
    """The bank of each stripe of arrays of so many bytes and stripes: the one that holds least so far, largest first.

    Stripes of one array have banks of their own, as long as there are any, and no bank has more ports than it may.
    """
    held, used = [0] * device.banks, [0] * device.banks
    found = dict[str, tuple[int, ...]]()
    for name, (size, stripes) in sorted(arrays.items(), key=lambda item: -item[1][0]):
        mine: list[int] = []
        for _ in range(stripes):
            free = [bank for bank in range(device.banks) if used[bank] < device.ports_per_bank]
            apart = [bank for bank in free if bank not in mine]
            mine.append(min(apart or free or range(device.banks), key=lambda bank: held[bank]))
            held[mine[-1]] += size // stripes
            used[mine[-1]] += 1
        found[name] = tuple(mine)
    return {name: found[name] for name in arrays}
