"""A local variable that stands for an element while it is updated: the element itself takes its place; knows no cost.

for i: for j < i: { w = A[i][j]   for k < j: w -= A[i][k] * A[k][j]   A[i][j] = w / A[j][j] }   becomes
for i: for j < i: { for k < j: A[i][j] -= A[i][k] * A[k][j]   A[i][j] = A[i][j] / A[j][j] }
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sisyphus.analysis import Dependences, dependences
from sisyphus.analysis.isl_limits import Patience
from sisyphus.analysis.webs import Web, webs_of
from sisyphus.forms.building import with_elements, without_unused
from sisyphus.ir import Access, Read, Ref, Role, Scop, Statement, index_names
from sisyphus.poly import make_set, project_onto


def in_place(found: Dependences) -> Scop | None:
    """The kernel without the local variables that can be elements of arrays instead; None where none can.

    A variable that stands for one that gives way itself, or for an element that another one stands for meanwhile, comes
    after it, by the dependences of what is left then.
    """
    homes = list(_homes(found))
    gone = {web.array.id for web, _ in homes}
    direct: list[tuple[Web, Ref]] = []
    for web, home in homes:
        if home.array not in gone and not any(home.array == other.array and _overlap(web, w) for w, other in direct):
            direct.append((web, home))
    if not direct:
        return None
    better = _without(found.scop, direct)
    again = in_place(dependences(better)) if len(direct) < len(homes) else None
    return again or better


def _overlap(one: Web, other: Web) -> bool:
    """Do statements of one web stand between those of another?"""
    first, second = ((web.statements[0].position, web.statements[-1].position) for web in (one, other))
    return first[0] <= second[1] and second[0] <= first[1]


def _homes(found: Dependences) -> Iterator[tuple[Web, Ref]]:
    """The values of local variables that can be elements, with these."""
    scop, patience = found.scop, Patience()
    for name in scop.variables:
        for web in webs_of(scop, found, name, patience):
            home = _home(scop, web)
            if home is not None:
                yield web, home


def _without(scop: Scop, homes: Iterable[tuple[Web, Ref]]) -> Scop:
    """The kernel with elements in place of variables, none of which is the element of another."""
    statements = {s.id: s for s in scop.statements}
    for web, home in homes:
        known = {Ref(web.array.id, ()): home}
        statements |= {s.id: with_elements(statements[s.id], known) for s in web.statements}
    kept = tuple(s for s in statements.values() if not _is_copy_of_itself(s))
    return without_unused(replace(scop, statements=kept))


def _is_copy_of_itself(statement: Statement) -> bool:
    return isinstance(statement.rhs, Read) and statement.rhs.ref == statement.write


def _home(scop: Scop, web: Web) -> Ref | None:
    """The element that the last statement of a web writes, if it may be changed from the first statement on.

    The first one gives the variable a value, the last one alone reads it without writing it, both once in the same
    iterations of the loops that all share, and no value leaves an iteration. Nothing else may touch the element between
    the two but the first one as it reads.
    """
    first, last = web.statements[0], web.statements[-1]
    depth, variable = web.shared_loops, web.array
    loops, home = last.iterators[:depth], last.write
    writing = [s for s in web.statements if s.write.array == variable.id]
    if len(web.statements) < 2 or len(writing) != len(web.statements) - 1 or last in writing:
        return None
    if any(ref.array == variable.id for ref in first.reads) or any(flow.approximate for flow in web.flows):
        return None
    if first.iterators != loops or last.iterators != loops or not index_names(home) <= {*loops}:
        return None
    ran = [project_onto(s.domain.reset_tuple_id(), loops) for s in web.statements]
    if not ran[-1].is_equal(ran[0]) or not all(points.is_subset(ran[0]) for points in ran):
        return None
    if not all(web.stays_within(at) for at in range(depth)) or scop.array(home.array).role is Role.OUT:
        return None
    if {variable.type, last.write_type, *(s.write_type for s in writing)} != {scop.array(home.array).type}:
        return None
    return None if any(_touches(s, a, home, depth) for s, a in _between(scop, first, last, depth)) else home


def _between(scop: Scop, first: Statement, last: Statement, depth: int) -> Iterator[tuple[Statement, Access]]:
    """What runs in one iteration of the shared loops from the first statement to the last, and accesses the array."""
    for statement in scop.statements:
        is_inside = statement.shared_loops(first) >= depth and statement.position[:depth] == first.position[:depth]
        if is_inside and first.position <= statement.position <= last.position:
            for access in statement.accesses:
                own = (statement is first and not access.is_write) or (statement is last and access.is_write)
                if access.array == last.write.array and not own:
                    yield statement, access


def _touches(statement: Statement, access: Access, home: Ref, depth: int) -> bool:
    """May the access reach the element in the same iteration of the shared loops?"""
    same = [one - other for one, other in zip(access.ref.index, home.index, strict=True)]
    meeting = make_set("", statement.iterators, zero=same)
    return not statement.domain.reset_tuple_id().intersect(meeting).is_empty()
