"""Whether block memories of both kinds hold resident arrays beside the tiles of all nests, each with a beat of its own.

Budgets look at one kind of block at a time, and of each array at the beat that takes least of it: what wide beats put
into URAM may lie in BRAM with narrow ones, so that it seems to lie in neither. Here both kinds are looked at together.
Knows no cycle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from sisyphus.algebra import distinct_rows
from sisyphus.ir import ArrayId
from sisyphus.search.costs import Floats, Ints, Mask, Width
from sisyphus.search.packing import BLOCKS, Blocks, Packing
from sisyphus.target import Budget

#: An array in a state of its partition.
InState = tuple[ArrayId, int]


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
