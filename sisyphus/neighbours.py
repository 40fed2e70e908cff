"""Designs next to a given one, with one choice of one nest changed and what must follow from it; knows no cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import gcd

from sisyphus.errors import KernelError
from sisyphus.ir import ArrayId
from sisyphus.plan import check_point
from sisyphus.space import (
    KERNEL_PLACE,
    BufferPoint,
    DesignPoint,
    LoopSpace,
    NestPoint,
    NestSpace,
    NotADesign,
    Space,
    Tile,
    choices,
    decode,
    illegal,
)
from sisyphus.values import dataclass, replace


@dataclass(frozen=True)
class Change:
    """One choice of a nest changed, in words; `point` is the design then, None where there is none, and why."""

    nest: str
    kind: str
    words: str
    point: DesignPoint | None
    refused: str | None = None


def neighbours(space: Space, point: DesignPoint) -> Iterator[Change]:
    """Of every nest: the next tile sizes and numbers of copies, neighbours in the order exchanged, other loops
    pipelined, other places and beats of its arrays. Knobs that the user fixed have no neighbours.

    Partitions, and beats of tiles, follow from the rest, as they do in the search.
    """
    for nest in space.nests:
        chosen = point.nest(nest.id)
        for kind, words, crude in _changes(space, nest, chosen, point):
            found, refused = _made(space, crude)
            if found is None or found != point:
                yield Change(nest.id, kind, words, found, refused)


def _made(space: Space, crude: DesignPoint) -> tuple[DesignPoint | None, str | None]:
    """The design that a changed point asks for, or why there is none."""
    nests = tuple(replace(nest, order=crude.nest(nest.id).order) for nest in space.nests)
    held = replace(space, nests=nests)
    try:
        made = decode(held, choices(held, crude))
        point = replace(crude, nests=made.nests, buffers=made.buffers, transfers=made.transfers)
        check_point(space.scop, space.distribution, point)
    except NotADesign:
        return None, "no partition or beat serves this together with the rest"
    except KernelError as wrong:
        return None, f"not legal: {wrong.message.partition(': ')[2]}"
    violation = illegal(space.dependences, space.distribution, point)
    return (point, None) if violation is None else (None, f"not legal: {violation}")


Crude = tuple[str, str, DesignPoint]


def _changes(space: Space, nest: NestSpace, chosen: NestPoint, point: DesignPoint) -> Iterator[Crude]:
    for loop in nest.loops:
        for tile in _next_tiles(loop, chosen.tile(loop.iterator)):
            tiles = {loop.iterator: tile}
            words = f"{loop.iterator}={tile}, not {chosen.tile(loop.iterator)}"
            yield "tile", words, point.with_nest(_tiled(chosen, tiles))
        yield from _copies(loop, chosen, point)
    if nest.order is None:
        for order in _exchanged(chosen):
            words = f"order {' '.join(order)}, not {' '.join(chosen.order)}"
            yield "order", words, point.with_nest(replace(chosen, order=order))
    yield from _pipelines(nest, chosen, point)
    for use in nest.arrays:
        yield from _places(space, nest, use.array, chosen, point)
        yield from _widths(space, nest, use.array, point)


def _next_tiles(loop: LoopSpace, now: Tile) -> list[Tile]:
    """The next smaller and larger unroll factor, and the next smaller and larger level 1 at the same one."""
    found = []
    for larger in (False, True):
        beyond = {t.level2 for t in loop.tiles if (t.level2 > now.level2 if larger else t.level2 < now.level2)}
        if beyond:
            level2 = min(beyond) if larger else max(beyond)
            alike = [t for t in loop.tiles if t.level2 == level2 and (t.level1 > 1) == (now.level1 > 1)]
            found += sorted(alike, key=lambda t: (abs(t.level1 - now.level1), t.level1))[:1]
        sizes = [t for t in loop.tiles if t.level2 == now.level2 and t.level1 > 1 and now.level1 > 1]
        sizes = [t for t in sizes if (t.level1 > now.level1 if larger else t.level1 < now.level1)]
        if sizes:
            found.append((min if larger else max)(sizes, key=lambda t: t.level1))
    return found


def _copies(loop: LoopSpace, chosen: NestPoint, point: DesignPoint) -> Iterator[Crude]:
    """The next smaller and larger coarse-grained factor of a loop."""
    unroll, name = dict(chosen.unroll), loop.iterator
    now = unroll.get(name, 1)
    legal = [f for f in loop.unroll if chosen.tile(name).level0 % f == 0]
    for other in (*[f for f in legal if f < now][-1:], *[f for f in legal if f > now][:1]):
        copies = tuple((n, f) for n, _ in chosen.tiles if (f := {**unroll, name: other}.get(n, 1)) > 1)
        words = f"{name} in {other} copies, not {now}"
        yield "unroll", words, point.with_nest(replace(chosen, unroll=copies))


def _exchanged(chosen: NestPoint) -> Iterator[tuple[str, ...]]:
    """Two loops exchanged that follow each other, of those that have more than one tile."""
    turning = [loop for loop in chosen.order if chosen.tile(loop).level0 > 1]
    for a, b in pairwise(turning):
        swap = {a: b, b: a}
        yield tuple(swap.get(loop, loop) for loop in chosen.order)


def _pipelines(nest: NestSpace, chosen: NestPoint, point: DesignPoint) -> Iterator[Crude]:
    """Another loop pipelined over all of its tiles, the loop that was now with all of its iterations in level 0."""
    for name in nest.pipelines:
        if name is None or name == chosen.pipeline:
            continue
        unroll = chosen.tile(name).level2
        longest = [t for t in nest.loop(name).tiles if t.level2 == unroll and t.level1 > 1]
        if not longest:
            continue
        tiles = {name: max(longest, key=lambda t: t.level1)}
        if chosen.pipeline is not None:
            was = chosen.tile(chosen.pipeline)
            flat = [t for t in nest.loop(chosen.pipeline).tiles if t.level2 == was.level2 and t.level1 == 1]
            if not flat:
                continue
            tiles[chosen.pipeline] = flat[0]
        told = ", ".join(f"{loop}={tile}" for loop, tile in tiles.items())
        changed = replace(_tiled(chosen, tiles), pipeline=name)
        yield "pipeline", f"{name} pipelined ({told}), not {chosen.pipeline or 'any'}", point.with_nest(changed)


def _places(space: Space, nest: NestSpace, array: ArrayId, chosen: NestPoint, point: DesignPoint) -> Iterator[Crude]:
    """The array at each other place that it may have in the nest: resident, or at a loop with more than one tile."""
    use, now = nest.use(array), point.buffer_of(array, nest.id)
    if use is None or any(nest.id in group and len(group) > 1 for group in space.together):
        return  # under an outer loop, it is resident in all nests or in none
    for place in use.places:
        turns = place == KERNEL_PLACE or (place in chosen.order and chosen.tile(place).level0 > 1)
        if turns and place != now.place:
            words = f"`{array}` {_at(place)}, not {_at(now.place)}"
            yield "place", words, replace(point, buffers=_moved(point.buffers, now, nest.id, place))


def _at(place: str) -> str:
    return "resident" if place == KERNEL_PLACE else f"at {place}"


def _moved(buffers: Sequence[BufferPoint], now: BufferPoint, nest: str, place: str) -> tuple[BufferPoint, ...]:
    """The buffers with that of one nest at another place; it leaves, or joins, the resident one of other nests."""
    left = replace(now, nests=tuple(n for n in now.nests if n != nest))
    rest = [left if b is now else b for b in buffers]
    kept = [b for b in rest if b.nests]
    resident = next((b for b in kept if b.array == now.array and b.place == KERNEL_PLACE), None)
    if place == KERNEL_PLACE and resident is not None:
        joined = replace(resident, nests=(*resident.nests, nest))
        return tuple(joined if b is resident else b for b in kept)
    return (*kept, replace(now, nests=(nest,), place=place))


def _widths(space: Space, nest: NestSpace, array: ArrayId, point: DesignPoint) -> Iterator[Crude]:
    """The next narrower and wider beat of a resident array, told of the first nest that uses it."""
    now = point.buffer_of(array, nest.id)
    if now.place != KERNEL_PLACE or now.nests[0] != nest.id or not now.partition:
        return
    width, legal = point.transfer_of(now.id).width, space.widths[array]
    nearest = (max((w for w in legal if w < width), default=None), min((w for w in legal if w > width), default=None))
    for other in nearest:
        if other is not None:
            ports = space.port_names(array, other)
            moved = {t.buffer: replace(t, width=other, ports=ports) for t in point.transfers if t.buffer == now.id}
            transfers = tuple(moved.get(t.buffer, t) for t in point.transfers)
            words = f"`{array}` moves {other} elements per beat, not {width}"
            yield "width", words, replace(point, transfers=transfers)


def _tiled(chosen: NestPoint, tiles: dict[str, Tile]) -> NestPoint:
    """With as many copies as still divide the tiles."""
    kept = ((loop, gcd(f, tiles[loop].level0) if loop in tiles else f) for loop, f in chosen.unroll)
    return replace(
        chosen,
        tiles=tuple((loop, tiles.get(loop, tile)) for loop, tile in chosen.tiles),
        unroll=tuple((loop, f) for loop, f in kept if f > 1),
    )
