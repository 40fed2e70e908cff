"""A session's turn with a solver of linear problems: our search, whose combinations that solver chooses and proves.

What the choice model does not say at first (that a state of an array makes entries cost more than alone) is cut off
where a solver's answer rests on it; then the solver is asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from sisyphus.ir import ArrayId
from sisyphus.nlp.choice_model import (
    ChoiceProblem,
    ChoiceStep,
    ChoiceTable,
    Chosen,
    Coupling,
    Cuts,
    Excess,
    choice_model,
    chosen_of,
)
from sisyphus.search.by_exact import Hunt
from sisyphus.search.combine import branch_and_bound, without_hopeless
from sisyphus.search.costs import Floats, Ints
from sisyphus.search.effort import EFFORT
from sisyphus.search.events import Bound, Event, Failed, Incumbent, LeftOut, Whole
from sisyphus.search.nodes import Charges, Problem
from sisyphus.search.partitions import IMPOSSIBLE
from sisyphus.search.session import Session
from sisyphus.search.tables import Table
from sisyphus.solve.contract import SolveOutcome, SolveRequest, Stop, failure
from sisyphus.solve.registry import load_adapter
from sisyphus.solve.solving import solve

#: Share of a cost within which a solver of linear problems cannot tell two of them apart.
TOLERANCE = 1e-6

#: A solver's answer to a Pyomo model.
Ask = Callable[[Any], SolveOutcome]


def linear(session: Session, name: str) -> SolveOutcome:
    """The whole turn."""
    version = load_adapter(name).version()
    chooser = Chooser(lambda model: solve(name, SolveRequest(model, replace(session.left, gap=0.0))))
    hunt = Hunt(session, solver=name, combine=chooser)
    try:
        stop = hunt.run_tightening(session.costs)
    except KeyboardInterrupt:
        stop = Stop.INTERRUPTED
    last = chooser.last or failure(name, "lower bounds left nothing to choose", 0.0, version)
    if chooser.wrong is not None:
        stop, last = chooser.wrong, replace(last, message=chooser.message or last.message)
    objective = None if session.best is None else session.best.cost
    return replace(last, stop=stop, values=None, objective=objective, bound=session.bound)


class Chooser:
    """`Combine` by a solver of linear problems; `wrong` says why it stopped where it has not proved what was asked."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self.last: SolveOutcome | None = None
        self.wrong: Stop | None = None
        self.message = ""

    def __call__(self, problem: Problem, upper: float, incumbent: Incumbent, *, may_leave_out: bool) -> Iterator[Event]:
        """The best choice below `upper` and the incumbent, then the next best ones until none is left."""

        def search(fewer: Problem) -> Iterator[Event]:
            is_small = prod(table.count for table in fewer.tables) <= EFFORT.choices_for_ours
            combine = branch_and_bound if is_small else self._search
            return combine(fewer, upper, incumbent, may_leave_out=may_leave_out)

        return without_hopeless(problem, upper, incumbent, search)

    def _search(self, problem: Problem, upper: float, incumbent: Incumbent, *, may_leave_out: bool) -> Iterator[Event]:
        asked, charges, cuts, patience = choice_problem(problem), Charges(problem), Cuts(), EFFORT.entries_patience
        if not all(asked.states(array) for array in asked.serves):
            return  # no state of an array meets the demands of all nests at once
        while True:
            limit = min(upper, incumbent.cycles)
            model, unit = choice_model(asked, limit, cuts)
            self.last = outcome = self.ask(model)
            if outcome.stop is Stop.INFEASIBLE:
                return
            answer = self._read(outcome, asked, unit)
            if answer is None:
                yield Failed()
                return
            claimed, chosen = answer
            whole = _whole(charges, chosen.entries)
            cycles = whole.cycles
            if outcome.stop is not Stop.PROVED:
                self.wrong = outcome.stop
                if cycles < limit:
                    yield whole
                yield Failed()
                return
            if claimed >= limit * (1 - TOLERANCE):
                return
            yield Bound(claimed)
            if cycles > claimed * (1 + TOLERANCE):
                before, cuts = cuts, _with_cut(cuts, problem, chosen)
                if may_leave_out and cuts.excesses == before.excesses:
                    yield LeftOut(claimed)
                continue
            if cycles < limit:
                yield whole
            patience = EFFORT.entries_patience if incumbent.cycles < limit else patience - 1
            if incumbent.cycles <= cycles * (1 + TOLERANCE):
                return
            if may_leave_out and not patience:
                yield LeftOut(cycles)
                return
            cuts = replace(cuts, excluded=(*cuts.excluded, chosen.entries))

    def _read(self, outcome: SolveOutcome, asked: ChoiceProblem, unit: float) -> tuple[float, Chosen] | None:
        """What a solver says that its choice costs, and the choice; None where it says nothing of use."""
        if outcome.values is None or outcome.objective is None:
            self.wrong = Stop.FAILED if outcome.stop is Stop.PROVED else outcome.stop
            return None
        try:
            return outcome.objective * unit, chosen_of(outcome.values, asked)
        except (KeyError, StopIteration):
            self.wrong, self.message = Stop.FAILED, "returned an infeasible choice"
            return None


def _whole(charges: Charges, entries: Sequence[int]) -> Whole:
    """A choice as we count it, with infinite cycles where it breaks a rule."""
    last = len(entries) - 1
    node = charges.beside(dict(enumerate(entries)), last)
    alive = np.arange(charges.tables[last].count) == entries[last]
    if charges.vectors(node, {last: alive}) is None:
        return Whole(np.inf, tuple(entries))
    return charges.whole(node, last, entries[last])


def _with_cut(cuts: Cuts, problem: Problem, chosen: Chosen) -> Cuts:
    """The cuts and what is wrong with an answer: states that nobody asks for, or what couplings add to its entries."""
    states = {array: problem.begin(array) for array in problem.states}
    for table, entry in zip(problem.tables, chosen.entries, strict=True):
        for array, demand in table.states.items():
            states[array] = int(problem.states[array].joined(states[array], demand[entry : entry + 1])[0])
    if IMPOSSIBLE not in states.values():
        larger = {Excess(str(a), s) for a, s in states.items() if chosen.states[str(a)] != s}
        if larger:
            return replace(cuts, excesses=(*cuts.excesses, *sorted(larger, key=str)))
        known = {(cut.table, tuple(cut.states.items())) for cut in cuts.couplings}
        found = [_coupling(problem, t, entry, states) for t, entry in enumerate(chosen.entries)]
        new = [c for c in found if c is not None and (c.table, tuple(c.states.items())) not in known]
        if new:
            return replace(cuts, couplings=(*cuts.couplings, *new))
    return replace(cuts, excluded=(*cuts.excluded, chosen.entries))


def _coupling(problem: Problem, t: int, entry: int, states: Mapping[ArrayId, int]) -> Coupling | None:
    """What states of arrays add to the entries of a table that may lead to them; None where that is nothing."""
    table = problem.tables[t]
    own = {array: states[array] for array in table.states}
    if problem.recount is None or all(table.states[a][entry] == s for a, s in own.items() if a not in problem.start):
        return None
    kept = np.ones(table.count, np.bool_)
    for array, state in own.items():
        kept &= problem.states[array].joined(state, table.states[array]) == state
    rows = np.flatnonzero(kept) if kept.sum() <= EFFORT.recounted_entries else np.array([entry])
    again = problem.recount(table.take(rows), {a: np.full(len(rows), s) for a, s in own.items()})
    return Coupling(
        table=t,
        states={str(array): state for array, state in own.items()},
        cycles=_more(rows, again.cycles - table.cycles[rows]),
        usage={
            name: [_more(rows, more) for more in again.usage[name] - used[:, rows]]
            for name, used in table.usage.items()
        },
    )


def _more(rows: Ints, amounts: Floats) -> dict[int, float]:
    """What is added to entries, where it is anything."""
    return {int(row): float(amount) for row, amount in zip(rows, amounts, strict=True) if amount > 0}


def choice_problem(problem: Problem) -> ChoiceProblem:
    """The combination problem as plain numbers."""
    place = {table.nest: t for t, table in enumerate(problem.tables)}
    serves = {array: _serving(problem, array) for array in problem.states}
    barred = {array: _barred(problem, array, serves[array]) for array in problem.states}
    left = {a: sorted({s for some in found.values() for s in some} - barred[a]) for a, found in serves.items()}
    steps = []
    for step in problem.steps:
        moves = [(str(m.array), {s: float(problem.moves[m][s]) for s in left[m.array]}) for m in step.moves]
        steps.append(ChoiceStep([place[n] for n in step.nests], moves, step.extra, step.least))
    return ChoiceProblem(
        tables=[_plain(table) for table in problem.tables],
        steps=steps,
        budgets=problem.budgets,
        residents={
            budget: {str(a): {s: float(taken[s]) for s in left[a]} for a, taken in arrays.items()}
            for budget, arrays in problem.residents.items()
        },
        serves={str(array): found for array, found in serves.items()},
        barred={str(array): states for array, states in barred.items()},
        within={str(array): _within(problem, array, found) for array, found in serves.items()},
    )


def _plain(table: Table) -> ChoiceTable:
    return ChoiceTable(
        nest=table.nest,
        cycles=table.cycles.tolist(),
        demands={str(array): states.tolist() for array, states in table.states.items()},
        usage={name: used.tolist() for name, used in table.usage.items()},
    )


def _serving(problem: Problem, array: ArrayId) -> dict[int, list[int]]:
    """Per demand of some entry, the states among all joint demands that meet it."""
    states, start = problem.states[array], problem.begin(array)
    reached: set[int] = {start}
    demands: set[int] = set()
    for table in problem.tables:
        if array in table.states:
            asked = set(table.states[array].tolist())
            demands |= asked
            reached = {int(states.joined_with(r)[d]) for r in reached for d in asked} - {IMPOSSIBLE}
    found = {}
    for demand in sorted(demands):
        joined = states.joined_with(demand)
        found[demand] = [s for s in sorted(reached) if joined[s] == s]
    return found or {states.start: [start]}


def _within(problem: Problem, array: ArrayId, serves: Mapping[int, Sequence[int]]) -> dict[int, frozenset[int]]:
    """Per state that demands lead to, those that ask for no more."""
    reached = sorted({s for some in serves.values() for s in some})
    joined = problem.states[array].joined_with
    return {s: frozenset(other for other in reached if joined(s)[other] == s) for s in reached}


def _barred(problem: Problem, array: ArrayId, serves: Mapping[int, Sequence[int]]) -> frozenset[int]:
    """States that the array must not come to, or of which some figure is infinite."""
    amounts = [used[array] for used in problem.residents.values() if array in used]
    amounts += [cycles for move, cycles in problem.moves.items() if move.array == array]
    penalties = problem.penalties(array)
    states = {s for some in serves.values() for s in some}
    return frozenset(s for s in states if penalties[s] or not all(np.isfinite(amount[s]) for amount in amounts))
