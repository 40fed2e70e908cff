"""Designs that need no search: every array on chip, and each nest pipelined in its innermost loop that can be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sisyphus.analysis import LoopKind
from sisyphus.space.choices import Choices, NestChoices, NotADesign, decode
from sisyphus.space.point import KERNEL_PLACE, DesignPoint, Tile
from sisyphus.space.space import LoopSpace, NestSpace, Space

#: Iterations at once, of the pipelined loop where it is parallel.
LANES = (1, 2, 4, 8, 16)


def plain_points(space: Space) -> Iterator[DesignPoint]:
    """One design for each number of lanes, the smallest first; none where an array cannot be on chip."""
    if any(KERNEL_PLACE not in use.places for nest in space.nests for use in nest.arrays):
        return
    for lanes in LANES:
        nests = {nest.id: _nest(nest, lanes) for nest in space.nests}
        found = {nest_id: choices for nest_id, choices in nests.items() if choices is not None}
        if len(found) < len(nests):
            continue
        widths = {array: _width(space.widths[array], lanes) for array in space.used_arrays}
        try:
            yield decode(space, Choices(found, widths))
        except NotADesign:
            continue


def _width(legal: Sequence[int], lanes: int) -> int:
    """The widest beat for which there are banks anyway."""
    return max((width for width in legal if width <= lanes), default=min(legal))


def _nest(nest: NestSpace, lanes: int) -> NestChoices | None:
    """All of the pipelined loop in one tile, of every other loop one iteration; None where such tiles are not legal."""
    pipelined = next((loop.iterator for loop in reversed(nest.loops) if loop.iterator in nest.pipelines), None)
    tiles = dict[str, Tile]()
    for loop in nest.loops:
        wanted = _wanted(loop, lanes) if loop.iterator == pipelined else [Tile(loop.trip_count, 1, 1)]
        legal = next((tile for tile in wanted if tile in loop.tiles), None)
        if legal is None:
            return None
        tiles[loop.iterator] = legal
    residents = frozenset(use.array for use in nest.arrays)
    copies = {loop.iterator: loop.unroll[0] for loop in nest.loops}
    return NestChoices(nest.id, tiles, copies, {}, nest.intervals[0], residents)


def _wanted(loop: LoopSpace, lanes: int) -> Iterator[Tile]:
    """Tiles of the pipelined loop, those that compute most at once first."""
    for copies in range(lanes if loop.kind is LoopKind.PARALLEL else 1, 0, -1):
        if loop.trip_count % copies == 0:
            yield Tile(1, loop.trip_count // copies, copies)
