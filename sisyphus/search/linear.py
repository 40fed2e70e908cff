"""A session's turn with a solver of linear problems: our exact search, whose combinations that solver chooses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from sisyphus.ir import ArrayId
from sisyphus.nlp.choice import ChoiceBudget, ChoiceProblem, ChoiceStep, ChoiceTable, choice_model, picks
from sisyphus.search.by_exact import Hunt
from sisyphus.search.events import Bound, Event, Failed, Incumbent, Whole
from sisyphus.search.nodes import Problem
from sisyphus.search.options import Table
from sisyphus.search.partitions import IMPOSSIBLE
from sisyphus.search.session import ROUGHLY_EQUAL, Session
from sisyphus.solve.contract import SolveOutcome, SolveRequest, Stop, failure
from sisyphus.solve.run import solve


class _Chooser:
    """`Combine` by an adapter for linear problems."""

    def __init__(self, session: Session, name: str) -> None:
        self.session, self.name = session, name
        self.outcome: SolveOutcome = failure(name, "was not asked", 0.0)

    def __call__(self, problem: Problem, upper: float, incumbent: Incumbent, *, may_leave_out: bool) -> Iterator[Event]:
        yield Bound(0.0)
        asked = choice_problem(problem)
        if not all(any(serving.values()) for serving in asked.serves.values()):
            return  # no state of an array meets the demands of all nests at once
        upper = min(upper, incumbent.cycles)
        self.outcome = solve(self.name, SolveRequest(choice_model(asked, upper), replace(self.session.left, gap=0.0)))
        if self.outcome.stop is Stop.INFEASIBLE:
            return
        if self.outcome.values is not None:
            chosen = _picked(self.outcome.values, asked)
            cycles = _cycles(problem, chosen) if chosen else None
            if cycles is None:
                self._fails(Stop.FAILED, "returned an infeasible choice")
            elif cycles < upper:
                yield Whole(cycles, tuple(chosen))
                if incumbent.cycles >= upper:
                    self._fails(Stop.UNPROVED, "its choice is no better when it is built")
        if self.outcome.stop is not Stop.PROVED:
            yield Failed()

    def _fails(self, stop: Stop, message: str) -> None:
        self.outcome = replace(self.outcome, stop=stop, message=message)


def _picked(values: Mapping[str, int], asked: ChoiceProblem) -> list[int]:
    """The entry of each table; none where the values do not say one."""
    try:
        return picks(values, asked)
    except (KeyError, StopIteration):
        return []


def linear(session: Session, name: str) -> SolveOutcome:
    """The whole turn."""
    costs = session.costs
    chooser = _Chooser(session, name)
    if costs is None:
        return failure(name, "needs a cost model, and there is none for this problem", session.seconds)
    hunt = Hunt(session, solver=name, combine=chooser)
    try:
        stop = hunt.run_tightening(costs)
        if chooser.outcome.stop not in (Stop.PROVED, Stop.INFEASIBLE):
            stop = chooser.outcome.stop
    except KeyboardInterrupt:
        stop = Stop.INTERRUPTED
    objective = None if session.best is None else session.best.cost
    values = None if hunt.found is None else hunt.values()
    return replace(chooser.outcome, stop=stop, values=values, objective=objective, bound=session.bound)


def choice_problem(problem: Problem) -> ChoiceProblem:
    """The combination problem as plain numbers."""
    place = {table.nest: t for t, table in enumerate(problem.tables)}
    serves = {array: _serving(problem, array) for array in problem.states}
    used = {array: {s for some in found.values() for s in some} for array, found in serves.items()}
    steps = []
    for step in problem.steps:
        moves = [(m.array, {s: float(problem.moves[m][s]) for s in sorted(used[m.array])}) for m in step.moves]
        steps.append(ChoiceStep([place[n] for n in step.nests], [(str(a), c) for a, c in moves], step.extra))
    return ChoiceProblem(
        tables=[_plain(table) for table in problem.tables],
        steps=steps,
        budgets=[
            ChoiceBudget(
                b.name,
                b.limit,
                [[place[n] for n in group] for group in b.groups],
                {
                    str(array): {s: float(taken[s]) for s in sorted(used[array])}
                    for array, taken in problem.residents.get(b.name, {}).items()
                },
            )
            for b in problem.budgets
        ],
        serves={str(array): found for array, found in serves.items()},
    )


def _plain(table: Table) -> ChoiceTable:
    return ChoiceTable(
        cycles=table.cycles.tolist(),
        demands={str(array): states.tolist() for array, states in table.states.items()},
        usage={name: used.tolist() for name, used in table.usage.items()},
    )


def _serving(problem: Problem, array: ArrayId) -> dict[int, list[int]]:
    """Per demand of some entry, the states among all joint demands that meet it."""
    states, start = problem.states[array], problem.begin(array)
    allowed = {s for s in range(states.count) if problem.penalties(array)[s] == 0}
    reached: set[int] = {start}
    demands: set[int] = set()
    for table in problem.tables:
        asked = set(table.states[array].tolist()) if array in table.states else set[int]()
        demands |= asked
        reached = {int(states.joined_with(r)[d]) for r in reached for d in (asked or {states.start})} - {IMPOSSIBLE}
    found = {}
    for demand in sorted(demands):
        joined = states.joined_with(demand)
        found[demand] = [s for s in sorted(reached & allowed) if joined[s] == s]
    return found or {states.start: [start]}


def _cycles(problem: Problem, chosen: list[int]) -> float | None:
    """What a choice costs by our own count; None where it breaks a rule."""
    states = {array: problem.begin(array) for array in problem.states}
    cycles: dict[str, float] = {}
    for table, entry in zip(problem.tables, chosen, strict=True):
        cycles[table.nest] = float(table.cycles[entry])
        for array, demand in table.states.items():
            states[array] = int(problem.states[array].joined_with(states[array])[demand[entry]])
            if states[array] == IMPOSSIBLE:
                return None
    for budget in problem.budgets:
        taken = {t.nest: t.usage[budget.name][:, c] for t, c in zip(problem.tables, chosen, strict=True)}
        groups = np.array([np.sum([taken[nest] for nest in group], axis=0) for group in budget.groups])
        used = float(groups[:, :-1].max(axis=0).sum()) + float(groups[:, -1].sum())
        used += sum(float(u[states[array]]) for array, u in problem.residents.get(budget.name, {}).items())
        if used > budget.limit * (1 + ROUGHLY_EQUAL):
            return None
    total = 0.0
    for step in problem.steps:
        moves = [float(problem.moves[m][states[m.array]]) for m in step.moves]
        total += max([*(cycles[n] for n in step.nests), *moves], default=0.0) + step.extra
    return total
