"""Loops whose iterations share nothing, inside of all others: a batch takes each step at once; proves nothing.

for b: for i: { for k < i: x[b][i] -= L[b][i][k] * x[b][k]   x[b][i] = x[b][i] / L[b][i][i] }   becomes
for i: { for k < i: for b: x[b][i] -= L[b][i][k] * x[b][k]   for b: x[b][i] = x[b][i] / L[b][i][i] }
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from sisyphus.analysis import Dependences
from sisyphus.forms.building import loops_of
from sisyphus.ir import Statement, StmtId
from sisyphus.poly import Affine, const, var

#: A loop by where it stands: the place of a statement in it, as long as the loop is deep.
Place = tuple[int, ...]


def free_loops(found: Dependences) -> dict[Place, Sequence[Statement]]:
    """The loops around several statements that carry no dependence, with these; the outermost first."""
    loops = loops_of(found.scop.statements)
    shared = {place: group for place, group in loops.items() if len(group) > 1}
    return {
        place: group
        for place, group in shared.items()
        if not any(len(place) - 1 in edge.depths for edge in found.among(frozenset(s.id for s in group)))
    }


def free_iterators(loops: Mapping[Place, Sequence[Statement]]) -> dict[StmtId, set[str]]:
    """The iterators of such loops, by statement."""
    iterators: dict[StmtId, set[str]] = {}
    for place, group in loops.items():
        for statement in group:
            iterators.setdefault(statement.id, set()).add(statement.iterators[len(place) - 1])
    return iterators


def sunk(statements: Sequence[Statement], loops: Collection[Place]) -> Mapping[Statement, list[Affine]]:
    """The order of the source with some loops inside of all others, as times of each statement."""
    return {statement: [*_times(statement, loops)] for statement in statements}


def _times(statement: Statement, loops: Collection[Place]) -> Iterator[Affine]:
    inside: list[Affine] = []
    for depth, (place, iterator) in enumerate(zip(statement.position, statement.iterators, strict=False), 1):
        yield const(place)
        if statement.position[:depth] in loops:
            inside.append(var(iterator))
        else:
            yield var(iterator)
    yield const(statement.position[-1])
    yield from inside
