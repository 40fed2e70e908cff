"""Where arrays may live, and the assignments in the order of what they cost at least; knows no tiling."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from enum import Enum

from sisyphus.ir import ArrayId
from sisyphus.search.costs import Arrays, Placement
from sisyphus.space import KERNEL_PLACE, Space


class Residence(Enum):
    """Of one array, in all its nests."""

    REGISTERS = 0
    RESIDENT = 1
    TILED = 2


#: Lower bound of every design whose arrays live in this placement and whose tiled arrays are the second set.
Floor = Callable[[Placement, Arrays], float]


def choices(space: Space, array: ArrayId, always_resident: Arrays, in_registers: Arrays) -> tuple[Residence, ...]:
    """Placement of an array; one answer for all its nests."""
    resident = may_be(space, array, resident=True)
    tiled = may_be(space, array, resident=False) and not (resident and array in always_resident)
    allowed = {
        Residence.REGISTERS: resident and array in in_registers,
        Residence.RESIDENT: resident,
        Residence.TILED: tiled,
    }
    return tuple(residence for residence, is_allowed in allowed.items() if is_allowed)


def assignments(
    space: Space, floor: Floor, always_resident: Arrays, in_registers: Arrays = frozenset()
) -> Iterator[tuple[float, Placement | None]]:
    """Every placement with its floor, lowest first; infinite floors are left out.

    An undecided array must not add to a floor, so that a floor of part of the decisions holds for all of them. Such a
    floor comes too, with no placement, before that part is decided further: all that follows costs at least so much.
    """
    arrays = space.used_arrays
    heap: list[tuple[float, int, tuple[int, ...]]] = [(0.0, 0, ())]
    while heap:
        lowest, _, decided = heapq.heappop(heap)
        if len(decided) == len(arrays):
            yield lowest, _placement(arrays, decided)
            continue
        yield lowest, None
        for residence in choices(space, arrays[len(decided)], always_resident, in_registers):
            longer = (*decided, residence.value)
            placement = _placement(arrays, longer)
            tiled = frozenset(a for a, h in zip(arrays, longer, strict=False) if h == Residence.TILED.value)
            bound = floor(placement, tiled)
            if bound < float("inf"):
                heapq.heappush(heap, (bound, -len(placement.residents), longer))


def _placement(arrays: tuple[ArrayId, ...], decided: tuple[int, ...]) -> Placement:
    pairs = list(zip(arrays, map(Residence, decided), strict=False))
    registers = frozenset(a for a, residence in pairs if residence is Residence.REGISTERS)
    return Placement(registers | {a for a, residence in pairs if residence is Residence.RESIDENT}, registers)


def moved_by_one(space: Space, placement: Placement) -> Iterator[tuple[ArrayId, Placement]]:
    """Placements in which one array is resident that was tiled, or tiled that was resident, with that array."""
    for array in space.used_arrays:
        residents = placement.residents ^ {array}
        if may_be(space, array, resident=array in residents):
            yield array, Placement(residents, placement.registers & residents)


def first_placements(space: Space, in_registers: Arrays) -> tuple[Placement, ...]:
    """All arrays resident that may be, with registers; all tiled, which needs the least memory; what lies between.

    Of these, one more large array is tiled after another.
    """
    everything = frozenset(space.used_arrays)
    movable = [a for a in everything if may_be(space, a, resident=True) and may_be(space, a, resident=False)]
    residents = frozenset(a for a in everything if may_be(space, a, resident=True))
    found = [Placement(residents, in_registers & residents), Placement(residents)]
    for array in sorted(movable, key=lambda a: (-space.scop.array(a).elements, a)):
        residents -= {array}
        found.append(Placement(residents))
    return tuple(dict.fromkeys((found[0], found[-1], *found)))


def may_be(space: Space, array: ArrayId, *, resident: bool) -> bool:
    """May the array be resident, or else tiled, in all its nests?"""
    uses = [use for nest in space.users(array) if (use := nest.use(array)) is not None]
    return all(any((place == KERNEL_PLACE) == resident for place in use.places) for use in uses)
