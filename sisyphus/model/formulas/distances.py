"""Starts of a pipelined body between two that touch one element, at least; knows no cycle."""

from __future__ import annotations

from collections.abc import Mapping

from sisyphus.algebra import Algebra, Value, product
from sisyphus.model.facts.shifts import Shift
from sisyphus.model.facts.task_facts import BufferAccess, Flow, Pipe, Work
from sisyphus.model.formulas.addresses import changes_address
from sisyphus.model.formulas.aliases import inner_first
from sisyphus.model.formulas.copies import furthest
from sisyphus.model.formulas.iteration_latency import Setting
from sisyphus.plan import FAR, Turning, starts_to_return
from sisyphus.values import dataclass


def address_distance(setting: Setting, pipe: Pipe, write: BufferAccess) -> Value:
    """Starts until the same in-bank address may come again.

    That is the product of the trip counts of the pipelined loop and the loops outside it up to the first that does
    not change the address; a loop that only selects a bank does not change it.
    """
    alg, loops = setting.alg, inner_first(pipe)
    moves = {loop: changes_address(alg, setting.rules, write, loop, loops, pipe.trips) for loop in loops}
    turns = {loop: alg.exceeds(pipe.trips[loop], 1) for loop in loops}
    turning = [Turning(turns[loop], moves[loop], pipe.between(loop), pipe.in_table.get(loop, False)) for loop in loops]
    one_bank = (alg.either(moves[loop], alg.negation(turns[loop])) for loop in loops if loop in pipe.picking)
    return starts_to_return(alg, turning, alg.select(alg.both(*one_bank), pipe.rows_apart, 1))


def shift_distance(alg: Algebra, pipe: Pipe, work: Work) -> Value:
    """Starts until a statement meets an element again whose subscripts are sums of loops; FAR where none is.

    Iterations that touch one element are multiples of the shifts apart, and anything in loops that move no subscript.
    Of those that differ in some shift, which is worth so many starts, the nearest ones differ in all smaller ones as
    far as these go, in the other direction.
    """
    if work.shifts is None:
        return 1
    weights, moving = _weights(alg, pipe), {loop for dim in work.write.dims for loop in dim.strides}
    steps = [_step_of(alg, pipe, weights, shift) for shift in work.shifts]
    still = [loop for loop in pipe.loops if loop not in moving]
    every = [*steps, *(_Step(weights[loop], weights[loop], pipe.trips[loop] - 1) for loop in still)]
    nearest: list[Value] = [FAR]
    for step in steps:
        smaller = [
            alg.select(alg.exceeds(other.least, step.least), 0, other.most * other.times)
            for other in every
            if other is not step
        ]
        apart = alg.maximum(step.least - sum(smaller), 1)
        nearest.append(alg.select(alg.exceeds(step.times, 0), apart, FAR))
    return alg.minimum(*nearest)


@dataclass(frozen=True, eq=False)
class _Step:
    """Iterations that meet in an element lie `least` to `most` starts apart, up to so many `times` as many."""

    least: Value
    most: Value
    times: Value


def _step_of(alg: Algebra, pipe: Pipe, weights: Mapping[str, Value], shift: Shift) -> _Step:
    def starts(sign: int) -> Value:
        return sum(_starts(pipe, weights, source, sign * distance) for source, distance in shift)

    forth, back = starts(1), starts(-1)
    times = (furthest(pipe, source, pipe.trips) // abs(distance) for source, distance in shift)
    return _Step(alg.maximum(forth, back), alg.maximum(-1 * forth, -1 * back), alg.minimum(*times))


def flow_distance(alg: Algebra, pipe: Pipe, flow: Flow) -> Value:
    """Starts from a write to the nearest read of its value, at least 1; never more than it really is."""
    weights = _weights(alg, pipe)
    nearest: Value = FAR
    for way in flow.ways:
        total: Value = 0
        for source, distance in way:
            back = -furthest(pipe, source, pipe.trips) if distance is None else distance
            total = total + _starts(pipe, weights, source, back)
        nearest = alg.minimum(nearest, alg.maximum(total, 1))
    return nearest


def _weights(alg: Algebra, pipe: Pipe) -> dict[str, Value]:
    """How many starts one step of each loop around the body is worth: of one around a table, more than any wait."""
    loops = inner_first(pipe)
    found: dict[str, Value] = {}
    for at, loop in enumerate(loops):
        inside = product([pipe.between(inner) for inner in loops[:at]])
        found[loop] = alg.select(pipe.in_runs, FAR, inside) if loop in pipe.apart else inside
    return found


def _starts(pipe: Pipe, weights: Mapping[str, Value], source: str, distance: Value) -> Value:
    """Starts that `distance` iterations of a source loop are worth, rounded down copy by copy."""
    rest: Value = distance
    total: Value = 0
    for loop, step in pipe.copies.get(source, ()):
        if loop in weights:
            steps = rest // step
            total = total + steps * weights[loop]
            rest = rest - steps * step
    return total
