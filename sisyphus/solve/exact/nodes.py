"""Parts of a combination and what the rest may add to them; knows no search.

Cycles of a step are charged to one undecided nest that has a say in it, so that every step is counted once and a sum
over undecided nests, each at its best, is a lower bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sisyphus.ir import ArrayId
from sisyphus.solve.exact.costs import Budget, Floats, Ints, Mask, Move, Step
from sisyphus.solve.exact.options import Table
from sisyphus.solve.exact.partitions import States

#: Remembered costs are dropped when they have this many entries.
MEMORY_ENTRIES = 4_000_000


@dataclass(frozen=True, eq=False)
class Problem:
    """Tables with what ties them together; `moves` has the cycles of each move per state of its array."""

    tables: Sequence[Table]
    steps: Sequence[Step]
    budgets: Sequence[Budget]
    states: Mapping[ArrayId, States]
    moves: Mapping[Move, Floats]


@dataclass(frozen=True, eq=False)
class Node:
    """A part of the decisions.

    `open` are the undecided tables by place, `chosen` the entries of the others, `cycles` theirs by nest; `states` are
    of the arrays, `held` is what the decided ones take per budget [group, kind].
    """

    open: tuple[int, ...]
    chosen: Mapping[int, int]
    cycles: Mapping[str, float]
    states: tuple[int, ...]
    held: tuple[Floats, ...]


class Charges:
    """What the entries of undecided tables cost next to what was decided."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.tables = list(problem.tables)
        self.arrays = tuple(problem.states)
        self._penalty = {a: np.append(np.zeros(s.count), np.inf) for a, s in problem.states.items()}
        self._moves = {move: np.append(cycles, np.inf) for move, cycles in problem.moves.items()}
        self._least = {t.nest: float(t.cycles.min()) for t in self.tables}
        self._groups = [self._group_places(t.nest) for t in self.tables]
        self._others = [
            [[o for o in range(len(b.groups)) if o != g] for g in range(len(b.groups))] for b in problem.budgets
        ]
        self._most_used = [[t.usage[b.name].max(axis=1) for b in problem.budgets] for t in self.tables]
        self._least_used = [[t.usage[b.name].min(axis=1) for b in problem.budgets] for t in self.tables]
        self._owned: dict[tuple[int, ...], dict[int, tuple[int, ...]]] = {}
        self._memory: dict[tuple[object, ...], Floats] = {}
        self._entries = 0

    def root(self) -> Node:
        """Nothing decided; the most expensive nests are charged first."""
        start = tuple(int(self.problem.states[a].start) for a in self.arrays)
        held = tuple(np.zeros((len(b.groups), self.tables[0].usage[b.name].shape[0])) for b in self.problem.budgets)
        order = sorted(range(len(self.tables)), key=lambda m: -self._least[self.tables[m].nest])
        return Node(tuple(order), {}, {}, start, held)

    def child(self, node: Node, m: int, entry: int) -> Node:
        """One more decision."""
        table = self.tables[m]
        states = list(node.states)
        for at, array in enumerate(self.arrays):
            if array in table.states:
                states[at] = int(self.problem.states[array].joined_with(states[at])[table.states[array][entry]])
        held = []
        for b, budget in enumerate(self.problem.budgets):
            rows = node.held[b].copy()
            rows[self._groups[m][b]] += table.usage[budget.name][:, entry]
            held.append(rows)
        return Node(
            open=tuple(o for o in node.open if o != m),
            chosen={**node.chosen, m: entry},
            cycles={**node.cycles, table.nest: float(table.cycles[entry])},
            states=tuple(states),
            held=tuple(held),
        )

    def vectors(self, node: Node, alive: Mapping[int, Mask]) -> dict[int, Floats] | None:
        """Per undecided nest what its entries are charged, infinite where one is ruled out or not alive.

        None where a nest has nothing left.
        """
        vectors = {}
        for m in node.open:
            fits, cost = self._fits(node, m), self._charged(node, m)
            kept = alive.get(m) if fits is None else fits & alive[m] if m in alive else fits
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

    def _charged(self, node: Node, m: int) -> Floats:
        """Cycles of the steps charged to a nest per entry of its table; infinite where partitions rule it out."""
        table, owned = self.tables[m], self._owners(node.open)[m]
        asked = {move.array for at in owned for move in self.problem.steps[at].moves} | set(table.states)
        own_states = tuple(s for a, s in zip(self.arrays, node.states, strict=True) if a in asked)
        beside = tuple(node.cycles.get(n) for at in owned for n in self.problem.steps[at].nests)
        key = (m, owned, own_states, beside)
        if key not in self._memory:
            if self._entries > MEMORY_ENTRIES:
                self._memory.clear()
                self._entries = 0
            self._memory[key] = self._computed(node, table, owned)
            self._entries += table.count
        return self._memory[key]

    def _computed(self, node: Node, table: Table, owned: Sequence[int]) -> Floats:
        states: dict[ArrayId, Ints | int] = dict(zip(self.arrays, node.states, strict=True))
        total = np.zeros(table.count)
        for at, array in enumerate(self.arrays):
            if array in table.states:
                joined = self.problem.states[array].joined_with(node.states[at])[table.states[array]]
                total += self._penalty[array][joined]
                states[array] = joined
        for step in owned:
            total += self._step(self.problem.steps[step], node, table, states)
        return total

    def _step(self, step: Step, node: Node, table: Table | None, states: Mapping[ArrayId, Ints | int]) -> Floats:
        """Cycles of a step for the entries of a table (None: a number); undecided other nests take their least."""
        longest: Floats = np.zeros(1 if table is None else table.count)
        for nest in step.nests:
            own = table is not None and nest == table.nest
            cycles = table.cycles if table is not None and own else node.cycles.get(nest, self._least[nest])
            longest = np.maximum(longest, cycles)
        for move in step.moves:
            longest = np.maximum(longest, self._moves[move][states[move.array]])
        return longest

    def _fits(self, node: Node, m: int) -> Mask | None:
        """Entries of a table that the budgets allow beside what all others take at least; None: all of them."""
        fits: Mask | None = None
        for b, budget in enumerate(self.problem.budgets):
            taken, own = self._taken(node, m, b), self._groups[m][b]
            others = taken[self._others[b][own]].max(axis=0, initial=0)
            if float(np.maximum(others, taken[own] + self._most_used[m][b]).sum()) > budget.limit:
                usage = self.tables[m].usage[budget.name]
                used = np.maximum(others[:, None], taken[own][:, None] + usage).sum(axis=0)
                fits = used <= budget.limit if fits is None else fits & (used <= budget.limit)
        return fits

    def _taken(self, node: Node, m: int, b: int) -> Floats:
        """What all nests but one take of a budget at least, per group and kind."""
        taken = node.held[b].copy()
        for o in node.open:
            if o != m:
                taken[self._groups[o][b]] += self._least_used[o][b]
        return taken
