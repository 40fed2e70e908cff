"""Tiles in a table: loops in moving bounds as one loop over what they visit, and what starts of all loops may share.

for j0 in 0..2: for i0 in j0..2: for i1: S   becomes
for t in 0..5: for i1: { j0, i0 = the t-th of (0,0) (0,1) (0,2) (1,1) (1,2) (2,2); S }
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice, pairwise
from typing import TypeVar

from sisyphus.algebra import Algebra, Condition, Value
from sisyphus.errors import KernelError
from sisyphus.plan.plan import Plan, Task
from sisyphus.plan.tree import Bound, Call, For, Node, descend, walk
from sisyphus.values import dataclass

T = TypeVar("T")

#: Further apart than any two starts: the same never comes again.
FAR = 1 << 40
#: As many tiles a table may have.
MOST_TILES = 1 << 16


@dataclass(frozen=True)
class TileList:
    """The loops that are one, outermost first, with their values in each of its iterations; and what is inside.

    Where bounds ask for the loop `around`, each of its iterations runs the rows of its own: from the entry of `begins`
    that it has up to the next one, of which there is one more.
    """

    loops: tuple[For, ...]
    rows: tuple[tuple[int, ...], ...]
    body: tuple[Node, ...]
    around: For | None = None
    begins: tuple[int, ...] = ()

    def columns(self) -> Iterator[tuple[For, tuple[int, ...]]]:
        """Each loop with its values, one after another."""
        return zip(self.loops, zip(*self.rows, strict=True), strict=True)

    @property
    def most(self) -> int:
        """Rows that are run at once at most."""
        return max((end - begin for begin, end in pairwise(self.begins)), default=len(self.rows))

    @property
    def fewest(self) -> int:
        """The same at least."""
        return min((end - begin for begin, end in pairwise(self.begins)), default=len(self.rows))


def tables_in(plan: Plan, task: Task) -> Iterator[TileList]:
    """The tables of a task; a nest has one at most. `KernelError` where one would be too long."""
    if not any(isinstance(node, For) and node.listed for node in walk(task.body)):
        return  # as of most tasks, so that the whole plan is not walked for each
    # loops of other parts of the kernel may have the names of those around the call
    calls = (around for node, around in descend(plan.body, dict[str, For](), _with_loop) if node == Call(task.name))
    outside, inside = next(calls, dict[str, For]()), set[int]()
    for node, around in descend(task.body, outside, _with_loop):
        found = _table_of(node, around) if isinstance(node, For) and id(node) not in inside else None
        if found is not None:
            inside |= {id(loop) for loop in found.loops}
            yield found


def _with_loop(node: Node, around: dict[str, For]) -> dict[str, For]:
    return {**around, node.iterator: node} if isinstance(node, For) else around


def _table_of(loop: For, around: Mapping[str, For]) -> TileList | None:
    """The table whose outermost loop this is; None where it is of no table, or stands further in."""
    chain = [loop] if loop.listed else []
    while chain and len(chain[-1].body) == 1 and isinstance(inner := chain[-1].body[0], For) and inner.listed:
        chain.append(inner)
    own, asked = {inner.iterator for inner in chain}, {name for inner in chain for name in inner.asks}
    moving = [at for at, inner in enumerate(chain) if not inner.is_constant]
    others = [around[name] for name in sorted(asked - own)]
    if not moving or (loop.iterator not in asked and not others):
        return None
    loops = tuple(chain[: moving[-1] + 1])
    if not others:
        return TileList(loops, _at_most(_rows(loops, {}), loop), loops[-1].body)
    [outer] = others
    values = range(_end(outer.lower, {}, upper=False), _end(outer.upper, {}, upper=True) + 1)
    runs = ((value, row) for value in values for row in _rows(loops, {outer.iterator: value}))
    found = _at_most(runs, loop)
    lengths = Counter(value for value, _ in found)
    begins = tuple(accumulate((lengths[value] for value in values), initial=0))
    return TileList(loops, tuple(row for _, row in found), loops[-1].body, outer, begins)


def _at_most(rows: Iterator[T], loop: For) -> tuple[T, ...]:
    """All rows of a table, unless they are too many."""
    found = tuple(islice(rows, MOST_TILES + 1))
    if len(found) > MOST_TILES:
        problem = f"a table of the tiles of `{loop.source}` would have more than {MOST_TILES:,} rows"
        raise KernelError(problem, hint="take larger tiles")
    return found


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
    return alg.select(loop.fixed, loop.trip_count, 1)
