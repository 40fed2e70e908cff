"""What arrays and their tiles take of the memory on chip, as all cost models count it; knows no cycle."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from sisyphus.algebra import VECTOR
from sisyphus.errors import InternalError
from sisyphus.ir import ArrayId
from sisyphus.search.costs import Arrays, Batch, CostModel, Floats, Ints, Mask, Placement, Ports
from sisyphus.search.partitions import States, states_of
from sisyphus.space import ArrayUse, NestSpace, Space
from sisyphus.target import Budget

#: Bytes of all buffers, whatever memories hold them.
MEMORY = "memory"


class MemoryCosts:
    """The part of a `CostModel` that speaks of bytes on chip."""

    def __init__(self, space: Space) -> None:
        self.space = space

    def leaves_ports_open(self, residents: Arrays) -> bool:
        return False

    def pays_for_ports(self, nest: NestSpace, residents: Arrays) -> bool:
        return False

    def ports_of_use(self, placement: Placement) -> Sequence[Ports]:
        return ()

    def with_ports(self, ports: Mapping[ArrayId, int]) -> CostModel:
        raise InternalError("all arrays have one port")

    def keeps(self, nest: NestSpace, batch: Batch, residents: Arrays) -> Mask:
        return np.ones(batch.count, np.bool_)

    @cached_property
    def states(self) -> Mapping[ArrayId, States]:
        return states_of(self.space)

    def memory_budget(self, residents: Arrays) -> Budget:
        """The bytes that resident arrays leave to the tiles of all nests."""
        left = self.space.target.budget.onchip_bytes - sum(map(self.bytes_of, residents))
        return Budget(MEMORY, left, (tuple(nest.id for nest in self.space.nests),))

    def may_fit(self) -> bool:
        limit = self.space.target.budget.onchip_bytes
        return self.least_total(lambda array, elements: elements * self.bits_of(array) // 8) <= limit

    def least_total(self, amount: Callable[[ArrayId, int], int]) -> int:
        """What all arrays take at least: of a resident one all of it, of a tiled one the smallest tile of each nest.

        `amount` says how much so many elements of an array take.
        """
        total = 0
        for array in self.space.used_arrays:
            uses = [use for nest in self.space.users(array) if (use := nest.use(array)) is not None]
            least = amount(array, self.space.scop.array(array).elements)
            if all(use.can_be_tiled for use in uses):
                least = min(least, sum(amount(array, smallest_tile(use)) for use in uses))
            total += least
        return total

    def bytes_of(self, array: ArrayId) -> int:
        declared = self.space.scop.array(array)
        return declared.elements * declared.type.bytes

    def bits_of(self, array: ArrayId) -> int:
        return self.space.scop.array(array).type.bits

    def tile_usage(self, nest: NestSpace, use: ArrayUse, batch: Batch, outside: frozenset[str]) -> Mapping[str, Floats]:
        return {MEMORY: self.bytes_of_tiles(use.array, tile_spans(nest, use, batch, outside), batch.count)[None, :]}

    def bytes_of_tiles(self, array: ArrayId, spans: Sequence[Ints], count: int) -> Floats:
        """Of tiles with these places per dimension, for so many candidates."""
        stored = footprint(spans, count) * self.space.scop.array(array).type.bytes
        return stored.astype(np.float64)

    def least_memory(self, use: ArrayUse) -> dict[str, float]:
        """A buffer holds what one iteration touches."""
        return {MEMORY: smallest_tile(use) * self.space.scop.array(use.array).type.bytes}


def smallest_tile(use: ArrayUse) -> int:
    """Elements that one iteration of a nest touches."""
    return int(use.footprint({name: 1 for dim in use.dims for name in dim.loops}))


def touched(nest: NestSpace, use: ArrayUse) -> int:
    """No more elements than the nest touches: distinct loops index distinct elements."""
    seen: set[str] = set()
    elements = 1
    for dim in use.dims:
        if dim.coefficients is None:
            elements *= dim.extent
        elif fresh := [name for name in dim.loops if name not in seen]:
            elements *= min(dim.extent, max(nest.loop(name).trip_count for name in fresh))
            seen.update(dim.loops)
    return elements


def tile_sizes(nest: NestSpace, batch: Batch, outside: frozenset[str]) -> dict[str, Ints]:
    """Iterations of each loop that one transfer serves, whose loops `outside` are outside of it."""
    return {
        name: np.minimum(batch.level1[row] * batch.level2[row], nest.loop(name).trip_count)
        if name in outside
        else np.full(batch.count, nest.loop(name).trip_count)
        for row, name in enumerate(batch.loops)
    }


def tile_spans(nest: NestSpace, use: ArrayUse, batch: Batch, outside: frozenset[str]) -> list[Ints]:
    """Places of a tile per dimension of an array."""
    sizes = tile_sizes(nest, batch, outside)
    return [np.broadcast_to(dim.span(sizes, VECTOR), (batch.count,)) for dim in use.dims]


def copies_of_tiles(batch: Batch, outside: frozenset[str]) -> Ints:
    """Coarse-grained copies that have a tile each: those of the loops outside of its transfers."""
    rows = [row for row, name in enumerate(batch.loops) if name in outside]
    return np.asarray(np.prod(batch.copies[rows], axis=0, dtype=np.int64))


def footprint(spans: Sequence[Ints], count: int) -> Ints:
    """Elements of a tile with these places per dimension, for so many candidates."""
    found: Ints = np.prod(spans, axis=0, dtype=np.int64) * np.ones(count, np.int64)
    return found
