"""Parts of a combination and what the rest may add to them; knows no search.

Cycles of a step are charged to one undecided nest that has a say in it, or in shares to all that run in it, so that
every step is counted once and a sum over undecided nests, each at its best, is a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from sisyphus import clock
from sisyphus.algebra import distinct_rows
from sisyphus.ir import ArrayId
from sisyphus.search.costs import Floats, Ints, Mask, Move, Step, Width
from sisyphus.search.coupling import Coupled, Coupling, Recount
from sisyphus.search.effort import EFFORT
from sisyphus.search.events import Whole
from sisyphus.search.fitting import Fitting
from sisyphus.search.lookahead import Lookahead
from sisyphus.search.packing import PackedBlocks
from sisyphus.search.partitions import States
from sisyphus.search.tables import Table, pareto
from sisyphus.search.whole_steps import WholeSteps
from sisyphus.target import Budget
from sisyphus.values import dataclass, field, replace

#: Steps that are charged to a nest, each with the share of it.
Owned: TypeAlias = tuple[tuple[int, float], ...]


@dataclass(frozen=True, eq=False)
class Problem:
    """Tables with what ties them together; `moves` has the cycles of each move per state of its array.

    `start` has the state of each array of which no nest has asked anything, `barred` the states that an array must not
    come to. `recount` says what entries cost when their arrays come to other states than the ones they ask for,
    hardly ever less; without it, that makes no difference. `residents` has, per budget, what arrays take per state.
    `beats` are those that resident arrays may have, of which each has one.
    `same_port` are resident arrays with one home in memory: of each its beats, as all of them move the narrowest.
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
    same_port: Sequence[Mapping[ArrayId, Sequence[Width]]] = ()
    beats: Mapping[ArrayId, Sequence[Width]] = field(default_factory=dict)
    lookahead: Lookahead | None = None

    def begin(self, array: ArrayId) -> int:
        """The state of an array at first."""
        return self.start.get(array, self.states[array].start)

    def with_lookahead(self) -> Problem:
        """The same problem, for which what undecided nests may ask is counted once, under whatever budgets."""
        penalties = {array: self.penalties(array) for array in self.states}
        return replace(self, lookahead=Lookahead(self.tables, self.states, penalties))

    def penalties(self, array: ArrayId) -> Floats:
        """Per state 0 or, if it is barred, infinity; the last entry is for what no state serves."""
        states = self.states[array]
        barred = self.barred.get(array, np.zeros(states.count, np.bool_))
        return np.append(np.where(barred, np.inf, 0.0), np.inf)


@dataclass(frozen=True, eq=False)
class Node:
    """A part of the decisions.

    `open` are the undecided tables by place, `chosen` the entries of the others, `cycles` theirs by nest, in each
    other's coupling, and `alone` without; `states` are of the arrays, `held` is what the decided ones take
    [group, row of `Fitting`].
    """

    open: tuple[int, ...]
    chosen: Mapping[int, int]
    cycles: Mapping[str, float]
    alone: Mapping[str, float]
    states: tuple[int, ...]
    held: Floats


class Charges:
    """What the entries of undecided tables cost next to what was decided."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.tables = list(problem.tables)
        self.arrays = tuple(problem.states)
        names = [budget.name for budget in problem.budgets]
        self.coupling = Coupling(self.tables, problem.states, names, problem.start, problem.recount)
        self._penalty = {a: problem.penalties(a) for a in problem.states}
        self.whole_steps = WholeSteps(problem)
        self._least = {t.nest: float(t.cycles.min()) for t in self.tables}
        self.lookahead = problem.lookahead or Lookahead(self.tables, problem.states, self._penalty)
        blocks = PackedBlocks(problem.budgets, problem.beats)
        self.fitting = Fitting(problem.budgets, self.tables, problem.states, problem.residents, self.lookahead, blocks)
        self._most_used = [usage.max(axis=1) for usage in self.coupling.alone]
        self._least_held = [self.fitting.nothing() for _ in self.tables]
        for m, held in enumerate(self._least_held):
            self.fitting.add(held, m, self.coupling.alone[m].min(axis=1))
        self._owned: dict[tuple[int, ...], dict[int, Owned]] = {}
        self._divided: dict[tuple[int, ...], dict[int, Owned] | None] = {}
        self._memory: dict[tuple[object, ...], Floats] = {}
        self._entries = 0

    def root(self) -> Node:
        """Nothing decided; the most expensive nests are charged first."""
        start = tuple(self.problem.begin(a) for a in self.arrays)
        order = sorted(range(len(self.tables)), key=lambda m: -self._least[self.tables[m].nest])
        return Node(tuple(order), {}, {}, {}, start, self.fitting.nothing())

    def child(self, node: Node, m: int, entry: int) -> Node:
        """One more decision."""
        joined = list(node.states)
        self.coupling.ask(joined, m, entry)
        states = tuple(joined)
        self.coupling.remember(m, entry, node.states, states)
        cycles, usage = self.coupling.entry(m, entry, states)
        alone = float(self.tables[m].cycles[entry])
        return self._with(node, m, entry, states, cycles, usage, alone)

    def beside(self, chosen: Mapping[int, int], m: int) -> Node:
        """All is decided but one table; what that costs is for `wholes` to say."""
        others, node = {o: entry for o, entry in chosen.items() if o != m}, self.root()
        states = list(node.states)
        for o, entry in others.items():
            self.coupling.ask(states, o, entry)
        return replace(node, open=(m,), chosen=others, states=tuple(states))

    def possible(self, node: Node, m: int) -> Mask:
        """Entries of a table that some partition of every array serves together with what was decided."""
        found = np.ones(self.tables[m].count, np.bool_)
        for array, states in self.coupling.joined(m, node.states).items():
            found &= self._penalty[array][states] == 0
        return found

    def asked(self, node: Node, m: int, entries: Ints) -> dict[tuple[int, ...], Ints]:
        """Some entries of a table by the states that all arrays come to with them."""
        joined = [
            np.full(len(entries), state) if array not in by_entry else by_entry[array][entries]
            for by_entry in [self.coupling.joined(m, node.states)]
            for array, state in zip(self.arrays, node.states, strict=True)
        ]
        if not joined or not len(entries):
            return {(): entries} if len(entries) else {}
        different, which = distinct_rows(joined)
        return {tuple(row): entries[which == at] for at, row in enumerate(different.tolist())}

    def _with(
        self, node: Node, m: int, entry: int, states: tuple[int, ...], own: float, usage: Floats, alone: float
    ) -> Node:
        """A node with one more table decided, whose cycles and usage are given."""
        nest = self.tables[m].nest
        cycles, held = dict[str, float](), self.fitting.nothing()
        for d, e in node.chosen.items():
            cycles[self.tables[d].nest], used = self.coupling.entry(d, e, states)
            self.fitting.add(held, d, used)
        self.fitting.add(held, m, usage)
        return Node(
            open=tuple(o for o in node.open if o != m),
            chosen={**node.chosen, m: entry},
            cycles={**cycles, nest: own},
            alone={**node.alone, nest: alone},
            states=states,
            held=held,
        )

    def is_crowded(self, node: Node) -> bool:
        """Whether coupling makes anything cost more than alone."""
        if any(cycles > node.alone[nest] for nest, cycles in node.cycles.items()):
            return True
        return any(self.coupling.known(m, node.states) is not None for m in node.open)

    def by_itself(self, node: Node) -> Node:
        """The same decisions, as if every nest were alone."""
        return replace(node, cycles=node.alone)

    def vectors(self, node: Node, alive: Mapping[int, Mask], *, alone: bool = False) -> dict[int, Floats] | None:
        """Per undecided nest what its entries are charged, infinite where one is ruled out or not alive.

        None where a nest has nothing left. `alone`: without the cycles that coupling adds.
        """
        vectors = {}
        for m, held in self._held_by_others(node):
            vectors[m] = self._vector(node, m, held, alive.get(m), alone=alone)
            if not np.isfinite(vectors[m].min()):
                return None
        return vectors

    def vector(self, node: Node, m: int) -> Floats:
        """The same of one undecided nest."""
        held = next(held for o, held in self._held_by_others(node) if o == m)
        return self._vector(node, m, held, None, alone=False)

    def _vector(self, node: Node, m: int, held: Floats, alive: Mask | None, *, alone: bool) -> Floats:
        clock.added_up(self.tables[m].count)
        kept = self._kept(node, m, held, None, alive)
        again = self._coupled(node, m, kept)
        if again is not None:
            kept = self._kept(node, m, held, again, kept)
        own = self.tables[m].cycles if again is None or alone else again.cycles
        cost = self._charged(node, m, own, self._owners(node.open)[m])
        return cost if kept is None else np.where(kept, cost, np.inf)

    def unmatched(self, node: Node, vectors: Mapping[int, Floats]) -> dict[int, Floats]:
        """The same charges without entries that another one matches in cycles and in all that it takes.

        All entries that are left come to the states of the node, so that they cost what they are counted next to these.
        """
        found = {}
        for m, vector in vectors.items():
            kept = np.isfinite(vector)
            exact = self.coupling.exact(m, node.states, kept)
            rows = np.flatnonzero(kept)
            if exact is not None:
                cycles, usage = exact[0][rows], exact[1][:, rows]
                rows = pareto(
                    replace(self.tables[m].take(rows), cycles=cycles, usage={"": usage}, states={}, rows=rows)
                ).rows
            found[m] = np.full(len(vector), np.inf)
            found[m][rows] = vector[rows]
        return found

    def in_shares(self, node: Node, vectors: Mapping[int, Floats], *, alone: bool = False) -> Mapping[int, Floats]:
        """The same charges where each undecided nest of a step has a share of it, by its least cycles.

        A step takes at least any mean of its members: nests that run side by side and share budgets are bound together.
        """
        shares = self._shares(node.open)
        if shares is None:
            return vectors
        found = {}
        for m, vector in vectors.items():
            known = None if alone else self.coupling.known(m, node.states)
            own = self.tables[m].cycles if known is None else known.cycles
            found[m] = np.where(np.isfinite(vector), self._charged(node, m, own, shares[m]), np.inf)
        return found

    def fixed(self, node: Node) -> float:
        """Cycles of the steps in which nothing is open."""
        states: dict[ArrayId, Ints | int] = dict(zip(self.arrays, node.states, strict=True))
        steps = (self.problem.steps[at] for at, _ in self._owners(node.open)[-1])
        return sum(float(self._step(step, node, None, states)[0]) for step in steps)

    def shares_of_residents(self) -> list[list[Floats]]:
        """Per budget and table what each entry makes resident arrays take at least; shares of tables add up."""
        begin = [self.problem.begin(a) for a in self.arrays]
        return self.fitting.shares([self.coupling.joined(m, begin) for m in range(len(self.tables))])

    def _owners(self, undecided: tuple[int, ...]) -> dict[int, Owned]:
        """Steps by the first undecided nest that has a say in them; those without any under -1."""
        if undecided not in self._owned:
            owned: dict[int, list[tuple[int, float]]] = {m: [] for m in (-1, *undecided)}
            for at, step in enumerate(self.problem.steps):
                owned[next((m for m in undecided if self._touches(step, m)), -1)].append((at, 1.0))
            self._owned[undecided] = {m: tuple(steps) for m, steps in owned.items()}
        return self._owned[undecided]

    def _shares(self, undecided: tuple[int, ...]) -> dict[int, Owned] | None:
        """The same with steps of several undecided nests in shares; None where there are none."""
        if undecided not in self._divided:
            inside = [[m for m in undecided if self.tables[m].nest in step.nests] for step in self.problem.steps]
            found = {
                m: [pair for pair in pairs if len(inside[pair[0]]) < 2] for m, pairs in self._owners(undecided).items()
            }
            for at, members in enumerate(inside):
                least = {m: max(self._least[self.tables[m].nest], 1.0) for m in members}
                for m in members if len(members) > 1 else ():
                    found[m].append((at, least[m] / sum(least.values())))
            is_shared = any(len(members) > 1 for members in inside)
            self._divided[undecided] = {m: tuple(steps) for m, steps in found.items()} if is_shared else None
        return self._divided[undecided]

    def _touches(self, step: Step, m: int) -> bool:
        table = self.tables[m]
        return table.nest in step.nests or any(move.array in table.states for move in step.moves)

    def _coupled(self, node: Node, m: int, kept: Mask | None) -> Coupled | None:
        """Costs of the entries of a table next to the states that the decided nests ask for, where they are `kept`."""
        if self.problem.recount is None:
            return None
        waiting = np.ones(self.tables[m].count, np.bool_) if kept is None else kept.copy()
        for array, states in self.coupling.joined(m, node.states).items():
            waiting &= self._penalty[array][states] == 0
        return self.coupling.table(m, node.states, waiting)

    def whole(self, node: Node, m: int, entry: int) -> Whole:
        """All tables decided, with one entry of the last one."""
        cycles, chosen = self.wholes(node, m, np.array([entry])), {**node.chosen, m: entry}
        return Whole(float(cycles[0]), tuple(chosen[t] for t in range(len(chosen))))

    def _joined(self, node: Node, m: int, entries: Ints) -> dict[ArrayId, Ints | int]:
        """The state that each array comes to with each of some entries of the last table."""
        joined = self.coupling.joined(m, node.states)
        return {a: joined[a][entries] if a in joined else s for a, s in zip(self.arrays, node.states, strict=True)}

    def wholes(self, node: Node, m: int, entries: Ints) -> Floats:
        """Cycles in all with each of some entries of the last table; infinite where the budgets do not allow it."""
        clock.added_up(len(entries))
        states = self._joined(node, m, entries)
        alike = self.coupling.unmoved(node.chosen, m, node.states)
        cycles: dict[str, Floats | float] = {self.tables[d].nest: one for d, (one, _) in alike.items()}
        still = self.fitting.held_by({d: used for d, (_, used) in alike.items()})
        held = still[..., None] + self.fitting.nothing(len(entries))
        moved = {d: entry for d, entry in node.chosen.items() if d not in alike}
        for d, (each, uses) in self.coupling.wholes(moved, m, entries, node.states).items():
            cycles[self.tables[d].nest] = each
            self.fitting.add(held, d, uses)
        fits = self.fitting.fits_whole(held, [states[a] for a in self.arrays])
        return np.where(fits, self.whole_steps.cycles(cycles, states, len(entries)), np.inf)

    def _held_by_others(self, node: Node) -> Iterator[tuple[int, Floats]]:
        """Per undecided table what decided nests take and all other undecided ones at least."""
        after = [self.fitting.nothing()]
        for m in node.open[:0:-1]:
            after.append(after[-1] + self._least_held[m])
        before = node.held
        for m in node.open:
            yield m, before + after.pop()
            before = before + self._least_held[m]

    def _kept(self, node: Node, m: int, held: Floats, again: Coupled | None, kept: Mask | None) -> Mask | None:
        """Entries that were kept, as far as the budgets allow them beside what is held."""
        usage, most = (self.coupling.alone[m], self._most_used[m]) if again is None else (again.usage, again.most_used)
        joined = self.coupling.joined(m, node.states) if self.problem.residents else {}
        fits = self.fitting.fits(m, held, usage, most, node.states, joined, [o for o in node.open if o != m])
        return kept if fits is None else fits if kept is None else fits & kept

    def _charged(self, node: Node, m: int, own: Floats, owned: Owned) -> Floats:
        """Cycles of the steps charged to a nest per entry of its table; infinite where partitions rule it out."""
        table = self.tables[m]
        asked = {move.array for at, _ in owned for move in self.problem.steps[at].moves} | set(table.states)
        own_states = tuple(s for a, s in zip(self.arrays, node.states, strict=True) if a in asked)
        beside = tuple(node.cycles.get(n) for at, _ in owned for n in self.problem.steps[at].nests)
        coupling = self.coupling.known(m, node.states)
        counted = 0 if own is table.cycles or coupling is None else int(coupling.counted.sum())
        others = [o for o in node.open if o != m]
        later = tuple(self.lookahead.users(a, others) for a in sorted(asked))
        key = (m, owned, own_states, beside, counted, later)
        if key not in self._memory:
            if self._entries > EFFORT.remembered_entries:
                self._memory.clear()
                self._entries = 0
            self._memory[key] = self._computed(node, table, owned, own)
            self._entries += table.count
        return self._memory[key]

    def _computed(self, node: Node, table: Table, owned: Owned, own: Floats) -> Floats:
        states: dict[ArrayId, Ints | int] = dict(zip(self.arrays, node.states, strict=True))
        total = np.zeros(table.count)
        for array, joined in self.coupling.joined(self.tables.index(table), node.states).items():
            total += self._penalty[array][joined]
            states[array] = joined
        for step, share in owned:
            total += share * self._step(self.problem.steps[step], node, table, states, own)
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

        Undecided other nests take their least, and so do transfers with what these nests may ask of partitions.
        """
        others = [m for m in node.open if self.tables[m] is not table]
        longest: Floats = np.full(1 if table is None else table.count, step.least)
        for nest in step.nests:
            if table is not None and own is not None and nest == table.nest:
                longest = np.maximum(longest, own)
            else:
                longest = np.maximum(longest, node.cycles.get(nest, self._least[nest]))
        for move in step.moves:
            least = self.lookahead.least(move.array, move, self.problem.moves[move], others)
            longest = np.maximum(longest, least[states[move.array]])
        return longest + step.extra
