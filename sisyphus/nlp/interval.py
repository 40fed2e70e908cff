"""Logarithm of a nest's initiation interval in Pyomo, from below; knows no cost that follows from it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pyomo.environ as pyo

from sisyphus.analysis import LoopKind
from sisyphus.model.bounds import relaxation as bound
from sisyphus.model.formulas.rules import VITIS_2023_2
from sisyphus.nlp.knobs import Knobs, log_name
from sisyphus.space import ArrayUse, NestSpace

RULES = VITIS_2023_2


def sharing_name(nest: NestSpace) -> str:
    """The variable that holds the logarithm of how many copies of an operation share an operator."""
    return f"{nest.id}.sharing"


class Gates:
    """Linear expressions that are 1 where something holds of a nest, else 0."""

    def __init__(self, knobs: Knobs, nest: NestSpace, sums: tuple[str, ...]) -> None:
        self.knobs, self.nest, self.sums = knobs, nest, sums
        self.pipelined = sum(knobs.many(nest, loop.iterator, 1) for loop in nest.loops)
        self.reduces = sum(knobs.many(nest, loop, 1) for loop in sums)
        self.unflattened = self._unflattened()

    def _unflattened(self) -> Any:
        """A pipelined reduction with more accumulators than the tool flattens."""
        knobs, nest = self.knobs, self.nest
        parallel = [s.iterator for s in nest.loops if s.iterator not in self.sums]
        if not self.sums or not parallel:
            return 0
        flag = knobs.model.part.add()
        flag.domain = pyo.Binary
        variables = knobs.variables()
        accumulators = sum(n * variables[v] for v, n in knobs.trips(nest, 2, tuple(parallel)).terms[0].exponent)
        most = sum(math.log(nest.loop(loop).trip_count) for loop in parallel)
        limit = math.log(RULES.flatten_accumulators)
        knobs.require(accumulators - limit <= most * flag + most * (1 - self.reduces))
        return flag


class Interval:
    """The variables `name`, the logarithm of the interval, and `sharing_name`, no more than that.

    A pipelined reduction waits for its own chain, any other body for the last addition into an element where level-0
    iterations of a reduction loop come between. Operators serve as many copies as there are cycles in the interval.
    """

    def __init__(self, knobs: Knobs, nest: NestSpace, body: bound.Body, reduces: Any) -> None:
        self.knobs, self.nest, self.body, self.reduces = knobs, nest, body, reduces
        self.name = f"{nest.id}.interval"
        self.interval, self.sharing = self._variable(self.name), self._variable(sharing_name(nest))
        self.is_tree = knobs.space.options.tree_reduction
        self.longest = math.prod(nest.loop(loop).trip_count for loop in body.sums)
        self.spread = body.chain + RULES.cycles.read + RULES.cycles.write
        self.most = math.log(max(self.spread, body.depth)) + math.log(self.longest)
        self.slow = self._whole_cycles()
        knobs.require(self.sharing <= self.interval)
        updates = any(use.reads and use.writes for use in nest.arrays)
        if all(loop.kind is LoopKind.PARALLEL for loop in nest.loops) and not updates:
            self.sharing.setub(0)
        if not body.chain:
            return
        exponent = knobs.trips(nest, 2, body.sums).terms[0].exponent
        self.log_copies = sum(n * knobs.variables()[v] for v, n in exponent)
        self.copies = 0 if self.is_tree else self.log_copies
        self._accumulate()
        for loop in body.sums:
            self._wait(loop)
        self._share()

    def _whole_cycles(self) -> Any:
        """A binary that is 1 where the interval is 2 cycles or more, as it is more than one cycle."""
        slow = self.knobs.model.part.add()
        slow.domain = pyo.Binary
        self.interval.setub(self.most)
        self.knobs.require(self.interval <= self.most * slow)
        self.knobs.require(self.interval >= math.log(2) * slow)
        return slow

    def _share(self) -> None:
        """No more copies share an operator than the interval has cycles: its own chain in a pipelined reduction.

        Elsewhere less than twice (chain + 3) / distance, which is rounded up; additions into one element are at least
        the trip count of the pipelined loop apart, unless it only selects a bank.
        """
        one = math.log(self.body.chain)
        off = 2 * self.most
        self.knobs.require(
            self.sharing <= one + self.copies + off * (1 - self.reduces),
        )
        apart: Any = 0
        for loop in self.nest.loops:
            if loop.iterator not in self.nest.reduction_loops:
                trips = self.knobs.variables()[log_name(self.nest, loop.iterator, 1)]
                apart += trips - trips.ub * self._may_stay(loop.iterator)
        waiting = math.log(2 * self.spread) + self.log_copies - apart
        self.knobs.require(self.sharing <= waiting + 2 * off * (self.reduces + 1 - self.slow))

    def _variable(self, name: str) -> Any:
        self.knobs.more[name] = variable = self.knobs.model.part.add()
        return variable

    def _accumulate(self) -> None:
        """A chain of n additions takes all of their cycles, a single one a cycle less (MODEL.md 4.3)."""
        one = math.log(max(self.body.chain - 1, 1))
        several = 0 if self.is_tree else math.log(self.body.chain) - one
        for loop in self.body.sums:
            more = several * self.knobs.many(self.nest, loop, 2)
            floor = one + self.copies + more
            self.knobs.require(self.interval >= floor - (self.most + several) * (1 - self.reduces))

    def _wait(self, reduction: str) -> None:
        """(chain + 3) / distance, or the chain alone where the distance is 1 (MODEL.md 4.3)."""
        comes_between = self.knobs.many(self.nest, reduction, 0)
        off = self.most * (1 - comes_between)
        inside = {loop.iterator: self._inside(loop.iterator, reduction) for loop in self.nest.loops}
        apart = sum(inside.values())
        self.knobs.require(self.interval >= math.log(self.body.chain) + self.copies - apart - off)
        for slope, height in bound.tangents(self.body.chain, RULES, 1 if self.is_tree else self.longest):
            more = height - math.log(self.body.chain)
            for loop in self.nest.loops:
                if loop.iterator not in self.body.sums:
                    moves = self.knobs.many(self.nest, loop.iterator, 1) - self._may_stay(loop.iterator)
                    floor = height + slope * self.copies - apart
                    self.knobs.require(self.interval >= floor - off - more * (1 - moves))

    def _inside(self, loop: str, reduction: str) -> Any:
        """The most that a loop adds to the logarithm of the distance: nothing where it only selects a bank."""
        variables = self.knobs.variables()
        trips = variables[log_name(self.nest, loop, 1)]
        if loop in self.body.sums:
            return trips
        level0 = variables[log_name(self.nest, loop, 0)]
        trips = trips + level0 - sum(self._between(loop, reduction))
        complete = self._complete(loop)
        if not complete:
            return trips
        longest = math.log(self.nest.loop(loop).trip_count)
        counted = self.knobs.model.part.add()
        self.knobs.require(counted <= trips)
        self.knobs.require(counted <= longest * (len(complete) - sum(complete)))
        return counted

    def _may_stay(self, loop: str) -> Any:
        """A variable that may be 1 where the loop only selects a bank."""
        complete = self._complete(loop)
        if not complete:
            return 0
        stays = self.knobs.model.part.add()
        for condition in complete:
            self.knobs.require(stays <= condition)
        return stays

    def _complete(self, loop: str) -> list[Any]:
        """Conditions, 1 or 0, that all hold where the loop only selects a bank of the output; none: it never does.

        The output is resident, and what the loop moves has a bank for every element.
        """
        use = self._output()
        moved = [] if use is None else [at for at, dim in enumerate(use.dims) if loop in dim.loops]
        if use is None or not moved:
            return []
        m, found = self.knobs.model, [self.knobs.model.resident[use.array, self.nest.id]]
        for at in moved:
            factors = [f for f in self.knobs.space.partitions[use.array][at] if f >= use.dims[at].extent]
            if not factors:
                return []
            found.append(sum(m.factor[use.array, at, f] for f in factors))
        return found

    def _output(self) -> ArrayUse | None:
        """What the only statement of the nest writes."""
        written = [use for use in self.nest.arrays if use.writes]
        return written[0] if len(written) == 1 and len(self.nest.nest.statements) == 1 else None

    def _between(self, loop: str, reduction: str) -> Iterator[Any]:
        """The log of the level-0 trip count of `loop` where some transfer lies between it and `reduction`, else 0."""
        m = self.knobs.model
        tiled = [u for u in self.nest.arrays if u.can_be_tiled]
        if tiled:
            whole = m.log[log_name(self.nest, loop, 0)]
            between = m.part.add()
            between.setub(whole.ub)
            for use in tiled:
                parts = m.outside[use.array, self.nest.id, loop] - m.outside[use.array, self.nest.id, reduction]
                self.knobs.require(between >= whole - whole.ub * (1 - parts))
            yield between
