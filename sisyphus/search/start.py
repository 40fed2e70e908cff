"""How a search begins, to have a design soon: with which homes of arrays, and how long with each; knows no cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sisyphus.ir import ArrayId
from sisyphus.search.costs import Arrays, Homes
from sisyphus.space import KERNEL_PLACE, Space

#: Where all arrays fit on chip, so many homes are searched to the end before short searches with others are worth it.
PATIENT = 4

#: Shares of the budgets for a first design, and how often halves are tried between the last two of them.
SHARES, HALVES = (1.0, 0.92, 0.85, 0.77, 0.7, 0.6, 0.5, 0.4, 0.3), 2


class Enough(Exception):  # noqa: N818 - a signal of the search to itself
    """A short search has done its work."""


@dataclass(frozen=True)
class Effort:
    """How much a short search does, counted so that it finds the same on every machine.

    It looks at `nodes` combinations of one nest, fewer of several, and `longer` times as many while there is no design
    at all; it ends after so many designs that were `refused` or no better. Then it may keep to a smaller one of the
    `shares` of the budgets. `places`: in how many ways transfers are placed.
    """

    shares: tuple[float, ...] = (1.0, 0.7, 0.4)
    refused: int = 3
    places: int = 10
    nodes: int = 600
    longer: int = 4


#: Where no design was found.
MORE = Effort(shares=(1.0,), refused=30, places=1000, longer=10)


@dataclass
class Trial:
    """What is left of a short search: nodes, and designs that may be refused; how many were."""

    nodes: int
    left: int
    refused: int = 0

    def spend(self) -> None:
        """One more node."""
        self.nodes -= 1
        if self.nodes < 0:
            raise Enough

    def refuse(self) -> None:
        """One more design that is no better."""
        self.refused += 1
        if self.refused >= self.left:
            raise Enough


def with_shares(is_refused: Callable[[float], bool]) -> None:
    """Tries smaller and smaller shares of the budgets until a design is not refused, then some that are larger.

    Models of the search count less than a design takes when it is built, one more so than another.
    """
    refused = None
    for share in SHARES:
        if not is_refused(share):
            break
        refused = share
    else:
        return
    for _ in range(HALVES if refused is not None else 0):
        middle = (share + (refused or 1.0)) / 2
        if is_refused(middle):
            refused = middle
        else:
            share = middle


def first_homes(space: Space, in_registers: Arrays) -> tuple[Homes, ...]:
    """All arrays resident that may be, with registers; all tiled, which needs the least memory; what lies between.

    Of these, one more large array is tiled after another.
    """
    everything = frozenset(space.used_arrays)
    movable = [a for a in everything if may_be(space, a, resident=True) and may_be(space, a, resident=False)]
    residents = frozenset(a for a in everything if may_be(space, a, resident=True))
    found = [Homes(residents, in_registers & residents), Homes(residents)]
    for array in sorted(movable, key=lambda a: (-space.scop.array(a).elements, a)):
        residents -= {array}
        found.append(Homes(residents))
    return tuple(dict.fromkeys((found[0], found[-1], *found)))


def may_be(space: Space, array: ArrayId, *, resident: bool) -> bool:
    """May the array be resident, or else tiled, in all its nests?"""
    uses = [use for nest in space.users(array) if (use := nest.use(array)) is not None]
    return all(any((place == KERNEL_PLACE) == resident for place in use.places) for use in uses)
