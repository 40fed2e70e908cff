"""Coarse-grained unrolling: which level-0 loops may have copies side by side, and where these stand; knows no cost.

Equations 6 to 9 of the paper: the factor divides the trip count at level 0; reductions and nests of one statement have
none (fine-grained unrolling serves there). Each copy stores its tile of an array as a whole, so that tiles that are
written must not overlap.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from sisyphus.analysis import Nest
from sisyphus.ir import ArrayId, Role, Scop
from sisyphus.space.point import Tile
from sisyphus.space.space import DimUse


def free_loops(scop: Scop, nest: Nest) -> tuple[str, ...]:
    """The loops of a nest that may have copies: of several statements, in none of whose dependences they take part.

    So copies are independent whatever the order and the other tiles are. The nest must run through a box, so that all
    copies do the same work.
    """
    if len(nest.statements) < 2 or not nest.is_box:
        return ()
    tied = {at for signs in nest.directions for at, sign in enumerate(signs) if sign}
    free = (name for at, name in enumerate(nest.iterators) if at not in tied)
    written = {scop.statement(s).write.array for s in nest.statements}
    moved = [array for array in written if scop.array(array).role is not Role.LOCAL]
    return tuple(name for name in free if all(_parts_tiles(scop, nest, array, name) for array in moved))


def _parts_tiles(scop: Scop, nest: Nest, array: ArrayId, loop: str) -> bool:
    """Whether one step of a loop moves tiles of an array on by all that they hold, in some dimension.

    Reads count as well: `D[2 * l + 3] += D[2 * l]` writes no element twice, and yet each tile holds some of the next.
    """
    statements = [scop.statement(s) for s in nest.statements]
    refs = [ref for s in statements for ref in (s.write, *s.reads) if ref.array == array]
    sizes = {one.iterator: 1 if one.iterator == loop else one.trip_count for one in nest.band}
    dims = (
        DimUse.of(extent, [ref.index[at] for ref in refs], nest.iterators)
        for at, extent in enumerate(scop.array(array).extents)
    )
    return any(dict(use.coefficients or ()).get(loop, 0) >= use.reach(sizes) for use in dims)


def factors_of(tile: Tile) -> tuple[int, ...]:
    """The coarse-grained factors of a loop with this tile: divisors of its trip count at level 0, ascending."""
    return tuple(f for f in range(1, tile.level0 + 1) if tile.level0 % f == 0)


def legal_factors(scop: Scop, nest: Nest, loop: str, tiles: Iterable[Tile]) -> tuple[int, ...]:
    """The factors that some of the tiles of a loop allows, ascending; 1 alone where it may have no copies."""
    if loop not in free_loops(scop, nest):
        return (1,)
    return tuple(sorted({f for level0 in {t.level0 for t in tiles} for f in factors_of(Tile(level0, 1, 1))}))


def copies_depth(order: tuple[str, ...], unroll: Mapping[str, int], places: Collection[str]) -> int:
    """How many level-0 loops, outermost first, stand outside of the copies; 0 where there are none.

    Copies are called inside of the last loop that has copies or, as they share a port, moves something (`places`).
    """
    copied = [loop for loop in order if unroll.get(loop, 1) > 1]
    if not copied:
        return 0
    return 1 + max(order.index(loop) for loop in order if loop in copied or loop in places)
