"""How often the places of a shape's tree are visited, and the tree as facts; knows no formula."""

from __future__ import annotations

from collections.abc import Sequence

from sisyphus.algebra import Algebra, Value, product
from sisyphus.ir import Scop
from sisyphus.model.facts.moves import moved_by
from sisyphus.model.facts.plan_facts import task_facts
from sisyphus.model.facts.task_facts import Move, TaskFacts
from sisyphus.plan import For, LoopRole, Numbers, Shape, ShapeBuilder, copies_in
from sisyphus.poly import Affine
from sisyphus.space import NestSpace
from sisyphus.values import dataclass, replace


@dataclass(frozen=True, eq=False)
class Counted:
    """The iterations that reach a place under the `depth` outermost level-0 loops, as the numbers of a shape have them.

    Those of all coarse-grained copies are divided among the copies around; `each` is how often a place is visited in
    one iteration of the tile loops. `idle` iterations have no tile.
    """

    numbers: Numbers
    order: tuple[str, ...]
    depth: int = 0
    each: Value = 1
    piped: bool = False
    idle: Value = 0

    def total(self) -> Value:
        visits = (self.numbers.starts if self.piped else self.numbers.visits[self.depth]) + self.idle
        copies = product(self.numbers.unroll.get(loop, 1) for loop in self.order[: self.depth])
        return visits // copies * self.each

    def into(self, loop: For, needed: frozenset[str]) -> Counted:
        if loop.role is LoopRole.TILE:
            depth = self.order.index(loop.source)
            return replace(self, depth=depth + 1, idle=self.numbers.visits[depth] * loop.idle if loop.idle else 0)
        return replace(self, piped=True) if loop.role is LoopRole.PIPELINED else self.times(loop.trip_count)

    def where(self, conditions: Sequence[Affine]) -> Counted:
        return replace(self, idle=0)

    def alone(self) -> None:
        """How iterations of a shape differ is not known: they count as if all were alike, which takes no more."""

    def times(self, turns: Value) -> Counted:
        return replace(self, each=self.each * turns)


def nest_facts(
    alg: Algebra, scop: Scop, space: NestSpace, shape: Shape, numbers: Numbers, *, tree: bool
) -> tuple[TaskFacts, tuple[tuple[Move, ...], ...]]:
    """The nest as a task, and the transfers around it in steps; with the numbers of all candidates of a shape."""
    plan = ShapeBuilder(alg, scop, space, tree, shape, numbers).plan()
    steps = (copies_in((node,)) for node in plan.body)
    around = tuple(tuple(moved_by(alg, plan, copy) for copy in step) for step in steps if step)
    return task_facts(plan, plan.tasks[0], Counted(numbers, shape.order), alg), around
