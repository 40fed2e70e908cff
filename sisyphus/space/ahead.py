"""Tiles that are loaded one iteration ahead, into one of two copies of their buffer; knows no cost.

While a tile is computed with, the next one is loaded (docs/model.md, "Tiles loaded ahead"). So the next one must be
known: loops run through a box. Nothing in the nest may write what is loaded, and no other transfer may need its port.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sisyphus.analysis import Nest
from sisyphus.ir import ArrayId, Role, Scop
from sisyphus.space.point import BufferPoint, NestPoint


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


def faults_ahead(scop: Scop, nest: Nest, point: NestPoint, buffers: Sequence[BufferPoint]) -> list[str]:
    """What is wrong with the buffers of a nest that have two copies, a sentence each; none where they can be built."""
    found, legal = [], may_load_ahead(scop, nest)
    for buffer in buffers:
        loops = dict(point.tiles)
        if buffer.array not in legal or len(buffer.nests) > 1:
            found.append(f"tiles of `{buffer.array}` cannot be loaded ahead in nest `{nest.id}`")
        elif buffer.place not in loops or loops[buffer.place].level0 < 2:
            found.append(f"`{buffer.place}` is no loop with several tiles, under which one could be loaded ahead")
    if len({buffer.place for buffer in buffers}) > 1:
        found.append(f"nest `{nest.id}` can load ahead under one loop")
    if buffers and (point.unroll or point.split):
        found.append(f"nest `{nest.id}` has copies or full tiles apart, and so no tiles that are loaded ahead")
    return found
