"""Whether block memories can hold arrays for the whole kernel: each array takes BRAM or URAM, as its banks are.

Budgets look at one kind of block at a time, and of each array at the beat that takes least of it: what wide beats put
into URAM may lie in BRAM with narrow ones, or where banks are asked for so, and it seems to lie in neither. Here the
kinds are looked at together. Knows no formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Generic, TypeVar

import numpy as np

from sisyphus.algebra import distinct_rows
from sisyphus.ir import Array, ArrayId
from sisyphus.search.costs import Floats, Ints, Mask, Width
from sisyphus.target import Budget, MemoryTable, Target

#: The budgets of both kinds of blocks.
BLOCKS = ("bram18k", "uram")
#: BRAM18 and URAM.
Blocks = tuple[int, int]
#: An array in a state of its partition.
InState = tuple[ArrayId, int]
Key = TypeVar("Key", bound=ArrayId | InState)
#: One URAM holds as many 32-bit words as so many BRAM18.
WORTH = 8


def least_blocks(memories: MemoryTable, elements: int, bits: int, most_banks: int) -> int:
    """Block memories, in BRAM18, that an array of so many elements takes at least, in however many banks."""
    worth = (bram18k + WORTH * uram for bram18k, uram in _in_banks(memories, elements, bits, most_banks))
    first = next(worth)
    return min(first, min(worth, default=first)) if first else 0


def fits_alone(memories: MemoryTable, elements: int, bits: int, most_banks: int, limit: Blocks) -> bool:
    """Whether an array of so many elements may be in blocks of both kinds within a limit, in however many banks."""
    found = _in_banks(memories, elements, bits, most_banks)
    return any(bram18k <= limit[0] and uram <= limit[1] for bram18k, uram in found)


def fits_whole(array: Array, target: Target) -> bool:
    """Whether an array is no larger than the memory on chip, nor than either kind of its blocks."""
    budget = target.budget
    blocks = budget.bram18k, budget.uram
    return array.elements * array.type.bytes <= budget.onchip_bytes and fits_alone(
        target.memories, array.elements, array.type.bits, target.max_partition, blocks
    )


def fit_together(memories: MemoryTable, arrays: Sequence[Array], most_banks: int, limit: Blocks) -> bool:
    """Whether all arrays may be in blocks of either kind within a limit at once, each in however many banks."""
    sizes = {array.id: (array.elements, array.type.bits) for array in arrays}
    return Packing[ArrayId](lambda name: _in_banks(memories, *sizes[name], most_banks), limit).hold(frozenset(sizes))


def most_elements(memories: MemoryTable, bits: int, most_banks: int, limit: Blocks, enough: int) -> int:
    """The elements of the largest array that fits alone; where more than `enough` do, these or a few more."""
    least, too_many = 0, 1
    while least < enough and fits_alone(memories, too_many, bits, most_banks, limit):
        least, too_many = too_many, 2 * too_many
    if least >= enough:
        return least
    while too_many - least > 1:
        middle = (least + too_many) // 2
        if fits_alone(memories, middle, bits, most_banks, limit):
            least = middle
        else:
            too_many = middle
    return least


def _in_banks(memories: MemoryTable, elements: int, bits: int, most_banks: int) -> Iterator[Blocks]:
    """What an array takes in at most so many banks of each size, from the smallest banks up to one of all elements.

    More words in a bank never take fewer blocks, so that banks of the same size do best, and as few as hold them all.
    """
    banks = most_banks
    while banks > 0:
        words = -(-elements // banks)
        banks = -(-elements // words)
        for storage in memories.storages:
            bank = memories.bank(words, bits, storage)
            yield banks * bank.bram18k, banks * bank.uram
        banks -= 1


class Packing(Generic[Key]):
    """Sets of arrays that fit; `options` says what one array may take, `limit` how much there is."""

    def __init__(self, options: Callable[[Key], Iterable[Blocks]], limit: Blocks) -> None:
        self._options, self._limit = cache(lambda array: undominated(options(array))), limit
        self._known: dict[frozenset[Key], tuple[Blocks, ...]] = {frozenset(): ((0, 0),)}

    def hold(self, arrays: frozenset[Key]) -> bool:
        """Whether some choice for each of the arrays fits."""
        return bool(self.sums(arrays))

    def sums(self, arrays: frozenset[Key]) -> tuple[Blocks, ...]:
        """What the arrays may take together, without what another sum is no more than."""
        if arrays not in self._known:
            last = max(arrays)
            before = self.sums(arrays - {last})
            sums = ((a + c, b + d) for a, b in before for c, d in self._options(last))
            self._known[arrays] = undominated(s for s in sums if s[0] <= self._limit[0] and s[1] <= self._limit[1])
        return self._known[arrays]


def undominated(options: Iterable[Blocks]) -> tuple[Blocks, ...]:
    """Those that take less of one kind than every other one that takes no more of the other kind."""
    found: list[Blocks] = []
    for option in sorted(set(options)):
        if not found or option[1] < found[-1][1]:
            found.append(option)
    return tuple(found)


class PackedBlocks:
    """The budgets of block memories, and resident arrays that may have these beats."""

    def __init__(self, budgets: Sequence[Budget], beats: Mapping[ArrayId, Sequence[Width]]) -> None:
        places = {budget.name: at for at, budget in enumerate(budgets)}
        is_counted = all(name in places for name in BLOCKS)
        self._beats = beats if is_counted else {}
        self._rows = [places[name] for name in BLOCKS if is_counted]
        self._limits = np.array([budgets[at].limit for at in self._rows])
        self._packing = Packing(self._options, tuple(self._limits.tolist())) if self._beats else None
        self._most = {array: _most(widths) for array, widths in self._beats.items()}

    def fit(self, fits: Mask, nests: Floats, states: Mapping[ArrayId, Ints | int]) -> Mask:
        """Of combinations that do otherwise those whose arrays fit together, beside `nests` [budget, combination]."""
        packing = self._packing
        if packing is None or not fits.any():
            return fits
        left: Floats = self._limits[:, None] - nests[self._rows]
        most = sum(
            (self._most[a][:, states[a]].reshape(len(BLOCKS), -1) for a in self._beats), np.zeros((len(BLOCKS), 1))
        )
        found = fits & (most <= left).all(axis=0)
        rows = np.flatnonzero(fits & ~found)
        if not len(rows):
            return found
        own = [np.broadcast_to(np.asarray(states[a], np.int64), fits.shape)[rows] for a in self._beats]
        is_served = np.all([each >= 0 for each in own], axis=0)
        rows, own = rows[is_served], [each[is_served] for each in own]
        different, which = distinct_rows(own)
        for at, chosen in enumerate(different.tolist()):
            sums = packing.sums(frozenset(zip(self._beats, chosen, strict=True)))
            here = rows[which == at]
            taken = np.array(sums, np.float64).reshape(-1, len(BLOCKS), 1)
            found[here] = (taken <= left[:, here]).all(axis=1).any(axis=0)
        return found

    def _options(self, own: InState) -> Iterator[Blocks]:
        """What an array in a state may take."""
        array, state = own
        for width in self._beats[array]:
            if width.possible[state]:
                bram18k, uram = (int(width.usage[name][state]) for name in BLOCKS)
                yield bram18k, uram


def _most(beats: Sequence[Width]) -> Floats:
    """What an array takes of blocks at most [kind, state], whichever beat it has; infinite last, for no state."""
    found = [np.where(b.possible, np.stack([b.usage[name] for name in BLOCKS]), 0.0) for b in beats]
    is_served = np.any([b.possible for b in beats], axis=0)
    most = np.where(is_served, np.max(found, axis=0), np.inf)
    return np.concatenate([most, np.full((len(BLOCKS), 1), np.inf)], axis=1)
