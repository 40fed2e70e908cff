"""How often a nest runs at the least, per call of it, where its loops fill no box; knows no tile and no cost.

for i in 0..n-1: for j in 0..i: …   has n(n+1)/2 of the n*n iterations of its box. Tiles of t iterations that cover all
of them are at least n(n+1)/2 / t, whatever their shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import prod

from sisyphus.analysis import Nest, OuterLoop
from sisyphus.errors import InternalError
from sisyphus.ir import Scop, Statement
from sisyphus.poly import CountError, Set, constraints, count, dim_names, dim_range, project_onto
from sisyphus.space import NestSpace, Space


@dataclass(frozen=True)
class Reach:
    """What a nest runs through in one call, the mean over `calls` iterations of the outer loops.

    `uneven` are the loops that are no factor of the iteration space by themselves, all of them where unsure; they have
    `points` iterations together, a `share` of their box. Every other loop runs in full. `working`: the share of the
    calls in which the nest runs at all.
    """

    calls: int
    working: float
    uneven: frozenset[str]
    points: float
    share: float


def reach_of(space: Space, nest: NestSpace) -> Reach:
    """Of the statement of a nest that has the most iterations: the others can only add some."""
    calls = outer_runs(space, nest.nest)
    found = [_reach(space.scop.statement(s), nest, calls) for s in nest.nest.statements]
    return max(found, key=lambda reach: (reach.share, -len(reach.uneven)))


def outer_runs(space: Space, part: OuterLoop | Nest) -> int:
    """How often the body is run at least that a part of the distribution stands in."""
    loops = space.distribution.around(part)
    return max(runs_of(space.scop, loops[-1], len(loops)), 1) if loops else 1


@lru_cache(maxsize=1024)
def runs_of(scop: Scop, loop: OuterLoop, depth: int) -> int:
    """Iterations of an outer loop that has `depth - 1` loops around it, over all of theirs, at the least."""
    statements = [scop.statement(s) for nest in loop.nests for s in nest.statements]
    return max(_count(project_onto(s.domain, s.iterators[:depth])) for s in statements)


def _reach(statement: Statement, nest: NestSpace, calls: int) -> Reach:
    uneven = _uneven(statement, nest)
    even = prod(loop.trip_count for loop in nest.loops if loop.iterator not in uneven)
    box = prod(loop.trip_count for loop in nest.loops if loop.iterator in uneven)
    points = _count(statement.domain) / max(even * calls, 1)
    around = statement.iterators[: len(nest.nest.outer)]
    working = _count(project_onto(statement.domain, around)) / calls
    return Reach(calls, working, uneven, points, points / box if box else 0.0)


def _uneven(statement: Statement, nest: NestSpace) -> frozenset[str]:
    """Loops that a condition ties to others, or that do not run through all values that the nest gives them."""
    depth = len(nest.nest.outer)
    names = dict(zip(statement.iterators[depth:], (loop.iterator for loop in nest.loops), strict=True))
    try:
        parts = constraints(statement.domain)
    except InternalError:  # a stride or a modulus
        parts = []
    if len(parts) != 1:
        return frozenset(names.values())
    [(at_least, equal)] = parts
    tied = {name for condition in (*at_least, *equal) if len(condition.names) > 1 for name in condition.names}
    return frozenset(
        loop for own, loop in names.items() if own in tied or not _is_full(statement.domain, own, nest, loop)
    )


def _is_full(domain: Set, own: str, nest: NestSpace, loop: str) -> bool:
    low, high = dim_range(domain, own)
    return high - low + 1 == nest.loop(loop).trip_count


def _count(points: Set) -> int:
    """Exactly, or one point of many where that takes too long."""
    try:
        return count(points) if dim_names(points) else int(not points.is_empty())
    except CountError:
        return 1
