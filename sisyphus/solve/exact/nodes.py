"""Parts of a combination and what the rest may add to them; knows no search.

Cycles of a step are charged to one undecided nest that has a say in it, so that every step is counted once and a sum
over undecided nests, each at its best, is a lower bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sisyphus.ir import ArrayId
from sisyphus.solve.exact.costs import Budget, Floats, Ints, Mask, Move, Step
from sisyphus.solve.exact.options import Table
from sisyphus.solve.exact.partitions import States

#: Remembered costs are dropped when they have this many entries.
MEMORY_ENTRIES = 4_000_000
#: So many sums over resident arrays are remembered.
MOST_REMEMBERED = 20_000
#: Entries of a table whose cycles are counted again in the company of others; more of them count as if alone.
MOST_RECOUNTED = 20_000


#: Entries of a table that lie on their own, some of them, with the state of each array per entry, to their cycles.
Recount = Callable[[Table, Mapping[ArrayId, Ints]], Floats]


@dataclass(frozen=True, eq=False)
class Problem:
    """Tables with what ties them together; `moves` has the cycles of each move per state of its array.

    `start` has the state of each array of which no nest has asked anything, `barred` the states that an array must not
    come to. `recount` says what entries cost when their arrays come to other states than the ones they ask for,
    hardly ever less; without it, that makes no difference. `residents` has, per budget, what arrays take per state.
    """

    tables: Sequence[Table]
    steps: Sequence[Step]
    budgets: Sequence[Budget]
    states: Mapping[ArrayId, States]
    moves: Mapping[Move, Floats]
    start: Mapping[ArrayId, int] = field(default_factory=dict)
    barred: Mapping[ArrayId, Mask] = field(default_factory=dict)
    recount: Recount | None = None
    residents: Mapping[str, Mapping[ArrayId, Floats]] = field(default_factory=dict)

    def begin(self, array: ArrayId) -> int:
        """The state of an array at first."""
        return self.start.get(array, self.states[array].start)

    def penalties(self, array: ArrayId) -> Floats:
        """Per state 0 or, if it is barred, infinity; the last entry is for what no state serves."""
        states = self.states[array]
        barred = self.barred.get(array, np.zeros(states.count, np.bool_))
        return np.append(np.where(barred, np.inf, 0.0), np.inf)


@dataclass(frozen=True, eq=False)
class Node:
    """A part of the decisions.

    `open` are the undecided tables by place, `chosen` the entries of the others, `cycles` theirs by nest, in each
    other's company, and `alone` without; `states` are of the arrays, `held` is what the decided ones take per budget
    [group, kind].
    """

    open: tuple[int, ...]
    chosen: Mapping[int, int]
    cycles: Mapping[str, float]
    alone: Mapping[str, float]
    states: tuple[int, ...]
    held: tuple[Floats, ...]


@dataclass(frozen=True, eq=False)
class _Company:
    """Cycles of the entries of a table in some company; only those that are `counted` are more than they are alone."""

    cycles: Floats
    counted: Mask


class Charges:
    """What the entries of undecided tables cost next to what was decided."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.tables = list(problem.tables)
        self.arrays = tuple(problem.states)
        self._penalty = {a: problem.penalties(a) for a in problem.states}
        self._moves = {move: np.append(cycles, np.inf) for move, cycles in problem.moves.items()}
        self._least_moves = {move: np.append(self._least_of(move), np.inf) for move in problem.moves}
        self._least = {t.nest: float(t.cycles.min()) for t in self.tables}
        self._groups = [self._group_places(t.nest) for t in self.tables]
        self._others = [
            [[o for o in range(len(b.groups)) if o != g] for g in range(len(b.groups))] for b in problem.budgets
        ]
        self._most_used = [[t.usage[b.name].max(axis=1) for b in problem.budgets] for t in self.tables]
        self._least_used = [[t.usage[b.name].min(axis=1) for b in problem.budgets] for t in self.tables]
        self._known_residents: dict[tuple[int, str, tuple[int, ...], bool], Floats] = {}
        self._later: dict[tuple[str, ArrayId], Floats] = {}
        self._company: dict[tuple[int, tuple[int, ...]], _Company] = {}
        self._single: dict[tuple[int, int, tuple[int, ...]], float] = {}
        self._owned: dict[tuple[int, ...], dict[int, tuple[int, ...]]] = {}
        self._memory: dict[tuple[object, ...], Floats] = {}
        self._entries = 0

    def _least_of(self, move: Move) -> Floats:
        """Cycles of a move per state of its array or, if it takes less then, of a state that this may turn into."""
        allowed = np.where(self._penalty[move.array][:-1] == 0, self.problem.moves[move], np.inf)
        return self.problem.states[move.array].least_later(allowed)

    def root(self) -> Node:
        """Nothing decided; the most expensive nests are charged first."""
        start = tuple(self.problem.begin(a) for a in self.arrays)
        held = tuple(np.zeros((len(b.groups), self.tables[0].usage[b.name].shape[0])) for b in self.problem.budgets)
        order = sorted(range(len(self.tables)), key=lambda m: -self._least[self.tables[m].nest])
        return Node(tuple(order), {}, {}, {}, start, held)

    def child(self, node: Node, m: int, entry: int) -> Node:
        """One more decision."""
        table = self.tables[m]
        states = list(node.states)
        for at, array in enumerate(self.arrays):
            if array in table.states:
                states[at] = int(self.problem.states[array].joined_with(states[at])[table.states[array][entry]])
        chosen = {**node.chosen, m: entry}
        known = self._company.get((m, self._own_states(m, node.states)))
        if known is not None and known.counted[entry]:
            self._single[m, entry, self._own_states(m, tuple(states))] = float(known.cycles[entry])
        held = []
        for b, budget in enumerate(self.problem.budgets):
            rows = node.held[b].copy()
            rows[self._groups[m][b]] += table.usage[budget.name][:, entry]
            held.append(rows)
        return Node(
            open=tuple(o for o in node.open if o != m),
            chosen=chosen,
            cycles={self.tables[d].nest: self._in_company(d, e, tuple(states)) for d, e in chosen.items()},
            alone={**node.alone, table.nest: float(table.cycles[entry])},
            states=tuple(states),
            held=tuple(held),
        )

    def is_crowded(self, node: Node) -> bool:
        """Whether company makes anything cost more than alone."""
        if any(cycles > node.alone[nest] for nest, cycles in node.cycles.items()):
            return True
        return any((m, self._own_states(m, node.states)) in self._company for m in node.open)

    def by_itself(self, node: Node) -> Node:
        """The same decisions, as if every nest were alone."""
        return replace(node, cycles=node.alone)

    def vectors(self, node: Node, alive: Mapping[int, Mask], *, alone: bool = False) -> dict[int, Floats] | None:
        """Per undecided nest what its entries are charged, infinite where one is ruled out or not alive.

        None where a nest has nothing left. `alone`: without what company adds.
        """
        vectors = {}
        for m in node.open:
            fits = self._fits(node, m)
            kept = alive.get(m) if fits is None else fits & alive[m] if m in alive else fits
            own = self.tables[m].cycles if alone else self._all_in_company(node, m, kept)
            cost = self._charged(node, m, own)
            vectors[m] = cost if kept is None else np.where(kept, cost, np.inf)
            if not np.isfinite(vectors[m].min()):
                return None
        return vectors

    def fixed(self, node: Node) -> float:
        """Cycles of the steps in which nothing is open."""
        states: dict[ArrayId, Ints | int] = dict(zip(self.arrays, node.states, strict=True))
        steps = (self.problem.steps[at] for at in self._owners(node.open)[-1])
        return sum(float(self._step(step, node, None, states)[0]) for step in steps)

    def held(self, node: Node, budget: str, group: tuple[str, ...]) -> float:
        """What decided nests of a group take of a budget, over all kinds."""
        b = next(b for b, other in enumerate(self.problem.budgets) if other.name == budget)
        return float(node.held[b][self.problem.budgets[b].groups.index(group)].sum())

    def _owners(self, undecided: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
        """Steps by the first undecided nest that has a say in them; those without any under -1."""
        if undecided not in self._owned:
            owned: dict[int, list[int]] = {m: [] for m in (-1, *undecided)}
            for at, step in enumerate(self.problem.steps):
                owned[next((m for m in undecided if self._touches(step, m)), -1)].append(at)
            self._owned[undecided] = {m: tuple(steps) for m, steps in owned.items()}
        return self._owned[undecided]

    def _touches(self, step: Step, m: int) -> bool:
        table = self.tables[m]
        return table.nest in step.nests or any(move.array in table.states for move in step.moves)

    def _group_places(self, nest: str) -> tuple[int, ...]:
        """Per budget the group that a nest belongs to."""
        return tuple(next(g for g, group in enumerate(b.groups) if nest in group) for b in self.problem.budgets)

    def _joined(self, m: int, states: tuple[int, ...]) -> dict[ArrayId, Ints]:
        """Per array of a table the state that each entry brings it to."""
        table = self.tables[m]
        return {
            array: self.problem.states[array].joined_with(states[at])[table.states[array]]
            for at, array in enumerate(self.arrays)
            if array in table.states
        }

    def _own_states(self, m: int, states: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(s for a, s in zip(self.arrays, states, strict=True) if a in self.tables[m].states)

    def _all_in_company(self, node: Node, m: int, kept: Mask | None) -> Floats:
        """Cycles of the entries of a table next to the states that the decided nests ask for, where they are `kept`."""
        table = self.tables[m]
        if self.problem.recount is None or not node.chosen:
            return table.cycles
        key = (m, self._own_states(m, node.states))
        known = self._company.get(key)
        joined = self._joined(m, node.states)
        waiting = np.ones(table.count, np.bool_) if kept is None else kept.copy()
        if known is not None:
            waiting &= ~known.counted
        changed = np.zeros(table.count, np.bool_)
        for array, states in joined.items():
            waiting &= self._penalty[array][states] == 0
            if array not in self.problem.start:
                changed |= states != table.states[array]
        rows = np.flatnonzero(waiting & changed)
        if 0 < len(rows) <= MOST_RECOUNTED:
            again = self.problem.recount(table.take(rows), {a: s[rows] for a, s in joined.items()})
            known = known or _Company(table.cycles.copy(), np.zeros(table.count, np.bool_))
            known.cycles[rows] = again
            known.counted[rows] = True
            self._company[key] = known
        return table.cycles if known is None else known.cycles

    def _in_company(self, m: int, entry: int, states: tuple[int, ...]) -> float:
        """Cycles of one entry at these states."""
        table = self.tables[m]
        own = self._own_states(m, states)
        if self.problem.recount is None:
            return float(table.cycles[entry])
        key = (m, entry, own)
        if key not in self._single:
            taken = table.take(np.array([entry]))
            asked = {a: s for a, s in taken.states.items() if a not in self.problem.start}
            joined = {a: np.array([s]) for a, s in zip((a for a in self.arrays if a in table.states), own, strict=True)}
            cycles = float(table.cycles[entry])
            if any(int(joined[a][0]) != int(s[0]) for a, s in asked.items()) and min(own, default=0) >= 0:
                cycles = float(self.problem.recount(taken, joined)[0])
            self._single[key] = cycles
        return self._single[key]

    def foresee(self, node: Node, m: int, entries: Ints) -> None:
        """Counts what the decided nests cost next to each of some entries of a table, all at once."""
        if self.problem.recount is None or not len(entries):
            return
        joined = self._joined(m, node.states)
        for d, entry in node.chosen.items():
            table = self.tables[d]
            arrays = [(at, a) for at, a in enumerate(self.arrays) if a in table.states]
            if not arrays:
                continue
            columns = [
                joined[a][entries] if a in joined else np.full(len(entries), node.states[at]) for at, a in arrays
            ]
            own = [int(table.states[a][entry]) for _, a in arrays]
            fixed = [a in self.problem.start for _, a in arrays]
            new = [
                row
                for row in dict.fromkeys(map(tuple, np.stack(columns, axis=1).tolist()))
                if min(row) >= 0
                and (d, entry, row) not in self._single
                and any(s != o and not f for s, o, f in zip(row, own, fixed, strict=True))
            ]
            if new:
                taken = table.take(np.full(len(new), entry))
                asked = np.array(new, np.int64)
                again = self.problem.recount(taken, {a: asked[:, at] for at, (_, a) in enumerate(arrays)})
                for row, cycles in zip(new, again, strict=True):
                    self._single[d, entry, row] = float(cycles)

    def _charged(self, node: Node, m: int, own: Floats) -> Floats:
        """Cycles of the steps charged to a nest per entry of its table; infinite where partitions rule it out."""
        table, owned = self.tables[m], self._owners(node.open)[m]
        asked = {move.array for at in owned for move in self.problem.steps[at].moves} | set(table.states)
        own_states = tuple(s for a, s in zip(self.arrays, node.states, strict=True) if a in asked)
        beside = tuple(node.cycles.get(n) for at in owned for n in self.problem.steps[at].nests)
        company = self._company.get((m, self._own_states(m, node.states)))
        counted = 0 if own is table.cycles or company is None else int(company.counted.sum())
        key = (m, owned, own_states, beside, counted, len(node.open) == 1)
        if key not in self._memory:
            if self._entries > MEMORY_ENTRIES:
                self._memory.clear()
                self._entries = 0
            self._memory[key] = self._computed(node, table, owned, own)
            self._entries += table.count
        return self._memory[key]

    def _computed(self, node: Node, table: Table, owned: Sequence[int], own: Floats) -> Floats:
        states: dict[ArrayId, Ints | int] = dict(zip(self.arrays, node.states, strict=True))
        total = np.zeros(table.count)
        for array, joined in self._joined(self.tables.index(table), node.states).items():
            total += self._penalty[array][joined]
            states[array] = joined
        for step in owned:
            total += self._step(self.problem.steps[step], node, table, states, own)
        return total

    def _step(
        self,
        step: Step,
        node: Node,
        table: Table | None,
        states: Mapping[ArrayId, Ints | int],
        own: Floats | None = None,
    ) -> Floats:
        """Cycles of a step for the entries of a table (None: a number), whose cycles are `own`.

        Undecided other nests take their least, and so do transfers of arrays whose partition is not settled.
        """
        moves = self._moves if table is None or len(node.open) == 1 else self._least_moves
        longest: Floats = np.zeros(1 if table is None else table.count)
        for nest in step.nests:
            if table is not None and own is not None and nest == table.nest:
                longest = np.maximum(longest, own)
            else:
                longest = np.maximum(longest, node.cycles.get(nest, self._least[nest]))
        for move in step.moves:
            longest = np.maximum(longest, moves[move][states[move.array]])
        return longest + step.extra

    def _fits(self, node: Node, m: int) -> Mask | None:
        """Entries of a table that the budgets allow beside what all others take at least; None: all of them."""
        fits: Mask | None = None
        joined = self._joined(m, node.states) if self.problem.residents else {}
        for b, budget in enumerate(self.problem.budgets):
            taken, own = self._taken(node, m, b), self._groups[m][b]
            others = taken[self._others[b][own]].max(axis=0, initial=0)
            others[-1] = taken[self._others[b][own], -1].sum()
            arrays = self._residents(node, m, budget.name, joined)
            most = float(_together(budget, others, taken[own] + self._most_used[m][b]).sum()) + float(np.max(arrays))
            if most > budget.limit:
                usage = self.tables[m].usage[budget.name]
                used = _together(budget, others[:, None], taken[own][:, None] + usage).sum(axis=0) + arrays
                fits = used <= budget.limit if fits is None else fits & (used <= budget.limit)
        return fits

    def _residents(self, node: Node, m: int, budget: str, joined: Mapping[ArrayId, Ints]) -> Floats:
        """What resident arrays take of a budget at least, per entry of a table; exactly where it is the last one."""
        key = (m, budget, node.states, len(node.open) == 1)
        if key not in self._known_residents:
            if len(self._known_residents) > MOST_REMEMBERED:
                self._known_residents.clear()
            self._known_residents[key] = self._counted_residents(node, budget, joined)
        return self._known_residents[key]

    def _counted_residents(self, node: Node, budget: str, joined: Mapping[ArrayId, Ints]) -> Floats:
        total: Floats = np.zeros(1)
        for array, usage in self.problem.residents.get(budget, {}).items():
            least = usage if len(node.open) == 1 else self._least_later(budget, array, usage)
            if array in joined:
                total = total + np.where(joined[array] < 0, 0.0, least[joined[array]])
            else:
                total = total + least[node.states[self.arrays.index(array)]]
        return total

    def _least_later(self, budget: str, array: ArrayId, usage: Floats) -> Floats:
        """Per state the least that an array takes in it or in any state that other nests may bring it to from there."""
        key = (budget, array)
        if key not in self._later:
            allowed = np.where(self._penalty[array][:-1] == 0, usage, np.inf)
            self._later[key] = self.problem.states[array].least_later(allowed)
        return self._later[key]

    def _taken(self, node: Node, m: int, b: int) -> Floats:
        """What all nests but one take of a budget at least, per group and kind."""
        taken = node.held[b].copy()
        for o in node.open:
            if o != m:
                taken[self._groups[o][b]] += self._least_used[o][b]
        return taken


def _together(budget: Budget, others: Floats, own: Floats) -> Floats:
    """Per kind the largest group and what sharing adds; of the last kind all groups."""
    found: Floats = np.maximum(others, own)
    if budget.sharing:
        factors = np.array(budget.sharing)
        found = found + np.minimum(others, own) * (factors if others.ndim == 1 else factors[:, None])
    found[-1] = others[-1] + own[-1]
    return found
