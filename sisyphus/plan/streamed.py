"""Arrays of a plan that pass between units as streams of beats, once, whole and in order; knows no unit."""

from __future__ import annotations

from collections.abc import Sequence

from sisyphus.analysis import Stream
from sisyphus.plan.memory_banks import beats
from sisyphus.plan.plan import Direction, Plan, Port, Transfer
from sisyphus.plan.tree import Copy, Node, copies_in
from sisyphus.poly import const
from sisyphus.values import replace


def receiving(plan: Plan, stream: Stream) -> Plan:
    """The plan of the unit at the end of a stream, which costs what a load through a FIFO does."""
    ports = [
        replace(port, kind="stream", bundle=None, depth=stream.depth) if port.name == stream.array else port
        for port in plan.ports
    ]
    transfers = tuple(replace(t, stream=True) if t.port == stream.array else t for t in plan.transfers)
    return replace(plan, ports=_streams_last(ports), transfers=transfers)


def sending(plan: Plan, streams: Sequence[Stream], *, stored: bool) -> Plan:
    """The plan of the unit at the beginning of streams of one array, which it sends to each after a store, or instead.

    Without the store the array has no port to memory, unless it also comes from there.
    """
    array = streams[0].array
    whole = next(port for port in plan.ports if port.name == array)
    [store] = [t for t in plan.transfers if t.port == array and t.direction is Direction.STORE]
    sends = [replace(store, id=f"send_{stream.port}", port=stream.port) for stream in streams]
    transfers = [t for t in plan.transfers if stored or t is not store]
    ports = [port for port in plan.ports if port is not whole or any(t.port == array for t in transfers)]
    if not stored:
        ports = [replace(port, direction="in") if port is whole else port for port in ports]
    own = replace(whole, kind="stream", bundle=None, direction="out", copies=array)
    ports += [replace(own, name=stream.port) for stream in streams]
    body = list[Node]()
    for node in plan.body:
        is_store = isinstance(node, Copy) and node.transfer == store.id
        body += [] if is_store and not stored else [node]
        body += [Copy(send.id) for send in sends if is_store]
    return replace(plan, ports=_streams_last(ports), transfers=(*transfers, *sends), body=tuple(body))


def _streams_last(ports: Sequence[Port]) -> tuple[Port, ...]:
    """Streams come behind all other arguments, as a host gives nothing for them."""
    return tuple(sorted(ports, key=lambda port: port.kind == "stream"))


def streams_between(plans: Sequence[Plan]) -> tuple[Stream, ...]:
    """The streams between units, by their numbers: what one of them sends and another one receives."""
    ends = [(unit, port) for unit, plan in enumerate(plans) for port in plan.ports if port.kind == "stream"]
    found = [
        (Stream(got.name, source, sink, beats(sent), got.depth), sent.name)
        for source, sent in ends
        for sink, got in ends
        if sent.copies == got.name and got.direction == "in"
    ]
    return tuple(stream for stream, port in found if port == stream.port)


def not_in_one_pass(plan: Plan, port_name: str, direction: Direction) -> str:
    """Why an array does not go through a port in a direction once and whole, row by row; empty where it does.

    Any transfer of a whole array moves its beats in their order in memory, however it walks (`walks.py`).
    """
    port = next((p for p in plan.ports if p.name == port_name and p.kind != "scalar"), None)
    if port is None or not port.extents or port.stripes > 1:
        return f"`{port_name}` is no array with one port"
    copies = [copy for body in (plan.body, *(task.body for task in plan.called)) for copy in copies_in(body)]
    found = [copy for copy in copies if _moves(plan.transfer(copy.transfer), port_name, direction)]
    if len(found) != 1 or not any(node is found[0] for node in plan.body):
        return f"`{port_name}` is not moved once, outside of all loops"
    return "" if _is_whole(plan, plan.transfer(found[0].transfer), port) else f"`{port_name}` is moved in parts"


def _moves(transfer: Transfer, port: str, direction: Direction) -> bool:
    """Whether a transfer moves beats through a port; what joins another load gets its beats from there."""
    return transfer.port == port and transfer.direction is direction and not transfer.joins


def _is_whole(plan: Plan, transfer: Transfer, port: Port) -> bool:
    buffer = plan.buffer(transfer.buffer)
    reaches = all(int(own) >= extent for own, extent in zip(buffer.extents, port.extents, strict=True))
    return reaches and all(first == const(0) for first in buffer.origin)
