"""What nests cost next to each other, remembered in any order, against counting each whole choice anew."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from unit.search.random_tables import ARRAYS, random_states, random_tables

from sisyphus.ir import ArrayId
from sisyphus.search import coupling as coupling_module
from sisyphus.search.costs import Costs, Floats, Ints
from sisyphus.search.coupling import Coupling
from sisyphus.search.effort import EFFORT
from sisyphus.search.partitions import IMPOSSIBLE
from sisyphus.search.tables import Table

SEEDS = range(20)
BUDGETS = ("dsp", "lut")


class Counting:
    """Some rule of what coupling costs; remembers which entries were counted how often."""

    def __init__(self) -> None:
        self.counted = dict[tuple[str, int, tuple[tuple[ArrayId, int], ...]], int]()

    def __call__(self, table: Table, states: Mapping[ArrayId, Ints]) -> Costs:
        extra = np.zeros(table.count)
        for at in range(table.count):
            own = tuple((array, int(states[array][at])) for array in sorted(states))
            assert all(state != IMPOSSIBLE for _, state in own)
            key = (table.nest, int(table.rows[at]), own)
            self.counted[key] = self.counted.get(key, 0) + 1
            extra[at] = sum((7 * state + int(table.rows[at])) % 5 for _, state in own)
        return Costs(table.cycles + extra, {name: table.usage[name] + extra for name in BUDGETS})


class Case:
    """Three tables and what they cost next to each other; one array may have a state whatever is asked."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.states = random_states(rng)
        self.tables = random_tables(rng, self.states, 3)
        self.fixed = {ARRAYS[0]: self.states[ARRAYS[0]].start} if rng.random() < 0.3 else {}
        self.counting = Counting()
        self.coupling = Coupling(self.tables, self.states, BUDGETS, self.fixed, self.counting)

    @property
    def start(self) -> list[int]:
        return [self.states[array].start for array in ARRAYS]

    def after(self, states: Sequence[int], m: int, entry: int) -> list[int]:
        """The states once an entry has asked what it asks."""
        asked = self.tables[m].states
        return [
            int(self.states[a].joined_with(s)[asked[a][entry]]) if a in asked else s
            for a, s in zip(ARRAYS, states, strict=True)
        ]

    def costs(self, m: int, entry: int, after: Sequence[int]) -> tuple[float, list[float]]:
        """Of one entry, counted anew: as if alone where its arrays are as it asks, or fixed."""
        table = self.tables[m].take(np.array([entry]))
        own = {a: s for a, s in zip(ARRAYS, after, strict=True) if a in table.states}
        changed = any(int(table.states[a][0]) != s for a, s in own.items() if a not in self.fixed)
        found = Costs(table.cycles, table.usage)
        if changed:
            found = Counting()(table, {a: np.array([s]) for a, s in own.items()})
        return float(found.cycles[0]), np.concatenate([found.usage[name][:, 0] for name in BUDGETS]).tolist()


def possible(states: Sequence[int]) -> bool:
    return IMPOSSIBLE not in states


@pytest.mark.parametrize("seed", SEEDS)
def test_whole_choices_cost_what_counting_them_anew_says(seed: int) -> None:
    case = Case(seed)
    for first, second in product(*(range(table.count) for table in case.tables[:2])):
        one = case.after(case.start, 0, first)
        two = case.after(one, 1, second) if possible(one) else one
        entries = np.array(
            [e for e in range(case.tables[2].count) if possible(two) and possible(case.after(two, 2, e))]
        )
        if not len(entries):
            continue
        kept = np.isin(np.arange(case.tables[2].count), entries)
        case.coupling.table(2, two, kept)
        found = case.coupling.wholes({0: first, 1: second}, 2, entries, two)
        for at, entry in enumerate(entries.tolist()):
            last = case.after(two, 2, entry)
            for m, chosen in enumerate((first, second, entry)):
                cycles, usage = found[m]
                assert (float(cycles[at]), usage[:, at].tolist()) == case.costs(m, chosen, last)


@pytest.mark.parametrize("seed", SEEDS)
def test_tables_are_counted_where_kept_and_changed_and_nothing_twice(seed: int) -> None:
    case = Case(seed)
    rng = random.Random(seed)
    for entry in range(case.tables[0].count):
        states = case.after(case.start, 0, entry)
        if not possible(states):
            continue
        joined = [case.after(states, 1, e) for e in range(case.tables[1].count)]
        legal = np.array([possible(after) for after in joined])
        some = legal & np.array([rng.random() < 0.5 for _ in joined])
        for kept in (some, legal):
            found = case.coupling.table(1, states, kept)
            for e, after in enumerate(joined):
                alone = float(case.tables[1].cycles[e]), case.coupling.alone[1][:, e].tolist()
                expected = case.costs(1, e, after) if legal[e] else alone
                if found is None:
                    assert expected == alone or not kept[e]
                elif kept[e] or found.counted[e]:
                    assert (float(found.cycles[e]), found.usage[:, e].tolist()) == expected
                else:
                    assert (float(found.cycles[e]), found.usage[:, e].tolist()) == alone
        before = dict(case.counting.counted)
        case.coupling.table(1, states, legal)
        for e, after in enumerate(joined):
            if legal[e]:
                case.coupling.remember(1, e, states, after)
                cycles, usage = case.coupling.entry(1, e, after)
                assert (cycles, usage.tolist()) == case.costs(1, e, after)
        assert case.counting.counted == before


@pytest.mark.parametrize("seed", range(5))
def test_large_tables_count_as_if_alone_until_a_choice_is_whole(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coupling_module, "EFFORT", replace(EFFORT, recounted_entries=0))
    case = Case(seed)
    assert case.coupling.table(2, case.start, np.ones(case.tables[2].count, np.bool_)) is None
    test_whole_choices_cost_what_counting_them_anew_says(seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_unmoved_costs_the_same_with_every_last_entry(seed: int) -> None:
    case, seen = Case(seed), 0
    every = np.arange(case.tables[2].count)
    for coupling in (case.coupling, Coupling(case.tables, case.states, BUDGETS, {}, None)):
        chosen = {0: 0, 1: 0}
        states = [*case.start]
        for m, entry in chosen.items():
            coupling.ask(states, m, entry)
        entries = every[[possible(case.after(tuple(states), 2, entry)) for entry in every.tolist()]]
        alike = coupling.unmoved(chosen, 2, states)
        for m, (cycles, usage) in alike.items() if len(entries) else ():
            found, used = coupling.wholes(chosen, 2, entries, states)[m]
            assert set(found.tolist()) == {cycles}
            assert (used == usage[:, None]).all()
            seen += 1
        assert {0, 1} - alike.keys() == {
            m for m in (0, 1) if coupling.recount and case.tables[m].states.keys() & case.tables[2].states.keys()
        }
    assert seen or not len(entries)


def test_without_a_recount_coupling_makes_no_difference() -> None:
    case = Case(0)
    coupling = Coupling(case.tables, case.states, BUDGETS, {}, None)
    every = np.arange(case.tables[2].count)
    cycles, usage = coupling.wholes({0: 0, 1: 0}, 2, every, case.start)[2]
    assert cycles.tolist() == case.tables[2].cycles.tolist()
    assert stacked(case.tables[2]).tolist() == usage.tolist()


def stacked(table: Table) -> Floats:
    return np.concatenate([table.usage[name] for name in BUDGETS])


def test_what_is_not_counted_again_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first test notices where decided nests keep what they cost before others came."""
    monkeypatch.setattr(Coupling, "_differs", lambda self, m, entry, own: False)
    wrong = 0
    for seed in SEEDS:
        try:
            test_whole_choices_cost_what_counting_them_anew_says(seed)
        except AssertionError:
            wrong += 1
    assert wrong
