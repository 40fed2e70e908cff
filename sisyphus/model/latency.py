"""Cycles of a task: pipelined loops, flattening, tile loops and their transfers (MODEL.md 4.2); knows no kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sisyphus.model.addresses import arrival, in_registers
from sisyphus.model.algebra import Condition, Value, product
from sisyphus.model.facts import Burst, Guarded, Move, Part, Pipe, Replicated, TaskFacts, Tile
from sisyphus.model.schedule import Setting, is_reduction
from sisyphus.model.terms import Term, total
from sisyphus.model.transfers import move_cycles


@dataclass(frozen=True)
class Body:
    """What is known of a pipelined body: initiation interval, iteration latency, whether outer loops are flattened."""

    interval: Value
    depth: Value
    flattened: Condition


Bodies = Callable[[Pipe], Body]


def is_flattened(setting: Setting, pipe: Pipe) -> Condition:
    """Whether the loops around a pipelined loop become one loop with it.

    A pipelined reduction keeps its accumulators in registers, and many of them block it (MODEL.md 4.2).
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

    A single pipelined nest is part of the function; of several parts each is a module of its own.
    """
    parts = facts.parts
    if len(parts) == 1 and (found := _chain(parts[0])) is not None:
        tiles, pipe = found
        nest = _nest_cycles(setting, tiles, pipe, runs, bodies)
        body = bodies(pipe)
        return total(facts.name, (nest, Term("return", setting.alg.select(body.flattened, 0, runs))), rule="task")
    steps = setting.rules.cycles.step
    inside = [_part(setting, part, runs, bodies) for part in parts]
    return total(facts.name, (*inside, Term("between parts", (steps * len(parts) - 1) * runs)), rule="task")


def _chain(part: Part) -> tuple[tuple[Tile, ...], Pipe] | None:
    """The tile loops that may be flattened into a pipelined loop, outermost first, and that loop."""
    tiles: list[Tile] = []
    while isinstance(part, Tile) and part.flatten and len(part.body) == 1:
        tiles.append(part)
        part = part.body[0]
    return (tuple(tiles), part) if isinstance(part, Pipe) and part.pipelined and part.loop else None


def _part(setting: Setting, part: Part, entries: Value, bodies: Bodies) -> Term:
    """All runs of a part together; it is entered `entries` times over one run of the task."""
    if (found := _chain(part)) is not None:
        return _nest_cycles(setting, *found, entries, bodies)
    cycles = setting.rules.cycles
    match part:
        case Pipe():
            return _straight_cycles(setting, part, entries, bodies)
        case Tile(iterator=name, iterations=iterations):
            inside = _body_cycles(setting, part, iterations, bodies)
            return total(f"loop {name}", inside, rule="tile loop")
        case Guarded(runs=runs):
            inside = _sequence(setting, part.body, runs, bodies)
            guard = Term("guard", entries * cycles.skipped, rule="guarded part")
            return total("if", (guard, *inside), rule="guarded part")
        case Replicated(body=body):
            inside = _sequence(setting, body, entries, bodies)
            return total("copies", (Term("start", entries * cycles.replicated), *inside), rule="replicated part")
        case Burst():
            return _burst_cycles(setting, part, entries)


def pipelined_loop(setting: Setting, body: Body, starts: Value, runs: Value) -> tuple[Term, Term]:
    """(trip - 1) x II + max(IL - 1, 1) for each of `runs` runs with `starts` iterations in all (MODEL.md 4.2)."""
    return (
        Term("starts", (starts - runs) * body.interval, rule="(trip - 1) x II"),
        Term("fill", runs * setting.alg.maximum(body.depth - 1, 1), rule="iteration latency"),
    )


def _nest_cycles(setting: Setting, tiles: Sequence[Tile], pipe: Pipe, entries: Value, bodies: Bodies) -> Term:
    """A pipelined loop in tile loops without transfers: one loop with them, or started anew by each iteration."""
    alg, cycles, body = setting.alg, setting.rules.cycles, bodies(pipe)
    around = tiles[-1].iterations if tiles else entries
    apart = alg.both(alg.negation(body.flattened), alg.exceeds(around, entries))
    runs = alg.minimum(alg.select(apart, around, entries), pipe.starts)
    restart = around * (cycles.unflattened + _outer_address(setting, pipe))
    return total(
        f"nest {pipe.loop}",
        (
            *pipelined_loop(setting, body, pipe.starts, runs),
            Term("call", alg.select(apart, around, entries) * cycles.call, rule="call"),
            Term("restarts", alg.select(apart, restart, 0), rule="loops not flattened"),
        ),
        rule="pipelined nest",
    )


def _outer_address(setting: Setting, pipe: Pipe) -> Value:
    """Address arithmetic of the outer iterators, done before each start of an inner loop (MODEL.md 4.2)."""
    alg, rules = setting.alg, setting.rules
    longest: Value = rules.cycles.read
    for work in pipe.works:
        for access in (work.write, *work.reads.values()):
            there = arrival(alg, rules, access, pipe.outer, pipe.trips)
            in_memory = alg.negation(in_registers(alg, access.dims))
            longest = alg.maximum(longest, alg.select(in_memory, there, 0))
    return longest - rules.cycles.read


def _straight_cycles(setting: Setting, pipe: Pipe, entries: Value, bodies: Bodies) -> Term:
    """A body that is not pipelined: every iteration runs to its end (unmeasured)."""
    depth = bodies(pipe).depth
    runs = Term("iterations", pipe.starts * depth, measured=False, rule="iteration latency")
    return total("sequence", (runs, Term("call", entries, measured=False)), rule="not pipelined")


def _body_cycles(setting: Setting, tile: Tile, iterations: Value, bodies: Bodies) -> tuple[Term, ...]:
    """All iterations of a tile loop."""
    [*_, last] = tile.body
    if len(tile.body) == 1 and isinstance(last, Pipe) and last.pipelined and last.loop:
        inside = _nest_cycles(setting, (), last, iterations, bodies)
        again = iterations * (setting.rules.cycles.unflattened + _outer_address(setting, last))
        return inside, Term("restarts", again, measured=False, rule="loop with moving bounds")
    return _sequence(setting, tile.body, iterations, bodies)


def _sequence(setting: Setting, parts: Sequence[Part], entries: Value, bodies: Bodies) -> tuple[Term, ...]:
    """Parts of a loop body: longest load + 2, the work + 2, longest store (MODEL.md 4.2)."""
    found: list[Term] = []
    between: Value = 0
    for part in parts:
        found.append(_part(setting, part, entries, bodies))
        if not (isinstance(part, Burst) and not part.is_load):
            between = between + entries * setting.rules.cycles.step
    return (*found, Term("between parts", between, rule="parts of a body"))


def _burst_cycles(setting: Setting, burst: Burst, entries: Value) -> Term:
    """Transfers side by side; those that share a bundle go one after another (unmeasured)."""
    alg, step = setting.alg, setting.rules.cycles.step
    rounds = _rounds(burst.moves)
    found: list[Term] = []
    for number, moves in enumerate(rounds):
        each = [move_cycles(setting, move) for move in moves]
        longest = alg.maximum(*(term.value for term in each))
        found.append(Term(" | ".join(t.name for t in each), entries * longest, measured=len(rounds) == 1))
        if number:
            found.append(Term("between parts", entries * step, measured=False))
    return total("loads" if burst.is_load else "stores", found, rule="transfers of a tile")


def _rounds(moves: Sequence[Move]) -> list[list[Move]]:
    """Transfers grouped so that no two of a group use one port."""
    rounds: list[list[Move]] = []
    for move in moves:
        free = next((group for group in rounds if all(m.port != move.port for m in group)), None)
        if free is None:
            rounds.append([move])
        else:
            free.append(move)
    return rounds
