"""Iterations in which a statement meets an element again, by the subscripts of what it writes; knows no cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from math import gcd
from typing import TypeAlias

from sisyphus.poly import Affine

#: How far apart two iterations are that touch one element, in iterations of source loops.
Shift: TypeAlias = tuple[tuple[str, int], ...]


def shifts_of(
    subscripts: Sequence[Affine], sources: Mapping[str, str | None], furthest: Callable[[str], int]
) -> tuple[Shift, ...] | None:
    """One for each two loops of which a subscript is a sum: `c[i + j]` comes back where i is one more and j one less.

    Each two iterations that touch one element differ by multiples of these and by anything in loops of no subscript.
    None where that is more than can be said so: a subscript that is the sum of three loops, or shares one with another.
    Loops of which a subscript is the digits, as `c[16 * i + 4 * j + k]` of tiles, are as one by themselves. `sources`
    are the loops that iterators follow, and an iterator differs by `furthest` at most.
    """
    left = _undetermined([each for subscript in subscripts for each in _parts(subscript, sources, furthest)])
    shared = Counter(loop for loops in left for loop in loops)
    if any(len(loops) > 2 for loops in left) or any(count > 1 for count in shared.values()):
        return None
    found: list[Shift] = []
    for (one, a), (other, b) in (tuple(loops.items()) for loops in left):
        common = gcd(a, b)
        found.append(((one, b // common), (other, -a // common)))
    return tuple(found)


def _parts(
    subscript: Affine, sources: Mapping[str, str | None], furthest: Callable[[str], int]
) -> Sequence[Mapping[str, int]]:
    """The loops of a subscript with their factors, or each by itself where they are its digits; none: it stands still.

    So they are where each factor is more than all smaller ones make together.
    """
    moving = {name: (source, factor) for name, factor in subscript.terms if (source := sources.get(name))}
    together = dict(moving.values())
    if len(moving) < 2:
        return [together] if together else []
    inside = 0
    for name, (_, factor) in sorted(moving.items(), key=lambda each: abs(each[1][1])):
        if abs(factor) <= inside:
            return [together]
        inside += abs(factor) * furthest(name)
    return [{source: factor} for source, factor in moving.values()]


def _undetermined(subscripts: Collection[Mapping[str, int]]) -> list[Mapping[str, int]]:
    """What is left of subscripts without loops that are one by themselves, and so the same for one element."""
    alone = {loop for loops in subscripts if len(loops) == 1 for loop in loops}
    left = [{loop: factor for loop, factor in loops.items() if loop not in alone} for loops in subscripts]
    left = [loops for loops in left if loops]
    return _undetermined(left) if alone else list(left)
