"""Variables that hold several values after each other, each value in a variable of its own; knows no cost.

for i: { s = 0   for j: s += x[i + j]   s = s / 2   y[i] = s * s }   becomes
for i: { s = 0   for j: s += x[i + j]   s_1 = s / 2   y[i] = s_1 * s_1 }
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache

from sisyphus.analysis import Dependences
from sisyphus.analysis.isl_limits import Patience
from sisyphus.analysis.rewrite import fresh_name, names_of
from sisyphus.analysis.webs import Use, values_of
from sisyphus.ir import ArrayId, Expr, Read, Ref, Scop, Statement, rebuild
from sisyphus.values import replace


@lru_cache(maxsize=4)  # several forms begin with it
def values_apart(found: Dependences, variables: frozenset[ArrayId]) -> tuple[Scop, Mapping[ArrayId, ArrayId]]:
    """The kernel with such values of some variables in new ones, and by each of these the variable that it was."""
    scop, patience = found.scop, Patience()
    taken, origins = names_of(scop), dict[ArrayId, ArrayId]()
    for name in sorted(variables):
        for group in values_of(found, name, patience)[1:]:
            new = fresh_name(name, taken)
            taken.add(new)
            origins[new] = name
            scop = _renamed(scop, name, new, group)
    return scop, origins


def _renamed(scop: Scop, old: ArrayId, new: ArrayId, uses: Collection[Use]) -> Scop:
    """The kernel with a new variable in place of an old one in some of its uses."""

    def instead(expr: Expr) -> Expr:
        return replace(expr, ref=Ref(new, ())) if isinstance(expr, Read) and expr.ref.array == old else expr

    def renamed(statement: Statement) -> Statement:
        rhs = rebuild(statement.rhs, instead) if (statement.id, False) in uses else statement.rhs
        return replace(statement, rhs=rhs, write=Ref(new, ()) if (statement.id, True) in uses else statement.write)

    arrays = (*scop.arrays, replace(scop.array(old), id=new))
    return replace(scop, statements=tuple(map(renamed, scop.statements)), arrays=arrays)
