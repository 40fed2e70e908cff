"""What budgets leave to the entries of undecided tables, all budgets in one go; knows no search and no cycle.

Every kind of every budget is a row. A group of nests takes the sum of its nests, the rows of a budget the sum over its
kinds of the largest group; the last kind of a budget is never shared, so that of it all groups together count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sisyphus.ir import ArrayId
from sisyphus.search.costs import Floats, Ints, Mask
from sisyphus.search.effort import EFFORT
from sisyphus.search.lookahead import Lookahead
from sisyphus.search.packing import PackedBlocks
from sisyphus.search.partitions import States
from sisyphus.search.tables import Table
from sisyphus.target import Budget

#: Less than anything that an array takes.
TINY = 1e-9


class Fitting:
    """The budgets over some tables."""

    def __init__(
        self,
        budgets: Sequence[Budget],
        tables: Sequence[Table],
        states: Mapping[ArrayId, States],
        residents: Mapping[str, Mapping[ArrayId, Floats]],
        lookahead: Lookahead,
        blocks: PackedBlocks | None = None,
    ) -> None:
        self.budgets, self._lookahead, self._blocks = budgets, lookahead, blocks
        self.arrays = tuple(states)
        kinds = [len(tables[0].usage[b.name]) for b in budgets]
        ends = np.cumsum(kinds, dtype=np.int64)
        self._starts = ends - np.array(kinds, np.int64)
        self._parts = [slice(int(s), int(e)) for s, e in zip(self._starts, ends, strict=True)]
        self.rows = int(sum(kinds))
        self._alone = np.zeros(self.rows, np.bool_)
        self._alone[ends - 1] = True
        self._sharing, self._lone = np.zeros(self.rows), np.zeros(self.rows)
        for budget, part in zip(budgets, self._parts, strict=True):
            self._sharing[part] = budget.sharing or 0.0
            self._lone[part] = budget.lone or 0.0
        self._limits = np.array([budget.limit for budget in budgets])
        self._every = np.arange(self.rows)
        self._groups = [self._group_of(table.nest, kinds) for table in tables]
        self._count = max((len(b.groups) for b in budgets), default=1)
        self._usage = {
            a: np.stack([residents.get(b.name, {}).get(a, np.zeros(s.count)) for b in budgets])
            for a, s in states.items()
        }
        self._known: dict[tuple[int, tuple[int, ...], tuple[int, ...]], tuple[Floats, Floats]] = {}

    def _group_of(self, nest: str, kinds: Sequence[int]) -> Ints:
        """Per row the group that a nest belongs to."""
        places = [next(g for g, group in enumerate(b.groups) if nest in group) for b in self.budgets]
        return np.repeat(np.array(places, np.int64), kinds)

    def _least(self, array: ArrayId, undecided: Sequence[int]) -> Floats:
        """Per budget and state the least that an array takes once undecided tables have asked what they may."""
        return self._lookahead.least(array, "usage", self._usage[array], undecided)

    def nothing(self, *wholes: int) -> Floats:
        """What nobody takes: [group, row], or [group, row, whole]."""
        return np.zeros((self._count, self.rows, *wholes))

    def add(self, held: Floats, m: int, usage: Floats) -> None:
        """Gives a nest what it takes."""
        held[self._groups[m], self._every] += usage

    def held_by(self, usage: Mapping[int, Floats]) -> Floats:
        """What some nests take together: [group, row]."""
        held = self.nothing()
        if usage:
            groups = np.stack([self._groups[m] for m in usage])
            np.add.at(held, (groups, self._every), np.stack([*usage.values()]))
        return held

    def shares(self, asked: Sequence[Mapping[ArrayId, Ints]]) -> list[list[Floats]]:
        """Per budget and table what its entries, which bring arrays to these states, make them take at least.

        What an array takes at least is shared out among the tables that ask something of it, by how much they ask.
        """
        found: list[list[Floats]] = [[np.zeros(1) for _ in asked] for _ in self.budgets]
        for array in self.arrays:
            tables = [m for m, states in enumerate(asked) if array in states]
            most = 2 * self._limits[:, None]
            amounts = [
                np.minimum(self._least(array, [o for o in tables if o != m])[:, asked[m][array]], most) for m in tables
            ]
            means = np.array([amount.mean(axis=1) for amount in amounts]).reshape(len(tables), len(self.budgets))
            weights = means / np.maximum(means.sum(axis=0), TINY)
            for at, m in enumerate(tables):
                for b in range(len(self.budgets)):
                    found[b][m] = found[b][m] + weights[at, b] * amounts[at][b]
        return found

    def fits(
        self,
        m: int,
        held: Floats,
        usage: Floats,
        most: Floats,
        states: Sequence[int],
        joined: Mapping[ArrayId, Ints],
        others_open: Sequence[int],
    ) -> Mask | None:
        """Entries that fit beside what all others hold; None: all of them. `most` is the largest of each row.

        Arrays are in `states`, or come to those that are `joined` with each entry; other tables are undecided.
        """
        groups, every = self._groups[m], self._every
        own = held[groups, every]
        others = held.copy()
        others[groups, every] = 0
        beside = np.where(self._alone, others.sum(axis=0), others.max(axis=0, initial=0))
        arrays, most_arrays = self._residents(m, states, joined, tuple(sorted(others_open)))
        total = np.add.reduceat(self._together(beside, own + most), self._starts) + most_arrays
        found: Mask | None = None
        for b in np.flatnonzero(total > self._limits):
            part = self._parts[b]
            together = self._together(beside[part, None], own[part, None] + usage[part], part)
            kept = together.sum(axis=0) + arrays[b] <= self._limits[b]
            found = kept if found is None else found & kept
        return found

    def fits_whole(self, held: Floats, states: Sequence[Ints | int]) -> Mask:
        """Whether what is held [group, row, whole] fits beside the resident arrays in their states."""
        if len(held) > 1:
            most, second = _two_largest(held)
            total = np.where(self._alone[:, None], held.sum(axis=0), self._shared(most, second, slice(None)))
        else:
            total = held[0]
        nests = total = np.add.reduceat(total, self._starts, axis=0)
        for at, array in enumerate(self.arrays):
            total = total + self._usage[array][:, states[at]].reshape(len(self.budgets), -1)
        fits = np.asarray((total <= self._limits[:, None]).all(axis=0))
        if self._blocks is None:
            return fits
        return self._blocks.fit(fits, nests, dict(zip(self.arrays, states, strict=True)))

    def _together(self, others: Floats, own: Floats, part: slice = slice(None)) -> Floats:
        """Per kind the largest group and what sharing adds; of the last kind all groups."""
        alone = self._alone[part] if own.ndim == 1 else self._alone[part][:, None]
        return np.where(alone, others + own, self._shared(np.maximum(others, own), np.minimum(others, own), part))

    def _shared(self, most: Floats, second: Floats, part: slice) -> Floats:
        """What a kind takes at least whose two largest groups take so much."""
        sharing, lone = self._sharing[part], self._lone[part]
        if most.ndim > 1:
            sharing, lone = sharing[:, None], lone[:, None]
        found: Floats = most + second * sharing + np.where(second > 0, most - second, 0.0) * lone
        return found

    def _residents(
        self, m: int, states: Sequence[int], joined: Mapping[ArrayId, Ints], others_open: tuple[int, ...]
    ) -> tuple[Floats, Floats]:
        """What resident arrays take at least, per budget and entry of a table, and the most of it per budget."""
        key = (m, tuple(states), others_open)
        if key not in self._known:
            if len(self._known) > EFFORT.remembered_sums:
                self._known.clear()
            total: Floats = np.zeros((len(self.budgets), 1))
            for at, array in enumerate(self.arrays):
                least = self._least(array, others_open)
                if array in joined:
                    total = total + np.where(joined[array] < 0, 0.0, least[:, joined[array]])
                else:
                    total = total + least[:, states[at], None]
            self._known[key] = total, total.max(axis=1)
        return self._known[key]


def _two_largest(groups: Floats) -> tuple[Floats, Floats]:
    """The largest of at least two rows of amounts and the second largest, place by place; sorting them takes longer."""
    most, second = np.maximum(groups[0], groups[1]), np.minimum(groups[0], groups[1])
    for own in groups[2:]:
        second = np.maximum(second, np.minimum(most, own))
        most = np.maximum(most, own)
    return most, second
