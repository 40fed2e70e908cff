"""Narrower beats for a solution that does not fit: smaller ports and fewer multiplexers for longer transfers.

The search counts the widest beat that each partition leaves, and the logic of the narrowest. Where a solution turns out
too large, the beats are chosen anew: for every pair of times that all loads, and all stores, may take, the smallest
beat of each array that keeps to them. Knows no formula.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import product

from sisyphus.ir import ArrayId
from sisyphus.search.costs import Beat, CostModel
from sisyphus.search.solution import Solution
from sisyphus.values import dataclass, replace

#: Share of an excess that is rounding: it comes from a ratio.
ROUNDING = 1e-9


def with_narrower_beats(costs: CostModel, solution: Solution, too_much: Mapping[str, float]) -> Solution | None:
    """The solution with the fastest beats that save `too_much` of each budget; None where none do.

    Its cycles are those that transfers of the chosen beats add to a lower bound: what it costs is for others to say.
    """
    options = {
        a: costs.beats(a, solution.states[a]) for a in sorted(solution.placement.residents & solution.states.keys())
    }
    moved = {(m.array, m.is_load) for step in costs.steps(solution.placement) for m in step.moves}
    options = {a: [_as_moved(a, b, moved) for b in beats] for a, beats in options.items() if len(beats) > 1}
    current = {a: next(b for b in beats if b.width == solution.widths[a]) for a, beats in options.items()}
    best: _Choice | None = None
    every = [beat for beats in options.values() for beat in beats]
    loads, stores = sorted({beat.load for beat in every}), sorted({beat.store for beat in every})
    for load, store in product(loads, stores):
        if best is None or load + store < best.time:
            chosen = {a: _smallest(beats, load, store, too_much) for a, beats in options.items()}
            if all(chosen.values()):
                beats = {a: beat for a, beat in chosen.items() if beat is not None}
                if _saves(current, beats, too_much):
                    best = _Choice(load + store, beats)
    if best is None:
        return None
    widths = {**solution.widths, **{array: beat.width for array, beat in best.beats.items()}}
    return replace(solution, widths=widths) if widths != dict(solution.widths) else None


def with_narrowest_beats(costs: CostModel, solution: Solution) -> Solution:
    """The solution with the narrowest beat of every resident array, which is the smallest and the slowest."""
    residents = solution.placement.residents & solution.states.keys()
    narrowest = {a: min(beat.width for beat in costs.beats(a, solution.states[a])) for a in residents}
    return replace(solution, widths={**solution.widths, **narrowest})


@dataclass(frozen=True)
class _Choice:
    """A beat per array with the longest load and the longest store that they allow."""

    time: float
    beats: Mapping[ArrayId, Beat]


def _as_moved(array: ArrayId, beat: Beat, moved: Collection[tuple[ArrayId, bool]]) -> Beat:
    """A direction in which an array is never moved takes no time."""
    load, store = ((array, is_load) in moved for is_load in (True, False))
    return replace(beat, load=beat.load if load else 0.0, store=beat.store if store else 0.0)


def _smallest(beats: Sequence[Beat], load: float, store: float, too_much: Mapping[str, float]) -> Beat | None:
    """Of the beats within the times, the one that takes least of the budgets that are exceeded."""
    fitting = [beat for beat in beats if beat.load <= load and beat.store <= store]
    return min(fitting, key=lambda beat: sum(beat.usage.get(name, 0.0) for name in too_much), default=None)


def _saves(current: Mapping[ArrayId, Beat], beats: Mapping[ArrayId, Beat], too_much: Mapping[str, float]) -> bool:
    return all(
        sum(current[a].usage.get(name, 0.0) - beat.usage.get(name, 0.0) for a, beat in beats.items())
        >= excess * (1 - ROUNDING)
        for name, excess in too_much.items()
    )
