"""Whether block memories can hold arrays for the whole kernel: each array takes BRAM or URAM, as its banks are.

Budgets look at one kind of block at a time, where every array may seem to lie in the other kind. Here the kinds are
looked at together. Knows no formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Generic, TypeVar

from sisyphus.ir import Array, ArrayId
from sisyphus.target import MemoryTable, Target

#: The budgets of both kinds of blocks.
BLOCKS = ("bram18k", "uram")
#: BRAM18 and URAM.
Blocks = tuple[int, int]
#: What an array is told apart by, as by its name and the state of its partition.
Key = TypeVar("Key", bound=ArrayId | tuple[ArrayId, int])
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
        bank = memories.bank(words, bits, memories.storage)
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
