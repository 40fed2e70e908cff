"""Loops that a source was cut into tiles by hand with, taken out again: what the space tiles itself; knows no cost.

for ii: for kk: for i in 32*ii .. 32*ii+31: for k in 32*kk .. 32*kk+31: y[i] += A[i][k] * x[k]   becomes
for i: for k: y[i] += A[i][k] * x[k]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from sisyphus.analysis import Dependences, schedules
from sisyphus.analysis.isl_limits import Patience
from sisyphus.forms.building import loops_of
from sisyphus.ir import Scop, Statement, index_names, moved_by
from sisyphus.poly import backwards, later_along, make_map, name_dims, plain_shadow, project_onto, renamed, var
from sisyphus.values import replace


def in_tiles(scop: Scop) -> bool:
    """Whether a statement has a loop around it that could go if this were so for all others in it."""
    patience = Patience()
    return any(
        patience.ask(partial(_is_determined, statement, depth))
        for statement in scop.statements
        for depth in range(len(statement.iterators))
    )


def untiled(found: Dependences) -> Scop | None:
    """The kernel without the loops whose iterators nothing uses and others determine; None where there is none.

    Each instance stays, as it has another name alone, and none changes places with one that it depends on.
    """
    scop, patience = found.scop, Patience()
    better = scop
    while (loop := next(_tile_loops(better, patience), None)) is not None:
        better = _without(better, *loop)
    return better if better is not scop and patience.ask(partial(_is_same, found, better)) else None


def _tile_loops(scop: Scop, patience: Patience) -> Iterator[tuple[Sequence[Statement], int]]:
    """Each loop that can go: the statements in it, and how many loops are around it."""
    for place, inside in sorted(loops_of(scop.statements).items(), key=lambda loop: len(loop[0])):
        depth = len(place) - 1
        if all(patience.ask(partial(_is_determined, statement, depth)) for statement in inside):
            yield inside, depth


def _is_determined(statement: Statement, depth: int) -> bool:
    """Does the statement not use the iterator, which has one value at most where all others have theirs?"""
    name = statement.iterators[depth]
    if (
        name in index_names(statement.write) | moved_by(statement.rhs)
        or not later_along(statement.domain, name).is_empty()
    ):
        return False
    rest = [other for other in statement.iterators if other != name]
    return bool(plain_shadow(statement.domain, rest).is_equal(project_onto(statement.domain, rest)))


def _without(scop: Scop, inside: Sequence[Statement], depth: int) -> Scop:
    """The kernel without a loop: what was inside of it takes its place in the order of the text."""
    before = inside[0].position[:depth]
    room = 1 + max(max(s.position) for s in scop.statements)
    statements = []
    for statement in scop.statements:
        place = statement.position
        if place[:depth] == before:
            within = place[depth + 1] if statement in inside else 0
            place = (*before, place[depth] * room + within, *place[depth + (2 if statement in inside else 1) :])
        if statement in inside:
            rest = tuple(name for at, name in enumerate(statement.iterators) if at != depth)
            points = renamed(plain_shadow(statement.domain.reset_tuple_id(), rest), statement.id, rest)
            statement = replace(statement, iterators=rest, domain=points)
        statements.append(replace(statement, position=place))
    return replace(scop, statements=tuple(sorted(statements, key=lambda s: s.position)))


def _is_same(found: Dependences, better: Scop) -> bool:
    """Does every instance run after all that it depends on?"""
    times = schedules(better)
    new = {s.id: s for s in better.statements}
    moves = {
        old.id: make_map(old.id, old.iterators, old.id, new[old.id].iterators, [*map(var, new[old.id].iterators)])
        for old in found.scop.statements
    }
    for edge in found.edges:
        pairs = edge.relation.apply_domain(moves[edge.source]).apply_range(moves[edge.sink])
        pairs = name_dims(pairs, new[edge.source].iterators, new[edge.sink].iterators)
        if backwards(pairs, times[edge.source], times[edge.sink]) is not None:
            return False
    return True
