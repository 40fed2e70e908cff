"""A design point as the order in which statement instances run; knows no buffers and no cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from sisyphus.analysis import (
    Dependence,
    Dependences,
    Distribution,
    LoopKind,
    Nest,
    OuterLoop,
    ViolatedDependence,
    violations,
)
from sisyphus.ir import Scop, StmtId
from sisyphus.poly import Affine, Map, Piece, const, schedule, split_loop, var
from sisyphus.space.coarse import copies_depth
from sisyphus.space.point import DesignPoint, NestPoint
from sisyphus.space.precedence import in_order, precedence


def schedules(scop: Scop, distribution: Distribution, point: DesignPoint) -> dict[StmtId, Map]:
    """Per statement a map to a common time space.

    (place among its siblings, outer iterator) per shared sequential loop, then the place of the nest, the level-0
    loops in the point's order (with the coarse-grained copies inside of those that stand outside of them), the level-1
    loops, the level-2 loops in band order, and the place in the body. Dimensions in which all statements have one
    time, as level-1 loops of one iteration do, are left out: isl asks of each whether it orders two instances.
    """
    times = _times(distribution, point)
    return {s: schedule(s, scop.statement(s).iterators, row) for s, row in times.items()}


def _times(distribution: Distribution, point: DesignPoint) -> dict[StmtId, tuple[Piece, ...]]:
    """When each statement runs, as functions of its iterators."""
    times = dict[StmtId, list[Piece]]()
    for prefix, nest in _placed(distribution.body, ()):
        places = {b.place for b in point.buffers if nest.id in b.nests}
        levels = _levels(nest, point.nest(nest.id), places, tree_reduction=point.tree_reduction)
        for at, statement in enumerate(nest.statements):
            times[statement] = [*prefix, *levels, const(at)]
    columns = [column for column in zip_longest(*times.values(), fillvalue=const(0)) if not _is_one_time(column)]
    rows = zip(*columns, strict=True) if columns else [()] * len(times)
    return {s: tuple(row) for s, row in zip(times, rows, strict=True)}


def _is_one_time(column: Sequence[Piece]) -> bool:
    """Whether all statements have the same constant there."""
    first = column[0]
    return isinstance(first, Affine) and first.is_constant and all(piece == first for piece in column)


def illegal(dependences: Dependences, distribution: Distribution, point: DesignPoint) -> ViolatedDependence | None:
    """The first dependence that a point's order runs backwards, with two instances that show it.

    With tree reduction, dependences of a reduction on its accumulator may be reordered.
    """
    scop, times = dependences.scop, _times(distribution, point)
    asked = tuple(edge for edge in dependences.edges if not _is_plainly_kept(scop, edge, times))
    names = dict.fromkeys(name for edge in asked for name in (edge.source, edge.sink))
    maps = {name: schedule(name, scop.statement(name).iterators, times[name]) for name in names}
    return violations(Dependences(scop, asked), maps, tree_reduction=point.tree_reduction)


def _is_plainly_kept(scop: Scop, edge: Dependence, times: Mapping[StmtId, Sequence[Piece]]) -> bool:
    """Whether two statements of a body, of which one depends on the other in its own iteration alone, differ in nothing
    but their places: of a body of a hundred statements most are so, and each question costs isl a millisecond.
    """
    source, sink = scop.statement(edge.source), scop.statement(edge.sink)
    shares_all = source.iterators == sink.iterators and len(edge.shared) == len(source.iterators)
    if edge.approximate or edge.depths != (None,) or not shares_all:
        return False
    first, second = times[edge.source], times[edge.sink]
    places = [
        piece for time in (first, second) for piece in time[-1:] if isinstance(piece, Affine) and piece.is_constant
    ]
    return first[:-1] == second[:-1] and len(places) == 2 and places[0].constant < places[1].constant


def _placed(body: Sequence[OuterLoop | Nest], prefix: tuple[Piece, ...]) -> list[tuple[tuple[Piece, ...], Nest]]:
    found: list[tuple[tuple[Piece, ...], Nest]] = []
    for at, part in enumerate(body):
        if isinstance(part, Nest):
            found.append(((*prefix, const(at)), part))
        else:
            found += _placed(part.body, (*prefix, const(at), var(part.iterator)))
    return found


def _levels(nest: Nest, point: NestPoint, places: set[str], *, tree_reduction: bool) -> list[Piece]:
    pieces, unroll = {}, dict(point.unroll)
    for loop in nest.band:
        tile = point.tile(loop.iterator)
        inner = (unroll.get(loop.iterator, 1), tile.level1, tile.level2)
        pieces[loop.iterator] = split_loop(loop.iterator, loop.lower, inner)
    depth = copies_depth(point.order, unroll, places)
    return [
        *(pieces[name][0] for name in point.order[:depth]),
        *(pieces[name][1] for name in point.order),
        *(pieces[name][0] for name in point.order[depth:]),
        *(pieces[name][2] for name in nest.iterators),
        *(pieces[name][3] for name in level2_order(nest, tree_reduction=tree_reduction)),
    ]


def level2_order(nest: Nest, *, tree_reduction: bool) -> tuple[str, ...]:
    """Order of the unrolled loops: as in the source, but reductions last as far as precedence lets them."""
    pairs = precedence(nest, tree_reduction=tree_reduction)
    return in_order(nest.iterators, pairs, lambda name: nest.loop(name).kind is LoopKind.REDUCTION)
