"""How often loops with affine bounds run, counted exactly; knows no costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sisyphus.algebra import Value, distinct_rows
from sisyphus.plan import Bound, For, Node, body_of, conditions_of, stands_apart
from sisyphus.poly import Affine
from sisyphus.values import dataclass, replace

Ints = npt.NDArray[np.int64]

#: Beyond so many different visits, a loop counts with its largest trip count and stands at its first iteration.
MOST_POINTS = 2_000_000
#: Of outer loops with more iterations that make a difference about so many are looked at.
FEWER_POINTS = 1 << 17


@dataclass(frozen=True, eq=False)
class Visits:
    """The iterations that reach some place of a loop tree.

    They are grouped in points with equal `values` of the iterators that bounds further in ask for; each point stands
    for `weight` iterations, under iteration `owner` of the outer loops (`owners` of them). Without `owner` there is one
    point for each of those, in their order.
    """

    values: Mapping[str, Ints]
    weight: Ints
    owner: Ints | None
    owners: int

    @staticmethod
    def once() -> Visits:
        """One visit, under no outer loop."""
        return Visits({}, np.ones(1, np.int64), None, 1)

    @staticmethod
    def each(outer: Mapping[str, Ints], count: int) -> Visits:
        """One visit for each of `count` iterations of the outer loops, whose iterators have these values."""
        return Visits(outer, np.ones(count, np.int64), None, count)

    @property
    def owner_of_each(self) -> Ints:
        """The outer iteration of each point."""
        return np.arange(self.owners) if self.owner is None else self.owner

    def total(self) -> Value:
        """Iterations: one number, or one for each iteration of the outer loops."""
        if self.owners == 1:
            return int(self.weight[0] if len(self.weight) == 1 else self.weight.sum())
        if self.owner is None:
            return self.weight
        return np.bincount(self.owner, weights=self.weight, minlength=self.owners).astype(np.int64)

    def into(self, loop: For, needed: frozenset[str]) -> Visits:
        """The iterations of a loop at this place; `needed` are the iterators that bounds and guards ask for."""
        first, last = loop.lower.value, loop.upper.value
        if first is not None and last is not None and loop.iterator not in needed:
            return Visits(self.values, self.weight * max(last - first + 1, 0), self.owner, self.owners)
        low, high = self._lower(loop.lower), self._upper(loop.upper)
        lengths = np.maximum(high - low + 1, 0)
        if loop.iterator not in needed:
            return replace(self, weight=self.weight * lengths)
        if lengths.sum() > MOST_POINTS:
            return replace(self, weight=self.weight * loop.trip_count, values={**self.values, loop.iterator: low})
        at, number = numbered(lengths)
        here = low[at] + number
        values = {name: entries[at] for name, entries in self.values.items() if name in needed}
        return Visits({**values, loop.iterator: here}, self.weight[at], self.owner_of_each[at], self.owners)

    def times(self, turns: int) -> Visits:
        """Each visit so many times."""
        return replace(self, weight=self.weight * turns)

    def alone(self) -> tuple[Visits, Ints, Ints] | None:
        """One visit of each point, with its weight and its outer iteration; None where each of these has one point."""
        if self.owner is None:
            return None
        return Visits.each(self.values, len(self.weight)), self.weight, self.owner

    def into_outer(self, loop: For, needed: frozenset[str]) -> Visits:
        """The iterations of an outer sequential loop: one point for each different value of the `needed` iterators.

        Where these are too many, blocks of iterations stand at the one in their middle.
        """
        low, high = self._lower(loop.lower), self._upper(loop.upper)
        lengths = np.maximum(high - low + 1, 0)
        kept = {name: entries for name, entries in self.values.items() if name in needed}
        if loop.iterator not in needed:
            return _grouped(kept, self.weight * lengths)
        if not kept:
            return _grouped(*_overlaid(loop.iterator, low, high, self.weight * (lengths > 0)))
        block = 1 if lengths.sum() <= MOST_POINTS else -(-int(lengths.sum()) // FEWER_POINTS)
        blocks = -(-lengths // block)
        at, number = numbered(blocks)
        first = number * block
        sizes = np.minimum(lengths[at] - first, block)
        here = low[at] + first + (sizes - 1) // 2
        return _grouped({**{n: e[at] for n, e in kept.items()}, loop.iterator: here}, self.weight[at] * sizes)

    def where(self, conditions: Sequence[Affine]) -> Visits:
        """The visits at which every condition is >= 0."""
        keep = np.ones(len(self.weight), bool)
        for condition in conditions:
            if condition.names <= self.values.keys():
                keep &= self._evaluate(condition) >= 0
        values = {name: entries[keep] for name, entries in self.values.items()}
        return Visits(values, self.weight[keep], self.owner_of_each[keep], self.owners)

    def _lower(self, bound: Bound) -> Ints:
        ends = [-(-self._evaluate(q.numerator) // q.divisor) for q in bound.terms]
        return np.asarray(np.maximum.reduce(ends))

    def _upper(self, bound: Bound) -> Ints:
        ends = [self._evaluate(q.numerator) // q.divisor for q in bound.terms]
        return np.asarray(np.minimum.reduce(ends))

    def _evaluate(self, expression: Affine) -> Ints:
        total = np.full(len(self.weight), expression.constant, np.int64)
        for name, factor in expression.terms:
            total = total + factor * self.values[name]
        return total


def numbered(lengths: Ints) -> tuple[Ints, Ints]:
    """All members of groups of these lengths, one group after another: whose each is, and its number there from 0."""
    at = np.repeat(np.arange(len(lengths)), lengths)
    return at, np.arange(len(at)) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _overlaid(name: str, low: Ints, high: Ints, weight: Ints) -> tuple[dict[str, Ints], Ints]:
    """How many of the ranges `low` to `high`, each so often, hold each value."""
    first, last = int(low.min(initial=0)), int(high.max(initial=0))
    change = np.zeros(max(last - first + 2, 1), np.int64)
    held = weight > 0
    np.add.at(change, low[held] - first, weight[held])
    np.add.at(change, high[held] - first + 1, -weight[held])
    return {name: first + np.arange(len(change))}, np.cumsum(change)


def _grouped(values: Mapping[str, Ints], weight: Ints) -> Visits:
    """Points with equal values as one."""
    there = weight > 0
    weight = weight[there]
    if not values:
        return Visits({}, weight[:1] * 0 + weight.sum(), None, min(len(weight), 1))
    columns = [entries[there] for entries in values.values()]
    lows = [int(column.min(initial=0)) for column in columns]
    rows, which = distinct_rows([column - low for column, low in zip(columns, lows, strict=True)])
    own = {name: rows[:, at] + low for at, (name, low) in enumerate(zip(values, lows, strict=True))}
    return Visits(own, np.bincount(which, weights=weight, minlength=len(rows)).astype(np.int64), None, len(rows))


@dataclass(frozen=True)
class Survey:
    """What a tree holds: the iterators that bounds of loops, and guards around loops, ask for; nodes by identity.

    `looping` are the nodes that are loops, transfers or functions or hold some, unrolled loops aside.
    """

    needed: frozenset[str]
    looping: frozenset[int]


def survey(nodes: Sequence[Node], below: Callable[[Node], Sequence[Node]] = body_of) -> Survey:
    """One walk over a tree, for everything that is asked of its nodes later; `below`: what is inside of a node."""
    needed, looping = set[str](), set[int]()

    def visit(node: Node) -> bool:
        found = [visit(child) for child in below(node)]
        loops = stands_apart(node) or any(found)
        if isinstance(node, For) and stands_apart(node):
            needed.update(node.asks)
        elif found and loops:
            needed.update(*(c.names for c in conditions_of(node)))
        if loops:
            looping.add(id(node))
        return loops

    for node in nodes:
        visit(node)
    return Survey(frozenset(needed), frozenset(looping))
