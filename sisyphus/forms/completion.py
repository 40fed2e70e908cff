"""Times of statements that begin with given ones: inside of these, as in the source, what nothing ties apart.

What is left to choose inside, the space has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations

from sisyphus.analysis import Dependences
from sisyphus.analysis.distribution import strong_components
from sisyphus.forms.faces import as_part_of
from sisyphus.ir import Statement, StmtId
from sisyphus.poly import Affine, const, follows, schedule, simultaneous, var

#: The outermost times of every statement.
Prefix = Mapping[StmtId, tuple[Affine, ...]]
_Faces = dict[tuple[StmtId, StmtId], Mapping[str, Affine]]


def completed(
    found: Dependences, prefix: Prefix, *, apart: bool = False, with_faces: bool = False
) -> dict[Statement, list[Affine]]:
    """Times that begin with these; what computes the same becomes one statement again unless it is kept `apart`.

    So does, `with_faces`, what computes on a face of a domain what another statement does inside.
    """
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
    on_faces = _on_faces(statements, prefix) if with_faces else {}
    tied += [pair for one, other in on_faces for pair in ((one, other), (other, one))]
    times: dict[Statement, list[Affine]] = {}
    for at, group in enumerate(strong_components(statements, tied)):
        whole = next((w for w in group if all(s is w or (s.id, w.id) in on_faces for s in group)), None)
        for statement in group:
            first, values = whole or statement, on_faces.get((statement.id, whole.id if whole else statement.id), {})
            inner = inner_times(first, [first] if whole else group)
            own = pruned([*prefix[first.id], const(at), *inner])
            times[statement] = [time.substitute(values) for time in own]
    return times


def _on_faces(statements: Sequence[Statement], prefix: Prefix) -> _Faces:
    """Which statement computes at the same outermost times what another does, with which values for its iterators."""
    found: _Faces = {}
    for one, other in permutations(statements, 2):
        values = as_part_of(one, other) if len(one.iterators) < len(other.iterators) else None
        if values is not None and prefix[one.id] == tuple(time.substitute(values) for time in prefix[other.id]):
            found[one.id, other.id] = values
    return found


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


def pruned(times: Sequence[Affine]) -> list[Affine]:
    """Times without the loops at the end that those before them fix."""
    kept: list[Affine] = []
    for time in times:
        if time.is_constant or not follows(time, kept):
            kept.append(time)
    return kept
