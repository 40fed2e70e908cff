"""Tiles in a table: loops in moving bounds as one loop over what they visit.

for j0 in 0..2: for i0 in j0..2: for i1: S   becomes
for t in 0..5: for i1: { j0, i0 = the t-th of (0,0) (0,1) (0,2) (1,1) (1,2) (2,2); S }

Where S adds to elements that i0 picks, tiles of one i0 lie apart: (0,0) (0,1) (0,2) (1,1) (1,2) (2,2) becomes
(0,2) (0,1) (0,0) (1,2) (1,1) (2,2) (`interleaved.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice, pairwise
from typing import TypeVar

from sisyphus.algebra import EXACT, Algebra, Condition
from sisyphus.analysis import elements_updated
from sisyphus.errors import KernelError
from sisyphus.plan.interleaved import interleaved
from sisyphus.plan.plan import Plan, Task
from sisyphus.plan.tree import Bound, Call, For, Node, Run, descend, walk
from sisyphus.values import dataclass

T = TypeVar("T")

#: As many tiles a table may have.
MOST_TILES = 1 << 16


@dataclass(frozen=True)
class TileList:
    """The loops that are one, outermost first, with their values in each of its iterations; and what is inside.

    Where bounds ask for the loop `around`, each of its iterations runs the rows of its own: from the entry of `begins`
    that it has up to the next one, of which there is one more. Where the body updates elements that some of the loops
    pick, rows of one such element lie `apart` at least; else they are as the loops visit them, and it is 0.
    """

    loops: tuple[For, ...]
    rows: tuple[tuple[int, ...], ...]
    body: tuple[Node, ...]
    around: For | None = None
    begins: tuple[int, ...] = ()
    apart: int = 0

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
        if isinstance(node, For) and node.listed and id(node) not in inside:
            own = [loop for name, loop in around.items() if outside.get(name) is not loop]
            found = _table_of(plan, task, node, around, own)
            if found is not None:
                inside |= {id(loop) for loop in found.loops}
                yield found


def _with_loop(node: Node, around: dict[str, For]) -> dict[str, For]:
    return {**around, node.iterator: node} if isinstance(node, For) else around


def _table_of(plan: Plan, task: Task, loop: For, around: Mapping[str, For], own: Sequence[For]) -> TileList | None:
    """The table whose outermost loop a listed one is; None where it is of no table.

    `own` are the loops of the task among those around.
    """
    chain = [loop]
    while len(chain[-1].body) == 1 and isinstance(inner := chain[-1].body[0], For) and inner.listed:
        chain.append(inner)
    names, asked = {inner.iterator for inner in chain}, {name for inner in chain for name in inner.asks}
    moving = [at for at, inner in enumerate(chain) if not inner.is_constant]
    if not moving:
        return None
    loops, others = tuple(chain[: moving[-1] + 1]), [around[name] for name in sorted(asked - names)]
    picking = picking_loops(plan, task, [*own, *chain])
    if picking is not None and comes_back(EXACT, [*own, *chain], picking):
        return _interleaved(loops, picking) if loop.coupled else None
    if loop.iterator not in asked and not others:
        return None
    if not others:
        return TileList(loops, _at_most(_rows(loops, {}), loop), loops[-1].body)
    [outer] = others
    values = range(_end(outer.lower, {}, upper=False), _end(outer.upper, {}, upper=True) + 1)
    runs = ((value, row) for value in values for row in _rows(loops, {outer.iterator: value}))
    found = _at_most(runs, loop)
    lengths = Counter(value for value, _ in found)
    begins = tuple(accumulate((lengths[value] for value in values), initial=0))
    return TileList(loops, tuple(row for _, row in found), loops[-1].body, outer, begins)


def _interleaved(loops: tuple[For, ...], picking: frozenset[str]) -> TileList:
    """The table with rows apart that update one element: those in which the loops that pick it have the same values."""
    rows = _at_most(_rows(loops, {}), loops[0])
    at = [place for place, loop in enumerate(loops) if loop.iterator in picking]
    found, apart = interleaved(rows, [tuple(row[place] for place in at) for row in rows])
    return TileList(loops, found, loops[-1].body, apart=apart)


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


def picking_loops(plan: Plan, task: Task, loops: Sequence[For]) -> frozenset[str] | None:
    """Of the tile loops of a body, outermost first, those that pick the elements that it updates.

    None where an iteration of a loop around may have rows of its own, where loops are in no table, and where elements
    are not each picked by the same loops.
    """
    if task.iterators or not loops or not all(loop.listed for loop in loops):
        return None
    runs = [node for node in walk(loops[-1].body) if isinstance(node, Run)]
    statements = [plan.scop.statement(run.statement) for run in runs]
    if elements_updated(statements) is None:
        return None
    written = (s.write.substitute(dict(run.values)) for s, run in zip(statements, runs, strict=True))
    found = {frozenset(name for index in ref.index for name in index.names) for ref in written}
    picking = found.pop()
    return picking & {loop.iterator for loop in loops} if not found else None


def comes_back(alg: Algebra, loops: Sequence[For], picking: frozenset[str]) -> Condition:
    """Whether a table comes back to elements that the body updates, in one pass over its rows: these are interleaved.

    A loop around it, in which each pass has the same rows, must not come back to them.
    """
    first = _first_coupled(loops)
    if not any(loop.iterator not in picking for loop in loops[first:]):
        return False
    again = (alg.exceeds(loop.trip_count, 1) for loop in loops[:first] if loop.iterator not in picking)
    return alg.negation(alg.either(*again))


def of_a_table(alg: Algebra, loops: Sequence[For]) -> dict[str, Condition]:
    """Of the tile loops of a body, which are all listed, those from the first on that another one depends on, with
    whether each is one of the table: its bounds move, or those of one further in.
    """
    first = _first_coupled(loops)
    return {loop.iterator: are_in_a_table(alg, loops[at:]) for at, loop in enumerate(loops) if at >= first}


def _first_coupled(loops: Sequence[For]) -> int:
    return next((at for at, loop in enumerate(loops) if loop.coupled), len(loops))


def are_in_a_table(alg: Algebra, loops: Iterable[For]) -> Condition:
    """Whether some of these loops are one loop over a table: of those that may be, the bounds of one move."""
    listed = (loop for loop in loops if loop.listed)
    return alg.either(*(alg.both(loop.exists, alg.negation(loop.fixed)) for loop in listed))
