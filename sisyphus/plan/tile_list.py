"""Tiles in a table: loops in moving bounds as one loop over what they visit, and what starts of all loops may share.

for j0 in 0..2: for i0 in j0..2: for i1: S   becomes
for t in 0..5: for i1: { j0, i0 = the t-th of (0,0) (0,1) (0,2) (1,1) (1,2) (2,2); S }
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from sisyphus.algebra import Algebra, Condition, Value
from sisyphus.errors import KernelError
from sisyphus.plan.tree import Bound, For, Node, walk
from sisyphus.values import dataclass

#: Further apart than any two starts: the same never comes again.
FAR = 1 << 40
#: As many tiles a table may have.
MOST_TILES = 1 << 14


@dataclass(frozen=True)
class TileList:
    """The loops that are one, outermost first, with their values in each of its iterations; and what is inside."""

    loops: tuple[For, ...]
    rows: tuple[tuple[int, ...], ...]
    body: tuple[Node, ...]

    def columns(self) -> Iterator[tuple[For, tuple[int, ...]]]:
        """Each loop with its values, one after another."""
        return zip(self.loops, zip(*self.rows, strict=True), strict=True)


def tile_list(loop: For) -> TileList | None:
    """The table whose outermost loop this is; None where it is of no table, or stands further in.

    `KernelError` where the table would be too long.
    """
    chain = [loop] if loop.listed else []
    while chain and len(chain[-1].body) == 1 and isinstance(inner := chain[-1].body[0], For) and inner.listed:
        chain.append(inner)
    asked = {name for inner in chain for name in inner.asks}
    moving = [at for at, inner in enumerate(chain) if not inner.is_constant]
    if not moving or loop.iterator not in asked:
        return None
    loops = tuple(chain[: moving[-1] + 1])
    rows = tuple(islice(_rows(loops, {}), MOST_TILES + 1))
    if len(rows) > MOST_TILES:
        found = f"a table of the tiles of `{loop.source}` would have more than {MOST_TILES:,} rows"
        raise KernelError(found, hint="take larger tiles")
    return TileList(loops, rows, loops[-1].body)


def tables_in(nodes: Sequence[Node]) -> Iterator[TileList]:
    """The tables of some nodes; a nest has one at most."""
    inside: set[int] = set()
    for node in walk(nodes):
        found = tile_list(node) if isinstance(node, For) and id(node) not in inside else None
        if found is not None:
            inside |= {id(loop) for loop in found.loops}
            yield found


def _rows(loops: Sequence[For], around: dict[str, int]) -> Iterator[tuple[int, ...]]:
    if not loops:
        yield ()
        return
    first, rest = loops[0], loops[1:]
    for value in range(_end(first.lower, around, upper=False), _end(first.upper, around, upper=True) + 1):
        for row in _rows(rest, {**around, first.iterator: value}):
            yield (value, *row)


def _end(bound: Bound, around: dict[str, int], *, upper: bool) -> int:
    """A bound where the loops around have these values."""
    ends = [(term.numerator.evaluate(around), term.divisor) for term in bound.terms]
    return min(number // by for number, by in ends) if upper else max(-(-number // by) for number, by in ends)


def starts_to_return(alg: Algebra, loops: Iterable[tuple[Condition, Condition, Value]]) -> Value:
    """Starts until what a body touches comes again, at least; FAR where it never does.

    Each of the loops around the body, innermost first, comes with whether it has several iterations, whether it moves
    what is touched, and how many iterations it has at least. The product of those inside of the first that turns and
    does not move it is the answer.
    """
    distance: Value = FAR
    inside: Value = 1
    open_: Condition = True
    for turns, moves, trips in loops:
        stops = alg.both(open_, turns, alg.negation(moves))
        distance = alg.select(stops, inside, distance)
        open_ = alg.both(open_, alg.negation(stops))
        inside = inside * trips
    return distance


def turns_between(alg: Algebra, loop: For) -> Value:
    """Iterations that a loop has between two of a loop around it at least: one where its bounds move."""
    return alg.select(alg.both(loop.is_constant, loop.flatten), loop.trip_count, 1)
