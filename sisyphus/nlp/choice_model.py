"""Choosing one entry per table, with shared partitions and budgets, as a mixed-integer linear Pyomo model.

The entries are candidates of nests with known costs, so that nothing is left that is not linear. What only some choices
make of each other is added as `Cuts`, once a solver comes upon it. Knows no formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyomo.environ as pyo

from sisyphus.nlp.values import knob
from sisyphus.target import Budget
from sisyphus.values import dataclass

#: Cycles and budgets are put in units in which limits have this size: solvers compute with absolute tolerances.
SIZE = 1e5


@dataclass(frozen=True)
class ChoiceTable:
    """Entries of one nest: cycles, per array the state that each asks for, per budget and kind what each takes."""

    nest: str
    cycles: Sequence[float]
    demands: Mapping[str, Sequence[int]]
    usage: Mapping[str, Sequence[Sequence[float]]]


@dataclass(frozen=True)
class ChoiceStep:
    """What runs side by side: tables by place, and moves of an array with their cycles per state of it.

    It takes as long as its slowest member, at least `least`, and `extra`.
    """

    tables: Sequence[int]
    moves: Sequence[tuple[str, Mapping[int, float]]]
    extra: float = 0.0
    least: float = 0.0


@dataclass(frozen=True)
class ChoiceProblem:
    """`serves`: per array and demanded state, the states that meet the demand; `barred` are those it must not have.

    `within`: per array and state, the states that it meets itself. `residents`: what arrays take, per budget and state.
    """

    tables: Sequence[ChoiceTable]
    steps: Sequence[ChoiceStep]
    budgets: Sequence[Budget]
    residents: Mapping[str, Mapping[str, Mapping[int, float]]]
    serves: Mapping[str, Mapping[int, Sequence[int]]]
    barred: Mapping[str, frozenset[int]]
    within: Mapping[str, Mapping[int, frozenset[int]]]

    def states(self, array: str) -> list[int]:
        """All states that some demands lead to and an array may have."""
        return sorted({s for some in self.serves[array].values() for s in some} - self.barred[array])


@dataclass(frozen=True)
class Coupling:
    """What the entries of a table cost and take beyond the table where its arrays come to these states."""

    table: int
    states: Mapping[str, int]
    cycles: Mapping[int, float]
    usage: Mapping[str, Sequence[Mapping[int, float]]]


@dataclass(frozen=True)
class Excess:
    """An array has a state beyond `enough` only where some entry asks for what `enough` does not serve."""

    array: str
    enough: int


@dataclass(frozen=True)
class Cuts:
    """What was learned of a problem: couplings, states beyond what is asked, and choices that are not to come again."""

    couplings: tuple[Coupling, ...] = ()
    excesses: tuple[Excess, ...] = ()
    excluded: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Chosen:
    """The entry of each table and the state of each array that a solver chose."""

    entries: tuple[int, ...]
    states: Mapping[str, int]


def choice_model(problem: ChoiceProblem, upper: float, cuts: Cuts) -> tuple[pyo.ConcreteModel, float]:
    """The model, and the cycles of one unit of its objective, which is kept below `upper` cycles."""
    dearest = max((max(t.cycles, default=0.0) for t in problem.tables), default=0.0)
    unit = max(1.0, min(upper, dearest) / SIZE)
    return _Builder(problem, cuts, unit).model(upper / unit), unit


def chosen_of(values: Mapping[str, int], problem: ChoiceProblem) -> Chosen:
    """What the values say; `KeyError` or `StopIteration` where they do not."""
    entries = (
        next(c for c in range(len(table.cycles)) if values[knob("pick", t, c)])
        for t, table in enumerate(problem.tables)
    )
    states = {a: next(s for s in problem.states(a) if values[knob("state", a, s)]) for a in problem.serves}
    return Chosen(tuple(entries), states)


class _Builder:
    """Puts one model together."""

    def __init__(self, problem: ChoiceProblem, cuts: Cuts, unit: float) -> None:
        self.problem, self.cuts, self.unit = problem, cuts, unit
        self.m = m = pyo.ConcreteModel()
        m.pick = pyo.Var([(t, c) for t, table in enumerate(problem.tables) for c in range(len(table.cycles))])
        m.state = pyo.Var([(a, s) for a in problem.serves for s in problem.states(a)])
        for binary in (*m.pick.values(), *m.state.values()):
            binary.domain = pyo.Binary
        m.step = pyo.Var(range(len(problem.steps)), domain=pyo.NonNegativeReals)
        m.rules = pyo.ConstraintList()

    def model(self, upper: float) -> pyo.ConcreteModel:
        """With the steps kept below `upper` units together."""
        m, problem = self.m, self.problem
        for t, table in enumerate(problem.tables):
            m.rules.add(sum(m.pick[t, c] for c in range(len(table.cycles))) == 1)
        for array in problem.serves:
            m.rules.add(sum(m.state[array, s] for s in problem.states(array)) == 1)
        self._meet_demands()
        for at, step in enumerate(problem.steps):
            self._run(m.step[at], step)
        for at, budget in enumerate(problem.budgets):
            self._keep(at, budget)
        for chosen in self.cuts.excluded:
            m.rules.add(sum(m.pick[t, c] for t, c in enumerate(chosen)) <= len(chosen) - 1)
        extra = sum(step.extra for step in problem.steps) / self.unit
        m.cycles = pyo.Objective(expr=sum(m.step.values()) + extra, sense=pyo.minimize)
        if upper < float("inf"):
            m.rules.add(m.cycles.expr <= upper)
        return m

    def _meet_demands(self) -> None:
        m, serves = self.m, self.problem.serves
        for t, table in enumerate(self.problem.tables):
            for array, demands in table.demands.items():
                for demand in set(demands):
                    asking = sum(m.pick[t, c] for c, asked in enumerate(demands) if asked == demand)
                    meeting = set(serves[array][demand]) - self.problem.barred[array]
                    m.rules.add(asking <= sum(m.state[array, s] for s in sorted(meeting)))
        for cut in self.cuts.excesses:
            asking = [
                m.pick[t, c]
                for t, table in enumerate(self.problem.tables)
                for c, demand in enumerate(table.demands.get(cut.array, ()))
                if cut.enough not in serves[cut.array][demand]
            ]
            within = self.problem.within[cut.array][cut.enough]
            beyond = [m.state[cut.array, s] for s in self.problem.states(cut.array) if s not in within]
            m.rules.add(sum(beyond) <= sum(asking))

    def _run(self, cycles: Any, step: ChoiceStep) -> None:
        m, unit = self.m, self.unit
        cycles.setlb(step.least / unit)
        for t in step.tables:
            own = self.problem.tables[t].cycles
            alone = sum(c / unit * m.pick[t, k] for k, c in enumerate(own))
            m.rules.add(cycles >= alone)
            for cut in self._couplings(t):
                m.rules.add(cycles >= alone + self._added(cut, {k: c / unit for k, c in cut.cycles.items()}))
        for array, cycles_of in step.moves:
            m.rules.add(cycles >= sum(c / unit * m.state[array, s] for s, c in cycles_of.items()))

    def _couplings(self, table: int) -> Iterator[Coupling]:
        return (cut for cut in self.cuts.couplings if cut.table == table)

    def _added(self, cut: Coupling, amounts: Mapping[int, float]) -> Any:
        """The amount of the entry chosen where all arrays have the states of a coupling, else nothing or less."""
        apart = sum(1 - self.m.state[array, s] for array, s in cut.states.items())
        chosen = sum(amount * self.m.pick[cut.table, c] for c, amount in amounts.items())
        return chosen - max(amounts.values(), default=0.0) * apart

    def _keep(self, at: int, budget: Budget) -> None:
        """Every kind takes what its largest group takes; of two groups, a share of the smaller one counts again."""
        m, place = self.m, {table.nest: t for t, table in enumerate(self.problem.tables)}
        kinds = range(len(self.problem.tables[0].usage[budget.name]))
        unit = max(budget.limit, 1.0) / SIZE
        used = pyo.Var(kinds, domain=pyo.NonNegativeReals)
        held = pyo.Var(kinds, range(len(budget.groups)), domain=pyo.NonNegativeReals)
        m.add_component(f"used_{at}", used)
        m.add_component(f"held_{at}", held)
        for kind in kinds:
            for g, group in enumerate(budget.groups):
                m.rules.add(held[kind, g] >= sum(self._taken(place[n], budget.name, kind, unit) for n in group))
            if kind == kinds[-1]:
                m.rules.add(used[kind] >= sum(held[kind, g] for g in range(len(budget.groups))))
                continue
            share = budget.sharing[kind] if budget.sharing else 0.0
            for g in range(len(budget.groups)):
                m.rules.add(used[kind] >= held[kind, g])
                for other in range(len(budget.groups)) if share else ():
                    if other != g:
                        m.rules.add(used[kind] >= held[kind, g] + share * held[kind, other])
        arrays = [
            amount / unit * m.state[array, s]
            for array, amounts in self.problem.residents.get(budget.name, {}).items()
            for s, amount in amounts.items()
            if amount
        ]
        m.rules.add(sum(used.values()) + sum(arrays) <= budget.limit / unit)

    def _taken(self, table: int, budget: str, kind: int, unit: float) -> Any:
        """What a table takes of a kind, and a variable for what couplings add to that."""
        m = self.m
        amounts = self.problem.tables[table].usage[budget][kind]
        taken = sum(amount / unit * m.pick[table, c] for c, amount in enumerate(amounts) if amount)
        added = [
            self._added(cut, {c: amount / unit for c, amount in cut.usage[budget][kind].items()})
            for cut in self._couplings(table)
            if cut.usage[budget][kind]
        ]
        if not added:
            return taken
        name = f"added_{budget}_{kind}_{table}"
        m.add_component(name, pyo.Var(domain=pyo.NonNegativeReals))
        for amount in added:
            m.rules.add(m.component(name) >= amount)
        return taken + m.component(name)
