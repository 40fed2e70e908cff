"""What the choices of nests cost next to the partitions that other nests ask for, counted once; knows no search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from sisyphus.algebra import distinct_rows
from sisyphus.ir import ArrayId
from sisyphus.search.costs import Costs, Floats, Ints, Mask
from sisyphus.search.effort import EFFORT
from sisyphus.search.partitions import States
from sisyphus.search.tables import Table
from sisyphus.values import dataclass

#: Entries of a table that lie on their own, some of them, with the state of each array per entry, to their costs.
Recount = Callable[[Table, Mapping[ArrayId, Ints]], Costs]


@dataclass(frozen=True, eq=False)
class Coupled:
    """Cycles and usage [kind of any budget, entry] of the entries of a table; as if alone where not `counted`."""

    cycles: Floats
    usage: Floats
    counted: Mask

    @property
    def most_used(self) -> Floats:
        found: Floats = self.usage.max(axis=1)
        return found


class Coupling:
    """Remembers what was counted; without `recount`, coupling makes no difference.

    `fixed` arrays have a state whatever is asked. Usage is that of all budgets in `budgets`, one below the other.
    """

    def __init__(
        self,
        tables: Sequence[Table],
        states: Mapping[ArrayId, States],
        budgets: Sequence[str],
        fixed: Mapping[ArrayId, int],
        recount: Recount | None,
    ) -> None:
        self.tables, self.states, self.budgets, self.fixed, self.recount = tables, states, budgets, fixed, recount
        self.arrays = tuple(states)
        self._own = [[at for at, a in enumerate(self.arrays) if a in table.states] for table in tables]
        self._asked = [
            [table.states[self.arrays[at]] for at in own] for table, own in zip(tables, self._own, strict=True)
        ]
        self.alone = [self._stacked(table.usage) for table in tables]
        self._together: dict[tuple[int, tuple[int, ...]], Coupled] = {}
        self._single: dict[tuple[int, int, tuple[int, ...]], tuple[float, Floats]] = {}
        self._joined: dict[tuple[int, tuple[int, ...]], dict[ArrayId, Ints]] = {}

    def _stacked(self, usage: Mapping[str, Floats]) -> Floats:
        return np.concatenate([usage[name] for name in self.budgets]) if self.budgets else np.zeros((0, 0))

    def own_states(self, m: int, states: Sequence[int]) -> tuple[int, ...]:
        """Of the arrays of a table."""
        return tuple(states[at] for at in self._own[m])

    def ask(self, states: list[int], m: int, entry: int) -> None:
        """Brings the arrays of a table to the states that one entry asks for."""
        for at, asked in zip(self._own[m], self._asked[m], strict=True):
            states[at] = int(self.states[self.arrays[at]].joined(states[at], asked[entry : entry + 1])[0])

    def joined(self, m: int, states: Sequence[int]) -> dict[ArrayId, Ints]:
        """Per array of a table the state that each entry brings it to."""
        key = (m, self.own_states(m, states))
        if key not in self._joined:
            self._joined[key] = {
                self.arrays[at]: self.states[self.arrays[at]].joined(states[at], asked)
                for at, asked in zip(self._own[m], self._asked[m], strict=True)
            }
        return self._joined[key]

    def known(self, m: int, states: Sequence[int]) -> Coupled | None:
        """What was counted of a table next to these states, if anything was."""
        return self._together.get((m, self.own_states(m, states)))

    def table(self, m: int, states: Sequence[int], kept: Mask) -> Coupled | None:
        """Costs of the entries of a table next to these states, where they are `kept`; None if all are as if alone."""
        table, known = self.tables[m], self.known(m, states)
        if self.recount is None:
            return known
        waiting = kept if known is None else kept & ~known.counted
        if not waiting.any():
            return known
        rows = np.flatnonzero(waiting & self._changed(m, states))
        if 0 < len(rows) <= EFFORT.recounted_entries:
            again = self.recount(table.take(rows), {a: s[rows] for a, s in self.joined(m, states).items()})
            if known is None:
                known = Coupled(table.cycles.copy(), self.alone[m].copy(), np.zeros(table.count, np.bool_))
                self._together[m, self.own_states(m, states)] = known
            known.cycles[rows], known.usage[:, rows] = again.cycles, self._stacked(again.usage)
            known.counted[rows] = True
        return known

    def exact(self, m: int, states: Sequence[int], kept: Mask) -> tuple[Floats, Floats] | None:
        """Cycles and usage of entries that come to just these states; None where a `kept` one is not counted."""
        known = self.known(m, states)
        waiting = kept if known is None else kept & ~known.counted
        if self.recount is not None and (waiting & self._changed(m, states)).any():
            return None
        return (self.tables[m].cycles, self.alone[m]) if known is None else (known.cycles, known.usage)

    def _changed(self, m: int, states: Sequence[int]) -> Mask:
        """Entries of a table whose arrays come to other states than they ask for."""
        table, changed = self.tables[m], np.zeros(self.tables[m].count, np.bool_)
        for array, asked in self.joined(m, states).items():
            if array not in self.fixed:
                changed |= asked != table.states[array]
        return changed

    def remember(self, m: int, entry: int, states: Sequence[int], after: Sequence[int]) -> None:
        """An entry that was counted next to `states` brings them to `after`."""
        known = self.known(m, states)
        if known is not None and known.counted[entry]:
            found = float(known.cycles[entry]), known.usage[:, entry].copy()
            self._single[m, entry, self.own_states(m, after)] = found

    def entry(self, m: int, entry: int, states: Sequence[int]) -> tuple[float, Floats]:
        """Cycles and usage of one entry whose arrays come to these states."""
        if self.recount is None:
            return float(self.tables[m].cycles[entry]), self.alone[m][:, entry]
        known = self._single.get((m, entry, self.own_states(m, states)))
        if known is not None:
            return known
        every = dict(zip(self.arrays, states, strict=True))
        cycles, usage = self._of_wholes(m, np.array([entry]), every)
        return float(cycles[0]), usage[:, 0]

    def _differs(self, m: int, entry: int, own: Sequence[int]) -> bool:
        """Do the arrays of an entry come to other states than it asks for, all of them possible?"""
        pairs = zip(self._own[m], self._asked[m], own, strict=True)
        others = any(int(asked[entry]) != s for at, asked, s in pairs if self.arrays[at] not in self.fixed)
        return others and min(own, default=0) >= 0

    def unmoved(self, chosen: Mapping[int, int], m: int, states: Sequence[int]) -> dict[int, tuple[float, Floats]]:
        """Cycles and usage of the chosen entries that cost the same whichever entry of table `m` completes them."""
        moved = set() if self.recount is None else {*self._own[m]}
        return {d: self.entry(d, entry, states) for d, entry in chosen.items() if moved.isdisjoint(self._own[d])}

    def wholes(
        self, chosen: Mapping[int, int], m: int, entries: Ints, states: Sequence[int]
    ) -> dict[int, tuple[Floats, Floats]]:
        """Cycles and usage [row, whole] of all tables, where some entries of table `m` complete what was chosen."""
        joined = self.joined(m, states)
        own = self.known(m, states)
        if self.tables[m].count > EFFORT.recounted_entries:
            every = {a: joined[a][entries] if a in joined else s for a, s in zip(self.arrays, states, strict=True)}
            found = {m: self._of_wholes(m, entries, every)}
        elif own is None:
            found = {m: (self.tables[m].cycles[entries], self.alone[m][:, entries])}
        else:
            found = {m: (own.cycles[entries], own.usage[:, entries])}
        different, which = np.zeros((1, 0), np.int64), np.zeros(len(entries), np.int64)
        if joined:
            different, which = distinct_rows([asked[entries] for asked in joined.values()])
        place = {a: different[:, at] for at, a in enumerate(joined)}
        after = {a: place.get(a, s) for a, s in zip(self.arrays, states, strict=True)}
        for d, entry in chosen.items():
            cycles, usage = self._of_wholes(d, np.full(len(different), entry), after)
            found[d] = cycles[which], usage[:, which]
        return found

    def _of_wholes(self, m: int, entries: Ints, states: Mapping[ArrayId, Ints | int]) -> tuple[Floats, Floats]:
        arrays = [self.arrays[at] for at in self._own[m]]
        if self.recount is None or not arrays:
            return self.tables[m].cycles[entries], self.alone[m][:, entries]
        asked = np.stack([np.broadcast_to(states[a], entries.shape) for a in arrays], axis=1)
        keys = [(m, entry, tuple(row)) for entry, row in zip(entries.tolist(), asked.tolist(), strict=True)]
        new = [key for key in dict.fromkeys(keys) if key not in self._single]
        for key in new:
            self._single[key] = float(self.tables[m].cycles[key[1]]), self.alone[m][:, key[1]]
        new = [key for key in new if self._differs(m, key[1], key[2])]
        if new:
            rows = np.array([key[2] for key in new], np.int64)
            taken = self.tables[m].take(np.array([key[1] for key in new]))
            again = self.recount(taken, {a: rows[:, at] for at, a in enumerate(arrays)})
            usage = self._stacked(again.usage)
            for at, key in enumerate(new):
                self._single[key] = float(again.cycles[at]), usage[:, at]
        found = [self._single[key] for key in keys]
        return np.array([cycles for cycles, _ in found]), np.stack([usage for _, usage in found], axis=1)
