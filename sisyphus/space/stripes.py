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


def keeps_to_stripes(scop: Scop, nest: Nest, array: ArrayId, stripes: int, tiles: Mapping[str, Tile]) -> bool:
    """Whether a nest may have these tiles while rows of an array are dealt over so many stripes.

    Of the loops without a tile nothing is asked.
    """
    subscripts = set(last_subscripts(scop, nest, array))
    steps = {name: factor for subscript in subscripts for name, factor in subscript.terms}
    own = {loop: tile for loop, tile in tiles.items() if loop in steps}
    turns = any(factor % stripes for name, factor in steps.items() if name not in nest.iterators)
    for loop, tile in own.items():
        factors = (subscript.coefficient(loop) for subscript in subscripts)
        turns |= tile.level0 * tile.level1 > 1 and any(factor * tile.level2 % stripes for factor in factors)
    if not turns:
        return True
    is_written = any(scop.statement(s).write.array == array for s in nest.statements)
    is_one = len(subscripts) == 1 and sum(name in nest.iterators for name in steps) <= 1
    return is_one and not is_written and all(tile.level2 == 1 for tile in own.values())


def last_subscripts(scop: Scop, nest: Nest, array: ArrayId) -> list[Affine]:
    """What the statements of a nest have in the last dimension of an array."""
    statements = map(scop.statement, nest.statements)
    return [ref.index[-1] for s in statements for ref in (s.write, *s.reads) if ref.array == array and ref.index]
