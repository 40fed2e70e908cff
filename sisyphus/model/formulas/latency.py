"""Cycles of a task: pipelined loops, flattening, tile loops and their transfers (docs/model.md); knows no kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from sisyphus.algebra import VECTOR, Condition, Value, at_least, product
from sisyphus.model.facts.task_facts import (
    Beside,
    Burst,
    Called,
    Guarded,
    Move,
    Part,
    Pipe,
    Replicated,
    Single,
    TaskFacts,
    Tile,
    pipes_in,
    placed,
)
from sisyphus.model.formulas.addresses import arrival, call_address, in_registers
from sisyphus.model.formulas.bank_waits import waits_for_beats
from sisyphus.model.formulas.burst_cycles import move_cycles
from sisyphus.model.formulas.iteration_latency import Setting, is_reduction
from sisyphus.model.formulas.steps import AtOnce, InTurn, Steps, Times, explained
from sisyphus.model.formulas.terms import IN_TURN, WAITS_FOR, Term, doubt_of, scaled, total
from sisyphus.values import dataclass, replace


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
    accumulators = sum(
        product(pipe.trips[loop] for loop in work.unrolled if loop not in work.reductions)
        for work in pipe.works
        if is_reduction(pipe, work)
    )
    return alg.negation(alg.exceeds(accumulators, setting.rules.flatten_accumulators))


def task_cycles(setting: Setting, facts: TaskFacts, bodies: Bodies, runs: Value = 1) -> Term:
    """All of `runs` runs of a task: its parts one after another.

    A single pipelined loop, with the loops flattened into it, is part of the function; of several parts, or in tile
    loops, each is a module of its own.
    """
    return explained(setting.alg, InTurn(_function(setting, facts.parts, runs, bodies), facts.name, "task"))


def _function(setting: Setting, body: Sequence[Part], runs: Value, bodies: Bodies) -> tuple[Steps, ...]:
    alg, step = setting.alg, setting.rules.cycles.step
    parts = [_part(setting, part, runs, bodies) for part in body]
    apart = runs * (step * sum(not isinstance(part, Burst) for part in body) - 1)
    for loads in (part for part in body[:1] if isinstance(part, Burst)):
        apart = apart - alg.select(_moves_any(setting, (loads,)), runs, 0)
    if len(parts) == 1:
        nest = nest_of(body[0])
        if nest.pipe is not None:
            alone = alg.both(_chained(setting, nest)[0], bodies(nest.pipe).flattened)
            apart = alg.select(alone, 0, apart)
    return (*parts, Term("between parts", apart, rule="parts of a function"))


def _part(setting: Setting, part: Part, entries: Value, bodies: Bodies) -> Steps:
    """All runs of a part together; it is entered `entries` times over one run of the task."""
    cycles = setting.rules.cycles
    match part:
        case Burst():
            return _transfers(setting, part, entries)
        case Guarded(runs=runs):
            inside = _sequence(setting, part.body, runs, bodies)
            guard = Term("guard", entries * cycles.skipped, rule="guarded part")
            return InTurn((guard, *inside), "if", "guarded part")
        case Beside():
            return _beside(setting, part, entries, bodies)
        case Called():
            return _called(setting, part, entries, bodies)
        case Replicated():
            return _copies(setting, part, entries, bodies)
        case Pipe() if not part.pipelined:
            depth = bodies(part).depth
            body = Term(
                "body", part.starts * depth, construct="body-not-pipelined", rule="iteration latency, not pipelined"
            )
            return InTurn((body, _banks_of_a_call(setting, part, part.starts)), "body", "with its addresses")
        case _:
            return _nest(setting, nest_of(part), entries, bodies)


def _called(setting: Setting, part: Called, entries: Value, bodies: Bodies) -> Steps:
    inside = _function(setting, part.body, part.entered(entries), bodies)
    if part.runs is None:
        return InTurn(inside, "function", "task")
    guard = Term("guard", entries * setting.rules.cycles.skipped, rule="guarded part")
    return InTurn((guard, *inside), "function", "task")


def _beside(setting: Setting, part: Beside, entries: Value, bodies: Bodies) -> Steps:
    """Loads of the next tile beside the function that computes with this one: an iteration takes what the longer takes.

    So it is in the report for the last iteration, too, whose loads find no tile (docs/model.md). All iterations are
    alike for each value of the outer loops where such loops run through a box, else they count one by one. Where tiles
    are also stored late, two more iterations move one tile between them, and loads share the banks with those stores.
    """
    alg = setting.alg
    called = explained(alg, _part(setting, part.called, entries, bodies))
    inside = [(here.entries, here.part) for here in placed(part.called.body, entries) if isinstance(here.part, Burst)]
    stores = [(move, runs * burst.rounds) for runs, burst in inside for step in burst.steps for move in step]
    late = [] if part.back is None else [(move, entries) for step in _steps_of(part.back) for move in step]
    moves = [each for moves in part.loads.steps for each in _each_move(setting, moves, [*stores, *late], entries)]
    tiles, construct = part.called.entered(entries), doubt_of(term for _, term in moves) or "tiles-loaded-ahead"
    if part.back is not None:
        construct = "tiles-stored-late"
        moves.append((True, _exchange(setting, part.back, stores, entries)))
    loads = explained(alg, AtOnce(tuple(moves)))
    if part.single is None:
        count = alg.maximum(tiles, 1)
        # of iterations that differ no more than they take on average, without those that have no tile
        less = 0 if part.alike else (entries - tiles) * setting.rules.cycles.skipped + count - 1
        cycles, rtl = (alg.ceil_div(figure - less, count) for figure in (called.value, called.rtl))
        both = scaled(explained(alg, AtOnce(((True, loads), (True, Term(called.name, cycles, rtl=rtl))))), tiles)
    else:
        both = _one_by_one(setting, part, part.single, loads, int(np.size(entries)), bodies)
    ends = (entries - tiles) // 2
    longer = both.value + ends * loads.value - called.value
    later = both.rtl + ends * loads.rtl - called.rtl
    waits = Term(f"{WAITS_FOR}{loads.name}", longer, construct=construct, rule="tiles loaded ahead", rtl=later)
    return InTurn((called, waits), f"{loads.name} beside {called.name}", "tiles loaded ahead")


def _one_by_one(setting: Setting, part: Beside, single: Single, loads: Term, owners: int, bodies: Bodies) -> Term:
    """What all iterations with a tile take, each the longer of its loads and what it computes, by outer iteration."""
    pairs = zip(pipes_in(single.called.body), pipes_in(part.called.body), strict=True)
    known = {id(own): bodies(pipe) for (own, _), (pipe, _) in pairs}
    once = np.ones(len(single.weight), np.int64)
    inside = replace(setting, alg=VECTOR)
    called = explained(VECTOR, _part(inside, single.called, once, lambda pipe: known[id(pipe)]))
    value, rtl = (np.broadcast_to(figure, (owners,))[single.owner] for figure in (loads.value, loads.rtl))
    both = explained(VECTOR, AtOnce(((True, Term(loads.name, value, rtl=rtl)), (True, called))))
    times = single.weight * single.called.entered(once)
    sums = (np.bincount(single.owner, times * figure, owners).astype(np.int64) for figure in (both.value, both.rtl))
    longest, late = (int(found[0]) if owners == 1 else found for found in sums)
    return Term(both.name, longest, rtl=late)


def _exchange(setting: Setting, back: Called, beside: Sequence[tuple[Move, Value]], entries: Value) -> Term:
    """A tile that is stored, and then the next one loaded, in one function."""
    alg, steps = setting.alg, _steps_of(back)
    moved = [explained(alg, AtOnce(tuple(_each_move(setting, step, beside, entries)))) for step in steps]
    bursts = (burst for burst in back.body if isinstance(burst, Burst))
    apart = sum(alg.select(_moves_any(setting, (burst,)), setting.rules.cycles.step, 0) for burst in bursts)
    calls = Term("calls", apart, rule="parts of a function")
    return total(IN_TURN.join(term.name for term in moved), (*moved, calls), rule="tiles in exchange")


def _steps_of(back: Called) -> list[Sequence[Move]]:
    """The transfers of such a function that are side by side, one such group after another."""
    return [step for burst in back.body if isinstance(burst, Burst) for step in burst.steps]


def _copies(setting: Setting, part: Replicated, entries: Value, bodies: Bodies) -> Steps:
    """The latency of a copy and one cycle more (docs/model.md); those that share an array follow each other."""
    cycles, calls = setting.rules.cycles, entries * part.turns
    start = Term("start", calls * cycles.replicated, rule="replicated functions")
    inside = _function(setting, part.body, calls, bodies)
    waiting = (calls - entries) * cycles.step
    apart = Term("copies that share arrays", waiting, construct="copies-in-turns", rule="parts of a body")
    return InTurn((start, *inside, apart), "copies", "replicated functions")


def _sequence(setting: Setting, parts: Sequence[Part], entries: Value, bodies: Bodies) -> tuple[Steps, ...]:
    """Parts of a loop body one after another."""
    found = tuple(_part(setting, part, entries, bodies) for part in parts)
    moved = entries * setting.rules.cycles.step * sum(not isinstance(part, Burst) for part in parts)
    return (*found, Term("between parts", moved, rule="parts of a body"))


def _nest(setting: Setting, nest: Nest, entries: Value, bodies: Bodies) -> Steps:
    """Tile loops around their core: an iteration is longest load + 2, the work + 2, longest store (docs/model.md)."""
    found: list[Steps] = []
    for tile, bursts in zip(nest.tiles, nest.transfers, strict=True):
        found += [_transfers(setting, burst, tile.iterations) for burst in bursts]
    if nest.pipe is not None:
        found += _pipelined_core(setting, nest, nest.pipe, entries, bodies)
    else:
        inner = nest.tiles[-1].iterations if nest.tiles else entries
        found += [_part(setting, part, inner, bodies) for part in nest.core]
        steps = [setting.alg.select(tile.exists, tile.iterations, 0) for tile in nest.tiles]
        more = inner * (len(nest.core) - 1)
        found.append(Term("between parts", (sum(steps) + more) * setting.rules.cycles.step, rule="parts of a body"))
    loops = ", ".join(tile.iterator for tile in nest.tiles)
    return InTurn(tuple(found), f"loops {loops}" if loops else "nest", "tile loops")


def _chained(setting: Setting, nest: Nest) -> list[Condition]:
    """Per tile loop, whether it and all loops inside of it become one loop.

    There are no transfers between them, and bounds move in the outermost of them alone: they are a perfect nest or a
    semi-perfect one (UG1399, pragma HLS loop_flatten). One more entry, for the core itself, is always true.
    """
    alg = setting.alg
    found: list[Condition] = [True]
    inside = True if nest.pipe is None else alg.negation(nest.pipe.moves)
    for tile, bursts in zip(reversed(nest.tiles), reversed(nest.transfers), strict=True):
        inside = alg.both(inside, alg.negation(_moves_any(setting, bursts)))
        found.insert(0, alg.either(alg.both(tile.exists, inside), alg.both(alg.negation(tile.exists), found[0])))
        inside = alg.both(inside, tile.fixed)
    return found


def loops_of_a_run(setting: Setting, parts: Sequence[Part], pipe: Pipe) -> dict[str, Condition]:
    """The tile loops around a pipelined loop of a task, each with whether it is one loop with that."""
    nests = ((here.part, nest_of(here.part)) for here in placed(parts) if isinstance(here.part, Tile))
    return {tile.iterator: _chained(setting, nest)[0] for tile, nest in nests if nest.pipe is pipe}


def _moves_any(setting: Setting, bursts: Sequence[Burst]) -> Condition:
    return setting.alg.either(*(move.active for burst in bursts for step in burst.steps for move in step))


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
    chained, banks = _chained(setting, nest), _banks_of_a_call(setting, pipe, entries)
    around = nest.tiles[-1].iterations if nest.tiles else entries
    for tile, flat in zip(nest.tiles, chained, strict=False):
        entries = alg.select(flat, entries, tile.iterations)
    apart = alg.both(alg.negation(body.flattened), alg.exceeds(around, entries))
    runs = alg.select(apart, around, entries)
    restart = cycles.unflattened + _outer_address(setting, pipe)
    between, moving = _between(setting, nest, chained, around)
    again = moving[True] + alg.select(apart, around, 0)
    return (
        *pipelined_loop(setting, body, pipe.starts, alg.minimum(runs, pipe.starts)),
        Term("call", runs * cycles.call, rule="call"),
        Term(
            "rows of a run",
            alg.select(pipe.in_runs, runs * cycles.read, 0),
            construct="listed-tiles",
            rule="look-up of the first and the last",
        ),
        Term("restarts", again * restart, rule="loops not flattened"),
        Term(
            "restarts in moving bounds",
            moving[False] * restart,
            construct="restarts-in-moving-bounds",
            rule="loops not flattened",
        ),
        Term("between parts", between * cycles.step, rule="parts of a body"),
        banks,
    )


def _banks_of_a_call(setting: Setting, pipe: Pipe, calls: Value) -> Term:
    """What picks banks by the iterators of the loops around a call, done before a body starts (unmeasured)."""
    address = call_address(setting.alg, setting.rules, pipe)
    return Term("banks by arguments", calls * address, construct="bank-by-argument", rule="remainders of a call")


def _between(
    setting: Setting, nest: Nest, chained: Sequence[Condition], around: Value
) -> tuple[Value, Mapping[bool, Value]]:
    """Iterations of tile loops that are no part of the pipelined loop: those with parts, and those with it alone.

    The latter by whether the bounds of the tile loop are constants.
    """
    alg = setting.alg
    between: Value = 0
    fixed: Value = 0
    moving: Value = 0
    for at, tile in enumerate(nest.tiles):
        inside = at_least(alg, tile.iterations, around)
        alone = alg.both(chained[at + 1], inside, alg.negation(_moves_any(setting, nest.transfers[at])))
        apart = alg.both(tile.exists, alg.negation(chained[at]))
        fixed = fixed + alg.select(alg.both(apart, alone, tile.fixed), tile.iterations, 0)
        moving = moving + alg.select(alg.both(apart, alone, alg.negation(tile.fixed)), tile.iterations, 0)
        between = between + alg.select(alg.both(apart, alg.negation(alone)), tile.iterations, 0)
    return between, {True: fixed, False: moving}


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


def _each_move(
    setting: Setting, moves: Sequence[Move], beside: Sequence[tuple[Move, Value]] = (), entries: Value = 1
) -> Iterator[tuple[Condition, Term]]:
    """What each of some transfers takes beside the others, with where it is there.

    And `beside` what else runs in the same iterations of a loop, so often in all of its `entries`.
    """
    waits = waits_for_beats(setting.alg, moves, beside, entries)
    for move, wait in zip(moves, waits, strict=True):
        own = move_cycles(setting, move)
        if wait is None:
            yield move.active, own
            continue
        shared = Term("banks shared", wait, construct="transfer-over-ports", rule="bytes of a bank")
        yield move.active, total(own.name, (own, shared), rule="transfer")


def _transfers(setting: Setting, burst: Burst, entries: Value) -> Steps:
    """Transfers side by side, and the step to what follows loads; those that share a port go one after another."""
    alg, step = setting.alg, setting.rules.cycles.step
    entries = entries * burst.rounds
    doubt = "port-in-turns" if len(burst.steps) > 1 else ""
    found: list[Steps] = []
    for number, moves in enumerate(burst.steps):
        found.append(Times(entries, AtOnce(tuple(_each_move(setting, moves)), doubt)))
        if burst.is_load or number:
            moved = alg.select(_moves_any(setting, (Burst((moves,), burst.is_load),)), entries * step, 0)
            found.append(Term("between parts", moved, rule="parts of a body"))
    return InTurn(tuple(found), "loads" if burst.is_load else "stores", "transfers of a tile")
