"""What the ports of a plan are in C: types, layouts off chip, number of beats; knows no pragma.

Layouts: `plain` is the array as C has it; `padded` rounds the last extent up to whole beats; `packed` is all elements
in one row, the last beat filled up. `width` elements travel in one beat.
"""

from __future__ import annotations

from math import prod

from sisyphus.errors import InternalError
from sisyphus.plan import Plan, Port, copies_in

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
    """Number of port elements that hold the array."""
    return prod(layout_extents(port)) // port.width


def is_dense(port: Port) -> bool:
    """Whether element n of the array is element n of the memory."""
    return port.layout == "packed" or len(port.extents) <= 1 or layout_extents(port) == port.extents


def beat_type(port: Port) -> str:
    """C++ type of one port element."""
    name = port.type.c_name
    return name if port.width == 1 else f"hls::vector<{name}, {port.width}>"


def live_ports(plan: Plan) -> tuple[Port, ...]:
    """The arguments of the emitted top function: arrays that travel, scalars that are read."""
    copies = (copy for body in (plan.body, *(task.body for task in plan.called)) for copy in copies_in(body))
    moved = {plan.port_of(plan.transfer(copy.transfer)).name for copy in copies}
    read = {name for task in plan.called for name in task.scalars}
    return tuple(p for p in plan.ports if p.name in (moved if p.kind == "array" else read))


def arrays(plan: Plan) -> tuple[Port, ...]:
    return tuple(p for p in live_ports(plan) if p.kind == "array")


def is_written(port: Port) -> bool:
    return port.direction != "in"


def parameter(port: Port, name: str) -> str:
    """How the port is declared in a parameter list; a pointer that is only read is to const."""
    if port.kind == "scalar":
        return f"{port.type.c_name} {name}"
    const = "" if is_written(port) else "const "
    return f"{const}{beat_type(port)} *{name}"
