"""Statements that follow each other in each iteration of a step, in one nest: one body computes all; knows no cost.

for t: { for i: l[i] = 2 * p[i]   for i > 0: l[i] += p[i-1]   for i: q[i] += v[i] * l[i] }   becomes
for t: for i: { l[i] = 2 * p[i]   if (i > 0) l[i] += p[i-1]   q[i] += v[i] * l[i] }

In nests of their own each is a function that fills its pipeline anew in every step, and hands all its values over.
"""

from __future__ import annotations

from collections.abc import Iterator

from sisyphus.analysis import Dependences, LoopKind, distribute
from sisyphus.forms.fused import MOST_TOGETHER, kept_together
from sisyphus.ir import Scop, Statement, StmtId


def successive(found: Dependences) -> Scop | None:
    """The kernel with neighbours of one body of parallel loops in one nest; None without any.

    They depend on each other in the same iteration alone, and some may run in fewer iterations than others.
    """
    return kept_together(found, _groups(found))


def _groups(found: Dependences) -> Iterator[tuple[tuple[StmtId, ...], int]]:
    """Such neighbours, with how many loops are around their nests."""
    for depth, statements in _bodies(found):
        group: list[StmtId] = []
        for name in (s.id for s in statements):
            carried = (d for e in found.among(frozenset((*group, name))) for d in e.depths if d is not None)
            if len(group) == MOST_TOGETHER or any(d >= depth for d in carried):
                yield from [(tuple(group), depth)] * (len(group) > 1)
                group = []
            group.append(name)
        yield from [(tuple(group), depth)] * (len(group) > 1)


def _bodies(found: Dependences) -> Iterator[tuple[int, list[Statement]]]:
    """Statements of one body each that have nests of their own in an outer loop, and how many such loops there are."""
    bodies: dict[tuple[int, tuple[int, ...]], list[Statement]] = {}
    for nest in distribute(found.scop, found).nests:
        if nest.outer and len(nest.statements) == 1 and nest.band:
            [statement] = map(found.scop.statement, nest.statements)
            place = len(nest.outer), statement.position[: len(statement.iterators)]
            if all(loop.kind is LoopKind.PARALLEL for loop in nest.band):
                bodies.setdefault(place, []).append(statement)
    for (depth, _), statements in bodies.items():
        yield depth, statements
