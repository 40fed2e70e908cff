"""Rows of a table of tiles in an order in which those that update one element lie far apart; knows no loop.

A chain are the rows that update the same elements. They keep their order, as the value of a sum depends on it; rows of
different chains have nothing in common but what they read, so that it does not matter which comes first.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Sequence
from heapq import heapify, heappop, heappush
from typing import TypeVar

from sisyphus.algebra import EXACT, Algebra, Value

R = TypeVar("R")


def rows_apart(alg: Algebra, rows: Value, chains: Value, longest: Value) -> Value:
    """Rows from one of a chain to the next of it, at least: ⌊(rows - chains) / (longest - 1)⌋, of the longest chain.

    With D of them, a chain of the longest takes (longest - 1) D rows and one more. Where there are m such chains and so
    many rows and m - 1 more, an order with D for all chains exists: that of tasks with a cooldown, the longest first.
    `chains` may be more than m, and `longest` more than there are.
    """
    return alg.maximum((rows - chains) // alg.maximum(longest - 1, 1), 1)


def interleaved(rows: Sequence[R], chains: Sequence[Hashable]) -> tuple[tuple[R, ...], int]:
    """The rows so that those of each chain lie as far apart as any order has them, and how far that is.

    `chains` has that of each row. Each place is given to the chain of which most rows are left, among those whose last
    row is far enough away.
    """
    of_chain: dict[Hashable, deque[R]] = defaultdict(deque)
    for row, chain in zip(rows, chains, strict=True):
        of_chain[chain].append(row)
    left = list(of_chain.values())
    lengths = [len(own) for own in left]
    longest = max(lengths, default=0)
    apart = int(rows_apart(EXACT, len(rows), lengths.count(longest), longest))
    ready = [(-length, at) for at, length in enumerate(lengths)]
    heapify(ready)
    waiting, found = deque[int](), list[R]()
    for place in range(len(rows)):
        if place >= apart and left[at := waiting.popleft()]:
            heappush(ready, (-len(left[at]), at))
        _, at = heappop(ready)
        found.append(left[at].popleft())
        waiting.append(at)
    return tuple(found), apart
