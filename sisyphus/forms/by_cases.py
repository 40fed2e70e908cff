"""Statements apart by which statement gave a variable the value that they read; knows no cost.

for i: { if (i > 0) left = a[i-1] else left = a[i]   b[i] = left + a[i] }   becomes
for i: { if (i > 0) left = a[i-1] else left = a[i]   if (i > 0) b[i] = left + a[i]   if (i == 0) b[i] = left + a[i] }

What is computed where it is read has one value in each statement (`inlined.py`). Variables that conditions on loops
give one value or another would need a place for each iteration, as large as the arrays of the kernel.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from sisyphus.analysis import Dependences
from sisyphus.forms.building import instead_of_loop
from sisyphus.ir import ArrayId, Scop, Statement, StmtId
from sisyphus.poly import Set, renamed
from sisyphus.values import dataclass, field, replace

#: Statements that come of all at most: a window of three dimensions that ends at borders has 27 cases.
MOST_MORE = 64


def by_cases(found: Dependences) -> Scop | None:
    """The kernel with a statement for each way in which variables got their values; None where there is but one.

    Those are variables that have all of their values from the same iteration. The order is that of the source.
    """
    scop, variables = found.scop, _of_one_body(found.scop)
    cases, carried = _cases(scop.statements, variables)
    while carried:
        variables = variables - carried
        cases, carried = _cases(scop.statements, variables)
    if all(len(parts) < 2 for parts in cases.values()) or sum(len(p) - 1 for p in cases.values()) > MOST_MORE:
        return None
    for name in (name for name, parts in cases.items() if len(parts) != 1):
        place = scop.statement(name).position
        scop = instead_of_loop(scop, place, lambda old, _: _apart(old, cases[old.id]))
    return scop


def _of_one_body(scop: Scop) -> frozenset[ArrayId]:
    """Local variables that only statements of one body touch."""
    bodies = defaultdict[ArrayId, set[object]](set)
    for statement in scop.statements:
        for array in statement.touched:
            bodies[array].add(statement.body)
    return frozenset(name for name in scop.variables if len(bodies[name]) == 1)


@dataclass(frozen=True, eq=False)
class _Value:
    """What a statement gives a variable at some points, and which statements read it."""

    by: StmtId
    points: Set
    readers: list[StmtId] = field(default_factory=list)


def _cases(
    statements: Sequence[Statement], variables: frozenset[ArrayId]
) -> tuple[dict[StmtId, list[Set]], frozenset[ArrayId]]:
    """The points of each statement by where it has its variables from, and variables that it has from elsewhere.

    Without those at which it gives a variable what nobody reads.
    """
    cases, carried = dict[StmtId, list[Set]](), set[ArrayId]()
    given = defaultdict[ArrayId, list[_Value]](list)
    for statement in statements:
        parts = [statement.domain.reset_tuple_id()]
        for array in (ref.array for ref in statement.reads if ref.array in variables):
            parts, is_left = _by_giver(statement.id, parts, given[array])
            carried |= {array} if is_left else set()
        cases[statement.id] = parts
        if statement.write.array in variables:
            given[statement.write.array] += (_Value(statement.id, part) for part in parts)
    for array in variables - carried:
        for name in {value.by for value in given[array]}:
            cases[name] = [value.points for value in given[array] if value.by == name and value.readers]
    return cases, frozenset(carried)


def _by_giver(reader: StmtId, parts: Sequence[Set], given: Sequence[_Value]) -> tuple[list[Set], bool]:
    """Points by the last of those that gave a variable its value before, and whether any have none of these."""
    found, is_left = list[Set](), False
    for left in parts:
        for value in reversed(given):
            own = left.intersect(value.points)
            if not own.is_empty():
                value.readers.append(reader)
                found.append(own.coalesce())
                left = left.subtract(value.points)
        if not left.is_empty():
            found.append(left)
            is_left = True
    return found, is_left


def _apart(old: Statement, parts: Sequence[Set]) -> Iterator[tuple[tuple[int, ...], Statement]]:
    """A statement in each of some parts of its domain, one behind the other."""
    for at, part in enumerate(parts):
        yield (at,), replace(old, domain=renamed(part, old.id, old.iterators))
