"""What the ports of a plan are in C: types, pointers, parameters; knows no pragma."""

from __future__ import annotations

from collections.abc import Iterable

from sisyphus.backends.hls.identifiers import Names, of_stripe
from sisyphus.plan import Plan, Port, copies_in, layout_extents


def is_dense(port: Port) -> bool:
    """Whether element n of the array is element n of the memory, as far as rows go."""
    return bool(port.tile) or len(port.extents) <= 1 or layout_extents(port) == port.extents


def beat_type(port: Port) -> str:
    """C++ type of what one pointer has of a beat."""
    name, lanes = port.type.c_name, port.width // port.stripes
    return name if lanes == 1 else f"hls::vector<{name}, {lanes}>"


def live_ports(plan: Plan) -> tuple[Port, ...]:
    """The arguments of the emitted top function: arrays that travel, in memory or as streams, scalars that are read."""
    copies = (copy for body in (plan.body, *(task.body for task in plan.called)) for copy in copies_in(body))
    moved = {plan.port_of(plan.transfer(copy.transfer)).name for copy in copies}
    read = {name for task in plan.called for name in task.scalars}
    return tuple(p for p in plan.ports if p.name in (read if p.kind == "scalar" else moved))


def arrays(plan: Plan) -> tuple[Port, ...]:
    """Those that lie in memory."""
    return tuple(p for p in live_ports(plan) if p.kind == "array")


def streams(plan: Plan) -> tuple[Port, ...]:
    """Those that come from other units, or go to them."""
    return tuple(p for p in live_ports(plan) if p.kind == "stream")


def stream_type(port: Port) -> str:
    """C++ type of a FIFO of beats."""
    return f"hls::stream<{beat_type(port)}>"


def is_written(port: Port) -> bool:
    return port.direction != "in"


def pointers(port: Port, names: Names) -> tuple[str, ...]:
    """The arguments that an array arrives by, one for each stripe, or a scalar."""
    return tuple(names.of(of_stripe("port", port.stripes, at), port.name) for at in range(port.stripes))


def bundles(port: Port, names: Names) -> tuple[str, ...]:
    """The m_axi bundle of each of its pointers."""
    kinds = (of_stripe("bundle", port.stripes, at) for at in range(port.stripes))
    return tuple(names.of(kind, port.bundle or port.name) for kind in kinds)


def parameters(port: Port, names: Iterable[str]) -> list[str]:
    """How the port is declared in a parameter list; a pointer that is only read is to const."""
    if port.kind == "scalar":
        return [f"{port.type.c_name} {name}" for name in names]
    if port.kind == "stream":
        return [f"{stream_type(port)} &{name}" for name in names]
    const = "" if is_written(port) else "const "
    return [f"{const}{beat_type(port)} *{name}" for name in names]
