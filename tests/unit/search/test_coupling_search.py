"""Branch and bound where nests cost more next to others, against counting every whole choice."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from unit.search.listening import least
from unit.search.random_tables import ARRAYS, random_budgets, random_residents, random_states, random_tables, together

from sisyphus.ir import ArrayId
from sisyphus.search import Problem, branch_and_bound
from sisyphus.search.costs import Costs, Ints, Move, Step
from sisyphus.search.coupling import Recount
from sisyphus.search.events import Incumbent, Whole
from sisyphus.search.nodes import Charges, Node
from sisyphus.search.partitions import IMPOSSIBLE, States
from sisyphus.search.tables import Table

SEEDS = range(20)


def recount_with(states: Mapping[ArrayId, States]) -> Recount:
    """More banks than asked for cost more, by which of the entries alike it is."""
    banks = {a: s.bare.prod(axis=1) for a, s in states.items()}

    def recount(table: Table, joined: Mapping[ArrayId, Ints]) -> Costs:
        extra = sum((banks[a][joined[a]] - banks[a][table.states[a]]) * (table.rows % 3) for a in joined)
        more = np.broadcast_to(np.asarray(extra, np.float64), (table.count,))
        return Costs(table.cycles + more, {name: used + 0.25 * more for name, used in table.usage.items()})

    return recount


def alike(table: Table) -> Table:
    """Each entry twice, so that they differ next to others only."""
    several = table.take(np.repeat(np.arange(table.count), 2))
    return replace(several, rows=np.arange(several.count))


def problem_of(seed: int) -> Problem:
    rng = random.Random(seed)
    states = random_states(rng)
    tables = [alike(table) for table in random_tables(rng, states, 3)]
    moved = [Move(array, True) for array in ARRAYS]
    steps = [Step((), tuple(moved), 2.0), Step(("S0", "S1"), (), 2.0), Step(("S2",), (), 2.0)]
    moves = {move: np.array(rng.choices(range(20), k=states[move.array].count), np.float64) for move in moved}
    residents = random_residents(rng, states)
    budgets = [replace(b, limit=b.limit + 6) for b in random_budgets(rng, tables)]
    return Problem(tables, steps, budgets, states, moves, recount=recount_with(states), residents=residents)


def best_of_all(problem: Problem) -> float:
    """By counting every whole choice."""
    return min(costs_of_all(problem).values(), default=np.inf)


def costs_of_all(problem: Problem) -> dict[tuple[int, ...], float]:
    """Of every whole choice that partitions serve; infinite where a budget does not allow it."""
    found, recount = dict[tuple[int, ...], float](), problem.recount
    assert recount is not None
    for chosen in product(*(range(table.count) for table in problem.tables)):
        picks = [table.take(np.array([entry])) for table, entry in zip(problem.tables, chosen, strict=True)]
        states = {a: together(s, s.start, *asked_of(picks, a)) for a, s in problem.states.items()}
        if IMPOSSIBLE not in states.values():
            counted = [recount(pick, {a: np.array([states[a]]) for a in pick.states}) for pick in picks]
            found[chosen] = whole_cost(problem, counted, states)
    return found


def asked_of(picks: Sequence[Table], array: ArrayId) -> list[int]:
    return [int(pick.states[array][0]) for pick in picks if array in pick.states]


def whole_cost(problem: Problem, counted: Sequence[Costs], states: Mapping[ArrayId, int]) -> float:
    """Cycles of all steps, infinite where a budget does not allow it."""
    nests = [table.nest for table in problem.tables]
    for budget in problem.budgets:
        by_group = [
            sum(counted[nests.index(nest)].usage[budget.name][:, 0] for nest in group) for group in budget.groups
        ]
        by_kind = np.sort(np.stack(by_group), axis=0)
        shared = np.array(budget.sharing or (0.0, 0.0)) * (by_kind[-2] if len(by_group) > 1 else 0.0)
        taken = float(by_kind[-1, :-1].sum() + shared[:-1].sum() + by_kind[:, -1].sum())
        taken += sum(float(problem.residents[budget.name][a][s]) for a, s in states.items())
        if taken > budget.limit:
            return np.inf
    return sum(
        max(
            [
                *(float(counted[nests.index(nest)].cycles[0]) for nest in step.nests),
                *(float(problem.moves[move][states[move.array]]) for move in step.moves),
            ]
        )
        + step.extra
        for step in problem.steps
    )


def best_of_search(problem: Problem) -> float:
    return least(branch_and_bound, problem)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_search_finds_what_is_best_coupled(seed: int) -> None:
    problem = problem_of(seed)
    assert best_of_search(problem) == best_of_all(problem)


def test_ways_of_asking_that_are_forgotten_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above notices where entries are lost of those that ask the same."""
    asked = Charges.asked

    def of_first_entries(self: Charges, node: Node, m: int, entries: Ints) -> dict[tuple[int, ...], Ints]:
        return {states: own[:1] for states, own in asked(self, node, m, entries).items()}

    monkeypatch.setattr(Charges, "asked", of_first_entries)
    assert any(best_of_search(problem) != best_of_all(problem) for problem in map(problem_of, SEEDS))


def told(problem: Problem, accepts: Callable[[Whole], bool]) -> tuple[float, int]:
    """The least cycles that are accepted in a search that leaves nothing out, and how many choices it tells."""
    incumbent, count = Incumbent(), 0
    for event in branch_and_bound(problem, np.inf, incumbent, may_leave_out=False):
        count += isinstance(event, Whole)
        if isinstance(event, Whole) and accepts(event):
            incumbent.cycles = min(incumbent.cycles, event.cycles)
    return incumbent.cycles, count


@pytest.mark.parametrize("seed", SEEDS)
def test_what_others_match_is_told_where_these_are_refused(seed: int) -> None:
    problem = problem_of(seed)
    costs = costs_of_all(problem)
    rng = random.Random(seed)
    accepted = {chosen for chosen in costs if rng.random() < 0.3}
    best = min((cost for chosen, cost in costs.items() if chosen in accepted), default=np.inf)
    assert told(problem, lambda whole: whole.chosen in accepted)[0] == best


def test_what_others_match_is_not_looked_at_where_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each entry there are eight; no more is looked at where nothing fits than with one of each."""
    decided, child = [0], Charges.child

    def counted(self: Charges, node: Node, m: int, entry: int) -> Node:
        decided[0] += 1
        return child(self, node, m, entry)

    monkeypatch.setattr(Charges, "child", counted)

    def decisions(problem: Problem, copies: int) -> int:
        tables = [
            replace(t.take(np.repeat(np.arange(t.count), copies)), rows=np.arange(copies * t.count))
            for t in problem.tables
        ]
        decided[0] = 0
        told(replace(problem, tables=tables), lambda _: False)
        return decided[0]

    tight = [tightened(problem_of(seed), 12) for seed in SEEDS]
    tight = [problem for problem in tight if np.isinf(best_of_all(problem)) and decisions(problem, 1)]
    assert tight
    assert all(decisions(problem, 4) == decisions(problem, 1) for problem in tight)


def tightened(problem: Problem, amount: int) -> Problem:
    """With so much less of each budget, and nests that cost the same next to others."""
    budgets = [replace(b, limit=b.limit - amount) for b in problem.budgets]
    return replace(problem, budgets=budgets, recount=lambda table, _: Costs(table.cycles, table.usage))
