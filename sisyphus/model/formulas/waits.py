"""How long starts of a pipelined sequential loop wait for each other at least, whatever else is chosen; no search.

A bound of the recurrences between statements (MODEL.md 4.3, `recurrence.py`): of values that one iteration of the loop
leaves for a later one, in the time that operators alone take.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sisyphus.analysis import Dependence, DepKind, LoopKind
from sisyphus.ir import ArrayId, Ref, Statement
from sisyphus.model.formulas.iteration_latency import path_to
from sisyphus.model.formulas.rules import Rules
from sisyphus.plan import narrowed
from sisyphus.poly import Affine
from sisyphus.space import NestSpace, Space

#: An element by its subscripts, over the loops of a nest.
Element = tuple[ArrayId, tuple[Affine, ...]]


@dataclass(frozen=True)
class Wait:
    """A value that is read `distance` iterations of a `loop` later, and the cycles from that read to the next write."""

    loop: str
    distance: int
    cycles: int


def waits_of(space: Space, nest: NestSpace, rules: Rules) -> tuple[Wait, ...]:
    """Those of the sequential loops of a nest; none with tree reduction, which may take other ways."""
    if space.options.tree_reduction:
        return ()
    body = _Body(space, nest)
    found: list[Wait] = []
    for edge in space.dependences.edges:
        if edge.kind is DepKind.RAW and not edge.is_reduction:
            chain = body.chain(edge)
            if chain is not None:
                cycles = chain + rules.cycles.read + rules.cycles.write
                found += [Wait(loop, distance, cycles) for loop, distance in _carried(nest, edge)]
    return tuple(dict.fromkeys(found))


def _carried(nest: NestSpace, edge: Dependence) -> Iterator[tuple[str, int]]:
    """Sequential loops of the band that alone separate some write from its read, with the distance."""
    outer = len(nest.nest.outer)
    for signs in sorted(edge.directions):
        moving = [at for at, sign in enumerate(signs) if sign]
        if len(moving) == 1 and outer <= moving[0] < outer + len(nest.loops) and signs[moving[0]] > 0:
            loop = nest.loops[moving[0] - outer]
            if loop.kind is LoopKind.SEQUENTIAL:
                yield loop.iterator, edge.distance[moving[0]] or 1


class _Body:
    """The statements of a nest, in the order in which one start runs them."""

    def __init__(self, space: Space, nest: NestSpace) -> None:
        self.table = space.target.operators
        self.statements = [space.scop.statement(s) for s in nest.nest.statements]
        self._at = {s.id: at for at, s in enumerate(self.statements)}
        self._loops = (*nest.nest.outer, *(loop.iterator for loop in nest.loops))
        self._finish = list(self._finishes())

    def chain(self, edge: Dependence) -> int | None:
        """Cycles of operators from the read that a dependence ends in to the write it begins with, in one start."""
        writer, reader = self._at.get(edge.source), self._at.get(edge.sink)
        if writer is None or reader is None:
            return None
        statement = self.statements[reader]
        if writer == reader:
            own = [r for r in statement.reads if r.array == edge.array and r != statement.write]
            return max((self._path(statement, ref) for ref in own), default=None)
        if reader < writer and self._feeds(self.statements[reader : writer + 1]):
            return self._finish[writer]
        return None

    def _finishes(self) -> Iterator[int]:
        """When each value is there, if memories took no time."""
        written: dict[Element, int] = {}
        for statement in self.statements:
            others = [ref for ref in statement.reads if ref != statement.write]
            ready = [written.get(self._element(statement, r), 0) + self._path(statement, r) for r in others]
            finish = written[self._element(statement, statement.write)] = max(ready, default=0)
            yield finish

    def _feeds(self, statements: Sequence[Statement]) -> bool:
        """Whether the first of some statements passes a value on to the last in the same start."""
        first, last = statements[0], statements[-1]
        reached = {self._element(first, first.write)}
        for statement in statements[1:]:
            if any(self._element(statement, ref) in reached for ref in statement.reads):
                reached.add(self._element(statement, statement.write))
        return self._element(last, last.write) in reached

    def _path(self, statement: Statement, ref: Ref) -> int:
        found = path_to(self.table, narrowed(statement.rhs), ref)
        return 0 if found is None else found[0]

    def _element(self, statement: Statement, ref: Ref) -> Element:
        names: Mapping[str, str] = dict(zip(statement.iterators, self._loops, strict=False))
        return ref.array, tuple(e.rename(names) for e in ref.index)
