"""Improving a known design: it is found among the choices, nests are chosen anew around it, and nothing is worse."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.search.measured_designs import KERNELS, Full, a_point, kernel_space, measured_space, samples
from unit.search.test_solve_greedy import FOUR_NESTS, LIMIT, LUTS, Nests, nests, problem_of, sums, told_by

from sisyphus.search import MeasuredCosts
from sisyphus.search import exact as exact_module
from sisyphus.search import neighbourhood as neighbourhood_module
from sisyphus.search.combine import branch_and_bound
from sisyphus.search.costs import Placement
from sisyphus.search.effort import EFFORT
from sisyphus.search.exact import Search, Terms, Verdict
from sisyphus.search.greedy import descent
from sisyphus.search.neighbourhood import Neighbourhood, of_point
from sisyphus.search.sampling import sampled
from sisyphus.search.solution import Solution, point_of
from sisyphus.search.start import try_placement
from sisyphus.space import DesignPoint, Space, Tile

SQUARES = {**dict.fromkeys("ABCD", (6, 6)), "X": (6,), "Y": (6,)}


@pytest.mark.parametrize("kernel", KERNELS)
def test_what_is_chosen_is_found_again(kernel: str) -> None:
    rng = random.Random(kernel)
    for sample in samples(MeasuredCosts(kernel_space(kernel)), rng, 6):
        for nest, table in sample.tables.items():
            options = sample.options[nest]
            pick = table.take(np.array([rng.randrange(table.count)]))
            found = options.find(options.choice(pick))
            assert found is not None
            assert options.choice(found) == options.choice(pick)
            assert found.cycles[0] == pick.cycles[0]


def test_what_is_not_offered_is_not_found() -> None:
    rng = random.Random(1)
    sample = next(iter(samples(MeasuredCosts(kernel_space("scale")), rng, 1, most=1)))
    ((nest, table),) = sample.tables.items()
    choice = sample.options[nest].choice(table)
    assert sample.options[nest].find(choice) is not None
    assert sample.options[nest].find(replace(choice, interval=7)) is None


@given(nests)
@settings(max_examples=150, derandomize=True, deadline=None)
def test_from_a_known_design_no_nest_alone_would_do_better(nests: Nests) -> None:
    """The first entries are the known design; what fits is only replaced by what costs less."""
    told = told_by(descent, problem_of(nests))
    if sums(nests, [0] * len(nests))[1] > LIMIT:
        return
    ((cycles, chosen),) = told
    assert (cycles, True) == (sums(nests, chosen)[0], sums(nests, chosen)[1] <= LIMIT)
    price = EFFORT.least_price * sum(min(cycles for cycles, _ in choices) for choices in nests) / LIMIT
    every = [c for c in product(*(range(len(n)) for n in nests)) if sums(nests, c)[1] <= LIMIT]
    near = [c for c in every if sum(a != b for a, b in zip(c, chosen, strict=True)) <= 1]
    costs = [sums(nests, c)[0] + price * sums(nests, c)[1] for c in near]
    assert cycles + price * sums(nests, chosen)[1] <= min(costs) + 1e-6
    first = sums(nests, [0] * len(nests))
    assert cycles + price * sums(nests, chosen)[1] <= first[0] + price * first[1] + 1e-6


@given(st.lists(st.tuples(st.integers(1, 999), st.integers(0, 100)), min_size=1, max_size=80), st.integers(2, 20))
@settings(max_examples=150, derandomize=True, deadline=None)
def test_a_sample_has_the_best_at_every_price(tilings: list[tuple[int, int]], count: int) -> None:
    least, sizes = (np.array(column, np.float64) for column in zip(*tilings, strict=True))
    found = sampled(least, sizes, count, 500.0)
    assert len({*found.tolist()}) == len(found) <= count + max(count // 2, len(EFFORT.sampled_prices))
    for price in (0.0, *EFFORT.sampled_prices):
        costs = least + price * 500.0 * sizes
        assert costs[found].min() == costs.min()


def tight_space(lut: int = 2 * LUTS) -> Space:
    return measured_space(FOUR_NESTS.replace("16", "6"), SQUARES, lut=lut)


def slow_design(space: Space) -> DesignPoint:
    """All arrays on chip, one operation after another."""
    tiles = {}
    for nest in space.nests:
        *outer, inner = nest.loops
        tiles |= {f"{nest.id}.{loop.iterator}": (loop.trip_count, 1, 1) for loop in outer}
        tiles[f"{nest.id}.{inner.iterator}"] = (1, inner.trip_count, 1)
    return a_point(space, tiles)


def searching(space: Space, point: DesignPoint, found: list[float]) -> Search:
    """A search that knows this design, and says what it finds."""
    full = Full(space)

    def accept(solution: Solution) -> Verdict:
        judged = full.judge(point_of(space, solution))
        over = space.target.budget.exceeded_by(judged.usage)
        if not over:
            found.append(float(judged.cycles or 0))
        return Verdict(min(found, default=upper) if not over else upper, float(judged.cycles or 0), over)

    upper = float(full(point).cycles)
    state = Search(MeasuredCosts(space), Terms(upper=upper, near=point), accept, lambda _: None, branch_and_bound)
    assert state.lower_bounds.prepare()
    return state


def test_a_known_design_of_another_space_is_improved_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_module, "first_designs", lambda _: [])
    space, found = tight_space(), list[float]()
    slow = slow_design(space)
    searching(space, slow, found).begin()
    assert min(found) * 4 < Full(space)(slow).cycles


@pytest.mark.long
def test_an_array_moves_on_chip_where_that_is_better(monkeypatch: pytest.MonkeyPatch) -> None:
    def from_tiles() -> tuple[Solution, Search]:
        space = tight_space(8 * LUTS)
        state = searching(space, slow_design(space), [])
        try_placement(state, Placement())
        assert state.best is not None and not state.best.placement.residents
        return state.best, state

    tiled, state = from_tiles()
    Neighbourhood(state, tiled).look()
    assert state.best is not None and state.best.placement.residents
    assert state.incumbent.cycles < 0.9 * tiled.cycles
    monkeypatch.setattr(neighbourhood_module, "moved_by_one", lambda *_: ())
    tiled, state = from_tiles()
    Neighbourhood(state, tiled).look()
    assert state.best is not None and not state.best.placement.residents


def test_a_design_with_other_tiles_is_none_of_this_space() -> None:
    space = tight_space()
    slow = slow_design(space)
    state = searching(space, slow, [])
    known = of_point(state, slow)
    assert known is not None
    assert [choice.tiles for choice in known.choices] == [dict(nest.tiles) for nest in slow.nests]
    nest, *others = slow.nests
    (loop, _), *rest = nest.tiles
    odd = replace(nest, tiles=((loop, Tile(3, 1, 6)), *rest))
    assert of_point(state, replace(slow, nests=(odd, *others))) is None


def test_around_one_design_it_is_looked_once_in_each_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_module, "first_designs", lambda _: [])
    asked = list[Neighbourhood]()
    monkeypatch.setattr(Neighbourhood, "look", lambda around: asked.append(around))
    space = tight_space()
    state = searching(space, slow_design(space), [])
    state.begin()
    state._improve()
    assert len(asked) == 1
    state.go_on(replace(state.terms, deadline=0.0))
    state._improve()
    assert len(asked) == 2 and asked[0] is asked[1]


def test_short_searches_begin_anew_where_more_is_known_than_they_found(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = list[Search]()
    monkeypatch.setattr(exact_module, "first_designs", lambda search: begun.append(search) or [])
    monkeypatch.setattr(Neighbourhood, "look", lambda _: None)
    space = tight_space()
    state = searching(space, slow_design(space), [])
    state.begin()
    state.begin()
    for upper, times in ((state.incumbent.cycles, 1), (state.incumbent.cycles / 2, 2), (state.incumbent.cycles / 2, 2)):
        state.go_on(replace(state.terms, upper=upper, deadline=0.0))
        state.begin()
        assert len(begun) == times


def test_a_neighbourhood_goes_on_where_time_ended_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time among twice as many tilings, up to the most, and no more where these are all there are."""
    monkeypatch.setattr(neighbourhood_module, "moved_by_one", lambda *_: ())
    wider = list[int]()
    space = tight_space()
    slow = slow_design(space)
    state = searching(space, slow, [])
    around = Neighbourhood(state, slow)

    def sweep(*_: object) -> int:
        wider.append(around._wider)
        return 10 * len(wider)

    monkeypatch.setattr(around, "_sweep", sweep)
    state.lower_bounds.deadline.at = 0.0
    around.look()
    assert wider == [1]
    state.lower_bounds.deadline.at = None
    around.look()
    around.look()
    assert wider == [1, 2, 4, EFFORT.near_widest]


def test_a_neighbourhood_with_all_choices_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbourhood_module, "moved_by_one", lambda *_: ())
    space = tight_space()
    slow, counts = slow_design(space), iter([10, 10])
    around = Neighbourhood(searching(space, slow, []), slow)
    monkeypatch.setattr(around, "_sweep", lambda *_: next(counts))
    around.look()
    assert next(counts, None) is None
