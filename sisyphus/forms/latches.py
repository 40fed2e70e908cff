"""What a nest reads of an array that it updates, kept in a small array of its own for one run; knows no cost.

for k: for i: for j: A[i][j] -= A[i][k] * A[k][j]   where row k and column k stay as they are meanwhile, becomes
for k: { for i: A_1[i] = A[i][k]   for j: A_2[j] = A[k][j]   for i: for j: A[i][j] -= A_1[i] * A_2[j] }

and for i: for j > i: A[j][i] = A[i][j], no iteration of which waits for another one, becomes
for i: for j > i: A_1[i][j] = A[i][j]   for i: for j > i: A[j][i] = A_1[i][j]

Synthesis takes an element that is read at another subscript for the one just written, and waits for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sisyphus.analysis import Dependences, LoopKind, Nest, distribute
from sisyphus.analysis.dependence import in_order
from sisyphus.analysis.isl_limits import Patience
from sisyphus.forms.building import Names, copying, local, placed, with_elements
from sisyphus.ir import Access, Array, Ref, Scop, Statement, StmtId, index_names
from sisyphus.poly import Map, compare, shadow_over, through
from sisyphus.values import dataclass, replace


@dataclass(frozen=True, eq=False)
class _Latch:
    """`array` is filled by `copy`, in the outer `depth` loops of `statement`, which reads `instead` of `read`.

    The copy has no place before it is numbered.
    """

    array: Array
    copy: Statement
    statement: StmtId
    read: Ref
    instead: Ref
    depth: int


def latched(found: Dependences) -> Scop | None:
    """The kernel with every such read from an array of its own where it is proved current; None where there is none.

    Within one iteration of the loops around the nest, nothing may write an element before it is read so. Where there
    are none, its outermost sequential loops come around it if it reads what it wrote in an earlier iteration of these.
    """
    scop, patience = found.scop, Patience()
    names = Names(scop)
    latches = []
    for nest in distribute(scop, found).nests:
        run = steps_around(nest)
        for statement in map(scop.statement, nest.statements):
            for access in elsewhere(statement):
                is_in_steps = nest.outer or (run and not _is_older(scop, nest, statement, access, patience))
                if is_in_steps and _is_reused(run, statement, access.ref):
                    if _stays(scop, run, statement, access, patience):
                        latches.append(_latch(scop, run, run, statement, access, names))
                elif run == 0 and _is_older(scop, nest, statement, access, patience):
                    # filled just before it is read, which distribution makes a nest of its own
                    latches.append(_latch(scop, run, len(statement.iterators), statement, access, names))
    return _rewritten(scop, latches) if latches else None


def elsewhere(statement: Statement) -> Iterator[Access]:
    """Reads of the array that a statement updates, at subscripts that do not differ by constants."""
    written = [e.terms for e in statement.write.index]
    for access in statement.accesses:
        same = access.array == statement.write.array
        if same and not access.is_write and [e.terms for e in access.ref.index] != written:
            yield access


def steps_around(nest: Nest) -> int:
    """The loops whose iterations are runs: those around the nest, and the outermost of its own that are sequential."""
    if len(nest.statements) > 1:
        return len(nest.outer)
    run = next((at for at, loop in enumerate(nest.band) if loop.kind is not LoopKind.SEQUENTIAL), 0)
    return len(nest.outer) + run


def _is_reused(depth: int, statement: Statement, ref: Ref) -> bool:
    """Is an element read in several iterations of a run, so that fetching it takes less than the run does?"""
    inside = statement.iterators[depth:]
    return len(inside) == 1 or not frozenset(inside) <= index_names(ref)


def _stays(scop: Scop, depth: int, reader: Statement, read: Access, patience: Patience) -> bool:
    """Do the elements keep their values from the beginning of the outermost loop inside the outer `depth` ones?"""
    for writer in scop.writers(read.array):
        if writer.shared_loops(reader) >= depth and writer.position[: depth + 1] == reader.position[: depth + 1]:
            pairs = patience.ask(partial(in_one_run, writer, reader, read, depth))
            if pairs is None or pairs:
                return False
    return True


def _is_older(scop: Scop, nest: Nest, reader: Statement, read: Access, patience: Patience) -> bool:
    """Whether nothing that a nest alone in the kernel reads so was written by it."""
    writers = [scop.statement(s) for s in nest.statements if scop.statement(s).write.array == read.array]
    return not any(
        pairs is None or pairs for w in writers for pairs in [patience.ask(partial(in_one_run, w, reader, read, 0))]
    )


def in_one_run(writer: Statement, reader: Statement, read: Access, depth: int) -> list[Map]:
    """Pairs of a write and a later read of one element within one iteration of the outer loops."""
    pairs = through(writer.accesses[0].relation, read.relation, writer.iterators, reader.iterators)
    for outer, inner in zip(writer.iterators[:depth], reader.iterators, strict=False):
        pairs = compare(pairs, outer, 0, inner)
    return [part for _, part in in_order(writer, reader, pairs) if not part.is_empty()]


def _latch(scop: Scop, run: int, depth: int, statement: Statement, read: Access, names: Names) -> _Latch:
    """A dimension for each subscript that moves inside of the outer `run` loops, filled inside of the `depth` ones."""
    inside = frozenset(statement.iterators[run:])
    old = scop.array(read.array)
    kept = [at for at, e in enumerate(read.ref.index) if e.names & inside]
    used = frozenset(name for at in kept for name in read.ref.index[at].names) & inside
    iterators = (*statement.iterators[:depth], *(n for n in statement.iterators[depth:] if n in used))
    array = local(old, names.array(old.id), [old.extents[at] for at in kept])
    instead, label = Ref(array.id, tuple(read.ref.index[at] for at in kept)), names.statement(statement.id)
    points = shadow_over(statement.domain, label, iterators)
    copy = copying(label, statement.span, iterators, points, (), old.type, (instead, read.ref))
    return _Latch(array, copy, statement.id, read.ref, instead, depth)


def _rewritten(scop: Scop, latches: list[_Latch]) -> Scop:
    """The copies in front of the loops that they serve, and the reads from them."""
    statements: list[Statement] = []
    for statement in scop.statements:
        instead = {latch.read: latch.instead for latch in latches if latch.statement == statement.id}
        statements.append(with_elements(statement, instead))
    arrays = (*scop.arrays, *(latch.array for latch in latches))
    return replace(scop, arrays=arrays, statements=_numbered(statements, latches))


def _numbered(statements: list[Statement], latches: list[_Latch]) -> tuple[Statement, ...]:
    """Places anew: between two old ones is room for as many copies as there are."""
    room = len(latches) + 1
    spread = [replace(s, position=tuple(place * room + room - 1 for place in s.position)) for s in statements]
    copies = []
    for at, latch in enumerate(latches):
        whole = next(s for s in spread if s.id == latch.statement).position
        place = whole[latch.depth] - room + 1 + at
        copies.append(placed(latch.copy, (*whole[: latch.depth], place)))
    return tuple(sorted([*spread, *copies], key=lambda s: s.position))
