"""A solution of the exact search as a design point; knows no cost."""

from __future__ import annotations

from sisyphus.search.solution import Solution
from sisyphus.space import DesignPoint, Space, decode, knob


def point_of(space: Space, solution: Solution) -> DesignPoint:
    """By way of the knobs, so that equal choices give equal points whichever solver made them."""
    return decode(space, values_of(space, solution))


def values_of(space: Space, solution: Solution) -> dict[str, int]:
    """The knobs that `decode` reads, without those that are 0."""
    values: dict[str, int] = {}
    for choice in solution.choices:
        nest = space.nest(choice.nest)
        values[knob("interval", nest.id)] = choice.interval
        for loop in nest.loops:
            values[knob("tile", nest.id, loop.iterator, loop.tiles.index(choice.tiles[loop.iterator]))] = 1
            values[knob("unroll", nest.id, loop.iterator, choice.copies[loop.iterator])] = 1
        for use in nest.arrays:
            if use.array in solution.placement.residents:
                values[knob("resident", use.array, nest.id)] = 1
            for name in choice.outside.get(use.array, ()):
                values[knob("outside", use.array, nest.id, name)] = 1
    values.update({knob("registers", array): 1 for array in solution.placement.registers})
    for array, chosen in solution.widths.items():
        values[knob("width", array, chosen)] = 1
    return values
