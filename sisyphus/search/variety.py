"""Which of many designs are worth showing side by side: good ones that differ; judges no design."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from sisyphus.space import DesignPoint

T = TypeVar("T")


def varied(ranked: Iterable[T], point_of: Callable[[T], DesignPoint], most: int) -> list[T]:
    """The first of `ranked`, then each that is not alike one taken before, up to `most` in all."""
    kept: list[T] = []
    for candidate in ranked:
        if len(kept) == most:
            break
        if not any(are_alike(point_of(candidate), point_of(other)) for other in kept):
            kept.append(candidate)
    return kept


def are_alike(one: DesignPoint, other: DesignPoint) -> bool:
    """Whether two designs of a kernel differ in no more than one tile; where there is but one loop, in none.

    Partitions, beats and places follow tiles. Designs of different forms of the kernel, or with other orders of their
    tile loops, differ.
    """
    if [(n.id, n.order) for n in one.nests] != [(n.id, n.order) for n in other.nests]:
        return False
    if len({replace(p, nests=(), buffers=(), transfers=(), tree_reduction=False) for p in (one, other)}) > 1:
        return False
    pairs = [
        (tile, twin)
        for nest, same in zip(one.nests, other.nests, strict=True)
        for tile, twin in zip(nest.tiles, same.tiles, strict=True)
    ]
    return sum(tile != twin for tile, twin in pairs) <= min(1, len(pairs) - 1)
