"""How many starts of a body lie between two that touch the same; knows loops by what they do to what is touched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sisyphus.algebra import Algebra, Condition, Value, product
from sisyphus.plan.tree import For
from sisyphus.values import dataclass

#: Further apart than any two starts: the same never comes again.
FAR = 1 << 40


@dataclass(frozen=True)
class Turning:
    """A loop around a body: whether it has several iterations, whether it moves what is touched, and how many it has.

    `iterations` are as many as it has at least. `in_table`: it is one of a table whose rows are interleaved, so that
    there is one between two of a loop around it.
    """

    turns: Condition
    moves: Condition
    iterations: Value
    in_table: Condition = False


def starts_to_return(alg: Algebra, loops: Iterable[Turning], apart: Value = 1) -> Value:
    """Starts until what a body touches comes again, at least; FAR where it never does.

    The loops around the body come innermost first. The product of those inside of the first that turns and does not
    move what is touched is the answer; where that is one of an interleaved table, `apart` times as much.
    """
    distance: Value = FAR
    inside: Value = 1
    open_: Condition = True
    comes_again: Condition = False
    for loop in loops:
        stops = alg.both(open_, loop.turns, alg.negation(loop.moves))
        comes_again = alg.either(comes_again, alg.both(stops, loop.in_table))
        stops = alg.both(stops, alg.negation(loop.in_table))
        distance = alg.select(stops, inside, distance)
        open_ = alg.both(open_, alg.negation(stops))
        inside = inside * loop.iterations
    return alg.select(alg.both(open_, comes_again), inside * apart, distance)


def turns_between(alg: Algebra, loop: For) -> Value:
    """Iterations that a loop has between two of a loop around it at least: one where its bounds move."""
    return alg.select(loop.fixed, loop.trip_count, 1)


def iterations_between(
    alg: Algebra, loops: Sequence[For], in_table: Mapping[str, Condition], rows: Value, *, interleaved: Condition
) -> dict[str, Value]:
    """The same for loops, outermost first, of which some are a table that has so many `rows` in each pass over it.

    From one pass to the next lie all rows, which stand for the iterations of its outermost loop. Where rows are
    `interleaved`, there is one iteration of each loop between two of a loop around it.
    """
    found: dict[str, Value] = {}
    for loop in loops:
        stays = alg.negation(alg.both(in_table.get(loop.iterator, False), interleaved))
        found[loop.iterator] = alg.select(stays, turns_between(alg, loop), 1)
    outermost = next(iter(in_table), None)
    if outermost is not None:
        inside = product([alg.select(on, found[name], 1) for name, on in in_table.items() if name != outermost])
        passes = alg.both(in_table[outermost], alg.negation(interleaved))
        found[outermost] = alg.select(passes, alg.maximum(rows // inside, 1), found[outermost])
    return found
