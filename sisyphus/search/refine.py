"""Improving a design by the full model: other tilings of one nest at a time, nearest by the search's own count first.

For designs that are not proved to be the best: searches that were stopped, solvers that have only a bound of the cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from sisyphus import clock
from sisyphus.algebra import distinct
from sisyphus.search.candidates import candidates_of
from sisyphus.search.costs import CostModel, Ints, Tiling, Tilings
from sisyphus.search.effort import EFFORT
from sisyphus.search.share import sharings
from sisyphus.space import DesignPoint, NestSpace, NotADesign, Space, choices, decode

#: Cycles of a built design by the full model; infinite where it exceeds a budget.
Judge = Callable[[DesignPoint], float]
#: Designs that differ from one in a single respect.
Neighbours = Callable[[DesignPoint], Iterator[DesignPoint]]


def refine(costs: CostModel, point: DesignPoint, judge: Judge, deadline: float | None) -> DesignPoint:
    """A design no worse by `judge`; sweeps over shared buffers and nests until nothing improves or time is up.

    `deadline` is of the search's clock.
    """
    space = costs.space
    ways: list[Neighbours] = [lambda point: sharings(space, point)]
    ways += [_tilings_of(costs, nest) for nest in space.nests]
    best, cost = point, judge(point)
    improved = True
    while improved:
        improved = False
        for near in ways:
            for other in near(best):
                if deadline is not None and clock.now() >= deadline:
                    return best
                found = judge(other)
                if found < cost:
                    best, cost, improved = other, found, True
    return best


def _tilings_of(costs: CostModel, nest: NestSpace) -> Neighbours:
    """Other tilings of a nest, which are looked for when they are first asked for."""
    nearest = cache(lambda: _nearest(costs, nest, candidates_of(costs.space, nest, costs.states)))
    return lambda point: _neighbours(costs.space, point, nest, nearest())


def _nearest(costs: CostModel, nest: NestSpace, tilings: Tilings) -> list[Tiling]:
    """Tilings of a nest, cheapest first; of equally cheap ones, those with the smallest unroll factors."""
    if tilings.count > EFFORT.refined_counted:
        floors = costs.least(nest, tilings).cycles
        tilings = tilings.take(np.sort(_spread(np.argsort(floors, kind="stable"), EFFORT.refined_counted)))
    batch = tilings.batch
    cycles = costs.nest(nest, tilings, frozenset()).cycles
    if not len(cycles):
        return []
    order = np.lexsort((batch.level2.prod(axis=0), cycles))
    order = order[cycles[order] <= EFFORT.refined_factor * max(float(cycles.min()), 1.0)]
    return [batch.tiling(row) for row in _spread(order, EFFORT.refined_tilings).tolist()]


def _spread(order: Ints, most: int) -> Ints:
    """The first half of `most` places and the other half evenly from the rest."""
    if len(order) <= most:
        return order
    rest = np.linspace(most // 2, len(order) - 1, most - most // 2).astype(np.int64)
    chosen: Ints = order[distinct(np.concatenate([np.arange(most // 2), rest]))]
    return chosen


def _neighbours(space: Space, point: DesignPoint, nest: NestSpace, tilings: Sequence[Tiling]) -> Iterator[DesignPoint]:
    """The point with another tiling of one nest, everything else as it follows from that."""
    chosen = choices(space, point)
    now = chosen.nests[nest.id]
    for tiles, copies, interval in tilings:
        if (tiles, copies, interval) == (now.tiles, now.copies, now.interval):
            continue
        changed = replace(now, tiles=tiles, copies=copies, interval=interval)
        try:
            yield decode(space, chosen.with_nest(changed))
        except NotADesign:
            continue  # no partition serves this tiling together with the others
