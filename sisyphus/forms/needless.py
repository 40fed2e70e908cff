"""Copies back without what nothing reads before it is written over again; knows no form.

for t: { for i: P_1[i] = f(…)   for i: P[i] = P_1[i] }   where nothing reads P in the kernel, becomes
for t: { for i: P_1[i] = f(…)   if t is the last: for i: P[i] = P_1[i] }
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from sisyphus.analysis import schedules
from sisyphus.analysis.isl_limits import Patience
from sisyphus.ir import ArrayId, Role, Scop, Statement, StmtId
from sisyphus.poly import Map, Set, box_of, clipped, empty_set, last_write_times, last_writers, renamed, union_of
from sisyphus.values import replace


def without_needless(scop: Scop, names: Collection[StmtId]) -> Scop:
    """The kernel in which statements of these names run where something reads what they write, or it is the last value.

    And in a box around such instances, so that bounds of loops say it. Nothing changes for an array that isl gives up
    on.
    """
    patience, order = Patience(), schedules(scop)
    arrays = dict.fromkeys(s.write.array for s in scop.statements if s.id in names)
    domains = {s.id: s.domain for s in scop.statements}
    for array in (array for array in arrays if array not in scop.looked_up):
        needed = patience.ask(partial(_needed, scop, order, array)) or {}
        domains |= {name: points for name, points in needed.items() if name in names}
    kept = (replace(s, domain=domains[s.id]) for s in scop.statements if not domains[s.id].is_empty())
    return replace(scop, statements=tuple(kept))


def _needed(scop: Scop, order: Mapping[StmtId, Map], array: ArrayId) -> dict[StmtId, Set]:
    """Per statement that writes an array the box of its instances whose values are read, or are the last of all."""
    writers = tuple(scop.writers(array))
    writes = [access.relation for s in writers for access in s.accesses if access.is_write]
    found: dict[StmtId, list[Set]] = {s.id: [] for s in writers}
    for reader in scop.readers(array):
        times = [order[s.id] for s in scop.statements if s is reader or s in writers]
        for access in reader.accesses:
            if access.array == array and not access.is_write:
                for writer, _, pairs in last_writers([access.relation], writes, times):
                    found[StmtId(writer)].append(pairs.domain())
    if scop.array(array).role is not Role.LOCAL:
        last = last_write_times(writes, [order[s.id] for s in writers])
        for s in writers:
            found[s.id].append(last.apply(order[s.id].reverse()).intersect(s.domain))
    return {s.id: _in_box(s, found[s.id]) for s in writers}


def _in_box(statement: Statement, points: Sequence[Set]) -> Set:
    """The instances of a statement within the box around some of them."""
    dims = statement.iterators
    whole = union_of([renamed(part, statement.id, dims) for part in (empty_set(statement.id, dims), *points)])
    return whole if whole.is_empty() else clipped(statement.domain, box_of(whole))
