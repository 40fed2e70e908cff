"""Which ports arrays have while nests are counted, and which tiles keep to their stripes; knows no cycles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from sisyphus.algebra import distinct_rows
from sisyphus.ir import ArrayId
from sisyphus.search.costs import Arrays, Batch, Mask
from sisyphus.search.memory_costs import MemoryCosts
from sisyphus.search.partitions import KnownStates, States, states_of
from sisyphus.space import NestSpace, RowUse, Space, Tile
from sisyphus.values import replace


class PortedCosts(MemoryCosts):
    """Costs of a space in which the ports of arrays are open, or of a part of it in which they are not."""

    def __init__(self, space: Space, whole: PortedCosts | None = None) -> None:
        """Of a part of the `whole` space, if it is given: every array has as many ports as it may have."""
        super().__init__(space)
        self._is_part = whole is not None
        self._known_states: KnownStates = {} if whole is None else whole._known_states
        self._known_keeps: dict[tuple[str, ArrayId, int], tuple[Batch, Mask]] = (
            {} if whole is None else whole._known_keeps
        )
        self._are_open = whole is None and any(len(self._counts(array)) > 1 for array in space.used_arrays)

    def _counts(self, array: ArrayId) -> set[int]:
        """Over how many ports an array may be dealt."""
        return {self.space.ports(array, width) for width in self.space.widths[array]}

    def _own_widths(self, array: ArrayId) -> Sequence[int]:
        """The beats of an array, widest first: in a part those over the number of ports that it is of."""
        every, most = sorted(self.space.widths[array], reverse=True), max(self._counts(array))
        return [width for width in every if not self._is_part or self.space.ports(array, width) == most]

    def leaves_ports_open(self, residents: Arrays) -> bool:
        return self._are_open and any(len(self._counts(array)) > 1 for array in residents)

    def pays_for_ports(self, nest: NestSpace, residents: Arrays) -> bool:
        used = (use.array for use in nest.arrays if use.array in residents)
        return not self._are_open and any(self._counts(array) != {1} for array in used)

    def _dealt_at_most(self, most: Mapping[ArrayId, int]) -> Space:
        """The space with so many ports of arrays at most, or with the fewest that they may have."""
        ports, widths = self.space.ports, dict[ArrayId, tuple[int, ...]]()
        for array, every in self.space.widths.items():
            count = max(most.get(array, 1), min(ports(array, width) for width in every))
            widths[array] = tuple(width for width in every if ports(array, width) <= count)
        return replace(self.space, widths=widths)

    @cached_property
    def _counted_states(self) -> Mapping[ArrayId, States]:
        """The partitions that nests are counted with."""
        return states_of(self._dealt_at_most({}), self._known_states) if self._are_open else self.states

    @cached_property
    def states(self) -> Mapping[ArrayId, States]:
        return states_of(self.space, self._known_states)

    def keeps(self, nest: NestSpace, batch: Batch, residents: Arrays) -> Mask:
        kept = super().keeps(nest, batch, residents)
        for use in () if self._are_open else nest.arrays:
            stripes = self.space.ports(use.array, max(self.space.widths[use.array]))
            if use.array in residents and stripes > 1:
                kept &= self._keeps_to(nest, use.array, stripes, batch)
        return kept

    def _keeps_to(self, nest: NestSpace, array: ArrayId, stripes: int, batch: Batch) -> Mask:
        """Candidates whose unrolled loops find their elements in one of so many stripes; of one batch found once."""
        key = (nest.id, array, stripes)
        if key not in self._known_keeps or self._known_keeps[key][0] is not batch:
            self._known_keeps[key] = batch, self._found_keeping(nest, array, stripes, batch)
        return self._known_keeps[key][1]

    def _found_keeping(self, nest: NestSpace, array: ArrayId, stripes: int, batch: Batch) -> Mask:
        row = RowUse.of(self.space.scop, nest.nest, array)
        kept = np.full(batch.count, row.keeps(stripes, {}))
        for at, loop in enumerate(batch.loops):
            if loop in row.loops:
                tiles, which = distinct_rows([batch.level0[at], batch.level1[at], batch.level2[at]])
                kept &= np.array([row.keeps(stripes, {loop: Tile(*tile)}) for tile in tiles.tolist()], np.bool_)[which]
        return kept
