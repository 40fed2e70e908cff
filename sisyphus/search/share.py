"""Designs in which nests share buffers under their outer loops, next to one in which each has its own; knows no cost.

for i: { load A; call S1; store A; load A; call S2; store A }   next to   for i: { load A; call S1; call S2; store A }
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sisyphus.ir import ArrayId
from sisyphus.space import KERNEL_PLACE, Choices, DesignPoint, NestSpace, NotADesign, Space, choices, decode


def sharings(space: Space, point: DesignPoint) -> Iterator[DesignPoint]:
    """The point with one array at a time in one buffer for all nests that use it under one outer loop."""
    chosen = choices(space, point)
    for array in space.used_arrays:
        for place, nests in _groups(space, array):
            buffers = {point.buffer_of(array, nest.id) for nest in nests}
            if any(b.place == KERNEL_PLACE for b in buffers) or (len(buffers) == 1 and len(nests) > 1):
                continue
            try:
                yield decode(space, _shared(chosen, array, place, nests))
            except NotADesign:
                continue  # no partition serves all these nests


def _groups(space: Space, array: ArrayId) -> list[tuple[str, list[NestSpace]]]:
    """Outer loops with the nests under them that may share a buffer of the array: several, or a nest further in."""
    found: dict[tuple[str, tuple[str, ...]], list[NestSpace]] = {}
    for nest in space.users(array):
        for place in nest.nest.outer:
            found.setdefault((place, space.under(nest.id, place)), []).append(nest)
    return [
        (place, nests)
        for (place, _), nests in found.items()
        if (len(nests) > 1 or nests[0].around != place) and all(_may_share(space, n, array, place) for n in nests)
    ]


def _may_share(space: Space, nest: NestSpace, array: ArrayId, place: str) -> bool:
    """The place is legal, and no partition is fixed for a buffer of the nest alone."""
    use = nest.use(array)
    return use is not None and place in use.places and f"{array}@{nest.id}" not in space.pinned


def _shared(chosen: Choices, array: ArrayId, place: str, nests: list[NestSpace]) -> Choices:
    for nest in nests:
        own = chosen.nests[nest.id]
        own = replace(own, outside={**own.outside, array: frozenset()}, shared={**own.shared, array: place})
        chosen = chosen.with_nest(own)
    return chosen
