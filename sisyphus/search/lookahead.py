"""What becomes of the partition of an array through the demands of undecided nests; knows no cost and no search.

Nests can only bring an array to states that the entries of their tables ask for. So what an array costs at least, while
some of its nests are undecided, is the least over the joins of its state with one demand of each of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from sisyphus.algebra import distinct
from sisyphus.ir import ArrayId
from sisyphus.search.costs import Floats, Ints
from sisyphus.search.effort import EFFORT
from sisyphus.search.partitions import States
from sisyphus.search.tables import Table


class Lookahead:
    """The demands of some tables. `penalties` are infinite for states that are barred, and last for no state at all."""

    def __init__(
        self, tables: Sequence[Table], states: Mapping[ArrayId, States], penalties: Mapping[ArrayId, Floats]
    ) -> None:
        self._states, self._penalties = states, penalties
        self._asked: dict[ArrayId, dict[int, Ints]] = {
            array: {m: distinct(t.states[array]) for m, t in enumerate(tables) if array in t.states} for array in states
        }
        self._alike = {array: _first_alike(asked) for array, asked in self._asked.items()}
        self._joins: dict[tuple[ArrayId, int], Ints | None] = {}
        self._known: dict[tuple[ArrayId, object, tuple[int, ...]], Floats] = {}

    def users(self, array: ArrayId, undecided: Collection[int]) -> tuple[int, ...]:
        """The tables among some that ask anything of an array, each as the first one that asks the same, in order."""
        alike = self._alike[array]
        return tuple(sorted(alike[m] for m in undecided if m in alike))

    def least(self, array: ArrayId, name: object, amounts: Floats, undecided: Collection[int]) -> Floats:
        """Per state the least amount that an array comes to with the demands of undecided tables; infinite last.

        `amounts` are per state, in rows or one row, and have the same `name` whenever they are the same.
        """
        users = self.users(array, undecided)
        known = next((at for at in range(len(users)) if (array, name, users[at:]) in self._known), len(users))
        if (array, name, users[known:]) not in self._known:
            nowhere = np.full((*amounts.shape[:-1], 1), np.inf)
            self._known[array, name, ()] = np.concatenate([amounts, nowhere], axis=-1) + self._penalties[array]
        for at in reversed(range(known)):
            before = self._known[array, name, users[at + 1 :]]
            self._known[array, name, users[at:]] = self._with_demands(array, users[at], before)
        return self._known[array, name, users]

    def _with_demands(self, array: ArrayId, m: int, amounts: Floats) -> Floats:
        """The least after one demand of a table."""
        joins = self._joins_of(array, m)
        if joins is not None:
            least: Floats = amounts[..., joins].min(axis=-2)
        else:
            states = self._states[array]
            least = np.apply_along_axis(states.least_ahead, -1, amounts[..., :-1])
        return np.concatenate([least, np.full((*least.shape[:-1], 1), np.inf)], axis=-1)

    def _joins_of(self, array: ArrayId, m: int) -> Ints | None:
        """What each state [column] becomes by each demand [row] of a table; None where that is too much."""
        if (array, m) not in self._joins:
            demands, states = self._asked[array][m], self._states[array]
            found = None
            if len(demands) * states.count <= EFFORT.demand_pairs:
                found = np.stack([states.joined_with(demand) for demand in demands.tolist()])
            self._joins[array, m] = found
        return self._joins[array, m]


def _first_alike(asked: Mapping[int, Ints]) -> dict[int, int]:
    """Per table the first one with the same demands: of hundreds of loops, most ask the same."""
    first: dict[bytes, int] = {}
    return {m: first.setdefault(demands.tobytes(), m) for m, demands in asked.items()}
