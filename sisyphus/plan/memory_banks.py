"""How arrays lie in the memory of the board: extents with padding, beats, and the bank of each port; knows no C.

Layouts: `plain` is the array as C has it; `padded` rounds the last extent up to whole beats; `packed` is all elements
in one row, the last beat filled up. `width` elements travel in one beat, over all stripes of a port.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from sisyphus.errors import InternalError
from sisyphus.plan.plan import Port

LAYOUTS = ("plain", "padded", "packed")


def layout_extents(port: Port) -> tuple[int, ...]:
    """Extents in elements of what lies in memory."""
    if port.layout not in LAYOUTS:
        raise InternalError(f"port `{port.name}` has the unknown layout `{port.layout}`")
    if port.layout == "packed" or not port.extents:
        return (_rounded(prod(port.extents), port.width),)
    last = port.extents[-1]
    if port.layout == "padded":
        return (*port.extents[:-1], _rounded(last, port.width))
    if last % port.width:
        raise InternalError(f"port `{port.name}`: {port.width} elements a beat do not divide {last} in a plain layout")
    return port.extents


def _rounded(size: int, width: int) -> int:
    return -(-size // width) * width


def beats(port: Port) -> int:
    """Number of beats that hold the array, each of one element of every stripe."""
    return prod(layout_extents(port)) // port.width


def banks_of(ports: Sequence[Port], banks: int) -> dict[str, tuple[int, ...]]:
    """The bank of each stripe of some arrays by name: the one that holds least so far, the largest arrays first.

    Stripes of one array have banks of their own, as long as there are any.
    """
    sizes = {p.name: beats(p) * p.width // p.stripes * p.type.bytes for p in ports}
    order = sorted(ports, key=lambda p: (-sizes[p.name] * p.stripes, ports.index(p)))
    held = [0] * banks
    found = dict[str, tuple[int, ...]]()
    for port in order:
        mine: list[int] = []
        for _ in range(port.stripes):
            free = [bank for bank in range(banks) if bank not in mine] or list(range(banks))
            mine.append(min(free, key=lambda bank: held[bank]))
            held[mine[-1]] += sizes[port.name]
        found[port.name] = tuple(mine)
    return {p.name: found[p.name] for p in ports}
