"""Statements that share their loops and read the same arrays, in one nest: one body computes all; knows no cost.

for i: s += a[i] * b[i]   for i: q += a[i] * a[i]   becomes   for i: { s += a[i] * b[i]   q += a[i] * a[i] }

Two functions that read one memory run one after the other; in one body, reads of one element are one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sisyphus.analysis import Dependences, LoopKind, Nest, dependences, distribute
from sisyphus.ir import Scop, Statement, StmtId
from sisyphus.values import replace

#: Statements of one body.
MOST_TOGETHER = 16


def fused(found: Dependences) -> Scop | None:
    """The kernel with such statements kept together, where none depends on another one; None without any.

    The order of instances of each statement stays as it is, and that of two that depend on each other: groups that
    something between them depends on, and on which it depends, stay apart.
    """
    scop = found.scop
    groups = tuple(_groups(found))
    if not groups:
        return None
    joined = replace(scop, fused=groups)
    nests = {nest.statements for nest in distribute(joined, dependences(joined)).nests}
    kept = tuple(group for group in groups if group in nests)
    return replace(scop, fused=kept) if kept else None


def _groups(found: Dependences) -> Iterator[tuple[StmtId, ...]]:
    scop = found.scop
    alike: dict[Any, list[Statement]] = {}
    for nest in distribute(scop, found).nests:
        if _can_be_joined(nest):
            [statement] = map(scop.statement, nest.statements)
            read = frozenset(ref.array for ref in statement.reads) - {statement.write.array}
            place = statement.position[: len(statement.iterators)]
            alike.setdefault((place, tuple(loop.kind for loop in nest.band), read), []).append(statement)
    for (_, _, read), statements in alike.items():
        same = [s for s in statements if s.domain.set_tuple_name("").is_equal(statements[0].domain.set_tuple_name(""))]
        ids = tuple(s.id for s in same[:MOST_TOGETHER])
        if read and len(ids) > 1 and all(edge.source == edge.sink for edge in found.among(frozenset(ids))):
            yield ids


def _can_be_joined(nest: Nest) -> bool:
    """A nest of several statements has their innermost loop, and parallel ones around it."""
    around = nest.band[:-1]
    return len(nest.statements) == 1 and bool(nest.band) and all(loop.kind is LoopKind.PARALLEL for loop in around)
