"""Whole sizes of shares near those that are wanted, equal ones for units that are alike; knows no kernel."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, combinations, pairwise, product

from sisyphus.units.places import Place

#: Sizes are also tried as multiples of these, which have more divisors; what an odd size is taken to cost.
STEPS, UNEVEN = (1, 2, 4, 8, 16), 0.05
#: Units are alike whose wanted sizes differ by no more than one place, or this share.
ALIKE = 0.02


def bounds_of(sizes: Sequence[int], extent: int) -> list[int]:
    """Where shares of these sizes begin, and where the last one ends."""
    bounds = [0, *accumulate(sizes)]
    return [*bounds[:-1], extent]


def alike(wanted: Sequence[float], where: Sequence[Place]) -> list[list[int]]:
    """The units that are to have equal shares, by their numbers: of one kind of SLR, wanted to be of one size."""
    found = list[list[int]]()
    for at, place in enumerate(where):
        for members in found:
            first = members[0]
            if where[first].kind == place.kind and abs(wanted[first] - wanted[at]) <= max(ALIKE * wanted[at], 1):
                members.append(at)
                break
        else:
            found.append([at])
    return found


def rounded(wanted: Sequence[float], extent: int, where: Sequence[Place]) -> list[tuple[int, ...]]:
    """Whole sizes near the wanted ones, best first: near them, and with divisors.

    Those of equal units are equal where they can be, but for what the last of the largest ones lacks.
    """
    main, *others = sorted(alike(wanted, where), key=lambda members: -wanted[members[0]])
    found = set[tuple[int, ...]]()
    for step in STEPS:
        choices = [{int(wanted[m[0]] / step) * step, -int(-wanted[m[0]] // step) * step} for m in others]
        for chosen in product(*choices):
            left = extent - sum(size * len(members) for size, members in zip(chosen, others, strict=True))
            each = -(-left // (len(main) * step)) * step
            for largest in ([each] * (len(main) - 1), [left // len(main)] * (len(main) - 1)):
                given = dict(zip(main, [*largest, left - sum(largest)], strict=True))
                given |= {at: size for size, members in zip(chosen, others, strict=True) for at in members}
                found.add(tuple(given[at] for at in range(len(wanted))))

    def loss(sizes: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        slowest = max(size / max(of, 1e-9) for size, of in zip(sizes, wanted, strict=True))
        even = max(step for step in STEPS if all(size % step == 0 for size in sizes))
        return slowest * (1 + UNEVEN / even), sizes

    return sorted((sizes for sizes in found if min(sizes) > 0), key=loss)


def rounded_apart(wanted: Sequence[float], stretches: Sequence[int], where: Sequence[Place]) -> list[tuple[int, ...]]:
    """The same where places of outputs follow each other, and no unit delivers of two; best first.

    With fewer units than outputs, some deliver of several.
    """
    if len(where) < len(stretches):
        return rounded(wanted, sum(stretches), where)
    found = list[tuple[int, ...]]()
    for cuts in combinations(range(1, len(where)), len(stretches) - 1):
        parts = list[tuple[int, ...]]()
        for extent, (low, high) in zip(stretches, pairwise((0, *cuts, len(where))), strict=True):
            scale = extent / sum(wanted[low:high])
            parts += rounded([of * scale for of in wanted[low:high]], extent, where[low:high])[:1]
        if len(parts) == len(stretches):
            found.append(tuple(size for part in parts for size in part))
    return sorted(found, key=lambda sizes: max(size / of for size, of in zip(sizes, wanted, strict=True)))
