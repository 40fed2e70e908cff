"""Lower bounds of the measured rules with `+` and `*` only: what an optimization problem can hold; knows no solver.

Each function is at most the rule it names (MODEL.md section 4) at the same design point, and close to it where designs
are good. Rounding, banks that divide badly and address arithmetic are left to the full model, which judges the point.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Any

from sisyphus.algebra import EXACT
from sisyphus.analysis import Nest, OuterLoop, elements_touched, reduction_of
from sisyphus.ir import ArrayId, Expr, Role, Scop, Statement, StmtId, children, index_names, reads
from sisyphus.model.counting.domains import outer_runs
from sisyphus.model.formulas.cores import Core, core_of, terms
from sisyphus.model.formulas.iteration_latency import Setting, finish_of
from sisyphus.model.formulas.rules import Rules
from sisyphus.plan import narrowed
from sisyphus.plan.conflicts import in_steps
from sisyphus.poly import constraints, within
from sisyphus.space import ArrayUse, NestSpace, Space

#: isl steps for one question about an array.
LEASH = 500_000
#: A number or an expression with `+` and `*`.
V = Any


@dataclass(frozen=True)
class Operation:
    """An operation after common subexpressions: one per iteration of the unrolled `loops`."""

    core: Core
    loops: tuple[str, ...]


@dataclass(frozen=True)
class Body:
    """Constants of a nest's innermost body.

    `depth`: cycles from the start to the end of an iteration, without accumulation; `chain`: cycles of one
    accumulation, 0 where the nest has none; `sums`: the loops that add to one element, those that its subscripts do
    not have; `operations`: of all its statements.
    """

    depth: int
    chain: int
    sums: tuple[str, ...]
    operations: tuple[Operation, ...]


def body_of(space: Space, nest: NestSpace, rules: Rules) -> Body:
    """What the statements of a nest cost whatever is chosen."""
    statements = [space.scop.statement(s) for s in nest.nest.statements]
    longest = max((_statement(space, nest, s, rules) for s in statements), key=lambda body: (body.chain, body.depth))
    return replace(longest, operations=tuple(op for s in statements for op in _operations(space, nest, s)))


def _statement(space: Space, nest: NestSpace, statement: Statement, rules: Rules) -> Body:
    """The body as if it had this statement alone, without its operations."""
    table, tree = space.target.operators, space.options.tree_reduction
    expr, reduction = narrowed(statement.rhs), reduction_of(statement)
    core = core_of(table, expr)
    sums: tuple[str, ...] = ()
    if reduction is not None and core is not None:
        own = dict(zip(statement.iterators[len(nest.nest.outer) :], (s.iterator for s in nest.loops), strict=True))
        sums = tuple(own[name] for name in reduction.loops if name in own)
    chain = core.cost.latency if core is not None and sums else 0
    operands: Iterable[Expr] = (expr,)
    if chain:
        operands = [t for t in terms(expr) if statement.write not in reads(t)] or [expr]
    setting = Setting(EXACT, rules, table)
    depth = max(finish_of(setting, operand, lambda _: rules.cycles.read, tree=tree) for operand in operands)
    return Body(depth + rules.cycles.write, chain, sums, ())


def _operations(space: Space, nest: NestSpace, statement: Statement) -> list[Operation]:
    """Each different operation once, with the loops of the band that its value depends on."""
    table, band = space.target.operators, [loop.iterator for loop in nest.loops]
    found: dict[Expr, Operation] = {}
    stack = [narrowed(statement.rhs)]
    while stack:
        part = stack.pop()
        core = core_of(table, part)
        if core is not None and part not in found:
            touched = reads(part)
            moving = {name for ref in touched for name in index_names(ref)}
            own = statement.write in touched
            found[part] = Operation(core, tuple(name for name in band if own or name in moving))
        stack.extend(children(part))
    return list(found.values())


def moving_pairs(space: Space, nest: NestSpace) -> tuple[tuple[str, str], ...]:
    """Pairs of loops of which one bounds the other: tile loops over both have bounds that move."""
    band = {loop.iterator for loop in nest.loops}
    found: set[tuple[str, str]] = set()
    for statement in nest.nest.statements:
        for at_least, equal in constraints(space.scop.statement(statement).domain):
            for condition in (*at_least, *equal):
                names = sorted(condition.names & band)
                found.update(combinations(names, 2))
    return tuple(sorted(found))


def iteration_latency(body: Body, reduction_copies: V, log2_copies: V, *, tree: bool) -> V:
    """Cycles of one start: operands, products, then the additions one after another, or at least the tree's depth."""
    if not body.chain:
        return body.depth
    return body.depth + body.chain * (log2_copies if tree else reduction_copies)


def flattened_cycles(starts: V, latency: V, runs: V) -> V:
    """A pipelined loop at II 1: (starts - 1) + (latency - 1) + 2 for the call; all but the starts once per run."""
    return starts + runs * latency


def restart_cycles(body: Body, rules: Rules, *, tree: bool) -> int:
    """What each run of a pipelined reduction takes beside its starts at the II, where it is not flattened.

    (starts - 1) * II + (latency - 1) + 2 + 6 (MODEL.md 4.2), the latency being at least the depth and the II. The first
    run of a loop by itself has not the 6.
    """
    interval = body.chain - 1 if tree else 0
    return max(body.depth + 1 + rules.cycles.unflattened - interval, 0)


def tangents(chain: int, rules: Rules, most: int) -> list[tuple[float, float]]:
    """Lines (slope, height) below log(chain * n + 3) as a function of log n, for n up to `most`.

    Additions into one element are that many cycles apart (MODEL.md 4.3), n of them in a row; the function is convex.
    """
    spread = rules.cycles.read + rules.cycles.write
    points = [1 << at for at in range(max(most, 1).bit_length()) if at < 4]
    slopes = [chain * n / (chain * n + spread) for n in points]
    return [(s, math.log(chain * n + spread) - s * math.log(n)) for n, s in zip(points, slopes, strict=True)]


def transfer_cycles(beats: V, transfers: V, rules: Rules) -> V:
    """Loads or stores of a buffer: every beat, and the port's latency once per transfer."""
    return beats + transfers * (rules.cycles.store + rules.cycles.register_transfer)


def must_load(space: Space, nest: NestSpace, use: ArrayUse) -> bool:
    """Is it plain, without a look at the tiles, that they are read before they are written?"""
    statements = [space.scop.statement(s) for s in nest.nest.statements]
    writers = [s for s in statements if s.write.array == use.array]
    if not writers or len(statements) == 1:
        return not writers or writers[0].write in writers[0].reads
    return _reads_what_none_writes(space.scop, nest.nest.statements, use.array)


@lru_cache(maxsize=256)
def _reads_what_none_writes(scop: Scop, statements: tuple[StmtId, ...], array: ArrayId) -> bool:
    """Whether some statement reads an element that none of them ever writes."""
    found, declared = [scop.statement(s) for s in statements], scop.array(array)
    read = elements_touched(found, declared, writes=False)
    written = elements_touched(found, declared, reads=False)
    return within(LEASH, lambda: bool(read.is_subset(written))) is False


@dataclass(frozen=True)
class Stage:
    """What runs side by side: nests, and whole arrays that are loaded or stored; `trips` times, one after another."""

    nests: tuple[str, ...] = ()
    loads: tuple[ArrayId, ...] = ()
    stores: tuple[ArrayId, ...] = ()
    trips: int = 1


@dataclass(frozen=True)
class _Call:
    """A member of a stage with the arrays it reads and writes; beside `alone` nothing runs."""

    stage: Stage
    reads: frozenset[ArrayId]
    writes: frozenset[ArrayId]
    alone: tuple[Stage, ...] = ()


def small_arrays(space: Space) -> frozenset[ArrayId]:
    """Arrays that can lie in registers."""
    return frozenset(a.id for a in space.scop.arrays if a.elements <= space.target.max_partition)


def stages(
    space: Space, residents: frozenset[ArrayId], registers: frozenset[ArrayId] | None = None
) -> tuple[Stage, ...]:
    """The synchronised steps of a kernel (MODEL.md 4.1), those inside of outer loops counted with their trips.

    Two calls that read one array conflict unless it lies in registers (`registers`; None: all residents that can). So
    they do where both transfer it tile by tile, through its one port.
    """
    free = residents & small_arrays(space) if registers is None else registers
    moved = [a for a in space.used_arrays if a in residents and space.scop.array(a).role is not Role.LOCAL]
    none: frozenset[ArrayId] = frozenset()
    loads = [_Call(Stage(loads=(a,)), none, frozenset({a})) for a in moved if space.live[a].load]
    stores = [_Call(Stage(stores=(a,)), frozenset({a}), none) for a in moved if space.live[a].store]
    return _stages([*loads, *_calls(space, space.distribution.body, free), *stores], 1, free)


def sure_stages(space: Space) -> tuple[Stage, ...]:
    """The steps of a kernel without outer loops, each with only those members that are in it wherever arrays are.

    Loads run first, and arrays that are resident or share a port can only put nests off: what has one step with the
    fewest conflicts and with the most has it always. None are sure where there are outer loops.
    """
    if any(isinstance(part, OuterLoop) for part in space.distribution.body):
        return ()
    every: frozenset[ArrayId] = frozenset(space.used_arrays)
    none: frozenset[ArrayId] = frozenset()
    first, last = stages(space, none, small_arrays(space)), stages(space, every, none)
    freely = stages(space, every, small_arrays(space))
    found = []
    for at, stage in enumerate(last):
        nests = tuple(n for n in stage.nests if at < len(first) and n in first[at].nests)
        stores = tuple(a for a in stage.stores if at < len(freely) and a in freely[at].stores)
        found.append(Stage(nests, stage.loads, stores))
    return tuple(found)


def _calls(space: Space, entries: Sequence[OuterLoop | Nest], free: frozenset[ArrayId]) -> list[_Call]:
    calls = []
    for entry in entries:
        if isinstance(entry, Nest):
            uses = space.nest(entry.id).arrays
            reads = frozenset(space.scop.home(u.array) for u in uses if u.reads)
            writes = frozenset(space.scop.home(u.array) for u in uses if u.writes)
            calls.append(_Call(Stage(nests=(entry.id,)), reads, writes))
        else:
            inside = outer_runs(space, entry.body[0])
            body = _stages(_calls(space, entry.body, free), inside, free)
            calls.append(_Call(Stage(), frozenset(), frozenset(), alone=body))
    return calls


def _stages(calls: Sequence[_Call], trips: int, free: frozenset[ArrayId]) -> tuple[Stage, ...]:
    found: list[Stage] = []
    for step in in_steps(len(calls), lambda one, two: _conflict(calls[one], calls[two], free)):
        here = [calls[at] for at in step]
        found += here[0].alone or [_merged([c.stage for c in here], trips)]
    return tuple(found)


def _merged(parts: Sequence[Stage], trips: int) -> Stage:
    return Stage(
        nests=tuple(n for s in parts for n in s.nests),
        loads=tuple(a for s in parts for a in s.loads),
        stores=tuple(a for s in parts for a in s.stores),
        trips=trips,
    )


def _conflict(first: _Call, second: _Call, free: frozenset[ArrayId]) -> bool:
    if first.alone or second.alone:
        return True
    written = (first.writes & (second.reads | second.writes)) | (first.reads & second.writes)
    return bool(written or ((first.reads & second.reads) - free))
