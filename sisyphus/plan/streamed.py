"""Arrays of a plan that pass between units as streams of beats, once, whole and in order; knows no unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sisyphus.analysis import Stream
from sisyphus.plan.memory_banks import beats
from sisyphus.plan.plan import Direction, Plan, Port, Transfer
from sisyphus.plan.tree import Copy, copies_in
from sisyphus.poly import const
from sisyphus.values import replace


def streamed(plan: Plan, depths: Mapping[str, int]) -> Plan:
    """The plan with streams in place of the memory of some arrays, each with the beats that the FIFO before it holds.

    Streams come behind all other arguments, as a host gives nothing for them. What comes in passes through a FIFO, and
    costs what a load through one does.
    """
    ports = [_as_stream(port, depths[port.name]) if port.name in depths else port for port in plan.ports]
    transfers = tuple(
        replace(t, stream=t.direction is Direction.LOAD) if t.port in depths else t for t in plan.transfers
    )
    return replace(plan, ports=tuple(sorted(ports, key=lambda port: port.kind == "stream")), transfers=transfers)


def _as_stream(port: Port, depth: int) -> Port:
    return replace(port, kind="stream", bundle=None, depth=depth if port.direction == "in" else 0)


def streams_between(plans: Sequence[Plan]) -> tuple[Stream, ...]:
    """The streams between units, by their numbers: what one of them sends and another one receives."""
    ends = [(unit, port) for unit, plan in enumerate(plans) for port in plan.ports if port.kind == "stream"]
    return tuple(
        Stream(sent.name, source, sink, beats(sent), got.depth)
        for source, sent in ends
        for sink, got in ends
        if sent.name == got.name and sent.direction == "out" and got.direction == "in"
    )


def not_in_one_pass(plan: Plan, array: str) -> str:
    """Why an array does not go through its port once and whole, row by row; empty where it does.

    Any transfer of a whole array moves its beats in their order in memory, however it walks (`walks.py`).
    """
    port = next((p for p in plan.ports if p.name == array and p.kind != "scalar"), None)
    if port is None or not port.extents or port.stripes > 1:
        return f"`{array}` is no array with one port"
    at_top = [node for node in plan.body if isinstance(node, Copy)]
    found = [(copy, plan.transfer(copy.transfer)) for copy in copies_in(plan.body) if _moves(plan, copy, array)]
    inside = [copy for task in plan.called for copy in task.copies if plan.transfer(copy).port == array]
    if inside or len(found) != 1 or not any(copy is found[0][0] for copy in at_top):
        return f"`{array}` is not moved once, outside of all loops"
    [(_, transfer)] = found
    return "" if _is_whole(plan, transfer, port) else f"`{array}` is moved in parts"


def _moves(plan: Plan, copy: Copy, array: str) -> bool:
    """Whether a copy moves beats of an array; what joins another load gets its beats from there."""
    transfer = plan.transfer(copy.transfer)
    return transfer.port == array and not transfer.joins


def _is_whole(plan: Plan, transfer: Transfer, port: Port) -> bool:
    buffer = plan.buffer(transfer.buffer)
    reaches = all(int(own) >= extent for own, extent in zip(buffer.extents, port.extents, strict=True))
    return reaches and all(first == const(0) for first in buffer.origin)
