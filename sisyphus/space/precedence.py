"""Which copies of loops stay outside of which: the pairs (a, b) of `Nest.precedence`; knows no cost.

Every strip-mined copy of `a` that has several iterations stays outside of every such copy of `b`. Level 0 is outside of
level 1, and that of level 2. So the order of two loops at level 0 is a choice, which `level0_pairs` limits; any other
two copies are either in order or, as `never_both` says, must not both have several iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from sisyphus.analysis import LoopKind, Nest
from sisyphus.space.space import NestSpace, Space
from sisyphus.values import dataclass


@dataclass(frozen=True)
class Copies:
    """The copies of a loop at some levels."""

    loop: str
    levels: tuple[int, ...]


def precedence(nest: Nest, *, tree_reduction: bool) -> frozenset[tuple[str, str]]:
    """The pairs of `nest.precedence` that count: with tree reduction, a reduction loop orders nothing."""
    if not tree_reduction:
        return nest.precedence
    return frozenset((a, b) for a, b in nest.precedence if nest.loop(a).kind is not LoopKind.REDUCTION)


def never_both(space: Space, nest: NestSpace) -> tuple[tuple[Copies, Copies], ...]:
    """Pairs of which only one may have several iterations, in any order of level 0 or in the one that is fixed."""
    found: list[tuple[Copies, Copies]] = []
    for a, b in _pairs(space, nest):
        found += [(Copies(b, (0,)), Copies(a, (1, 2))), (Copies(b, (1,)), Copies(a, (2,)))]
        if nest.order is not None and nest.order.index(b) < nest.order.index(a):
            found.append((Copies(a, (0,)), Copies(b, (0,))))
    return tuple(found)


def level0_pairs(space: Space, nest: NestSpace, active: Collection[str]) -> list[tuple[str, str]]:
    """Pairs (a, b) whose level 0 has a outside of b, where the `active` loops have several iterations there."""
    return [(a, b) for a, b in _pairs(space, nest) if a in active and b in active]


def in_order(loops: Iterable[str], pairs: Collection[tuple[str, str]], rank: Callable[[str], Any]) -> tuple[str, ...]:
    """Loops with `a` before `b` for each pair (a, b); of those that may be next by rank, then as given."""
    waiting, order, before = list(loops), list[str](), frozenset(pairs)
    while waiting:
        free = [name for name in waiting if not any((other, name) in before for other in waiting)]
        order.append(min(free, key=rank))
        waiting.remove(order[-1])
    return tuple(order)


def _pairs(space: Space, nest: NestSpace) -> list[tuple[str, str]]:
    return sorted(precedence(nest.nest, tree_reduction=space.options.tree_reduction))
