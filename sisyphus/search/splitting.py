"""Full tiles apart from those on a boundary, nest by nest: where the user asks for it, or the full model counts less.

The search counts every nest as one body, guarded where some tile needs it. Two bodies take more registers and LUTs and,
as a rule, a few cycles more (the second one starts anew), so they are no better unless a guard costs cycles: it keeps
unrolled additions from forming a tree.
"""

from __future__ import annotations

from dataclasses import replace

from sisyphus.search.session import Judge
from sisyphus.space import DesignPoint, Space


def split_as_fixed(space: Space, point: DesignPoint) -> DesignPoint:
    """The point with what the user fixed."""
    fixed = {nest.id: nest.split for nest in space.nests if nest.split is not None}
    return replace(point, nests=tuple(replace(n, split=fixed.get(n.id, n.split)) for n in point.nests))


def split_where_better(space: Space, point: DesignPoint, judge: Judge) -> tuple[DesignPoint, float | None]:
    """The point with nests split as long as the cycles fall and it fits, and its cycles; None where nothing changed."""
    best, before = point, judge(point).cycles
    cycles = before
    for nest in space.nests:
        if nest.split is not None or cycles is None:
            continue
        other = replace(best, nests=tuple(replace(n, split=n.split or n.id == nest.id) for n in best.nests))
        judged = judge(other)
        over = space.target.budget.exceeded_by(judged.usage)
        if judged.cycles is not None and judged.cycles < cycles and not over:
            best, cycles = other, judged.cycles
    return best, cycles if best != point else None
