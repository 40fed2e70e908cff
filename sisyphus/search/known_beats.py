"""The beats of tiles, and the banks for them, of one space: each is found out once, as most tilings have the same rows.

Knows no cost.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from sisyphus.ir import ArrayId
from sisyphus.space import (
    ArrayUse,
    BufferPoint,
    NestPoint,
    NestSpace,
    RowPart,
    Space,
    beat_factor,
    row_part,
    tile_widths,
)

#: Per loop that moves along rows: its name, whether it is outside of the transfer, iterations of its tile, its copies.
Moving = tuple[tuple[str, bool, int, int], ...]


class KnownBeats:
    """What was found out, by all that it depends on."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._rows: dict[tuple[str, ArrayId, Moving], tuple[int, RowPart | None]] = {}
        self._cuts = cache(self._cut)

    def of_rows(
        self, nest: NestSpace, use: ArrayUse, moving: Moving, place: str, point: Callable[[], NestPoint]
    ) -> tuple[int, RowPart | None]:
        """Elements of the widest beat of a tile, 0 if there is none, and its part of a row.

        `point` has an order and tiles of the nest in which the loops that move along rows are so.
        """
        key = (nest.id, use.array, moving)
        if key not in self._rows:
            chosen = point()
            buffer = BufferPoint(use.array, (nest.id,), place, (1,) * len(use.dims))
            widest = max(tile_widths(self._space, nest, chosen, buffer), default=0)
            self._rows[key] = widest, row_part(self._space, nest, chosen, buffer)
        return self._rows[key]

    def cut_to(self, nest: NestSpace, array: ArrayId, others: int, width: int, own: int, words: int) -> int:
        """Banks of rows of a tile by `beat_factor`, or 0 where the `own` factor decides."""
        return self._cuts(nest.id, array, others, width, own, words)

    def _cut(self, nest: str, array: ArrayId, others: int, width: int, own: int, words: int) -> int:
        found = beat_factor(self._space, self._space.nest(nest), array, others, width, own=own, words=words)
        return 0 if found is None else found
