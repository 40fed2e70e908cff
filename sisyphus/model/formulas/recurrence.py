"""Initiation interval: what one start of a pipelined body must wait for (docs/model.md); knows no latency of a loop."""

from __future__ import annotations

from collections.abc import Sequence

from sisyphus.algebra import Algebra, Condition, Value
from sisyphus.ir import Ref
from sisyphus.model.facts.task_facts import BufferAccess, Flow, Pipe, Work
from sisyphus.model.formulas.addresses import bank_count, in_registers, words_per_bank
from sisyphus.model.formulas.aliases import (
    AliasPair,
    alias_distance,
    alias_pairs,
    copies_in_turn,
    told_apart,
)
from sisyphus.model.formulas.copies import reduction_copies
from sisyphus.model.formulas.distances import address_distance, flow_distance, shift_distance
from sisyphus.model.formulas.iteration_latency import (
    Setting,
    Timing,
    in_cycles,
    is_reduction,
    is_tree,
    latency_of,
    sum_latency,
)
from sisyphus.model.formulas.rules import Rules
from sisyphus.plan import FAR
from sisyphus.target import MeasuredInterval
from sisyphus.values import dataclass


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
    causes += standing_waits(setting, pipe, timings)
    causes += [(wait, why, False) for wait, why in _other_elements(setting, pipe, timings)]
    causes += [(known.cycles, f"a report of Vitis {known.version}", True) for known in measured_of(setting, pipe)]
    return Interval(setting.alg.maximum(1, *(value for value, _, _ in causes)), tuple(causes))


def standing_waits(setting: Setting, pipe: Pipe, timings: Sequence[Timing]) -> list[tuple[Value, str, bool]]:
    """What starts wait for whatever values pass: the element that a statement adds to, reads that may be of a write."""
    pairs = alias_pairs(pipe)
    causes: list[tuple[Value, str, bool]] = []
    for work, timing in zip(pipe.works, timings, strict=True):
        update = update_of(setting, pipe, work, timing)
        if update is not None:
            beside = any(pair.buffer == work.write.buffer for pair in pairs)
            wait = _own_element(setting, pipe, work, timing, update, beside=beside)
            causes.append((wait, f"accumulation in `{work.target}`", True))
    causes += [(_aliased(setting, pipe, pair, timings), f"`{pair.ref}` may be written", False) for pair in pairs]
    return causes


def measured_of(setting: Setting, pipe: Pipe) -> list[MeasuredInterval]:
    """What reports said of these statements with this loop pipelined, whatever its tile."""
    statements = {str(work.statement) for work in pipe.works}
    return [m for m in setting.measured if m.loop == source_loop(pipe) and set(m.statements) == statements]


def source_loop(pipe: Pipe) -> str | None:
    """The loop of the source that the pipelined one is a part of."""
    return next((source for source, parts in pipe.copies.items() if any(p == pipe.loop for p, _ in parts)), None)


@dataclass(frozen=True)
class Update:
    """How a statement updates the element that it writes.

    `is_reduction`: the pipelined loop adds to one element. Else an element comes back after `distance` starts, or as
    registers do, in the next one; `spread` are the cycles from its read to its write in RAM.
    """

    is_reduction: bool
    spread: Value
    as_registers: Condition = False
    distance: Value = FAR

    def returns_early(self, alg: Algebra) -> Condition:
        """Whether an element in RAM comes back before the start that writes it is done.

        One report alone shows at which interval, with the order of additions kept.
        """
        if self.is_reduction:
            return False
        return alg.both(alg.exceeds(self.spread, self.distance), alg.negation(self.as_registers))


def update_of(setting: Setting, pipe: Pipe, work: Work, timing: Timing) -> Update | None:
    """None where the statement does not read the element that it writes."""
    if work.target not in work.reads or work.from_literal:
        return None
    alg, rules = setting.alg, setting.rules
    spread = timing.chain + rules.cycles.read + rules.cycles.write
    if is_reduction(pipe, work):
        return Update(is_reduction=True, spread=spread)
    as_registers = acts_as_registers(alg, rules, pipe, work.write)
    distance = alg.minimum(address_distance(setting, pipe, work.write), shift_distance(alg, pipe, work))
    return Update(False, spread, as_registers, distance)


def _own_element(setting: Setting, pipe: Pipe, work: Work, timing: Timing, update: Update, *, beside: bool) -> Value:
    """What an update waits for; `beside`: the body also reads the buffer at another subscript."""
    alg, rules, chain = setting.alg, setting.rules, timing.chain
    delay = timing.delays_from[work.target]
    if update.is_reduction:
        held = alg.maximum(reduction_interval(setting, pipe, work, timing), in_cycles(setting, 0, delay))
        single = alg.select(alg.exceeds(bank_count(alg, work.write.dims), 1), 0, rules.cycles.single_bank)
        return alg.maximum(held, update.spread + single) if beside else held
    distance = alg.select(update.as_registers, 1, update.distance)
    if rules.partial_tree_recurrence and is_tree(pipe, work):
        copies = reduction_copies(setting.alg, pipe, work)
        partial = latency_of(setting.operators, work.expr) * alg.log2_floor(copies) + 1
        chain = alg.select(alg.exceeds(copies, 1), partial, chain)
    spread, apart = in_cycles(setting, update.spread, delay), alg.exceeds(distance, 1)
    return alg.select(apart, alg.ceil_div(spread, distance), in_cycles(setting, chain, delay))


def acts_as_registers(alg: Algebra, rules: Rules, pipe: Pipe, write: BufferAccess) -> Condition:
    """Banks of so few words that the tool takes an element for the next one, where the pipelined loop moves them.

    16 of 16 loops over 1 to 4 words a bank, with a dependence pragma and without, took the whole chain.
    """
    if pipe.loop is None:
        return False
    moves = alg.either(*(alg.exceeds(dim.strides.get(pipe.loop, 0), 0) for dim in write.dims))
    few = alg.negation(alg.exceeds(words_per_bank(alg, write.dims), rules.register_words))
    return alg.both(alg.exceeds(pipe.trips[pipe.loop], 1), moves, few)


def _aliased(setting: Setting, pipe: Pipe, pair: AliasPair, timings: Sequence[Timing]) -> Value:
    """What the next start waits for if it may read what this one writes: ⌈n (chain + 3) / distance⌉ of n copies.

    30 loops over k of `B[i][j] += A[k][i] * B[k][j]` took 14 cycles, the product, the sum and 3 more, where a subscript
    was a sum of two loops. Where all were single loops, k and i were told apart, and the sum's own 10 cycles remained.
    """
    alg, cycles = setting.alg, setting.rules.cycles
    chain = chain_between(setting, pipe, pair.writer, pair.reader, [pair.ref], timings)
    if chain is None:
        return 1
    if pair.writer == pair.reader:
        chain = timings[pair.writer].depth_from[pair.ref]
    wait = (chain + cycles.read + cycles.write) * copies_in_turn(alg, pipe, pair)
    return alg.select(told_apart(alg, pipe, pair), 1, alg.ceil_div(wait, alias_distance(alg, pipe, pair)))


def reduction_interval(setting: Setting, pipe: Pipe, work: Work, timing: Timing) -> Value:
    """The pipelined loop accumulates: one operator takes its cycles less one, a chain of several takes all of them."""
    if is_tree(pipe, work):
        return accumulation(setting.alg, sum_latency(setting, pipe, work), 1, single=True)
    return accumulation(setting.alg, timing.path, reduction_copies(setting.alg, pipe, work), single=timing.single)


def accumulation(alg: Algebra, path: Value, copies: Value, *, single: bool) -> Value:
    """Starts of `copies` additions of `path` cycles each in a row; `single`: each is one operator."""
    return alg.maximum(1, alg.select(alg.exceeds(copies, 1), path * copies, path - 1 if single else path))


def _other_elements(setting: Setting, pipe: Pipe, timings: Sequence[Timing]) -> list[tuple[Value, str]]:
    """Recurrences through an element that another start wrote: ⌈(chain + 3) / distance⌉ for each (unmeasured).

    In registers, as variables are, nothing is read or written in memory.
    """
    alg, cycles = setting.alg, setting.rules.cycles
    found: list[tuple[Value, str]] = []
    for flow in pipe.flows:
        chain = chain_of(setting, pipe, flow, timings)
        if chain is not None:
            margin = alg.select(in_registers(alg, pipe.works[flow.writer].write.dims), 0, cycles.read + cycles.write)
            wait = alg.ceil_div(chain + margin, flow_distance(alg, pipe, flow))
            found.append((wait, f"`{flow.buffer}` from an earlier start"))
    return found


def chain_of(setting: Setting, pipe: Pipe, flow: Flow, timings: Sequence[Timing]) -> Value | None:
    """Cycles from the read that a flow ends in to the write it begins with, in one start; None if none leads there."""
    reader, itself = pipe.works[flow.reader], flow.reader == flow.writer
    refs = [ref for ref, access in reader.reads.items() if access.buffer == flow.buffer]
    refs = [ref for ref in refs if not (itself and ref == reader.target)]
    return chain_between(setting, pipe, flow.writer, flow.reader, refs, timings)


def chain_between(
    setting: Setting, pipe: Pipe, writer: int, reader: int, refs: Sequence[Ref], timings: Sequence[Timing]
) -> Value | None:
    """Cycles from reads `refs` of one statement to the write of another in one start; None if none leads there.

    By the longest way from value to value: what else a statement waits for can be done before. Copies that add to one
    element follow each other; what stands before the sum runs beside that of the others.
    """
    alg, reached = setting.alg, dict[tuple[object, ...], tuple[Value, int]]()
    for at in range(reader, writer + 1):
        work, timing = pipe.works[at], timings[at]
        if at == reader:
            ways = [(0, 0, ref) for ref in refs]
        else:
            places = {ref: (read.buffer, read.element) for ref, read in work.reads.items()}
            ways = [(*reached[place], ref) for ref, place in places.items() if place in reached]
        written = (work.write.buffer, work.write.element)
        reached.pop(written, None)
        if ways:
            longest = alg.maximum(0, *(before + timing.depth_from[ref] for before, _, ref in ways))
            delay = max(before + timing.delays_from[ref] for _, before, ref in ways)
            reached[written] = longest + alg.maximum(timing.chain - timing.path, 0), delay
    last = pipe.works[writer].write
    found = reached.get((last.buffer, last.element))
    return None if found is None else in_cycles(setting, *found)
