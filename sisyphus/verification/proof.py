"""The proof of a plan with isl, from its loop tree alone: every instance once, no dependence backwards, data in place.

It never looks at the design point that the plan was built from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from sisyphus.analysis import Dependences, Live
from sisyphus.errors import InternalError
from sisyphus.ir import ArrayId, Role
from sisyphus.plan import Copy, Node, Plan, at_once, body_of, reads_writes, walk
from sisyphus.verification.bounds import check_beats, check_bounds, check_trip_counts
from sisyphus.verification.execution_order import check_instances, check_order
from sisyphus.verification.given import check_given
from sisyphus.verification.movement import check_movement
from sisyphus.verification.sites import Tree
from sisyphus.verification.tile_rows import check_tile_rows
from sisyphus.verification.verdict import Check, Verdict


def prove(plan: Plan, dependences: Dependences, live: Mapping[ArrayId, Live] | None = None) -> Verdict:
    """Everything that can be shown without running the design; each check that fails has a witness.

    `live` says which arrays must be stored; without it, every array argument that the kernel writes.
    """
    return Verdict(tuple(each_check(plan, dependences, live)))


def each_check(plan: Plan, dependences: Dependences, live: Mapping[ArrayId, Live] | None = None) -> Iterator[Check]:
    """The checks of `prove`, one at a time; a tree that makes no sense is the only check it gets."""
    try:
        tree = Tree.of(plan)
        yield from check_instances(plan.scop, tree.runs)
        yield from check_order(dependences, tree.runs, tree_reduction=plan.tree_reduction)
        yield from check_given(plan.scop)
        yield from check_trip_counts(tree)
        yield from check_tile_rows(plan, tree)
        yield from check_beats(plan)
        yield from check_bounds(plan, tree)
        yield from check_movement(plan, tree, _needed(plan, live))
        if _meets_itself(plan):
            yield from _backwards(plan, dependences, _needed(plan, live))
    except InternalError as broken:
        yield Check("loop tree", False, broken.message)


def _backwards(plan: Plan, dependences: Dependences, needed: frozenset[ArrayId]) -> Iterator[Check]:
    """What runs at the same time in the order that is not that of the text: the other checks do not depend on it."""
    tree = Tree.of(plan, backwards=True)
    for check in check_order(dependences, tree.runs, tree_reduction=plan.tree_reduction):
        yield replace(check, name=f"{check.name}, at the same time")
    for check in check_movement(plan, tree, needed):
        yield replace(check, name=f"{check.name}, at the same time")


def _meets_itself(plan: Plan) -> bool:
    """Whether more than transfers between different memories may run at the same time."""
    bodies = (plan.body, *(task.body for task in plan.tasks))
    steps = (body_of(node) for body in bodies for node in walk(body) if at_once(node))
    return any(_are_tied(plan, step) for step in steps)


def _are_tied(plan: Plan, step: Sequence[Node]) -> bool:
    if not all(isinstance(node, Copy) for node in step):
        return True
    touched = [reads_writes(plan, node) for node in step]
    return any(one.conflicts(other) for one, other in combinations(touched, 2))


def _needed(plan: Plan, live: Mapping[ArrayId, Live] | None) -> frozenset[ArrayId]:
    """Arrays whose last values memory must hold at the end."""
    if live is not None:
        return frozenset(array for array, needs in live.items() if needs.store)
    written = {s.write.array for s in plan.scop.statements}
    return frozenset(a.id for a in plan.scop.arrays if a.role is not Role.LOCAL and a.id in written)
