"""How many starts of a body lie between two that touch the same; knows loops by what they do to what is touched."""

from __future__ import annotations

from collections.abc import Iterable

from sisyphus.algebra import Algebra, Condition, Value
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


def turns_between(alg: Algebra, loop: For, *, in_table: Condition = False) -> Value:
    """Iterations that a loop has between two of a loop around it at least: one where its bounds move.

    `in_table`: it is one of a table whose rows are interleaved.
    """
    return alg.select(alg.both(loop.fixed, alg.negation(in_table)), loop.trip_count, 1)
