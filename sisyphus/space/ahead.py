"""Tiles that are loaded one iteration ahead, into one of two copies of their buffer; knows no cost.

While a tile is computed with, the next one is loaded (docs/model.md, "Tiles loaded ahead"). So the next one must be
known: loops run through a box. Nothing in the nest may write what is loaded, and no other transfer may need its port.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sisyphus.analysis import Nest
from sisyphus.ir import ArrayId, Role, Scop
from sisyphus.space.narrowing import YES_NO, Fix, Knob
from sisyphus.space.point import BufferPoint, DesignPoint, NestPoint
from sisyphus.space.space import NestSpace, Space
from sisyphus.values import replace


def may_load_ahead(scop: Scop, nest: Nest) -> tuple[ArrayId, ...]:
    """The arrays of a nest whose tiles may be loaded ahead, in the order of their declaration."""
    if not nest.is_box:
        return ()
    statements = [scop.statement(s) for s in nest.statements]
    used = {array for s in statements for array in s.touched}
    written = {scop.home(s.write.array) for s in statements}
    ports = [scop.array(array).port for array in used]
    return tuple(
        a.id
        for a in scop.arrays
        if a.id in used and a.role is not Role.LOCAL and a.home not in written and ports.count(a.port) == 1
    )


def ahead_place(chosen: NestPoint, places: Iterable[str]) -> str | None:
    """The loop that loads ahead, of those under which such arrays have their tiles: the innermost with several tiles.

    None in a nest with coarse-grained copies.
    """
    turning = [place for place in places if place in chosen.order and chosen.tile(place).level0 > 1]
    return None if chosen.unroll else max(turning, key=chosen.order.index, default=None)


def loaded_ahead(scop: Scop, nest: Nest, chosen: NestPoint, buffers: Sequence[BufferPoint]) -> tuple[BufferPoint, ...]:
    """The buffers of a kernel with two copies of those of a nest whose tiles are loaded ahead."""
    legal = may_load_ahead(scop, nest)
    mine = [b for b in buffers if b.nests == (nest.id,) and b.array in legal]
    place = ahead_place(chosen, (b.place for b in mine))
    return tuple(replace(b, copies=2) if b in mine and b.place == place else b for b in buffers)


def _faults(scop: Scop, nest: Nest, point: DesignPoint) -> Iterator[str]:
    """What is wrong with the buffers of a nest that have two copies, a sentence each; none where they can be built."""
    chosen, legal = point.nest(nest.id), may_load_ahead(scop, nest)
    loops, buffers = dict(chosen.tiles), [b for b in point.buffers if b.copies == 2 and nest.id in b.nests]
    for buffer in buffers:
        if buffer.array not in legal or len(buffer.nests) > 1:
            yield f"tiles of `{buffer.array}` cannot be loaded ahead in nest `{nest.id}`"
        elif buffer.place not in loops or loops[buffer.place].level0 < 2:
            yield f"`{buffer.place}` is no loop with several tiles, under which one could be loaded ahead"
    if len({buffer.place for buffer in buffers}) > 1:
        yield f"nest `{nest.id}` can load ahead under one loop"
    if buffers and (chosen.unroll or chosen.split):
        yield f"nest `{nest.id}` has copies or full tiles apart, and so no tiles that are loaded ahead"


def _unmet(space: Space, nest: NestSpace, point: DesignPoint) -> Iterator[str]:
    """Tiles that are loaded ahead where none may be, or not where the user wants them."""
    if any(buffer.copies > 1 and nest.id in buffer.nests for buffer in point.buffers):
        if not nest.early:
            yield f"nest `{nest.id}`: its tiles cannot be loaded ahead"
    elif nest.ahead and loaded_ahead(space.scop, nest.nest, point.nest(nest.id), point.buffers) != point.buffers:
        yield f"nest `{nest.id}`: its tiles are to be loaded ahead"


def _fix(fix: Fix, _space: Space, nest: NestSpace) -> NestSpace:
    legal = YES_NO if nest.early else ["no"]
    refused = f"tiles of `{nest.id}` cannot be loaded ahead" if fix.value == "yes" else "no answer"
    ahead = YES_NO[fix.one_of(legal, refused)]
    return replace(nest, ahead=ahead, early=nest.early if ahead else ())


AHEAD = Knob(
    "NEST.ahead",
    "`yes`: the next tiles are loaded beside what is computed with these; or `no`",
    _fix,
    off="no",
    faults=_faults,
    unmet=_unmet,
)
