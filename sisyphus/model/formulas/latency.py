"""Cycles of a task: pipelined loops, flattening, tile loops and their transfers (docs/model.md); knows no kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sisyphus.algebra import Algebra, Condition, Value, at_least, product
from sisyphus.model.facts.task_facts import Beside, Burst, Guarded, Move, Part, Pipe, Replicated, TaskFacts, Tile
from sisyphus.model.formulas.addresses import arrival, in_registers
from sisyphus.model.formulas.burst_cycles import move_cycles
from sisyphus.model.formulas.iteration_latency import Setting, is_reduction
from sisyphus.model.formulas.steps import AtOnce, latency
from sisyphus.model.formulas.terms import Term, doubt_of, total


@dataclass(frozen=True)
class PipelinedBody:
    """What is known of a pipelined body: initiation interval, iteration latency, whether outer loops are flattened."""

    interval: Value
    depth: Value
    flattened: Condition


Bodies = Callable[[Pipe], PipelinedBody]


@dataclass(frozen=True)
class Nest:
    """Tile loops around one core, outermost first, each with its transfers before and after what is inside.

    The core is a pipelined loop, or parts that follow each other.
    """

    tiles: tuple[Tile, ...]
    transfers: tuple[tuple[Burst, ...], ...]
    core: tuple[Part, ...]

    @property
    def pipe(self) -> Pipe | None:
        """The core if it is a pipelined loop."""
        first = self.core[0] if len(self.core) == 1 else None
        return first if isinstance(first, Pipe) and first.pipelined else None


def nest_of(part: Part) -> Nest:
    """A part as a core in tile loops."""
    tiles, transfers = list[Tile](), list[tuple[Burst, ...]]()
    core: tuple[Part, ...] = (part,)
    while len(core) == 1 and isinstance(core[0], Tile):
        tile = core[0]
        tiles.append(tile)
        transfers.append(tuple(inside for inside in tile.body if isinstance(inside, Burst)))
        core = tuple(inside for inside in tile.body if not isinstance(inside, Burst))
    return Nest(tuple(tiles), tuple(transfers), core)


def is_flattened(setting: Setting, pipe: Pipe) -> Condition:
    """Whether the loops around a pipelined loop become one loop with it.

    A pipelined reduction keeps its accumulators in registers, and many of them block it (docs/model.md).
    """
    alg = setting.alg
    accumulators: Value = 0
    for work in pipe.works:
        if is_reduction(pipe, work):
            own = [pipe.trips[loop] for loop in work.unrolled if loop not in work.reductions]
            accumulators = accumulators + product(own)
    return alg.negation(alg.exceeds(accumulators, setting.rules.flatten_accumulators))


def task_cycles(setting: Setting, facts: TaskFacts, bodies: Bodies, runs: Value = 1) -> Term:
    """All of `runs` runs of a task: its parts one after another.

    A single pipelined loop, with the loops flattened into it, is part of the function; of several parts, or in tile
    loops, each is a module of its own.
    """
    return total(facts.name, _function(setting, facts.parts, runs, bodies), rule="task")


def _function(setting: Setting, body: Sequence[Part], runs: Value, bodies: Bodies) -> tuple[Term, ...]:
    alg, step = setting.alg, setting.rules.cycles.step
    parts = [_part(setting, part, runs, bodies) for part in body]
    apart = runs * (step * len(parts) - 1)
    if len(parts) == 1:
        nest = nest_of(body[0])
        if nest.pipe is not None:
            alone = alg.both(_chained(setting, nest)[0], bodies(nest.pipe).flattened)
            apart = alg.select(alone, 0, apart)
    return (*parts, Term("between parts", apart, rule="parts of a function"))


def _part(setting: Setting, part: Part, entries: Value, bodies: Bodies) -> Term:
    """All runs of a part together; it is entered `entries` times over one run of the task."""
    cycles = setting.rules.cycles
    match part:
        case Burst():
            return _burst_cycles(setting, part, entries)
        case Guarded(runs=runs):
            inside = _sequence(setting, part.body, runs, bodies)
            guard = Term("guard", entries * cycles.skipped, rule="guarded part")
            return total("if", (guard, *inside), rule="guarded part")
        case Beside(parts=parts):
            return _longest(setting, parts, entries, bodies)
        case Replicated():
            return _copies_cycles(setting, part, entries, bodies)
        case Pipe() if not part.pipelined:
            depth = bodies(part).depth
            return Term(
                "body", part.starts * depth, construct="body-not-pipelined", rule="iteration latency, not pipelined"
            )
        case _:
            return _nest_cycles(setting, nest_of(part), entries, bodies)


def _longest(setting: Setting, parts: Sequence[Part], entries: Value, bodies: Bodies) -> Term:
    """Parts that run at the same time take what the longest takes; where guarded ones do not run, the others are alone.

    Each part takes the same in all entries in which it runs, and guarded ones run in the same entries.
    """
    alg = setting.alg
    terms = [_part(setting, part, entries, bodies) for part in parts]
    runs = [part.runs if isinstance(part, Guarded) else entries for part in parts]
    each = [alg.ceil_div(term.value, alg.maximum(count, 1)) for term, count in zip(terms, runs, strict=True)]
    always = [one for one, part in zip(each, parts, strict=True) if not isinstance(part, Guarded)]
    guarded = alg.maximum(0, *(part.runs for part in parts if isinstance(part, Guarded)))
    alone = (entries - guarded) * latency(alg, AtOnce(tuple((True, cycles) for cycles in always)))
    most = guarded * latency(alg, AtOnce(tuple((True, cycles) for cycles in each))) + alone
    name = " beside ".join(term.name for term in terms)
    return Term(name, most, rule="parts at the same time", construct="parts-at-the-same-time")


def _copies_cycles(setting: Setting, part: Replicated, entries: Value, bodies: Bodies) -> Term:
    """The latency of a copy and one cycle more (docs/model.md); those that share an array follow each other."""
    cycles, calls = setting.rules.cycles, entries * part.turns
    start = Term("start", calls * cycles.replicated, rule="replicated functions")
    inside = _function(setting, part.body, calls, bodies)
    waiting = (calls - entries) * cycles.step
    apart = Term("copies that share arrays", waiting, construct="copies-in-turns", rule="parts of a body")
    return total("copies", (start, *inside, apart), rule="replicated functions")


def _sequence(setting: Setting, parts: Sequence[Part], entries: Value, bodies: Bodies) -> tuple[Term, ...]:
    """Parts of a loop body one after another."""
    found = tuple(_part(setting, part, entries, bodies) for part in parts)
    moved = entries * setting.rules.cycles.step * sum(not isinstance(part, Burst) for part in parts)
    return (*found, Term("between parts", moved, rule="parts of a body"))


def _nest_cycles(setting: Setting, nest: Nest, entries: Value, bodies: Bodies) -> Term:
    """Tile loops around their core: an iteration is longest load + 2, the work + 2, longest store (docs/model.md)."""
    terms: list[Term] = []
    for tile, bursts in zip(nest.tiles, nest.transfers, strict=True):
        terms += [_burst_cycles(setting, burst, tile.iterations) for burst in bursts]
    if nest.pipe is not None:
        terms += _pipelined_core(setting, nest, nest.pipe, entries, bodies)
    else:
        inner = nest.tiles[-1].iterations if nest.tiles else entries
        terms += [_part(setting, part, inner, bodies) for part in nest.core]
        steps = [setting.alg.select(tile.exists, tile.iterations, 0) for tile in nest.tiles]
        more = inner * (len(nest.core) - 1)
        terms.append(Term("between parts", (sum(steps) + more) * setting.rules.cycles.step, rule="parts of a body"))
    loops = ", ".join(tile.iterator for tile in nest.tiles)
    return total(f"loops {loops}" if loops else "nest", terms, rule="tile loops")


def _chained(setting: Setting, nest: Nest) -> list[Condition]:
    """Per tile loop, whether it and all loops inside of it may be flattened: no transfers, no moving bounds.

    One more entry, for the core itself, is always true.
    """
    alg = setting.alg
    found: list[Condition] = [True]
    for tile, bursts in zip(reversed(nest.tiles), reversed(nest.transfers), strict=True):
        free = alg.both(tile.flatten, alg.negation(_moves_any(setting, bursts)))
        found.insert(0, alg.both(found[0], free))
    return found


def _moves_any(setting: Setting, bursts: Sequence[Burst]) -> Condition:
    found: Condition = False
    for move in (move for burst in bursts for step in burst.steps for move in step):
        found = setting.alg.either(found, move.active)
    return found


def pipelined_loop(setting: Setting, body: PipelinedBody, starts: Value, runs: Value) -> tuple[Term, Term]:
    """(trip - 1) x II + max(IL - 1, 1) for each of `runs` runs with `starts` iterations in all (docs/model.md)."""
    fill = runs * setting.alg.maximum(body.depth - 1, 1)
    return (
        Term("starts", (starts - runs) * body.interval, rule="(trip - 1) x II"),
        Term("fill", fill, rule="iteration latency"),
    )


def _pipelined_core(setting: Setting, nest: Nest, pipe: Pipe, entries: Value, bodies: Bodies) -> tuple[Term, ...]:
    """A pipelined loop in tile loops: one loop with the innermost of them, or started anew by each iteration."""
    alg, cycles, body = setting.alg, setting.rules.cycles, bodies(pipe)
    chained = _chained(setting, nest)
    around = nest.tiles[-1].iterations if nest.tiles else entries
    for tile, flat in zip(nest.tiles, chained, strict=False):
        entries = alg.select(flat, entries, tile.iterations)
    apart = alg.both(alg.negation(body.flattened), alg.exceeds(around, entries))
    runs = alg.select(apart, around, entries)
    restart = cycles.unflattened + _outer_address(setting, pipe)
    between, moving = _between(setting, nest, chained, around)
    return (
        *pipelined_loop(setting, body, pipe.starts, alg.minimum(runs, pipe.starts)),
        Term("call", runs * cycles.call, rule="call"),
        Term("restarts", alg.select(apart, around * restart, 0), rule="loops not flattened"),
        Term(
            "restarts in moving bounds",
            moving * restart,
            construct="restarts-in-moving-bounds",
            rule="loops not flattened",
        ),
        Term("between parts", between * cycles.step, rule="parts of a body"),
    )


def _between(setting: Setting, nest: Nest, chained: Sequence[Condition], around: Value) -> tuple[Value, Value]:
    """Iterations of tile loops that are no part of the pipelined loop: those with parts, and those with it alone."""
    alg = setting.alg
    between: Value = 0
    moving: Value = 0
    for at, tile in enumerate(nest.tiles):
        inside = at_least(alg, tile.iterations, around)
        alone = alg.both(alg.both(chained[at + 1], inside), alg.negation(_moves_any(setting, nest.transfers[at])))
        apart = alg.both(tile.exists, alg.negation(chained[at]))
        moving = moving + alg.select(alg.both(apart, alone), tile.iterations, 0)
        between = between + alg.select(alg.both(apart, alg.negation(alone)), tile.iterations, 0)
    return between, moving


def _outer_address(setting: Setting, pipe: Pipe) -> Value:
    """Address arithmetic of the outer iterators, done before each start of an inner loop (docs/model.md)."""
    alg, rules = setting.alg, setting.rules
    longest: Value = rules.cycles.read
    for work in pipe.works:
        for access in (work.write, *work.reads.values()):
            there = arrival(alg, rules, access, pipe.outer, pipe.trips)
            in_memory = alg.negation(in_registers(alg, access.dims))
            longest = alg.maximum(longest, alg.select(in_memory, there, 0))
    return longest - rules.cycles.read


def _burst_cycles(setting: Setting, burst: Burst, entries: Value) -> Term:
    """Transfers side by side, and the step to what follows loads; those that share a port go one after another."""
    alg, step = setting.alg, setting.rules.cycles.step
    known = {move.id: move_cycles(setting, move) for step in burst.steps for move in step}
    entries = entries * burst.rounds
    found: list[Term] = []
    for number, moves in enumerate(burst.steps):
        each = [(move, known[move.id]) for move in moves]
        longest = latency(alg, AtOnce(tuple((move.active, term.value) for move, term in each)))
        rtl = entries * _late(alg, longest, each)
        doubt = "port-in-turns" if len(burst.steps) > 1 else doubt_of(term for _, term in each)
        name = " | ".join(term.name for _, term in each)
        found.append(Term(name, entries * longest, construct=doubt, rtl=rtl))
        if burst.is_load or number:
            moved = alg.select(_moves_any(setting, (Burst((moves,), burst.is_load),)), entries * step, 0)
            found.append(Term("between parts", moved, rule="parts of a body"))
    return total("loads" if burst.is_load else "stores", found, rule="transfers of a tile")


def _late(alg: Algebra, longest: Value, each: Sequence[tuple[Move, Term]]) -> Value:
    """What RTL adds to transfers side by side: what it adds to the longest of them."""
    found: Value = 0
    for move, term in each:
        exposed = alg.both(move.active, at_least(alg, term.value, longest))
        found = alg.maximum(found, alg.select(exposed, term.rtl, 0))
    return found
