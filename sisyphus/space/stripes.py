"""How nests may run through the rows of an array that is dealt over several ports; knows no cost and no code.

Element j of a row is in stripe j % n of the array (`ports.py`). Where the loops around a body move a subscript by
multiples of n only, each unrolled copy of the body finds its elements in one stripe, which the emitted text names. What
a nest reads without copies may also move from stripe to stripe; a nest that writes must name the stripe, as no tool
sees how far apart the writes of a moving one are.
"""

from __future__ import annotations

from collections.abc import Mapping

from sisyphus.analysis import Nest
from sisyphus.ir import ArrayId, Scop
from sisyphus.poly import Affine
from sisyphus.space.point import Tile
from sisyphus.values import dataclass


@dataclass(frozen=True)
class RowUse:
    """Where a nest finds elements in the rows of an array: its different subscripts there, `loops` of its band in them.

    `may_move`: they are one subscript, with one of these loops at most, of an array that the nest does not write.
    """

    subscripts: frozenset[Affine]
    loops: frozenset[str]
    may_move: bool

    @staticmethod
    def of(scop: Scop, nest: Nest, array: ArrayId) -> RowUse:
        """How a nest uses an array."""
        subscripts = frozenset(last_subscripts(scop, nest, array))
        loops = frozenset(nest.iterators) & {name for subscript in subscripts for name in subscript.names}
        is_written = any(scop.statement(s).write.array == array for s in nest.statements)
        return RowUse(subscripts, loops, len(subscripts) == 1 and len(loops) <= 1 and not is_written)

    def keeps(self, stripes: int, tiles: Mapping[str, Tile]) -> bool:
        """Whether the nest may have these tiles while rows are dealt over so many stripes.

        Of the loops without a tile nothing is asked.
        """
        own = {loop: tile for loop, tile in tiles.items() if loop in self.loops}
        stays = not any(self._turns(name, factor, stripes, own) for s in self.subscripts for name, factor in s.terms)
        return stays or (self.may_move and all(tile.level2 == 1 for tile in own.values()))

    def _turns(self, name: str, factor: int, stripes: int, tiles: Mapping[str, Tile]) -> bool:
        """Whether a loop, of the band or outside of it, moves a copy of the body on to another stripe."""
        if name not in self.loops:
            return bool(factor % stripes)
        tile = tiles.get(name)
        return tile is not None and tile.level0 * tile.level1 > 1 and bool(factor * tile.level2 % stripes)


def last_subscripts(scop: Scop, nest: Nest, array: ArrayId) -> list[Affine]:
    """What the statements of a nest have in the last dimension of an array."""
    statements = map(scop.statement, nest.statements)
    return [ref.index[-1] for s in statements for ref in (s.write, *s.reads) if ref.array == array and ref.index]
