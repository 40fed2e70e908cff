"""A second copy of an array that steps read where earlier ones wrote, brought up to date after each; knows no cost.

for w: for i: for k: T[i][w] = f(T[i][w], T[i][k], T[k][w])   where no step reads what it writes but T[i][w], becomes
for a, b: D[a][b] = T[a][b]
for w: { for i: for k: T[i][w] = f(T[i][w], D[i][k], D[k][w])   for i: D[i][w] = T[i][w] }

Synthesis takes an element that is read at another subscript for the one just written, and waits for it. Where each is
read once in a step, a latch (`latches.py`) would take as long as the step does; here only what is written is copied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from sisyphus.analysis import Dependences, Nest, distribute
from sisyphus.analysis.isl_limits import Patience
from sisyphus.forms.building import Names, copying, local, with_elements
from sisyphus.forms.latches import elsewhere, in_one_run, steps_around
from sisyphus.ir import Access, Array, ArrayId, Ref, Role, Scop, Statement, StmtId, index_names
from sisyphus.poly import Set, make_box, shadow_over, var
from sisyphus.values import dataclass, replace


@dataclass(frozen=True, eq=False)
class _Steps:
    """All statements that write `array` inside of some loop, each of which shares the outer `depth` ones with all.

    `reads`: which references of a statement are to elements that no earlier instance of the step writes.
    """

    array: Array
    depth: int
    writers: tuple[Statement, ...]
    reads: dict[StmtId, set[Ref]]


def shadowed(found: Dependences) -> Scop | None:
    """The kernel with such a copy of each array that can have one; None where none can."""
    scop, patience = found.scop, Patience()
    names = Names(scop)
    better, nests = scop, [(steps_around(nest), nest) for nest in distribute(scop, found).nests]
    for array in scop.arrays:
        steps = _steps_of(scop, nests, array, patience)
        if steps is not None:
            better = _with_shadow(better, steps, names)
    return None if better is scop else better


def _steps_of(scop: Scop, nests: Sequence[tuple[int, Nest]], array: Array, patience: Patience) -> _Steps | None:
    """Where an array is written by steps, a part of it in each, and read as earlier steps left it.

    The nests come with the loops around them whose iterations are steps.
    """
    if array.role is Role.LOCAL or array.view_of is not None or not array.extents or array.id in scop.looked_up:
        return None
    reads: dict[StmtId, set[Ref]] = {}
    known = set[tuple[int, tuple[Statement, ...]]]()
    for depth, nest in nests:
        for statement in map(scop.statement, nest.statements if depth else ()):
            for access in (a for a in elsewhere(statement) if a.array == array.id):
                inside = statement.iterators[depth:]
                near = [w for w in scop.writers(array.id) if w.shared_loops(statement)]
                if {*inside} <= index_names(access.ref) and _is_older(near, statement, access, depth, patience):
                    reads.setdefault(statement.id, set()).add(access.ref)
                    known.add((depth, tuple(near)))
    if len(known) != 1:
        return None
    [(depth, writers)] = known
    parts = all(len(_moved(writer, depth)) < len(array.extents) for writer in writers)
    return _Steps(array, depth, writers, reads) if parts else None


def _moved(writer: Statement, depth: int) -> tuple[str, ...]:
    """The loops inside of a step that pick what a statement writes."""
    return tuple(name for name in writer.iterators[depth:] if name in index_names(writer.write))


def _is_older(writers: Sequence[Statement], reader: Statement, read: Access, depth: int, patience: Patience) -> bool:
    """Whether all that a read finds was written before its step, and all writers around are in the steps."""
    for writer in writers:
        pairs = patience.ask(partial(in_one_run, writer, reader, read, depth))
        if writer.shared_loops(reader) < depth or pairs is None or pairs:
            return False
    return True


def _with_shadow(scop: Scop, steps: _Steps, names: Names) -> Scop:
    """The copy before the steps and at the end of each, and the reads from it."""
    shadow = local(steps.array, names.array(steps.array.id), steps.array.extents)
    first = scop.statement(steps.writers[0].id).position[0]  # another copy may have moved it
    moved = [replace(s, position=(s.position[0] + (s.position[0] >= first), *s.position[1:])) for s in scop.statements]
    instead = {s.id: {ref: replace(ref, array=shadow.id) for ref in steps.reads.get(s.id, ())} for s in moved}
    reading = [with_elements(s, instead[s.id]) for s in moved]
    copies = [_copy_of_all(steps, shadow.id, first, names), *_copies_of_steps(steps, shadow.id, moved, names)]
    statements = tuple(sorted([*reading, *copies], key=lambda s: s.position))
    return replace(scop, arrays=(*scop.arrays, shadow), statements=statements)


def _copy_of_all(steps: _Steps, name: ArrayId, place: int, names: Names) -> Statement:
    writer, extents = steps.writers[0], steps.array.extents
    label = names.statement(writer.id)
    iterators = tuple(f"{label}_{at}" for at in range(len(extents)))
    index, points = tuple(map(var, iterators)), make_box(label, extents)
    write, read = Ref(name, index), Ref(steps.array.id, index)
    return copying(label, writer.span, iterators, points, (place,), steps.array.type, (write, read))


def _copies_of_steps(
    steps: _Steps, name: ArrayId, statements: Sequence[Statement], names: Names
) -> Iterator[Statement]:
    """What is written in a step, copied behind all else in it: of statements that write the same, the first."""
    same = next(s for s in statements if s.id == steps.writers[0].id)
    around = same.position[: steps.depth]
    place = 1 + max(s.position[steps.depth] for s in statements if s.position[: steps.depth] == around)
    written = [_what_is_written(steps, writer) for writer in steps.writers]
    for at, (writer, (iterators, points)) in enumerate(zip(steps.writers, written, strict=True)):
        ref = writer.write
        others = (n for n, w in enumerate(steps.writers) if n != at and (written[n][0], w.write) == (iterators, ref))
        more = (written[n][1] for n in others if n < at or not written[n][1].is_subset(points))
        if any(points.is_subset(other) for other in more):
            continue
        label, moved = names.statement(writer.id), (Ref(name, ref.index), ref)
        yield copying(label, writer.span, iterators, points, (*around, place + at), steps.array.type, moved)


def _what_is_written(steps: _Steps, writer: Statement) -> tuple[tuple[str, ...], Set]:
    """The loops of a copy of what a statement writes, and their points."""
    iterators = (*writer.iterators[: steps.depth], *_moved(writer, steps.depth))
    return iterators, shadow_over(writer.domain, "copied", iterators)
