"""Initiation interval: what one start of a pipelined body must wait for (MODEL.md 4.3); knows no latency of a loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sisyphus.algebra import Algebra, Value, product
from sisyphus.model.facts.task_facts import Access, Flow, Pipe, Work
from sisyphus.model.formulas.addresses import changes_address
from sisyphus.model.formulas.iteration_latency import (
    Setting,
    Timing,
    is_reduction,
    is_tree,
    latency_of,
    reduction_copies,
)

#: A distance that no recurrence is felt over.
FAR = 1 << 40


@dataclass(frozen=True)
class Interval:
    """The initiation interval and what asks for it, largest first: (cycles, why, whether reports confirm the rule)."""

    value: Value
    causes: tuple[tuple[Value, str, bool], ...]


def interval_of(setting: Setting, pipe: Pipe, timings: Sequence[Timing], ports: Value = 1) -> Interval:
    """II of a pipelined body: recurrences of each statement and between statements, and `ports` of the memories."""
    if pipe.loop is None or not pipe.pipelined:
        return Interval(1, ())
    causes: list[tuple[Value, str, bool]] = [(ports, "memory ports", True)]
    for work, timing in zip(pipe.works, timings, strict=True):
        if work.target in work.reads and not work.from_literal:
            causes.append((_own_element(setting, pipe, work, timing), f"accumulation in `{work.target}`", True))
    causes += [(wait, why, False) for wait, why in _other_elements(setting, pipe, timings)]
    return Interval(setting.alg.maximum(1, *(value for value, _, _ in causes)), tuple(causes))


def _own_element(setting: Setting, pipe: Pipe, work: Work, timing: Timing) -> Value:
    """A statement that reads the element it writes."""
    if is_reduction(pipe, work):
        return reduction_interval(setting, pipe, work, timing)
    alg, rules = setting.alg, setting.rules
    distance = address_distance(setting, pipe, work.write)
    chain, spread = timing.chain, timing.chain + rules.cycles.read + rules.cycles.write
    if rules.partial_tree_recurrence and is_tree(pipe, work):
        copies = reduction_copies(pipe, work)
        partial = latency_of(setting.operators, work.expr) * alg.log2_floor(copies) + 1
        chain = alg.select(alg.exceeds(copies, 1), partial, chain)
    apart = alg.exceeds(distance, 1)
    return alg.select(apart, alg.ceil_div(spread, distance), chain)


def reduction_interval(setting: Setting, pipe: Pipe, work: Work, timing: Timing) -> Value:
    """The pipelined loop accumulates: one operator takes its cycles less one, a chain of several takes all of them."""
    alg = setting.alg
    one = timing.path - 1 if timing.single else timing.path
    if is_tree(pipe, work):
        return max(latency_of(setting.operators, work.expr) - 1, 1)
    copies = reduction_copies(pipe, work)
    return alg.maximum(1, alg.select(alg.exceeds(copies, 1), timing.path * copies, one))


def address_distance(setting: Setting, pipe: Pipe, write: Access) -> Value:
    """Starts until the same in-bank address may come again.

    That is the product of the trip counts of the pipelined loop and the loops outside it up to the first that does
    not change the address; a loop that only selects a bank does not change it.
    """
    alg = setting.alg
    loops = _inner_first(pipe)
    distance: Value = FAR
    inside: Value = 1
    open_: Value = True
    for loop in loops:
        turns = alg.exceeds(pipe.trips[loop], 1)
        moves = changes_address(alg, setting.rules, write, loop, loops, pipe.trips)
        stops = alg.both(open_, alg.both(turns, alg.negation(moves)))
        distance = alg.select(stops, inside, distance)
        open_ = alg.both(open_, alg.negation(stops))
        inside = inside * pipe.trips[loop]
    return distance


def _inner_first(pipe: Pipe) -> tuple[str, ...]:
    own = () if pipe.loop is None else (pipe.loop,)
    return (*own, *reversed(pipe.outer))


def _other_elements(setting: Setting, pipe: Pipe, timings: Sequence[Timing]) -> list[tuple[Value, str]]:
    """Recurrences through an element that another start wrote: ⌈(chain + 3) / distance⌉ for each (unmeasured)."""
    found: list[tuple[Value, str]] = []
    margin = setting.rules.cycles.read + setting.rules.cycles.write
    for flow in pipe.flows:
        chain = _chain(pipe, flow, timings)
        if chain is None:
            continue
        wait = setting.alg.ceil_div(chain + margin, flow_distance(setting.alg, pipe, flow))
        found.append((wait, f"`{flow.buffer}` from an earlier start"))
    return found


def _chain(pipe: Pipe, flow: Flow, timings: Sequence[Timing]) -> Value | None:
    """Cycles from the read that a flow ends in to the write it begins with, in one start; None if none leads there."""
    writer, reader = pipe.works[flow.writer], pipe.works[flow.reader]
    if flow.writer == flow.reader:
        ways = timings[flow.writer].depth_from
        depth = max(
            (ways[r] for r, a in reader.reads.items() if a.buffer == flow.buffer and r != reader.target), default=None
        )
        return None if depth is None else depth * reduction_copies(pipe, writer)
    if flow.reader < flow.writer and _feeds(pipe.works[flow.reader : flow.writer + 1]):
        return timings[flow.writer].finish
    return None


def _feeds(works: Sequence[Work]) -> bool:
    """Whether the first of some statements passes a value on to the last in the same start, by way of the others."""
    reached = {(works[0].write.buffer, works[0].write.element)}
    for work in works[1:]:
        if any((a.buffer, a.element) in reached for a in work.reads.values()):
            reached.add((work.write.buffer, work.write.element))
    last = works[-1].write
    return (last.buffer, last.element) in reached


def flow_distance(alg: Algebra, pipe: Pipe, flow: Flow) -> Value:
    """Starts from a write to the nearest read of its value, at least 1; never more than it really is."""
    weights = _weights(pipe)
    nearest: Value = FAR
    for way in flow.ways:
        total: Value = 0
        for source, distance in way:
            back = -_reach(pipe, source) if distance is None else distance
            total = total + _starts(pipe, weights, source, back)
        nearest = alg.minimum(nearest, alg.maximum(total, 1))
    return nearest


def _weights(pipe: Pipe) -> dict[str, Value]:
    """How many starts one step of each loop around the body is worth."""
    loops = _inner_first(pipe)
    return {loop: product([pipe.trips[inner] for inner in loops[:at]]) for at, loop in enumerate(loops)}


def _reach(pipe: Pipe, source: str) -> Value:
    """The largest distance between two iterations of a source loop."""
    total: Value = 0
    for loop, step in pipe.copies[source]:
        total = total + step * (pipe.trips[loop] - 1)
    return total


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
