"""Transfers of a plan as facts: beats, contiguous runs, tiles; knows no formula."""

from __future__ import annotations

from collections import Counter
from math import prod

import numpy as np

from sisyphus.algebra import Value
from sisyphus.model.facts.task_facts import Dim, Move
from sisyphus.plan import Buffer, Direction, Plan, Port, Transfer


def move_of(plan: Plan, transfer: Transfer) -> Move:
    """The facts of a transfer."""
    buffer, port = plan.buffer(transfer.buffer), plan.port_of(transfer.array)
    return Move(
        id=transfer.id,
        array=transfer.array,
        buffer=buffer.id,
        port=transfer.port,
        is_load=transfer.direction is Direction.LOAD,
        dims=tuple(Dim(e, min(f, e), {}) for e, f in zip(buffer.extents, buffer.partition, strict=True)),
        width=transfer.width,
        bits=buffer.type.bits,
        beats=_beats(buffer, port, transfer.width),
        bursts=_bursts(buffer, plan.scop.array(transfer.array).extents),
        tile_strides=_tile_strides(buffer, port, transfer.width),
        is_tile=any(not origin.is_constant for origin in buffer.origin),
    )


def bytes_moved(move: Move, runs: Value) -> int:
    """Between memory and chip, by so many runs of a transfer, one figure or one per iteration of outer loops."""
    total = move.beats * move.width * move.bits // 8 * runs
    return total if isinstance(total, int) else int(np.sum(total))


def _beats(buffer: Buffer, port: Port, width: int) -> int:
    """Beats of one run: whole beats per row, or over all elements where the array is packed."""
    if not buffer.extents:
        return 1
    if port.layout == "packed" and buffer.extents == port.extents:
        return -(-prod(buffer.extents) // width)
    return prod(buffer.extents[:-1]) * -(-buffer.extents[-1] // width)


def _bursts(buffer: Buffer, extents: tuple[int, ...]) -> int:
    """Contiguous runs of memory: the dimensions that are held whole, and the one outside them, make one."""
    outermost = len(extents) - 1
    while outermost > 0 and buffer.extents[outermost] == extents[outermost]:
        outermost -= 1
    return prod(buffer.extents[: max(outermost, 0)])


def _tile_strides(buffer: Buffer, port: Port, width: int) -> tuple[int, ...]:
    """Per loop that moves the tile, how many beats one step goes on."""
    extents = (*port.extents[:-1], -(-port.extents[-1] // width) * width) if port.extents else ()
    steps: Counter[str] = Counter()
    for at, origin in enumerate(buffer.origin):
        for name, factor in origin.terms:
            steps[name] += abs(factor) * prod(extents[at + 1 :])
    return tuple(-(-step // width) for step in steps.values())
