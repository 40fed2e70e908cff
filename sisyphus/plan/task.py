"""One nest as a task: its tile buffers and transfers, its tree, what it needs from outside; knows no other nest."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from sisyphus.algebra import EXACT
from sisyphus.analysis import Nest, OuterLoop, refs_to
from sisyphus.errors import KernelError
from sisyphus.ir import ArrayId, Ref, Role, Scalar, Statement, walk
from sisyphus.plan.guards import Skipping
from sisyphus.plan.known import Built, KnownPlans
from sisyphus.plan.levels import BESIDE, Levels, levels_of
from sisyphus.plan.loop_bounds import Scan, scan
from sisyphus.plan.names import Names
from sisyphus.plan.nest import Accumulators, Copying, Moving, tree_of
from sisyphus.plan.overwritten import needs_load
from sisyphus.plan.parts import Parts
from sisyphus.plan.plan import Direction, Task
from sisyphus.plan.ranges import Ranges
from sisyphus.plan.tiles import Box, Window, along_rows, grown, tile_of
from sisyphus.plan.tree import Copy
from sisyphus.poly import Set, var
from sisyphus.space import BufferPoint, stores_late
from sisyphus.values import dataclass, field, replace

#: The scalar that holds an element, if the name is free.
ACCUMULATOR = "acc"


@dataclass(frozen=True, eq=False)
class Around:
    """The outer loops around a part of the kernel: the loops, their names in the plan, their values, names taken.

    `known` is what need not be found out again; `ranges` are the values of the loops as a box. `quotients` are names
    for an iterator of the source divided by a number of elements, where tiles that it moves are held in such beats.
    """

    loops: tuple[OuterLoop, ...]
    names: Mapping[str, str]
    region: Set
    taken: Names
    known: KnownPlans
    ranges: Ranges = field(default_factory=dict)
    quotients: Mapping[tuple[str, int], str] = field(default_factory=dict)

    def rows(self, refs: Sequence[Ref], width: int) -> dict[str, Window]:
        """Windows along rows for beats of so many elements."""
        return along_rows(EXACT, refs, self.names, lambda source: self.quotients[source, width], width)


def build_task(parts: Parts, nest: Nest, around: Around) -> Task | None:
    """The task of a nest, added to the parts; None where none of its statements ever runs."""
    tiled = [c for c in parts.choices if nest.id in c.nests and c.place in nest.iterators]
    key = _key(parts, nest, tiled, around)
    built = around.known.nests.get(key)
    if built is None:
        task = _new_task(parts, nest, tiled, around)
        ids = {c.id for c in tiled} if task else set[str]()
        transfers = {k: transfer for k, transfer in parts.transfers.items() if k[0] in ids}
        built = around.known.add(key, Built(task, {i: parts.buffers[i] for i in ids}, transfers))
    parts.buffers |= built.buffers
    parts.transfers |= built.transfers
    if built.task:
        parts.tasks.append(built.task)
    return built.task


def _key(parts: Parts, nest: Nest, tiled: list[BufferPoint], around: Around) -> Hashable:
    """All that a nest's task depends on beside the kernel; the values of the outer loops follow from their names."""
    point, ids = parts.point, {c.id for c in tiled}
    resident = (parts.choice(array, nest) for array in around.known.uses(parts.scop, nest))
    wanted = [f"{loop.iterator}{level}" for loop in nest.band for level in (*range(3), BESIDE)]
    names = [(parts.buffer_names[c.id], *(parts.transfer_names[c.id, d] for d in Direction)) for c in tiled]
    return (
        (point.nest(nest.id), point.tree_reduction, parts.task_names[nest.id], tuple(names)),
        tuple((c, point.transfer_of(c.id).width, point.transfer_of(c.id).layout) for c in tiled),
        tuple(parts.buffers.get(c.id) for c in resident if c.id not in ids),
        (tuple(around.names.items()), tuple(around.quotients.items()), around.taken.clash([*wanted, ACCUMULATOR])),
    )


def _new_task(parts: Parts, nest: Nest, tiled: list[BufferPoint], around: Around) -> Task | None:
    """The task of a nest, its tile buffers and their transfers added to the parts."""
    statements = parts.statements(nest)
    names = around.taken.child()
    levels = levels_of(
        nest,
        parts.point.nest(nest.id),
        outer=around.names,
        places={c.place for c in tiled},
        tree_reduction=parts.point.tree_reduction,
        names=names,
    )
    scanned = scan(
        levels, {s.id: s.domain for s in statements}, around.region, {c.place for c in tiled}, around.known.visited
    )
    if scanned is None:
        return None
    first_turn = int(stores_late(parts.scop, (nest,), parts.point))
    for choice in tiled:
        _add_tile_buffer(parts, nest, choice, levels, around, first_turn=first_turn)
    buffers = parts.buffers_of(nest)
    accumulators = Accumulators(buffers, names.take(ACCUMULATOR))
    copying = _copying(parts, tiled, levels, scanned, statements, around)
    body = tree_of(levels, scanned, statements, copying, accumulators)
    return Task(
        name=parts.task_names[nest.id],
        nest=nest.id,
        statements=nest.statements,
        body=Skipping({s.id: s for s in statements}, buffers).mark(body, around.ranges),
        buffers=tuple(b.id for b in buffers.values()),
        scalars=_scalars(parts, statements),
        iterators=(*levels.outer, *around.quotients.values()),
    )


def _add_tile_buffer(
    parts: Parts, nest: Nest, choice: BufferPoint, levels: Levels, around: Around, *, first_turn: int
) -> None:
    """The box that the nest touches while the loops outside and including the place stand still.

    Of several copies, tile 0 has the one of the `first_turn`: 1 where there is an iteration before that tile's.
    """
    refs, extents = refs_to(parts.scop, nest, choice.array), parts.scop.array(choice.array).extents
    width = parts.shared_beat(choice)
    box, beside = tile_of(
        EXACT, levels, refs, extents, levels.fixed_under(choice.place).__contains__, around.rows(refs, width)
    )
    name = levels.by_loop[choice.place].names[0]
    turn = var(name) + first_turn if choice.copies > 1 and name is not None else None
    box = grown(EXACT, box, extents, width)
    is_moved = parts.scop.array(choice.array).role is not Role.LOCAL
    is_stored = is_moved and any(parts.scop.statement(s).write.array == choice.array for s in nest.statements)
    if is_stored and any(not _are_apart(box, name) for name, _ in beside):
        raise KernelError(
            f"buffer `{choice.id}`: copies side by side would store tiles that share beats of {width} elements",
            hint="a width of 1 always fits",
        )
    parts.add_buffer(choice, box, beside, turn)


def _are_apart(box: Box, loop: str) -> bool:
    """Whether tiles lie apart whose copies, which a loop counts, are next to each other."""
    return any(abs(o.coefficient(loop)) >= length for o, length in zip(box.origin, box.extents, strict=True))


def _copying(
    parts: Parts,
    tiled: list[BufferPoint],
    levels: Levels,
    scanned: Scan,
    statements: tuple[Statement, ...],
    around: Around,
) -> dict[str, Copying]:
    """What each level-0 loop moves at the start and at the end of an iteration, by the loop's source name."""
    written: set[ArrayId] = {s.write.array for s in statements}
    domains = {s.id: s.domain for s in statements}
    found: dict[str, Copying] = {}
    for place in dict.fromkeys(choice.place for choice in tiled):
        loads, stores, ahead, late = (list[Moving]() for _ in range(4))
        for choice in (c for c in tiled if c.place == place):
            buffer, extents, port = parts.buffer(choice), parts.scop.array(choice.array).extents, parts.port(choice)
            if needs_load(buffer, extents, levels, scanned, statements, domains, around.region):
                copy = Copy(parts.transfer(choice, Direction.LOAD))
                last, tile = levels.by_loop[place].tile.level0 - 1, levels.by_loop[place].names[0]
                if buffer.turn is not None and tile is not None:
                    ahead.append((replace(copy, within=(last - var(tile),)), port))
                else:
                    loads.append((copy, port))
            if choice.array in written:
                stored = Copy(parts.transfer(choice, Direction.STORE)), port
                (stores if buffer.turn is None else late).append(stored)
        found[place] = Copying(tuple(loads), tuple(stores), tuple(ahead), tuple(late))
    return found


def _scalars(parts: Parts, statements: tuple[Statement, ...]) -> tuple[str, ...]:
    """Scalar arguments that the statements read, in the order of the signature."""
    used = {e.name for s in statements for e in walk(s.rhs) if isinstance(e, Scalar)}
    return tuple(a.name for a in parts.scop.scalars if a.name in used)
