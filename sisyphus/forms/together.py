"""Values of local variables that several statements of a body read, computed once in one body; knows no cost.

for i: for j: { d = x[j] - x[i]   f = m[j] / sqrt(d * d + c)   p[i] += f * d   q[i] += f }   becomes
for i: for j: { p[i] += (m[j] / sqrt(...)) * (x[j] - x[i])   q[i] += m[j] / sqrt(...) }   in one nest

In a place for each iteration such values would pass through memory, each from one nest to several others. In one body
each is a wire: what its statements have in common is computed once (`plan/sharing.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sisyphus.analysis import Dependences, Nest, dependences, distribute
from sisyphus.forms.fused import stay_alone
from sisyphus.forms.inlined import Walk, without_variables
from sisyphus.ir import Scop, Statement, StmtId
from sisyphus.values import replace


def computed_together(found: Dependences) -> Scop | None:
    """The kernel without local variables whose values several statements read that can be one nest; None: none are.

    Each has the same loops and iterations, and none depends on another one.
    """
    made = without_variables(found.scop, together=True)
    groups = [] if made is None else [group for group in _groups(*made) if len(group) > 1]
    if made is None or not groups or not all(map(_are_alike, groups)):
        return None
    scop, apart = made[0], dependences(made[0])
    nests = {name: nest for nest in distribute(scop, apart).nests for name in nest.statements}
    kept = {tuple(s.id for s in group): len(nests[group[0].id].outer) for group in groups}
    joined = Dependences(replace(scop, fused=(*scop.fused, *kept)), apart.edges)
    is_legal = all(_may_be_one(ids, nests, apart) for ids in kept) and stay_alone(joined, kept)
    return joined.scop if is_legal else None


def _groups(scop: Scop, walked: Walk) -> list[list[Statement]]:
    """Statements that have values in common."""
    groups: list[tuple[set[object], list[Statement]]] = []
    for statement in scop.statements:
        values: set[object] = {*walked.shared[statement.id]}
        joined = [group for group in groups if group[0] & values]
        mine = (values.union(*(g[0] for g in joined)), [*(s for g in joined for s in g[1]), statement])
        groups = [group for group in groups if group not in joined] + [mine]
    return [group for _, group in groups]


def _are_alike(group: Sequence[Statement]) -> bool:
    """Whether statements run through the same points of the same loops."""
    first = group[0]
    points = first.domain.reset_tuple_id()
    return bool(first.iterators) and all(
        s.iterators == first.iterators
        and s.position[:-1] == first.position[:-1]
        and s.domain.reset_tuple_id().is_equal(points)
        for s in group
    )


def _may_be_one(names: Sequence[StmtId], nests: Mapping[StmtId, Nest], found: Dependences) -> bool:
    """Whether each of some statements is a nest of loops under the same ones, and none depends on another one."""
    own = [nests[name] for name in names]
    alone = all(nest.outer == own[0].outer and nest.band and len(nest.statements) == 1 for nest in own)
    return alone and all(edge.source == edge.sink for edge in found.among(frozenset(names)))
