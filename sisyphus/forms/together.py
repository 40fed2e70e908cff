"""Values of local variables that several statements of a body read, computed once in one body; knows no cost.

for i: for j: { d = x[j] - x[i]   f = m[j] / sqrt(d * d + c)   p[i] += f * d   q[i] += f }   becomes
for i: for j: { p[i] += (m[j] / sqrt(...)) * (x[j] - x[i])   q[i] += m[j] / sqrt(...) }   in one nest

In a place for each iteration such values would pass through memory, each from one nest to several others. In one body
each is a wire: what its statements have in common is computed once (`plan/sharing.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from sisyphus.analysis import Dependences, dependences
from sisyphus.forms.fused import stay_alone
from sisyphus.forms.inlined import Walk, without_variables
from sisyphus.ir import Scop, Statement
from sisyphus.values import replace


def computed_together(found: Dependences) -> Scop | None:
    """The kernel without local variables whose values several statements read that can be one nest; None: none are.

    Each has the same loops and iterations, and none depends on another one.
    """
    for scop, walked in without_variables(found.scop, together=True):
        groups = [group for group in _groups(scop, walked) if len(group) > 1]
        kept = {tuple(s.id for s in group): len(group[0].iterators) - 1 for group in groups}
        if kept and all(map(_may_be_one, groups)):
            joined = dependences(replace(scop, fused=(*scop.fused, *kept)))
            if all(e.source == e.sink for ids in kept for e in joined.among(frozenset(ids))):
                return joined.scop if stay_alone(joined, kept) else None
    return None


def _groups(scop: Scop, walked: Walk) -> list[list[Statement]]:
    """Statements that have values in common."""
    groups: list[tuple[set[object], list[Statement]]] = []
    for statement in scop.statements:
        values: set[object] = {*walked.shared[statement.id]}
        joined = [group for group in groups if group[0] & values]
        mine = (values.union(*(g[0] for g in joined)), [*(s for g in joined for s in g[1]), statement])
        groups = [group for group in groups if group not in joined] + [mine]
    return [group for _, group in groups]


def _may_be_one(group: Sequence[Statement]) -> bool:
    """Whether statements run through the same points of the same loops."""
    first = group[0]
    points = first.domain.reset_tuple_id()
    return all(
        s.iterators == first.iterators
        and s.position[:-1] == first.position[:-1]
        and s.domain.reset_tuple_id().is_equal(points)
        for s in group
    )
