"""Choosing one entry per table so that the whole takes the fewest cycles, by branch and bound; knows no formula.

Nests are decided one after another. What is still open counts with the least it can take next to what was decided; the
cycles of a step are charged to the next undecided nest that has a say in it, so that every step is counted once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sisyphus.ir import ArrayId
from sisyphus.solve.exact.costs import Budget, Floats, Ints, Mask, Move, Step
from sisyphus.solve.exact.multipliers import SharedGroup, multipliers
from sisyphus.solve.exact.options import Table
from sisyphus.solve.exact.partitions import States

#: Two costs closer than this share of them are equal.
EPSILON = 1e-9
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
    """A part of the decisions: cycles and places of decided nests, states of arrays, usage per budget [group, kind]."""

    depth: int
    chosen: tuple[int, ...]
    cycles: Mapping[str, float]
    states: tuple[int, ...]
    held: tuple[Floats, ...]


#: Told of every better combination, its cycles and the chosen place in each table; says whether it is acceptable.
Listener = Callable[[float, Sequence[int]], bool]
#: Called at every node with a lower bound of everything that is still open; may raise to stop the search.
Tick = Callable[[float], None]
#: A way to find the best combination below a cost: it tells of every better one that it finds.
Combine = Callable[[Problem, float, Listener, Tick], None]


class _First(Exception):  # noqa: N818 - a signal of the search to itself
    """There is a first combination, with which to begin anew."""


def branch_and_bound(problem: Problem, upper: float, listen: Listener, tick: Tick) -> None:
    """Looks at every combination that costs less than `upper`; all tables have entries."""
    best = upper

    def first(cycles: float, chosen: Sequence[int]) -> bool:
        nonlocal best
        if listen(cycles, chosen):
            best = cycles
            raise _First
        return False

    if not np.isfinite(upper):
        try:
            Combiner(problem, upper, first, tick).run()
        except _First:
            pass
        else:
            return
    kept = Combiner(problem, best, listen, tick).prospects()
    if all(len(entries) for entries in kept):
        tables = [table.take(entries) for table, entries in zip(problem.tables, kept, strict=True)]

        def whole(cycles: float, chosen: Sequence[int]) -> bool:
            return listen(cycles, [int(entries[c]) for entries, c in zip(kept, chosen, strict=True)])

        Combiner(replace(problem, tables=tables), best, whole, tick).run()


class Combiner:
    """One branch and bound over the tables of a problem."""

    def __init__(self, problem: Problem, upper: float, listen: Listener, tick: Tick) -> None:
        self.problem, self.upper, self.listen, self.tick = problem, upper, listen, tick
        self.tables = list(problem.tables)
        self.arrays = tuple(problem.states)
        self.order = sorted(range(len(self.tables)), key=lambda m: -float(self.tables[m].cycles[0]))
        self._penalty = {a: np.append(np.zeros(s.count), np.inf) for a, s in problem.states.items()}
        self._moves = {move: np.append(cycles, np.inf) for move, cycles in problem.moves.items()}
        self._least = {t.nest: float(t.cycles[0]) for t in self.tables}
        self._owned = [self._owners(depth) for depth in range(len(self.order) + 1)]
        self._groups = [self._group_places(t.nest) for t in self.tables]
        self._others = [
            [[o for o in range(len(b.groups)) if o != g] for g in range(len(b.groups))] for b in self.problem.budgets
        ]
        self._most_used = [[t.usage[b.name].max(axis=1) for b in self.problem.budgets] for t in self.tables]
        self._least_used = [[t.usage[b.name].min(axis=1) for b in self.problem.budgets] for t in self.tables]
        self._memory: dict[tuple[object, ...], Floats] = {}
        self._entries = 0
        self._shared: tuple[SharedGroup, ...] = ()
        self._bound = -np.inf

    def run(self) -> None:
        """Looks at every combination that may be better than `upper`."""
        root = self._root()
        vectors = self._vectors(root)
        if vectors is not None:
            self._shared = multipliers(self._all_shared(), {self.tables[m].nest: v for m, v in vectors.items()})
            self._expand(root, vectors)

    def prospects(self) -> list[Ints]:
        """Per table the entries that may be part of a combination below `upper`."""
        root = self._root()
        vectors = self._vectors(root)
        if vectors is None:
            return [np.zeros(0, np.int64) for _ in self.tables]
        self._shared = multipliers(self._all_shared(), {self.tables[m].nest: v for m, v in vectors.items()})
        lower = {m: self._lower(root, vectors, m) for m in vectors}
        return [np.flatnonzero(lower[m] < self._to_beat()) for m in range(len(self.tables))]

    def _root(self) -> Node:
        start = tuple(int(self.problem.states[a].start) for a in self.arrays)
        held = tuple(np.zeros((len(b.groups), self.tables[0].usage[b.name].shape[0])) for b in self.problem.budgets)
        return Node(0, (), {}, start, held)

    def _owners(self, depth: int) -> dict[int, list[int]]:
        """Steps by the first undecided nest that has a say in them; decided ones under -1."""
        owned: dict[int, list[int]] = {m: [] for m in (-1, *range(len(self.tables)))}
        for at, step in enumerate(self.problem.steps):
            owned[next((m for m in self.order[depth:] if self._touches(step, m)), -1)].append(at)
        return owned

    def _touches(self, step: Step, m: int) -> bool:
        table = self.tables[m]
        return table.nest in step.nests or any(move.array in table.states for move in step.moves)

    def _group_places(self, nest: str) -> tuple[int, ...]:
        """Per budget the group that a nest belongs to."""
        return tuple(next(g for g, group in enumerate(b.groups) if nest in group) for b in self.problem.budgets)

    def _all_shared(self) -> list[SharedGroup]:
        """Groups of a budget in which several nests add up."""
        found = []
        for budget in self.problem.budgets:
            for group in budget.groups:
                members = [t for t in self.tables if t.nest in group]
                if len(members) > 1:
                    usage = {t.nest: t.usage[budget.name].sum(axis=0) for t in members}
                    found.append(SharedGroup(budget.name, group, budget.limit, usage))
        return found

    def _own(self, node: Node, m: int) -> Floats:
        """Cycles of the steps charged to a nest per entry of its table; infinite where partitions rule it out."""
        table, owned = self.tables[m], self._owned[node.depth][m]
        asked = {a for at in owned for a in self._asked(self.problem.steps[at])} | set(table.states)
        own_states = tuple(s for a, s in zip(self.arrays, node.states, strict=True) if a in asked)
        beside = tuple(node.cycles.get(n) for at in owned for n in self.problem.steps[at].nests)
        key = (m, tuple(owned), own_states, beside)
        if key not in self._memory:
            if self._entries > MEMORY_ENTRIES:
                self._memory.clear()
                self._entries = 0
            self._memory[key] = self._computed(node, table, owned)
            self._entries += table.count
        return self._memory[key]

    @staticmethod
    def _asked(step: Step) -> list[ArrayId]:
        return [move.array for move in step.moves]

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
        for o in self.order[node.depth :]:
            if o != m:
                taken[self._groups[o][b]] += self._least_used[o][b]
        return taken

    def _vectors(self, node: Node) -> dict[int, Floats] | None:
        """Per undecided nest its own cycles, infinite where an entry is ruled out; None where nothing is left."""
        vectors = {}
        for m in self.order[node.depth :]:
            own, fits = self._own(node, m), self._fits(node, m)
            vectors[m] = own if fits is None else np.where(fits, own, np.inf)
            if not np.isfinite(vectors[m].min()):
                return None
        return vectors

    def _fixed(self, node: Node) -> float:
        """Cycles of the steps in which nothing is open."""
        states: dict[ArrayId, Ints | int] = dict(zip(self.arrays, node.states, strict=True))
        steps = (self.problem.steps[at] for at in self._owned[node.depth][-1])
        return sum(float(self._step(step, node, None, states)[0]) for step in steps)

    def _lower(self, node: Node, vectors: Mapping[int, Floats], m: int) -> Floats:
        """A lower bound per entry of an undecided table."""
        rest = [o for o in self.order[node.depth :] if o != m]
        fixed = self._fixed(node)
        lower = fixed + vectors[m] + sum(float(vectors[o].min()) for o in rest)
        if self._shared and rest:
            priced = {o: v + self._price(o) for o, v in vectors.items()}
            paid = sum(s.multiplier * (s.limit - self._held(node, s)) for s in self._shared)
            lower = np.maximum(lower, fixed - paid + priced[m] + sum(float(priced[o].min()) for o in rest))
        return np.asarray(lower)

    def _price(self, m: int) -> Floats | float:
        nest = self.tables[m].nest
        return sum((s.multiplier * s.usage[nest] for s in self._shared if nest in s.usage), 0.0)

    def _held(self, node: Node, shared: SharedGroup) -> float:
        b = next(b for b, budget in enumerate(self.problem.budgets) if budget.name == shared.budget)
        return float(node.held[b][self.problem.budgets[b].groups.index(shared.group)].sum())

    def _expand(self, node: Node, vectors: Mapping[int, Floats]) -> None:
        m = self.order[node.depth]
        lower = self._lower(node, vectors, m)
        if node.depth == len(self.order) - 1:
            self._finish(node, lower)
            return
        promising = np.flatnonzero(lower < self._to_beat())
        for entry in promising[np.argsort(lower[promising], kind="stable")]:
            if lower[entry] >= self._to_beat():
                break
            if node.depth == 0:
                self._bound = float(lower[entry])
            self.tick(self._bound)
            child = self._child(node, m, int(entry))
            open_vectors = self._vectors(child)
            if open_vectors is not None:
                self._expand(child, open_vectors)

    def _to_beat(self) -> float:
        return self.upper - EPSILON * abs(self.upper) if np.isfinite(self.upper) else np.inf

    def _child(self, node: Node, m: int, entry: int) -> Node:
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
        cycles = {**node.cycles, table.nest: float(table.cycles[entry])}
        return Node(node.depth + 1, (*node.chosen, entry), cycles, tuple(states), tuple(held))

    def _finish(self, node: Node, totals: Floats) -> None:
        """The cheapest acceptable entry of the last table."""
        while True:
            entry = int(totals.argmin())
            total = float(totals[entry])
            if total >= self._to_beat():
                return
            chosen = dict(zip(self.order, (*node.chosen, entry), strict=True))
            if self.listen(total, [chosen[m] for m in range(len(chosen))]):
                self.upper = total
                return
            totals = totals.copy()
            totals[entry] = np.inf
