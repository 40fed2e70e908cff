"""Which beats resident arrays may have together: fast transfers need wide beats, which take more logic.

Transfers run side by side, so that only the longest of them counts. A transfer limit is one for the longest load and
one for the longest store: it allows every array the beats that keep to it. Every choice of beats belongs to that of
its own longest transfers, in which nothing costs less than these. Knows no formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product

import numpy as np

from sisyphus.ir import ArrayId
from sisyphus.search.costs import CostModel, Floats, Ints, Mask, Move, Placement, Step, Width
from sisyphus.target import Budget
from sisyphus.values import dataclass, replace


@dataclass(frozen=True, eq=False)
class TransferLimit:
    """The beats that a limit of times leaves to each resident array, at least one each; `steps` take no less time."""

    steps: tuple[Step, ...]
    allowed: Mapping[ArrayId, Sequence[Width]]
    budgets: Sequence[Budget]

    @cached_property
    def moves(self) -> Mapping[Move, Floats]:
        """Cycles of each move per state of its array with the fastest of the beats."""
        every = {move for step in self.steps for move in step.moves}
        return {
            move: _least([width.cycles(move) for width in self.allowed[move.array]], self._possible(move.array))
            for move in every
        }

    @cached_property
    def residents(self) -> Mapping[str, Mapping[ArrayId, Floats]]:
        """Per budget what each array takes per state with the smallest of the beats."""
        found: dict[str, dict[ArrayId, Floats]] = {}
        for array, widths in self.allowed.items():
            for name in widths[0].usage:
                amounts = [width.usage[name] for width in widths]
                found.setdefault(name, {})[array] = _least(amounts, self._possible(array))
        return found

    @cached_property
    def widths(self) -> Mapping[ArrayId, Ints]:
        """The smallest beat of each array per state, by the sum of its shares of the budgets; 0 where none is left."""
        limits, found = {budget.name: max(budget.limit, 1.0) for budget in self.budgets}, {}
        for array, every in self.allowed.items():
            widths = sorted(every, key=lambda width: width.elements)
            shares = [sum((u / limits[n] for n, u in w.usage.items() if n in limits), np.zeros(1)) for w in widths]
            fitting = [np.where(w.possible, share, np.inf) for w, share in zip(widths, shares, strict=True)]
            smallest = np.array([w.elements for w in widths])[np.argmin(fitting, axis=0)]
            found[array] = np.where(np.isfinite(np.min(fitting, axis=0)), smallest, 0)
        return found

    def _possible(self, array: ArrayId) -> list[Mask]:
        return [width.possible for width in self.allowed[array]]


def widths_of_residents(costs: CostModel, placement: Placement) -> dict[ArrayId, Sequence[Width]]:
    """The beats that each resident array may have."""
    return {array: costs.by_width(array) for array in sorted(placement.residents & costs.states.keys())}


def transfer_limits(
    costs: CostModel, placement: Placement, steps: Sequence[Step], budgets: Sequence[Budget]
) -> Iterator[TransferLimit]:
    """Every transfer limit, faster loads first."""
    widths = widths_of_residents(costs, placement)
    moves = sorted({move for step in steps for move in step.moves}, key=str)
    loads, stores = ([move for move in moves if move.is_load == is_load] for is_load in (True, False))
    times = {move: [width.fastest(move) for width in widths[move.array]] for move in moves}
    seen = set[tuple[tuple[int, ...], ...]]()
    for load, store in product(_levels(times, loads), _levels(times, stores)):
        kept = {array: np.ones(len(every), np.bool_) for array, every in widths.items()}
        for move in moves:
            kept[move.array] &= np.asarray(times[move]) <= (load if move.is_load else store)
        allowed = {a: [w for w, keeps in zip(every, kept[a], strict=True) if keeps] for a, every in widths.items()}
        key = tuple(tuple(w.elements for w in left) for left in allowed.values())
        if all(key) and key not in seen:
            seen.add(key)
            slow = _at_least(_at_least(steps, loads, load), stores, store)
            yield TransferLimit(tuple(slow), allowed, budgets)


def _levels(times: Mapping[Move, Sequence[float]], moves: Sequence[Move]) -> list[float]:
    """Times that the longest of some moves may take, of those that each takes with one of its beats."""
    slowest = max((min(times[move]) for move in moves), default=0.0)
    return sorted({time for move in moves for time in times[move] if slowest <= time < np.inf} | {slowest})


def _at_least(steps: Sequence[Step], moves: Sequence[Move], time: float) -> Sequence[Step]:
    """The step of all these moves takes the time of the slowest; nothing is known where they are in several steps."""
    of_moves = [at for at, step in enumerate(steps) if any(move in moves for move in step.moves)]
    if len(of_moves) != 1:
        return steps
    return [replace(s, least=max(s.least, time)) if at == of_moves[0] else s for at, s in enumerate(steps)]


def _least(amounts: Sequence[Floats], possible: Sequence[Mask]) -> Floats:
    masked = [np.where(fits, amount, np.inf) for amount, fits in zip(amounts, possible, strict=True)]
    found: Floats = np.minimum.reduce(masked)
    return found
