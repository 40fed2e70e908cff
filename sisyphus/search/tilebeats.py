"""How wide the beats of tiled arrays may be at most: by their own tiles, and by those of other nests; knows no cost.

All buffers of an array and of its views share one port. Where the tiles of one nest lie apart by no whole beats, as
those of a size that is no power of two do, beats are narrower in all of them. Where narrower ones are not legal, as the
user or the space has it, the width is 0: there is no such tile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, combinations, product
from math import prod

import numpy as np

from sisyphus.algebra import distinct_rows
from sisyphus.ir import ArrayId
from sisyphus.search.costs import Batch, Floats
from sisyphus.search.effort import EFFORT
from sisyphus.space import ArrayUse, BufferPoint, NestPoint, NestSpace, Space, Tile, tile_widths


class TileBeats:
    """Upper bounds of the elements per beat of tiled arrays."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self._caps: dict[ArrayId, int] = {}
        self._known: dict[tuple[str, ArrayId, tuple[tuple[str, int], ...]], int] = {}

    def cap(self, array: ArrayId) -> int:
        """Of an array that is tiled in all nests, and all of its views: the least that one of its nests may have."""
        home = self.space.scop.home(array)
        if home not in self._caps:
            same = [a for a in self.space.used_arrays if self.space.scop.home(a) == home]
            uses = [(nest, use) for nest in self.space.nests for use in nest.arrays if use.array in same]
            self._caps[home] = min((self._widest(nest, use) for nest, use in uses), default=1)
        return self._caps[home]

    def of(self, nest: NestSpace, use: ArrayUse, batch: Batch, outside: frozenset[str]) -> Floats | int:
        """For each candidate, where the loops `outside` are outside of the transfers of the array in a nest."""
        cap, cut = self.cap(use.array), self._cut(use, outside)
        if cap <= 1 or not cut:
            return min(cap, self._width(nest, use, ()))
        rows = [batch.loops.index(name) for name in cut]
        sizes, which = distinct_rows(list((batch.level1 * batch.level2)[rows]))
        widths = [self._width(nest, use, tuple(zip(cut, each, strict=True))) for each in sizes.tolist()]
        return np.asarray(np.minimum(widths, cap)[which], np.float64)

    def _cut(self, use: ArrayUse, outside: Iterable[str]) -> tuple[str, ...]:
        """Loops outside of the transfers that move the tile along a row."""
        return tuple(name for name in use.dims[-1].loops if name in outside) if use.dims else ()

    def _widest(self, nest: NestSpace, use: ArrayUse) -> int:
        """In any tiling and with any loops outside."""
        most, loops = max(self.space.widths[use.array]), self._cut(use, (loop.iterator for loop in nest.loops))
        sizes = {name: sorted({tile.size for tile in nest.loop(name).tiles}, reverse=True) for name in loops}
        if prod(len(own) + 1 for own in sizes.values()) > EFFORT.tile_sizes:
            return most
        widest = 0
        for cut in _subsets(loops):
            for chosen in product(*(sizes[name] for name in cut)):
                widest = max(widest, self._width(nest, use, tuple(zip(cut, chosen, strict=True))))
                if widest == most:
                    return most
        return widest

    def _width(self, nest: NestSpace, use: ArrayUse, sizes: tuple[tuple[str, int], ...]) -> int:
        """With tiles of these sizes; a loop of one tile may also stand inside of the transfers."""
        key = (nest.id, use.array, sizes)
        if key not in self._known:
            whole = [name for name, size in sizes if size >= nest.loop(name).trip_count]
            parts = (tuple(s for s in sizes if s[0] not in left) for left in _subsets(whole))
            self._known[key] = max(self._exact_width(nest, use, dict(part)) for part in parts)
        return self._known[key]

    def _exact_width(self, nest: NestSpace, use: ArrayUse, sizes: dict[str, int]) -> int:
        inside = [loop for loop in nest.loops if loop.iterator not in sizes]
        tiles = {**{name: Tile(1, size, 1) for name, size in sizes.items()}, **{s.iterator: s.tiles[0] for s in inside}}
        order = (*sizes, *(loop.iterator for loop in inside))
        point = NestPoint(nest.nest.statements, order, tuple(tiles.items()), None)
        place = order[len(sizes) - 1] if sizes else "around"
        buffer = BufferPoint(use.array, (nest.id,), place, (1,) * len(use.dims))
        return max(tile_widths(self.space, nest, point, buffer), default=0)


def _subsets(names: Iterable[str]) -> Iterator[tuple[str, ...]]:
    every = tuple(names)
    return chain.from_iterable(combinations(every, n) for n in range(len(every) + 1))
