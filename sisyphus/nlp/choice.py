"""Choosing one entry per table, with shared partitions and budgets, as a mixed-integer linear Pyomo model.

The entries are candidates of nests with known costs, so that nothing is left that is not linear. Knows no formula.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyomo.environ as pyo

from sisyphus.space import knob


@dataclass(frozen=True)
class ChoiceTable:
    """Entries of one nest: cycles, per array the state that each asks for, per budget and kind what each takes."""

    cycles: Sequence[float]
    demands: Mapping[str, Sequence[int]]
    usage: Mapping[str, Sequence[Sequence[float]]]


@dataclass(frozen=True)
class ChoiceStep:
    """What runs side by side: tables by place, and moves of an array with their cycles per state of it."""

    tables: Sequence[int]
    moves: Sequence[tuple[str, Mapping[int, float]]]
    extra: float = 0.0


@dataclass(frozen=True)
class ChoiceBudget:
    """The sum over kinds of the largest group of tables, where a group takes the sum of its tables, is limited.

    Of the last kind all groups together count; `residents` is what arrays take on top, per state.
    """

    name: str
    limit: float
    groups: Sequence[Sequence[int]]
    residents: Mapping[str, Mapping[int, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class ChoiceProblem:
    """`serves`: per array and demanded state, the states that meet the demand."""

    tables: Sequence[ChoiceTable]
    steps: Sequence[ChoiceStep]
    budgets: Sequence[ChoiceBudget]
    serves: Mapping[str, Mapping[int, Sequence[int]]]


def choice_model(problem: ChoiceProblem, upper: float) -> pyo.ConcreteModel:
    """The model; its objective is the cycles of all steps, kept below `upper`."""
    model = pyo.ConcreteModel()
    entries = [(t, c) for t, table in enumerate(problem.tables) for c in range(len(table.cycles))]
    model.pick = pyo.Var(entries, domain=pyo.Binary)
    states = {array: sorted({s for some in serves.values() for s in some}) for array, serves in problem.serves.items()}
    model.state = pyo.Var([(a, s) for a, numbers in states.items() for s in numbers], domain=pyo.Binary)
    model.step = pyo.Var(range(len(problem.steps)), domain=pyo.NonNegativeReals)
    model.rules = pyo.ConstraintList()
    for t, table in enumerate(problem.tables):
        model.rules.add(sum(model.pick[t, c] for c in range(len(table.cycles))) == 1)
    for array, numbers in states.items():
        model.rules.add(sum(model.state[array, s] for s in numbers) == 1)
    _meet_demands(model, problem)
    _run_steps(model, problem)
    for at, budget in enumerate(problem.budgets):
        _keep_budget(model, problem, budget, f"used_{at}")
    extra = sum(step.extra for step in problem.steps)
    model.cycles = pyo.Objective(expr=sum(model.step[s] for s in model.step) + extra, sense=pyo.minimize)
    if upper < float("inf"):
        model.rules.add(model.cycles.expr <= upper)
    return model


def picks(values: Mapping[str, int], problem: ChoiceProblem) -> list[int]:
    """The entry chosen in each table; `KeyError` or `StopIteration` where the values do not say."""
    return [
        next(c for c in range(len(table.cycles)) if values[knob("pick", t, c)])
        for t, table in enumerate(problem.tables)
    ]


def _meet_demands(model: pyo.ConcreteModel, problem: ChoiceProblem) -> None:
    for t, table in enumerate(problem.tables):
        for array, demands in table.demands.items():
            by_state: dict[int, list[int]] = {}
            for c, demand in enumerate(demands):
                by_state.setdefault(demand, []).append(c)
            for demand, places in by_state.items():
                serving = problem.serves[array][demand]
                model.rules.add(sum(model.pick[t, c] for c in places) <= sum(model.state[array, s] for s in serving))


def _run_steps(model: pyo.ConcreteModel, problem: ChoiceProblem) -> None:
    for at, step in enumerate(problem.steps):
        for t in step.tables:
            cycles = problem.tables[t].cycles
            model.rules.add(model.step[at] >= sum(c * model.pick[t, k] for k, c in enumerate(cycles)))
        for array, cycles_of in step.moves:
            model.rules.add(
                model.step[at]
                >= sum(c * model.state[array, s] for s, c in cycles_of.items() if (array, s) in model.state)
            )


def _keep_budget(model: pyo.ConcreteModel, problem: ChoiceProblem, budget: ChoiceBudget, name: str) -> None:
    kinds = range(len(problem.tables[0].usage[budget.name]))
    used = pyo.Var(kinds, domain=pyo.NonNegativeReals)
    model.add_component(name, used)
    every = [t for group in budget.groups for t in group]
    for kind in kinds:
        for group in [every] if kind == kinds[-1] else budget.groups:
            taken = [
                amount * model.pick[t, c]
                for t in group
                for c, amount in enumerate(problem.tables[t].usage[budget.name][kind])
                if amount
            ]
            if taken:
                model.rules.add(used[kind] >= sum(taken))
    arrays = [
        amount * model.state[array, s]
        for array, amounts in budget.residents.items()
        for s, amount in amounts.items()
        if (array, s) in model.state
    ]
    model.rules.add(sum(used[kind] for kind in kinds) + sum(arrays) <= budget.limit)
