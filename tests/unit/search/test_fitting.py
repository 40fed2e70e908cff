"""What undecided nests may make of arrays, and what budgets leave to them, against all ways to complete a choice."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.search.random_tables import (
    ARRAYS,
    KINDS,
    random_budgets,
    random_residents,
    random_states,
    random_tables,
    together,
)

from sisyphus.ir import ArrayId
from sisyphus.search import lookahead as lookahead_module
from sisyphus.search.costs import Floats
from sisyphus.search.effort import EFFORT
from sisyphus.search.fitting import Fitting, _two_largest
from sisyphus.search.lookahead import Lookahead
from sisyphus.search.partitions import IMPOSSIBLE, States
from sisyphus.search.tables import Table
from sisyphus.target import Budget

SEEDS = range(25)


class Case:
    """Random tables under budgets, and their costs by the rules in words."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.states = random_states(rng)
        self.tables = random_tables(rng, self.states, 3)
        self.budgets = random_budgets(rng, self.tables)
        self.residents = random_residents(rng, self.states)
        self.barred = {a: np.array([rng.random() < 0.2 for _ in range(s.count)]) for a, s in self.states.items()}
        penalties = {a: np.append(np.where(barred, np.inf, 0.0), np.inf) for a, barred in self.barred.items()}
        self.lookahead = Lookahead(self.tables, self.states, penalties)
        self.fitting = Fitting(self.budgets, self.tables, self.states, self.residents, self.lookahead)

    def state(self, array: ArrayId, chosen: Mapping[int, int]) -> int:
        """What an array comes to."""
        asked = [int(self.tables[m].states[array][e]) for m, e in chosen.items() if array in self.tables[m].states]
        return together(self.states[array], self.states[array].start, *asked)

    def wholes(self, decided: Mapping[int, int]) -> list[dict[int, int]]:
        """All ways to complete a choice."""
        counts = [[decided[m]] if m in decided else range(t.count) for m, t in enumerate(self.tables)]
        return [dict(enumerate(entries)) for entries in product(*counts)]

    def fits(self, whole: Mapping[int, int]) -> bool:
        """Whether a whole choice is possible and within the budgets."""
        states = {array: self.state(array, whole) for array in ARRAYS}
        if any(state == IMPOSSIBLE or self.barred[array][state] for array, state in states.items()):
            return False
        return all(
            nests_take(self.tables, budget, whole)
            + sum(float(self.residents[budget.name][array][state]) for array, state in states.items())
            <= budget.limit
            for budget in self.budgets
        )

    def held(self, decided: Mapping[int, int]) -> Floats:
        """What decided nests take, and of undecided ones the least of each kind."""
        held = self.fitting.nothing()
        for m, table in enumerate(self.tables):
            stacked = np.concatenate([table.usage[budget.name] for budget in self.budgets])
            self.fitting.add(held, m, stacked[:, decided[m]] if m in decided else stacked.min(axis=1))
        return held


def nests_take(tables: Sequence[Table], budget: Budget, whole: Mapping[int, int]) -> float:
    """Of each kind the largest group and a share of the second one; of the last kind all."""
    total = 0.0
    for kind in range(KINDS):
        amounts = sorted(
            sum(float(t.usage[budget.name][kind, whole[m]]) for m, t in enumerate(tables) if t.nest in group)
            for group in budget.groups
        )
        sharing = budget.sharing[kind] if budget.sharing else 0.0
        if kind == KINDS - 1:
            total += sum(amounts)
        else:
            total += amounts[-1] + (sharing * amounts[-2] if len(amounts) > 1 else 0.0)
    return total


@pytest.mark.parametrize("seed", SEEDS)
def test_the_lookahead_is_the_least_that_undecided_tables_can_bring_an_array_to(seed: int) -> None:
    case = Case(seed)
    for array, undecided in product(ARRAYS, ([], [0], [1, 2], [0, 1, 2])):
        states, amounts = case.states[array], case.residents["dsp"][array]
        found = case.lookahead.least(array, "dsp", amounts, undecided)
        demands = [case.tables[m].states[array].tolist() for m in case.lookahead.users(array, undecided)]
        for state in range(states.count):
            joined = [together(states, state, *asked) for asked in product(*demands)]
            legal = [amounts[j] for j in joined if j != IMPOSSIBLE and not case.barred[array][j]]
            assert found[state] == min(legal, default=np.inf)
        assert found[IMPOSSIBLE] == np.inf


@pytest.mark.parametrize("seed", range(5))
def test_where_pairs_are_too_many_any_demand_counts_as_possible(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    exact = Case(seed)
    monkeypatch.setattr(lookahead_module, "EFFORT", replace(EFFORT, demand_pairs=0))
    case = Case(seed)
    for array in ARRAYS:
        amounts = np.stack([case.residents[name][array] for name in ("dsp", "lut")])
        bound = case.lookahead.least(array, "both", amounts, [0, 1])
        least = exact.lookahead.least(array, "both", amounts, [0, 1])
        assert bound.shape == least.shape
        assert (bound <= least).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_no_entry_is_left_out_that_some_whole_choice_has(seed: int) -> None:
    case = Case(seed)
    for decided in ({}, {0: 0}, {0: 0, 1: 0}):
        states = [case.state(array, decided) for array in ARRAYS]
        if IMPOSSIBLE in states:
            continue
        kept = kept_by(case, decided, states)
        every = case.wholes(decided)
        for entry in range(case.tables[2].count):
            possible = any(case.fits(whole) for whole in every if whole[2] == entry)
            if len(decided) == 2:
                assert kept[entry] == possible  # nothing is open
            else:
                assert kept[entry] or not possible


def kept_by(case: Case, decided: Mapping[int, int], states: Sequence[int]) -> list[bool]:
    """Entries of the last table that are kept beside what was decided."""
    table, others = case.tables[2], [m for m in (0, 1) if m not in decided]
    usage = np.concatenate([table.usage[budget.name] for budget in case.budgets])
    joined = {
        array: case.states[array].joined_with(state)[table.states[array]]
        for array, state in zip(ARRAYS, states, strict=True)
        if array in table.states
    }
    held = case.held(decided)
    case.fitting.add(held, 2, -usage.min(axis=1))
    fits = case.fitting.fits(2, held, usage, usage.max(axis=1), states, joined, others)
    return [True] * table.count if fits is None else [bool(one) for one in fits]


@pytest.mark.parametrize("seed", SEEDS)
def test_whole_choices_fit_by_the_rules_in_words(seed: int) -> None:
    case = Case(seed)
    for whole in case.wholes({}):
        states = [case.state(array, whole) for array in ARRAYS]
        if IMPOSSIBLE in states or any(case.barred[a][s] for a, s in zip(ARRAYS, states, strict=True)):
            continue
        held = case.held(whole)[..., None]
        assert case.fitting.fits_whole(held, states).tolist() == [case.fits(whole)]


@pytest.mark.parametrize("seed", SEEDS)
def test_shares_of_a_whole_choice_are_no_more_than_arrays_take(seed: int) -> None:
    case = Case(seed)
    shares = case.fitting.shares(asked_at_first(case.tables, case.states))
    for whole in case.wholes({}):
        states = {array: case.state(array, whole) for array in ARRAYS}
        if any(state == IMPOSSIBLE or case.barred[array][state] for array, state in states.items()):
            continue
        for budget, each in zip(case.budgets, shares, strict=True):
            taken = sum(float(case.residents[budget.name][array][state]) for array, state in states.items())
            shared = sum(float(np.broadcast_to(each[m], table.count)[whole[m]]) for m, table in enumerate(case.tables))
            assert shared <= taken + 1e-9


def asked_at_first(tables: Sequence[Table], states: Mapping[ArrayId, States]) -> list[dict[ArrayId, np.ndarray]]:
    return [{a: states[a].joined_with(states[a].start)[asked] for a, asked in t.states.items()} for t in tables]


def test_a_forgotten_demand_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check above notices where an open nest is taken for one that asks nothing more."""
    monkeypatch.setattr(Lookahead, "users", lambda self, array, undecided: ())
    wrong = 0
    for seed in SEEDS:
        try:
            test_no_entry_is_left_out_that_some_whole_choice_has(seed)
        except AssertionError:
            wrong += 1
    assert wrong


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=2, max_size=6))
@settings(max_examples=100, derandomize=True, deadline=None)
def test_the_two_largest_are_those_of_the_sorted_ones(groups: list[list[int]]) -> None:
    amounts = np.array(groups, np.float64)
    most, second = _two_largest(amounts)
    ordered = np.sort(amounts, axis=0)
    assert (most.tolist(), second.tolist()) == (ordered[-1].tolist(), ordered[-2].tolist())
