"""Transfers of a plan as facts: beats, contiguous runs, tiles; knows no formula."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sisyphus.algebra import EXACT, Algebra, Condition, Value
from sisyphus.model.facts.task_facts import Dim, Move, of_one_stripe
from sisyphus.plan import Copy, Direction, Plan, Transfer, beats_of, bursts_of, in_memory, strides_of


def moved_by(alg: Algebra, plan: Plan, copy: Copy) -> Move:
    """The facts of a transfer where it runs."""
    return replace(
        move_of(plan, plan.transfer(copy.transfer), alg, copy.active), ahead=bool(copy.at), first=copy.is_first
    )


def move_of(plan: Plan, transfer: Transfer, alg: Algebra = EXACT, active: Condition = True) -> Move:
    """The facts of a transfer."""
    buffer, port = plan.buffer(transfer.buffer), plan.port_of(transfer)
    lying = in_memory(alg, buffer, port, transfer.width)
    steps = (step for origin in buffer.origin for _, step in origin.terms)
    dims = tuple(Dim(e, f, {}) for e, f in zip(buffer.extents, buffer.partition, strict=True))
    return Move(
        id=transfer.id,
        array=transfer.array,
        buffer=buffer.id,
        port=transfer.port,
        is_load=transfer.direction is Direction.LOAD,
        dims=dims if port.stripes == 1 else of_one_stripe(alg, dims, port.stripes),
        width=transfer.width // port.stripes if port.stripes > 1 else transfer.width,
        bits=buffer.type.stored.bits,
        beats=beats_of(alg, buffer.extents, transfer.width),
        bursts=bursts_of(alg, lying.held, lying.extents),
        tile_strides=strides_of(alg, lying.origin, lying.extents, transfer.width),
        is_tile=alg.either(*(alg.exceeds(abs(step), 0) for step in steps)),
        active=active,
        stream=transfer.stream,
        read_only=port.direction == "in",
        stripes=port.stripes,
        joins=bool(transfer.joins),
    )


def bytes_moved(move: Move, runs: Value) -> int:
    """Between memory and chip, through all ports, by so many runs: one figure or one per iteration of outer loops."""
    if move.joins:
        return 0
    return int(np.sum(move.beats * move.width * move.stripes * move.bits // 8 * runs))
