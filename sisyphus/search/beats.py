"""Narrower beats for a solution that does not fit: smaller ports and fewer multiplexers for longer transfers.

The search counts the widest beat that each partition leaves, and the logic of the narrowest. Where a solution turns out
too large, the beats are chosen anew, of all arrays together: for the shortest times that all loads, and all stores, may
take so that some beats that keep to them fit, with banks in some storage. One array may so lie in URAM and another one
in BRAM. Knows no formula.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from sisyphus.ir import ArrayId
from sisyphus.search.costs import Beat, CostModel, Floats
from sisyphus.search.effort import EFFORT
from sisyphus.search.solution import Solution
from sisyphus.values import replace


def with_narrower_beats(costs: CostModel, solution: Solution, left: Mapping[str, float]) -> Solution | None:
    """The solution with the fastest beats that fit; None where none do, or no others than it has.

    It leaves so much of each budget, less than nothing of some. Its cycles are those that transfers of the chosen beats
    add to a lower bound: what it costs is for others to say.
    """
    residents = solution.placement.residents & solution.states.keys()
    moved = {(m.array, m.is_load) for step in costs.steps(solution.placement) for m in step.moves}
    arrays = []
    for array in sorted(residents):
        beats = [_as_moved(array, beat, moved) for beat in costs.beats(array, solution.states[array])]
        if len(beats) > 1:
            arrays.append(_Beats(array, beats, solution.widths[array], left))
    chosen = _fastest(arrays, np.array([*left.values()], np.float64)) if arrays else {}
    widths = {**solution.widths, **{array: beat.width for array, beat in chosen.items()}}
    storages = {beats.array: chosen[beats.array].storage for beats in arrays if beats.is_asked(chosen)}
    return replace(solution, widths=widths, storages=storages) if storages or widths != solution.widths else None


class _Beats:
    """The beats of an array, with what each takes of the budgets beyond what the present one takes."""

    def __init__(self, array: ArrayId, beats: Sequence[Beat], width: int, names: Collection[str]) -> None:
        """The present one has this width, and the storage of the first."""
        self.array, self.beats = array, beats
        self.load, self.store = np.array([b.load for b in beats]), np.array([b.store for b in beats])
        used = np.array([[beat.usage.get(name, 0.0) for name in names] for beat in beats])
        self.added: Floats = used - used[[beat.width for beat in beats].index(width)]

    def is_asked(self, chosen: Mapping[ArrayId, Beat]) -> bool:
        """Whether banks have to be asked for in another storage than they usually are in."""
        return self.array in chosen and chosen[self.array].storage != self.beats[0].storage


def _fastest(arrays: Sequence[_Beats], left: Floats) -> dict[ArrayId, Beat]:
    """The beats of the shortest load and store together; none where nothing fits.

    A longer load never asks for a longer store.
    """
    loads = np.unique(np.concatenate([beats.load for beats in arrays])).tolist()
    stores = np.unique(np.concatenate([beats.store for beats in arrays])).tolist()
    best: dict[ArrayId, Beat] = {}
    least, at = np.inf, len(stores) - 1
    for load in loads:
        while at >= 0 and (found := _fitting(arrays, load, stores[at], left)):
            if load + stores[at] < least:
                best, least = found, load + stores[at]
            at -= 1
    return best


def _fitting(arrays: Sequence[_Beats], load: float, store: float, left: Floats) -> dict[ArrayId, Beat]:
    """Beats within these times that fit, of these the ones that take least; none where none do."""
    kept = [np.flatnonzero((beats.load <= load) & (beats.store <= store)) for beats in arrays]
    if not all(map(len, kept)):
        return {}
    least = [beats.added[rows].min(axis=0) for beats, rows in zip(arrays, kept, strict=True)]
    scale = np.maximum(np.abs(left), 1.0)
    sums, picks = np.zeros((1, len(left))), np.zeros((1, 0), np.int64)
    for at, (beats, rows) in enumerate(zip(arrays, kept, strict=True)):
        sums = (sums[:, None] + beats.added[rows]).reshape(-1, len(left))
        picks = np.column_stack([np.repeat(picks, len(rows), axis=0), np.tile(rows, len(picks))])
        order = np.flatnonzero((sums + sum(least[at + 1 :], np.zeros(len(left))) <= left).all(axis=1))
        order = order[np.argsort((sums[order] / scale).sum(axis=1), kind="stable")][: EFFORT.beats_together]
        sums, picks = sums[order], picks[order]
    if not len(picks):
        return {}
    return {beats.array: beats.beats[row] for beats, row in zip(arrays, picks[0].tolist(), strict=True)}


def _as_moved(array: ArrayId, beat: Beat, moved: Collection[tuple[ArrayId, bool]]) -> Beat:
    """A direction in which an array is never moved takes no time."""
    load, store = ((array, is_load) in moved for is_load in (True, False))
    return replace(beat, load=beat.load if load else 0.0, store=beat.store if store else 0.0)
