"""Values of local variables that several statements of a body read, computed once in one body; knows no cost.

for i: for j: { d = x[j] - x[i]   f = m[j] / sqrt(d * d + c)   p[i] += f * d   q[i] += f }   becomes
for i: for j: { p[i] += (m[j] / sqrt(...)) * (x[j] - x[i])   q[i] += m[j] / sqrt(...) }   in one nest

In a place for each iteration such values would pass through memory, each from one nest to several others. In one body
each is a wire: what its statements have in common is computed once (`plan/sharing.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sisyphus.analysis import Dependences, Nest, dependences, distribute, expand
from sisyphus.forms.fused import stay_alone
from sisyphus.forms.inlined import Walk, are_both, without_variables
from sisyphus.ir import ArrayId, Scop, Statement, StmtId
from sisyphus.values import dataclass, replace


def computed_together(found: Dependences) -> Scop | None:
    """The kernel without local variables whose values several statements read that can be one nest; None: none are.

    Each has the same loops and iterations, and none depends on another one once every variable has a place of its own
    where that frees nests. Variables that other statements read, too, stay.
    """
    kept: set[ArrayId] = set()
    while (made := without_variables(found, together=True, kept=kept)) is not None:
        groups = [group for group in _groups(*made) if len(group) > 1]
        apart = _Apart.of(made[0])
        barred = {name for group in groups if not apart.may_be_one(group) for name in _shared(group, made[1])}
        if not barred:
            return apart.joined(groups) if groups else None
        kept |= barred
    return None


@dataclass(frozen=True)
class _Apart:
    """A kernel whose variables have a place for each iteration where that frees nests, and these nests."""

    scop: Scop
    found: Dependences
    nests: Mapping[StmtId, Nest]

    @classmethod
    def of(cls, scop: Scop) -> _Apart:
        """Of a kernel as it is."""
        found = dependences(scop)
        expansion = expand(scop, found)
        if expansion is not None:
            found = dependences(expansion.scop)
        nests = {name: nest for nest in distribute(found.scop, found).nests for name in nest.statements}
        return cls(scop, found, nests)

    def may_be_one(self, group: Sequence[Statement]) -> bool:
        """Whether statements run through the same points of the same loops, and can be one nest of loops."""
        return _are_alike(group) and _may_be_one([s.id for s in group], self.nests, self.found)

    def joined(self, groups: Sequence[Sequence[Statement]]) -> Scop | None:
        """The kernel with statements of each group kept together; None where others are tied to them."""
        kept = {tuple(s.id for s in group): len(self.nests[group[0].id].outer) for group in groups}
        found = Dependences(replace(self.found.scop, fused=(*self.scop.fused, *kept)), self.found.edges)
        return replace(self.scop, fused=(*self.scop.fused, *kept)) if stay_alone(found, kept) else None


def _shared(group: Sequence[Statement], walked: Walk) -> set[ArrayId]:
    """The variables whose values statements have in common."""
    return {variable for s in group for variable, _ in walked.shared[s.id]}


def _groups(scop: Scop, walked: Walk) -> list[list[Statement]]:
    """Statements that have values in common in some iteration."""
    groups: list[list[Statement]] = []
    for statement in scop.statements:
        values = walked.shared[statement.id]
        joined = [
            group for group in groups if any(walked.shared[s.id] & values and are_both(s, statement) for s in group)
        ]
        groups = [g for g in groups if g not in joined] + [[*(s for g in joined for s in g), statement]]
    return groups


def _are_alike(group: Sequence[Statement]) -> bool:
    """Whether statements run through the same points of the same loops."""
    first = group[0]
    points = first.domain.reset_tuple_id()
    return bool(first.iterators) and all(
        s.body == first.body and s.domain.reset_tuple_id().is_equal(points) for s in group
    )


def _may_be_one(names: Sequence[StmtId], nests: Mapping[StmtId, Nest], found: Dependences) -> bool:
    """Whether each of some statements is a nest of loops under the same ones, and none depends on another one."""
    own = [nests[name] for name in names]
    alone = all(nest.outer == own[0].outer and nest.band and len(nest.statements) == 1 for nest in own)
    return alone and all(edge.source == edge.sink for edge in found.among(frozenset(names)))
