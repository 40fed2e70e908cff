"""From a fractional answer to a legal design: our exact search among the tiles near to it; knows no solver."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from sisyphus.nlp.knobs import log_name
from sisyphus.nlp.values import knob
from sisyphus.search.by_exact import Hunt
from sisyphus.search.effort import EFFORT
from sisyphus.search.session import Session
from sisyphus.solve.contract import SolveOutcome, Stop
from sisyphus.space import DesignPoint, LoopSpace, NestSpace, Space, Tile


def repair(session: Session, name: str, outcome: SolveOutcome) -> SolveOutcome:
    """The best legal design near a relaxed optimum; if the relaxation is convex, its optimum is a bound."""
    if outcome.relaxed is None:
        return outcome
    session.raise_bound(outcome.bound)
    hunt = Hunt(session, solver=name)
    try:
        for radius in EFFORT.repair_radii:
            costs = session.make_costs(near(session.space, outcome.relaxed, radius))
            enough = hunt.found is not None
            hunt.run_tightening(costs, proves=False)
            if enough or session.is_over:
                break
        stop = Stop.UNPROVED
    except KeyboardInterrupt:
        stop = Stop.INTERRUPTED
    if hunt.found is None:
        return replace(outcome, stop=Stop.TIME if session.is_over else Stop.FAILED, message="found nothing near")
    return replace(outcome, stop=stop, values=None, objective=session.best.cost if session.best else None)


def logarithms(point: DesignPoint) -> dict[str, float]:
    """The trip counts of a point as a relaxed answer has them."""
    return {
        knob("log", f"{nest.id}.{loop}.{level}"): math.log(count)
        for nest in point.nests
        for loop, tile in nest.tiles
        for level, count in enumerate(tile)
    }


def near(space: Space, relaxed: Mapping[str, float], radius: float) -> Space:
    """The space with only tiles whose trip counts are within a factor of the relaxed ones; every loop keeps one."""
    nests = []
    for nest in space.nests:
        loops = tuple(replace(loop, tiles=_tiles(nest, loop, relaxed, radius)) for loop in nest.loops)
        nests.append(replace(nest, loops=loops))
    return replace(space, nests=tuple(nests))


def _tiles(nest: NestSpace, loop: LoopSpace, relaxed: Mapping[str, float], radius: float) -> tuple[Tile, ...]:
    logs = [relaxed.get(knob("log", log_name(nest, loop.iterator, level)), 0.0) for level in range(3)]

    def distance(tile: Tile) -> float:
        return max(abs(math.log(count) - log) for count, log in zip(tile, logs, strict=True))

    kept = tuple(tile for tile in loop.tiles if distance(tile) <= math.log(radius))
    plain = tuple(tile for tile in loop.tiles if tile.level1 == 1)
    return kept or (min(plain or loop.tiles, key=distance),)
