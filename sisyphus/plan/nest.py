"""A nest with its choices as a loop tree: tile loops with their copies, the pipelined loop, unrolled loops, runs.

for i: for j: for k: S   with order k,i,j, tiles i=4x1x50 j=1x220x1 k=48x1x5, pipeline j and A under k becomes
for k0 (tile): { copy A; for i0 (tile): for j1 (pipelined): for i2 (unrolled): for k2 (unrolled): S }

Coarse-grained copies (several statements, loop i with 2 of its 4 tiles side by side, A under i) become
for i0 (tile): { for ic (copies): copy A; for ic (copies): for j1 (pipelined): for i2 (unrolled): { S0; S1 } }

With two copies of the buffer of A, its tiles are loaded ahead:
copy A at k0=0; for k0 (tile): together { copy A at k0+1; function { for i0 (tile): ... } }

Where S updates A, each is also stored late. The loop has an iteration more at both ends, in which tiles only travel:
for k0 (tile) in -1..48: together { function { store A at k0-1; load A at k0+1 }; function if k0 in 0..47 { ... } }
"""

from __future__ import annotations

from collections.abc import Mapping

from sisyphus.algebra import EXACT, Algebra, Condition
from sisyphus.analysis import LoopKind
from sisyphus.ir import ArrayId, Ref, Statement
from sisyphus.plan.banks import in_registers
from sisyphus.plan.conflicts import side_by_side
from sisyphus.plan.levels import Copies, Levels
from sisyphus.plan.loop_bounds import Scan
from sisyphus.plan.plan import Buffer
from sisyphus.plan.split import Full, full_tiles, pieces
from sisyphus.plan.tree import (
    EXCHANGE,
    Copy,
    For,
    Function,
    Guard,
    Hold,
    LoopRole,
    Node,
    Run,
    Together,
    limits_of,
    widened,
)
from sisyphus.poly import Affine, const, var
from sisyphus.values import dataclass, replace

#: A transfer and the port that it goes through.
Moving = tuple[Copy, str]


@dataclass(frozen=True)
class Copying:
    """Transfers to run at the start and at the end of one iteration of a level-0 loop.

    Those `ahead` run one iteration before, those `late` one after it. Only one loop of a nest has such.
    """

    loads: tuple[Moving, ...] = ()
    stores: tuple[Moving, ...] = ()
    ahead: tuple[Moving, ...] = ()
    late: tuple[Moving, ...] = ()


@dataclass(frozen=True)
class Accumulators:
    """When a scalar stands for the accumulated element: which buffers hold it, and the name the scalar gets."""

    buffers: Mapping[ArrayId, Buffer]
    name: str
    alg: Algebra = EXACT


def tree_of(
    levels: Levels,
    scan: Scan,
    statements: tuple[Statement, ...],
    copying: Mapping[str, Copying],
    accumulators: Accumulators,
) -> tuple[Node, ...]:
    """The loops of a nest, outermost first, around its statements in textual order."""

    found_full = False

    def tiles(at: int, scan: Scan, full: Full) -> tuple[Node, ...]:
        """The level-0 loops from the `at`-th one on."""
        nonlocal found_full
        if at == len(levels.outside):
            found_full |= full == ()
            inside = _wrap(_inner(levels, scan, statements, accumulators), levels.inside, scan, LoopRole.TILE)
            return _wrap(inside, levels.beside, scan, LoopRole.COPIES)
        name, copies = levels.outside[at]
        copied = copying.get(copies.loop.iterator, Copying())
        moved = ((*copied.loads, *first(at + 1)), copied.stores)
        loads, stores = (_moved(levels, copies, scan, side_by_side(accumulators.alg, moving)) for moving in moved)
        loops = []
        for piece, left in pieces(levels, at, scan, full):
            body = (*loads, *tiles(at + 1, piece, left), *stores)
            if copied.late:
                loops.append(_in_stages(_loop(name, copies, piece, LoopRole.TILE, body), copied))
                continue
            if copied.ahead:
                later = tuple(copy for copy, _ in _at(copied.ahead, name, var(name) + 1))
                body = (Together((*later, Function(body))),)
            loop = _loop(name, copies, piece, LoopRole.TILE, body)
            loops.append(replace(loop, listed=True) if at in levels.listed_at else loop)
        return tuple(loops)

    def first(at: int) -> tuple[Moving, ...]:
        """What stands before a loop that loads its tiles ahead: the load of the first ones."""
        here = levels.outside[at : at + 1]
        found = ((name, copying.get(copies.loop.iterator, Copying())) for name, copies in here)
        return next((_at(copied.ahead, name, const(0)) for name, copied in found if not copied.late), ())

    full = full_tiles(levels, scan) if levels.split else None
    body = tiles(0, scan, full)
    if full and not found_full:
        body = tiles(0, scan, None)
    body = (*side_by_side(accumulators.alg, first(0)), *body)
    return (Guard(scan.entry, body),) if scan.entry else body


def _in_stages(loop: For, copied: Copying) -> For:
    """A tile loop in which the tile before is stored and the next one loaded while a third function has this one."""
    name = loop.iterator
    inside = limits_of(name, loop.lower, loop.upper)
    stores = [replace(copy, within=inside) for copy, _ in _at(copied.late, name, var(name) - 1)]
    loads = [replace(copy, within=inside) for copy, _ in _at(copied.ahead, name, var(name) + 1)]
    updated = {port for _, port in copied.late}
    mine = {copy.transfer for copy, port in copied.ahead if port in updated}
    back = Function((*stores, *(copy for copy in loads if copy.transfer in mine)), EXCHANGE)
    later = (copy for copy in loads if copy.transfer not in mine)
    body = (Together((back, *later, Function(loop.body, within=inside))),)
    return replace(widened(loop, 1), body=body)


def _at(moving: tuple[Moving, ...], name: str, value: Affine) -> tuple[Moving, ...]:
    return tuple((replace(copy, at=((name, value),)), port) for copy, port in moving)


def _moved(levels: Levels, copies: Copies, scan: Scan, transfers: tuple[Node, ...]) -> tuple[Node, ...]:
    """Transfers in an iteration of a level-0 loop, once for each coarse-grained copy with tiles of its own there."""
    beside = levels.copies_under(copies.loop.iterator) if transfers else ()
    return _wrap(transfers, beside, scan, LoopRole.COPIES)


def _inner(
    levels: Levels, scan: Scan, statements: tuple[Statement, ...], accumulators: Accumulators
) -> tuple[Node, ...]:
    """The copies of levels 1 and 2 around the statements."""
    held, is_held = held_sum(levels, statements, accumulators)
    body = None if is_held is False else _hold(levels, scan, statements[0], held, accumulators.name, is_held)
    rest = levels.level2
    if body is None:
        body = tuple(run for s in statements for run in _runs(levels, s, scan.guards[s.id]))
    else:
        rest = rest[: len(rest) - len(held)]
    body = _wrap(body, rest, scan, LoopRole.UNROLLED)
    role = LoopRole.SEQUENTIAL if levels.pipeline is None else LoopRole.PIPELINED
    inner = _wrap(body, levels.level1, scan, role)
    asks = levels.interval and role is LoopRole.PIPELINED
    return tuple(replace(n, interval=levels.interval) if asks and isinstance(n, For) else n for n in inner)


def _loop(name: str, copies: Copies, scan: Scan, role: LoopRole, body: tuple[Node, ...]) -> For:
    limits = scan.ranges[name]
    exists = role is LoopRole.COPIES or copies.exists[copies.names.index(name)]
    loop = copies.loop.iterator
    coupled = not copies.loop.is_constant
    return For(
        name, loop, limits.lower, limits.upper, limits.trip_count, role, body, limits.regular, exists, coupled=coupled
    )


def _wrap(
    body: tuple[Node, ...], loops: tuple[tuple[str, Copies], ...], scan: Scan, role: LoopRole
) -> tuple[Node, ...]:
    for name, copies in reversed(loops):
        body = (_loop(name, copies, scan, role, body),)
    return body


def _runs(levels: Levels, statement: Statement, parts: list[list[Affine]]) -> tuple[Node, ...]:
    """One run per convex part of the domain, under the conditions of that part."""
    run = Run(statement.id, tuple(zip(statement.iterators, levels.values, strict=True)))
    return tuple(Guard(tuple(conditions), (run,)) if conditions else run for conditions in parts)


def held_sum(
    levels: Levels, statements: tuple[Statement, ...], choice: Accumulators
) -> tuple[tuple[str, ...], Condition]:
    """The innermost unrolled loops from the first reduction on, and whether a scalar holds the sum that they make.

    It may where these are all reductions of one statement, which reads no other element of the array that it writes.
    It should where the element is one of many registers that the pipelined loop moves through. Elsewhere the copies add
    to the element in place, as measured, also where sums may be reassociated.
    """
    alg, write = choice.alg, statements[0].write
    element = _element(levels, statements[0])
    kinds = [copies.loop.kind for _, copies in levels.level2]
    held = levels.level2[kinds.index(LoopKind.REDUCTION) :] if LoopKind.REDUCTION in kinds else ()
    touched = {ref for ref in statements[0].reads if ref.array == write.array}
    if len(statements) != 1 or touched != {write}:
        return (), False
    fits: Condition = True
    found: Condition = False
    for name, copies in held:
        turns = copies.turns(alg, name)
        sums = copies.loop.kind is LoopKind.REDUCTION and not any(name in e.names for e in element.index)
        fits, found = alg.both(fits, sums or alg.negation(turns)), alg.either(found, sums and turns)
    wanted: Condition = False
    for name, copies in levels.level1:
        if any(name in e.names for e in element.index):
            kept = in_registers(alg, choice.buffers[write.array].partitioned)
            wanted = alg.either(wanted, alg.both(copies.turns(alg, name), kept))
    return tuple(name for name, _ in held), alg.both(wanted, alg.both(fits, found))


def _element(levels: Levels, statement: Statement) -> Ref:
    return statement.write.substitute(dict(zip(statement.iterators, levels.values, strict=True)))


def _hold(
    levels: Levels, scan: Scan, statement: Statement, held: tuple[str, ...], name: str, active: Condition
) -> tuple[Node, ...] | None:
    """The held loops around the run, and the scalar around them; None where the guard cannot be split."""
    split = scan.split_guard(statement.id, held)
    if split is None:
        return None
    outside, inside = split
    loops = levels.level2[len(levels.level2) - len(held) :]
    body = _wrap(_runs(levels, statement, [inside]), loops, scan, LoopRole.UNROLLED)
    hold = Hold(name, _element(levels, statement), body, active)
    return (Guard(tuple(outside), (hold,)),) if outside else (hold,)
