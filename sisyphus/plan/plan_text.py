"""A plan as stable text for people and tests; read back by nobody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sisyphus.ir.scop_text import expression
from sisyphus.plan.body_schedule import Schedule, dump_schedule
from sisyphus.plan.plan import Buffer, Plan, Port, Transfer
from sisyphus.plan.sharing import Shared, shared_subexpressions
from sisyphus.plan.tree import Node, descend, headline


def dump(plan: Plan, schedules: Mapping[str, Sequence[Schedule]] | None = None) -> str:
    """Ports, buffers, transfers, the body, then each task, with the schedules of its bodies by its name if given."""
    words = ", ".join(["tree reduction"] * plan.tree_reduction + ["adders in fabric"] * (plan.adders == "fabric"))
    lines = [f"plan {plan.scop.name}{f' ({words})' if words else ''}"]
    for port in plan.ports:
        extents = "".join(f"[{e}]" for e in port.extents)
        bundle = f" width {port.width} bundle {port.bundle} {_layout(port)}" if port.kind == "array" else ""
        lines.append(f"port {port.direction} {port.type} {port.name}{extents}{bundle}")
    lines += [_buffer(b) for b in plan.buffers]
    lines += [_transfer(t) for t in plan.transfers]
    lines += ["body:", *_nodes(plan.body)]
    for task in plan.tasks:
        given = ", ".join([*task.buffers, *task.scalars, *task.iterators])
        lines += [f"{task.name}({given}): nest {task.nest}", *_nodes(task.body)]
        lines += [_shared(shared) for shared in shared_subexpressions(plan, task)]
        lines += [f"  {line}" for one in (schedules or {}).get(task.name, ()) for line in dump_schedule(one)]
    return "\n".join(lines) + "\n"


def _layout(port: Port) -> str:
    return f"{port.layout} in {'x'.join(map(str, port.tile))}" if port.tile else port.layout


def _buffer(buffer: Buffer) -> str:
    extents = "".join(f"[{e}]" for e in buffer.extents)
    part = "x".join(map(str, buffer.partition)) or "1"
    origin = ", ".join(map(str, buffer.origin))
    extra = f" copies {buffer.copies} by {buffer.turn}" if buffer.copies > 1 else ""
    extra += "".join(f" each of {count} {name}" for name, count in buffer.beside)
    extra += f" storage {buffer.storage}" if buffer.storage != "auto" else ""
    at = f" at [{origin}]" if any(not e.is_constant or e.constant for e in buffer.origin) else ""
    return f"buffer {buffer.type} {buffer.id}{extents} of {buffer.array}{at} under {buffer.place} parts {part}{extra}"


def _transfer(transfer: Transfer) -> str:
    arrow = "<-" if transfer.direction.value == "load" else "->"
    form = " through a FIFO" if transfer.stream else ""
    joins = f" with {transfer.joins}" if transfer.joins else ""
    return f"transfer {transfer.id}: {transfer.buffer} {arrow} {transfer.array} width {transfer.width}{form}{joins}"


def _shared(shared: Shared) -> str:
    loops = ", ".join(shared.loops)
    return f"  {shared.statement} computes {expression(shared.expr)} once{f' for each {loops}' if loops else ''}"


def _nodes(nodes: Sequence[Node]) -> Iterator[str]:
    for node, depth in descend(nodes, 1, lambda _, depth: depth + 1):
        yield "  " * depth + headline(node)
