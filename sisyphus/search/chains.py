"""Which level-0 loops may lie outside of each array's transfers in one nest; knows no cost.

Instead of all orders of the loops, the search looks at the sets that matter: the loops outside of the transfers of each
tiled array. The sets of a nest are nested, so that they are prefixes of one order. A loop that has one iteration makes
no difference, so sets are told apart only by the loops with more. No loop at all is outside of transfers that stand
around the nest, where it may be so.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from sisyphus.algebra import distinct_rows
from sisyphus.errors import InternalError
from sisyphus.ir import ArrayId
from sisyphus.search.costs import Ints, Mask
from sisyphus.space import ArrayUse, NestSpace, Space, level0_pairs


class Chains:
    """The families of sets for some tiled arrays of a nest; a set is a number whose bit l says that loop l is in it."""

    def __init__(self, space: Space, nest: NestSpace, arrays: Sequence[ArrayId]) -> None:
        self.loops = tuple(loop.iterator for loop in nest.loops)
        self.arrays = tuple(arrays)
        self._bit = {name: 1 << at for at, name in enumerate(self.loops)}
        self._nest = nest
        self._space = space
        self._ends = {use.array: self._single_end(nest, use) for use in nest.arrays}
        self._by_active: dict[int, Ints] = {}

    @staticmethod
    def _single_end(nest: NestSpace, use: ArrayUse) -> str | None:
        """The one loop below which the user wants a transfer."""
        loops = nest.band_places(use)
        return loops[0] if len(loops) == 1 and not nest.can_move_around(use) else None

    def _subsets_of(self, array: ArrayId) -> Ints:
        """The sets that one array may have; the empty one first."""
        use = self._nest.use(array)
        if use is None:
            raise InternalError(f"nest `{self._nest.id}` does not use `{array}`")
        end, found = self._ends[array], self._subsets
        if end is not None:
            found = found[(found & self._bit[end]) > 0]
        for loop in use.still:
            found = found[(found & self._bit[loop]) > 0]
        if not self._nest.band_places(use):
            found = found[:0]
        return np.concatenate([np.zeros(int(self._nest.can_move_around(use)), np.int64), found])

    @cached_property
    def _subsets(self) -> Ints:
        """Every set of loops that is not empty."""
        if self._nest.order is None:
            return np.arange(1, 1 << len(self.loops), dtype=np.int64)
        return np.cumsum([self._bit[name] for name in self._nest.order], dtype=np.int64)

    @cached_property
    def _all(self) -> Ints:
        """Every nested family [family, array], built array by array."""
        families = np.zeros((1, 0), np.int64)
        for at, array in enumerate(self.arrays):
            subsets = self._subsets_of(array)
            rows = np.repeat(np.arange(len(families)), len(subsets))
            added = np.tile(subsets, len(families))
            kept = np.ones(len(rows), np.bool_)
            for other in range(at):
                before = families[rows, other]
                both = before & added
                kept &= (both == before) | (both == added)
            families = np.concatenate([families[rows], added[:, None]], axis=1)[kept]
        return families[self._ends_are_last(families)]

    def _ends_are_last(self, families: Ints) -> Mask:
        """A set that has the last loop of another contains the whole other."""
        kept = np.ones(len(families), np.bool_)
        for at, array in enumerate(self.arrays):
            end = self._ends[array]
            if end is not None:
                own = families[:, at]
                for other in range(len(self.arrays)):
                    has_end = (families[:, other] & self._bit[end]) > 0
                    kept &= ~has_end | ((families[:, other] & own) == own)
        return kept

    def families(self, active: int) -> Ints:
        """Families [family, array] of sets of active loops (a bit each) that the precedence allows."""
        if active not in self._by_active:
            families = self._all
            kept = np.ones(len(families), np.bool_)
            for a, b in level0_pairs(self._space, self._nest, self.names(active)):
                first, then = self._bit[a], self._bit[b]
                for at, array in enumerate(self.arrays):
                    has_then = (families[:, at] & then) > 0
                    kept &= ~has_then | ((families[:, at] & first) > 0)
                    if self._ends[array] == a:
                        kept &= ~has_then
            self._by_active[active] = distinct_rows(list((families[kept] & active).T))[0]
        return self._by_active[active]

    def active(self, level0: Ints) -> Ints:
        """Per candidate the loops with more than one iteration at level 0, as bits."""
        bits = np.array([self._bit[name] for name in self.loops], np.int64).reshape(-1, 1)
        total: Ints = ((level0 > 1) * bits).sum(axis=0)
        return total

    def names(self, bits: int) -> frozenset[str]:
        """The loops of a set."""
        return frozenset(name for name in self.loops if self._bit[name] & bits)

    def whole(self, level0: Ints, family: Sequence[int]) -> tuple[frozenset[str], ...]:
        """Sets of all loops that are equal to a family on the loops with several iterations; empty ones if any are."""
        active = int(self.active(level0.reshape(-1, 1))[0])
        same = ((self._all & active) == np.array(family, np.int64)).all(axis=1)
        return tuple(self.names(int(bits)) for bits in self._all[same][0])
