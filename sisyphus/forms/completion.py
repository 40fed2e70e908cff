"""Times of statements that begin with given ones: inside of these, as in the source, what nothing ties apart.

What is left to choose inside, the space has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from sisyphus.analysis import Dependences
from sisyphus.analysis.distribution import strong_components
from sisyphus.ir import Statement, StmtId
from sisyphus.poly import Affine, const, follows, schedule, simultaneous, var

#: The outermost times of every statement.
Prefix = Mapping[StmtId, tuple[Affine, ...]]


def completed(found: Dependences, prefix: Prefix, *, apart: bool = False) -> dict[Statement, list[Affine]]:
    """Times that begin with these; what computes the same becomes one statement again unless it is kept `apart`."""
    statements = found.scop.statements
    maps = {s.id: schedule(s.id, s.iterators, prefix[s.id]) for s in statements}
    tied = [
        (edge.source, edge.sink)
        for edge in found.edges
        if not simultaneous(edge.relation, maps[edge.source], maps[edge.sink]).is_empty()
    ]
    for one, other in () if apart else combinations(statements, 2):
        if _are_twins(one, other) and prefix[one.id] == prefix[other.id]:
            tied += [(one.id, other.id), (other.id, one.id)]
    return {
        statement: _pruned([*prefix[statement.id], const(at), *inner_times(statement, group)])
        for at, group in enumerate(strong_components(statements, tied))
        for statement in group
    }


def _are_twins(one: Statement, other: Statement) -> bool:
    return (one.iterators, one.write, one.rhs) == (other.iterators, other.write, other.rhs)


def inner_times(statement: Statement, group: Sequence[Statement]) -> Iterator[Affine]:
    """The order of the source inside a group; statements that compute the same share all their loops."""
    if all(_are_twins(group[0], other) for other in group):
        yield from map(var, statement.iterators)
        return
    for place, iterator in zip(statement.position, statement.iterators, strict=False):
        yield from (const(place), var(iterator))
    yield const(statement.position[-1])


def _pruned(times: Sequence[Affine]) -> list[Affine]:
    """Times without the loops at the end that those before them fix."""
    kept: list[Affine] = []
    for time in times:
        if time.is_constant or not follows(time, kept):
            kept.append(time)
    return kept
