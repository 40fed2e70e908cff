"""Which arrays may be resident, and the assignments in the order of what they cost at least; knows no tiling."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator

from sisyphus.ir import ArrayId
from sisyphus.solve.exact.costs import Residents
from sisyphus.space import KERNEL_PLACE, Space

#: Lower bound of every design whose resident arrays are the first set and whose tiled arrays are the second one.
Floor = Callable[[Residents, Residents], float]


def choices(space: Space, array: ArrayId, always_resident: Residents) -> tuple[bool, ...]:
    """May the array be resident (True), may it be tiled (False)? One answer for all its nests."""
    uses = [use for nest in space.nests for use in nest.arrays if use.array == array]
    resident = all(KERNEL_PLACE in use.places for use in uses)
    tiled = all(any(place != KERNEL_PLACE for place in use.places) for use in uses)
    if resident and array in always_resident:
        tiled = False
    return tuple(choice for choice, allowed in ((True, resident), (False, tiled)) if allowed)


def assignments(space: Space, floor: Floor, always_resident: Residents) -> Iterator[tuple[float, Residents]]:
    """Every set of resident arrays with its floor, lowest first; infinite floors are left out.

    An undecided array must not add to a floor, so that a floor of part of the decisions holds for all of them.
    """
    arrays = space.used_arrays
    heap: list[tuple[float, int, tuple[bool, ...]]] = [(0.0, 0, ())]
    while heap:
        lowest, _, decided = heapq.heappop(heap)
        if len(decided) == len(arrays):
            yield lowest, frozenset(a for a, resident in zip(arrays, decided, strict=True) if resident)
            continue
        for choice in choices(space, arrays[len(decided)], always_resident):
            longer = (*decided, choice)
            pairs = list(zip(arrays, longer, strict=False))
            bound = floor(frozenset(a for a, r in pairs if r), frozenset(a for a, r in pairs if not r))
            if bound < float("inf"):
                heapq.heappush(heap, (bound, -sum(longer), longer))
