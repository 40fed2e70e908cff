"""The last value of an element in an array of its own, apart from those that it has before; knows no cost.

for j: { x[j] = x[j] / L[j][j]   for i > j: x[i] -= L[i][j] * x[j] }   becomes
for j: { x_1[j] = x[j] / L[j][j]   for i > j: x[i] -= L[i][j] * x_1[j] }   for j: x[j] = x_1[j]

So what updates the elements that are left reads no other element of its array: no step has to latch any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from sisyphus.analysis import Dependences, liveness
from sisyphus.analysis.dependence import DepKind, in_order
from sisyphus.analysis.footprint import elements_touched
from sisyphus.analysis.isl_limits import Patience
from sisyphus.analysis.rewrite import copied_back
from sisyphus.forms.building import Names, local, with_elements
from sisyphus.forms.latches import elsewhere
from sisyphus.ir import Access, Array, ArrayId, Ref, Role, Scop, Statement, StmtId
from sisyphus.poly import Set, is_convex, through
from sisyphus.values import dataclass, replace


def finished_apart(found: Dependences) -> Scop | None:
    """The kernel with such an array for each that has one; None where none has.

    A statement finishes elements if nothing writes them after it. Of all that read them, each reads either finished
    elements alone or none. Elements that are never finished so stay where they are. Where all are finished, and none
    is read before it is written, the values before get the new array, and nothing is copied back.
    """
    scop, patience = found.scop, Patience()
    names, better = Names(scop), scop
    for array in scop.arrays:
        last = _finishing(found, array.id)
        written = elements_touched(last, array, reads=False)
        if not last or not is_convex(written) or array.view_of is not None:
            continue
        reads = _reads_of_finished(scop, array, last, patience)
        if reads and any(access in elsewhere(statement) for statement, access in reads):
            refs = {s.id: {access.ref for reader, access in reads if reader is s} for s in scop.statements}
            finished = _Finished(frozenset(s.id for s in last), refs, written)
            better = _apart(better, array, names.array(array.id), finished)
    return None if better is scop else better


@dataclass(frozen=True, eq=False)
class _Finished:
    """The statements that finish elements of an array, which references of each read such, and the elements."""

    last: frozenset[StmtId]
    refs: Mapping[StmtId, set[Ref]]
    written: Set


def _finishing(found: Dependences, array: ArrayId) -> list[Statement]:
    """The statements whose elements of an array nothing writes again; none where isl cannot say."""
    edges = [e for e in found.edges if e.array == array and e.kind is DepKind.WAW]
    if any(edge.approximate for edge in edges):
        return []
    again = {edge.source for edge in edges}
    return [s for s in found.scop.writers(array) if s.id not in again]


def _reads_of_finished(
    scop: Scop, array: Array, last: Sequence[Statement], patience: Patience
) -> list[tuple[Statement, Access]] | None:
    """The accesses that read finished elements alone; None where one reads others, too, or isl cannot say."""
    known = []
    for statement in scop.statements:
        for access in statement.accesses:
            if access.array == array.id and not access.is_write:
                after = patience.ask(partial(_after, statement, access, last))
                if after is None or not (after.is_empty() or statement.domain.is_subset(after)):
                    return None
                known += [] if after.is_empty() else [(statement, access)]
    return known


def _after(reader: Statement, read: Access, last: Sequence[Statement]) -> Set:
    """The instances that read an element after it is finished."""
    found = reader.domain.subtract(reader.domain)
    for writer in last:
        pairs = through(writer.accesses[0].relation, read.relation, writer.iterators, reader.iterators)
        for _, part in in_order(writer, reader, pairs):
            found = found.union(part.range())
    return found


def _apart(scop: Scop, array: Array, name: ArrayId, finished: _Finished) -> Scop:
    """The kernel with an array of this name for finished elements, copied back at its end, or for all values before."""
    writers = list(scop.writers(array.id))
    all_written = elements_touched(writers, array, reads=False).is_subset(finished.written)
    before = array.role is not Role.LOCAL and all_written and not liveness(scop)[array.id].load
    statements = []
    for statement in scop.statements:
        own = finished.refs.get(statement.id, set())
        moving = [ref for ref in statement.reads if ref.array == array.id and (ref in own) is not before]
        write = statement.write
        if write.array == array.id and (statement.id in finished.last) is not before:
            write = Ref(name, write.index)
        moved = with_elements(statement, {ref: Ref(name, ref.index) for ref in moving})
        statements.append(replace(moved, write=write))
    if array.role is not Role.LOCAL and not before:
        statements.append(copied_back(array, Ref(name, ()), finished.written, statements))
    arrays = (*scop.arrays, local(array, name, array.extents))
    return replace(scop, arrays=arrays, statements=tuple(statements))
