"""The legal strip-minings of one loop, by its trip count; knows no nest and no cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from math import isqrt, log

from sisyphus.analysis import LoopKind
from sisyphus.space.point import Tile
from sisyphus.space.space import Tiles

#: A loop has ragged tiles if its divisors leave a hole wider than this: a budget would be used to less than a quarter.
WIDEST_STEP = 4
#: The same of a loop whose bounds move: what divides its longest run divides few others, so that nothing is lost.
WIDEST_STEP_OF_MOVING = 2
#: Sizes of one loop at a level, divisors aside; more make the space of a nest too large to be searched.
MOST_SIZES = 32
#: Share of a loop that a power of two may waste: banks that are counted in powers of two need no dividers.
SMALL_WASTE = 0.05
#: The largest power of two among unroll factors, more of which double the space of each nest for nothing, and the
#: largest one for the sake of rows of windows, of which few are unrolled.
MOST_POWER, FEW_ROWS = 64, 8


def tilings(trip_count: int, kind: LoopKind, tiles: Tiles, *, moves: bool = False, powers: int = 0) -> tuple[Tile, ...]:
    """Every tile of a loop, by its unroll factor; a sequential loop is never unrolled. `moves`: its bounds do.

    Powers of two up to `powers` are unroll factors, too: where an iterator of a loop around a nest picks banks of what
    this loop is unrolled in, it is divided by the factor in every call else.

    Equation 1 with divisors: level 0 x level 1 x level 2 = trip count. Ragged: no less than that, and no tile without
    work; of all sizes that make the same number of tiles only the smallest, as a larger one does more for nothing.
    Every choice of divisors is among the ragged ones, and so is each of `few`, of `fewest` in the space of `auto`. Of a
    long loop not all ragged ones are there.
    """
    is_ragged = tiles == "ragged" or (tiles != "divisors" and has_hole(trip_count, moves=moves))
    sizes = ragged_sizes if is_ragged else divisors
    if tiles == "fewest" or (tiles == "few" and is_ragged):
        sizes = partial(few_of, sizes=sizes)
    few = [1 << at for at in range(powers.bit_length()) if 1 << at < trip_count]
    triples = (
        Tile(-(-starts // level1), level1, level2)
        for level2 in ({*sizes(trip_count), *few} if tiles == "auto" else sizes(trip_count))
        if level2 == 1 or kind is not LoopKind.SEQUENTIAL
        for starts in [-(-trip_count // level2)]
        for level1 in sizes(starts)
    )
    return tuple(sorted(triples, key=lambda t: (t.level2, t.level1)))


def has_hole(trip_count: int, *, moves: bool = False) -> bool:
    """Is some divisor more than `WIDEST_STEP` times the one before? So for primes, and for 2p, 3p, ... of a large p."""
    widest = WIDEST_STEP_OF_MOVING if moves else WIDEST_STEP
    return any(larger > widest * smaller for smaller, larger in pairwise(divisors(trip_count)))


def divisors(number: int) -> tuple[int, ...]:
    """All positive divisors, ascending."""
    small = {d for d in range(1, isqrt(number) + 1) if number % d == 0}
    return tuple(sorted(small | {number // d for d in small}))


def few_of(number: int, sizes: Callable[[int], Iterable[int]]) -> tuple[int, ...]:
    """Of the sizes of a loop one of each octave: a power of two that wastes little, or what wastes least."""

    def wasted(size: int) -> tuple[bool, int]:
        done = -(-number // size) * size
        return size & (size - 1) > 0 or done > (1 + SMALL_WASTE) * number, done

    octaves: dict[int, list[int]] = {}
    for size in sizes(number):
        octaves.setdefault(size.bit_length(), []).append(size)
    return tuple(sorted({1, number, *(min(group, key=wasted) for group in octaves.values())}))


def ragged_sizes(number: int) -> tuple[int, ...]:
    """The smallest sizes; where they are many, of those that differ by a few percent the one that wastes least."""
    sizes = smallest_sizes(number)
    if len(sizes) <= MOST_SIZES:
        return sizes
    alike: dict[int, list[int]] = {}
    for size in sizes:
        alike.setdefault(int(MOST_SIZES * log(size) / log(number + 1)), []).append(size)
    least = {min(group, key=lambda size: (-(-number // size) * size, size)) for group in alike.values()}
    return tuple(sorted(least | set(divisors(number))))


def smallest_sizes(number: int) -> tuple[int, ...]:
    """The smallest size for each number of parts that `number` can be cut into; some 2 sqrt(number), ascending."""
    root = isqrt(number)
    few = {-(-number // parts) for parts in range(1, root + 2)}
    return tuple(sorted(few | {-(-number // -(-number // size)) for size in range(1, root + 1)}))
