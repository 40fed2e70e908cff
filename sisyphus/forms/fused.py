"""Statements that share their loops, of which one reads all arrays, in one nest: one body computes all; knows no cost.

for i: s += a[i] * b[i]   for i: q += a[i] * a[i]   becomes   for i: { s += a[i] * b[i]   q += a[i] * a[i] }

Two functions that read one memory run one after the other; in one body, reads of one element are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sisyphus.analysis import Dependences, LoopKind, Nest, distribute
from sisyphus.analysis.distribution import components
from sisyphus.ir import ArrayId, Scop, Statement, StmtId
from sisyphus.values import replace

#: Statements of one body.
MOST_TOGETHER = 16


def fused(found: Dependences) -> Scop | None:
    """The kernel with such statements kept together, where none depends on another one; None without any.

    The order of instances of each statement stays as it is, and that of two that depend on each other: groups that
    something between them depends on, and on which it depends, stay apart.
    """
    return kept_together(found, _groups(found))


def kept_together(found: Dependences, groups: Iterable[tuple[tuple[StmtId, ...], int]]) -> Scop | None:
    """The kernel with groups kept together, as far as they stay alone, and those that are so before; None if no more.

    Each is given with how many loops are around its nest.
    """
    nests = distribute(found.scop, found).nests
    before = {nest.statements: len(nest.outer) for nest in nests if nest.statements in found.scop.fused}
    kept = dict(before)
    for group, depth in groups:
        wanted = {**kept, group: depth}
        joined = Dependences(replace(found.scop, fused=tuple(wanted)), found.edges)
        if stay_alone(joined, wanted):
            kept = wanted
    return replace(found.scop, fused=tuple(kept)) if kept.keys() > before.keys() else None


def stay_alone(joined: Dependences, groups: Mapping[tuple[StmtId, ...], int]) -> bool:
    """Do the statements of each group depend in a cycle on no other one, inside of the loops around their nests?"""
    around = {group: (depth, joined.scop.statement(group[0]).position[:depth]) for group, depth in groups.items()}
    tied: set[tuple[tuple[int, ...], frozenset[StmtId]]] = set()
    for depth, place in {*around.values()}:
        near = [s for s in joined.scop.statements if s.position[:depth] == place]
        tied |= {(place, frozenset(s.id for s in part)) for part in components(near, depth, joined)}
    return all((place, frozenset(group)) in tied for group, (_, place) in around.items())


def _groups(found: Dependences) -> Iterator[tuple[tuple[StmtId, ...], int]]:
    """Statements that may be together, with how many loops are around their nests.

    Those that read most arrays, and all that read nothing else.
    """
    scop = found.scop
    alike: dict[Any, dict[Statement, frozenset[ArrayId]]] = {}
    for nest in distribute(scop, found).nests:
        [statement, *others] = map(scop.statement, nest.statements)
        read = frozenset(ref.array for ref in statement.reads) - {statement.write.array}
        if read and not others and _can_be_joined(nest):
            place = statement.position[: len(statement.iterators)]
            kinds = tuple(loop.kind for loop in nest.band)
            alike.setdefault((place, len(nest.outer), kinds), {})[statement] = read
    for (_, depth, _), left in alike.items():
        while left:
            first, most = max(left.items(), key=lambda one: len(one[1]))
            near = [s for s, read in left.items() if read <= most and _has_the_domain_of(s, first)]
            left = {s: read for s, read in left.items() if s not in near}
            ids = tuple(s.id for s in near[:MOST_TOGETHER])
            if len(ids) > 1 and all(edge.source == edge.sink for edge in found.among(frozenset(ids))):
                yield ids, depth


def _has_the_domain_of(statement: Statement, other: Statement) -> bool:
    return statement.domain.set_tuple_name("").is_equal(other.domain.set_tuple_name(""))


def _can_be_joined(nest: Nest) -> bool:
    """A nest of several statements has their innermost loop, and around it loops that are parallel or add up."""
    return bool(nest.band) and all(loop.kind in (LoopKind.PARALLEL, LoopKind.REDUCTION) for loop in nest.band[:-1])
