"""What the exact search asks of a cost model, and in which form it gets the answers; knows no formula.

The search supposes this shape. Every nest and every transfer of a whole array takes a number of cycles of its own.
They run in steps: a step takes as long as its slowest member, steps follow one another. Every nest uses up budgets,
each of one or several kinds (as DSP slices go into multipliers and adders); nests of one group hold what they use at
the same time. Which steps and groups there are depends only on which arrays are resident.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from sisyphus.ir import ArrayId
from sisyphus.space import ArrayUse, DesignPoint, NestSpace, Space

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Mask: TypeAlias = npt.NDArray[np.bool_]
#: Arrays that are resident; all others are transferred tile by tile.
Residents: TypeAlias = frozenset[ArrayId]


@dataclass(frozen=True, eq=False)
class Batch:
    """Candidates of one nest: trip counts per loop (row) and candidate (column)."""

    loops: tuple[str, ...]
    level0: Ints
    level1: Ints
    level2: Ints

    @property
    def count(self) -> int:
        return int(self.level0.shape[1])

    def take(self, chosen: Ints | Mask) -> Batch:
        return Batch(self.loops, self.level0[:, chosen], self.level1[:, chosen], self.level2[:, chosen])


@dataclass(frozen=True, eq=False)
class Costs:
    """Of a batch: cycles per candidate, and per budget what each kind (row) takes for each candidate (column)."""

    cycles: Floats
    usage: Mapping[str, Floats]


@dataclass(frozen=True)
class Least:
    """Lower bounds: cycles, and per budget the sum over its kinds."""

    cycles: float
    usage: Mapping[str, float]


@dataclass(frozen=True)
class Move:
    """The transfer of a whole resident array."""

    array: ArrayId
    is_load: bool


@dataclass(frozen=True)
class Step:
    """Nests (by id) and moves that run side by side."""

    nests: tuple[str, ...] = ()
    moves: tuple[Move, ...] = ()


@dataclass(frozen=True)
class Budget:
    """A limit: the sum over kinds of the largest group, where a group takes the sum of its nests."""

    name: str
    limit: float
    groups: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Limit:
    """A budget of the target as users know it; `relaxed` gives the same space with another amount."""

    name: str
    option: str
    unit: str
    amount: int
    relaxed: Callable[[int], Space]


class CostModel(Protocol):
    """A cost model over the space it was made for."""

    space: Space

    def steps(self, residents: Residents) -> tuple[Step, ...]:
        """What runs side by side, and what one after another."""
        ...

    def budgets(self, residents: Residents) -> tuple[Budget, ...]:
        """Limits on what the nests use, less what the resident arrays take."""
        ...

    def always_resident(self) -> Residents:
        """Arrays that some best design keeps resident, so that the search need not look at their tiles."""
        ...

    def nest(self, nest: NestSpace, batch: Batch) -> Costs:
        """Candidates of a nest without their transfers; every budget is in `usage`."""
        ...

    def tile(self, nest: NestSpace, use: ArrayUse, batch: Batch, outside: frozenset[str]) -> Costs:
        """What an array adds to a nest whose loops `outside` are outside of its transfers.

        More loops outside never add to the usage of a budget.
        """
        ...

    def least_tile(self, nest: NestSpace, use: ArrayUse) -> Least:
        """What a tiled array takes at least, whatever the candidate and wherever its transfers are."""
        ...

    def move(self, move: Move, width: int) -> float:
        """Cycles of the transfer of a whole array, `width` elements per beat."""
        ...

    def evaluate(self, point: DesignPoint) -> float:
        """The objective of a design point."""
        ...

    def excesses(self, point: DesignPoint) -> tuple[str, ...]:
        """Budgets that a design point exceeds, in words."""
        ...

    def limits(self) -> tuple[Limit, ...]:
        """The budgets of the target that this model knows."""
        ...


#: Makes the cost model of a space.
MakeCosts: TypeAlias = Callable[[Space], CostModel]
