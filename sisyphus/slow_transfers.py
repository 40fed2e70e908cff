"""Which arrays are worth several ports: those whose transfers take much of the cycles of a design."""

from __future__ import annotations

from sisyphus.ir import ArrayId
from sisyphus.model.limit import limit_of
from sisyphus.search import fits_whole
from sisyphus.space import Space, long_arrays

#: Share of the cycles of a design from which on transfers of an array are slow, and arrays that are few.
SLOW, FEW = 0.25, 3


def slow_arrays(space: Space, cost: float) -> tuple[ArrayId, ...]:
    """Arrays to deal over ports: all that may be if they are few, else those whose transfers are slow; none if none is.

    A transfer is slow that takes a quarter of the cycles through one port, loads and stores of an array together;
    `cost` are the cycles of a design. Only whole arrays may have several ports.
    """
    long = long_arrays(space)
    slow = tuple(a for a in long if _beats(space, a) >= SLOW * cost)
    chosen = long if slow and len(long) <= FEW else slow
    return tuple(a for a in chosen if fits_whole(space.scop.array(a), space.target))


def slow_by_limit(space: Space) -> tuple[ArrayId, ...]:
    """Arrays whose transfers may be slow: beside the least cycles that a kernel can take, below which no design is."""
    tree = space.options.tree_reduction
    return slow_arrays(space, limit_of(space.scop, space.dependences, space.live, space.target, tree=tree).cycles)


def _beats(space: Space, array: ArrayId) -> float:
    """What an array moves through one port, in beats."""
    live = space.live[array]
    return (live.load + live.store) * space.scop.array(array).elements / space.port_width(array)
