"""Budgets of built designs, what a session makes of offers, and the error where no design fits."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.search.measured_designs import Full, a_point, kernel_space

from sisyphus.errors import NoDesignError
from sisyphus.search import Judged, MeasuredCosts
from sisyphus.search.excess import named, with_smaller_budgets
from sisyphus.search.fit import SearchWithin
from sisyphus.search.session import Offered, Session
from sisyphus.solve import Limits, Stop
from sisyphus.space import DesignPoint


def test_exceeded_budgets_in_words() -> None:
    assert named({"lut": 1.254, "dsp": 1.5}) == "dsp by 50 %, lut by 25 %"


@given(st.dictionaries(st.sampled_from(["dsp", "lut", "bram18k"]), st.floats(1.001, 9.0), min_size=1), st.booleans())
def test_smaller_budgets_leave_out_what_exceeded_the_old_ones(over: Mapping[str, float], by_banks: bool) -> None:
    space = kernel_space("scale")
    tighter = with_smaller_budgets(space, over, by_banks=by_banks)
    old, new = space.target.budget, tighter.target.budget
    for name in ("dsp", "lut", "ff", "bram18k", "uram", "onchip_bytes"):
        if name in over and not (by_banks and name == "bram18k"):
            assert getattr(new, name) < getattr(old, name) / over[name] <= getattr(new, name) + 2
        else:
            assert getattr(new, name) == getattr(old, name)
    fewer = by_banks and "bram18k" in over
    assert (tighter.target.max_partition < space.target.max_partition) == fewer
    assert tighter.nests == space.nests


def test_no_budget_falls_below_nothing() -> None:
    tighter = with_smaller_budgets(kernel_space("scale", dsp=0), {"dsp": 4.0, "uram": 1e9})
    assert (tighter.target.budget.dsp, tighter.target.budget.uram) == (0, 0)
    assert with_smaller_budgets(kernel_space("scale"), {"uram": 1e9}, by_banks=True).target.max_partition == 1


TILES = ((6, 1, 1), (3, 1, 2), (3, 2, 1), (2, 1, 3))


def points() -> list[DesignPoint]:
    space = kernel_space("scale")
    return [a_point(space, {"S0.i": tile}) for tile in TILES]


def session_of(known: Mapping[DesignPoint, Judged], top: int = 1, told: list[float | None] | None = None) -> Session:
    def hear(cost: float | None, bound: float | None, seconds: float) -> None:
        if told is not None:
            told.append(cost)

    space = kernel_space("scale", dsp=100)
    return Session(space, MeasuredCosts, Limits(), known.__getitem__, on_progress=hear, top=top)


def test_a_session_keeps_the_best_that_fit_and_says_what_to_beat() -> None:
    costs = (50, 30, 40, 30)
    known = {p: Judged(cost, {"dsp": 10 + at}) for at, (p, cost) in enumerate(zip(points(), costs, strict=True))}
    told: list[float | None] = []
    session, offered = session_of(known, top=2, told=told), points()
    assert session.incumbent == inf
    assert session.offer(offered[0], "exact") == Offered(50, {}, {"dsp": 10})
    assert session.incumbent == inf, "one more place is left"
    session.offer(offered[0], "exact")
    assert len(session.found) == 1
    session.offer(offered[3], "exact")
    assert (session.incumbent, told) == (50, [50, 30])
    session.offer(offered[2], "exact")
    assert session.incumbent == 40
    session.offer(offered[1], "scip")
    assert [candidate.point for candidate in session.found] == [offered[1], offered[3]], "of equal cost, the smaller"
    assert told == [50, 30, 30]


def test_a_session_takes_nothing_that_does_not_fit() -> None:
    small, large, unknown, wrong = points()
    known = {
        small: Judged(None, {}),
        large: Judged(5, {"dsp": 120}),
        unknown: Judged(inf, {}),
        wrong: Judged(1 << 40, {}),
    }
    session = session_of(known)
    assert session.offer(large, "exact") == Offered(5, {"dsp": 1.2}, {"dsp": 120})
    assert session.offer(unknown, "exact") == Offered(inf)
    assert session.best is None
    own = MeasuredCosts(session.space).evaluate(small)
    assert session.offer(small, "exact").cost == own, "without a judgement, what the cost model says counts"
    session.offer(wrong, "exact")
    assert session.best is not None
    assert session.best.point == small
    assert session.incumbent == own


def test_a_bound_only_rises_and_proves_within_the_gap() -> None:
    (first, *_), told = points(), list[float | None]()
    session = session_of({first: Judged(100, {})}, told=told)
    assert not session.is_proved
    session.offer(first, "exact")
    session.raise_bound(90.0)
    session.raise_bound(80.0)
    session.raise_bound(None)
    session.raise_bound(inf)
    assert session.bound == 90.0
    assert not session.is_proved
    session.limits = Limits(gap=0.1)
    assert session.is_proved
    assert told == [100, 100]


@pytest.mark.long
def test_where_every_design_is_refused_the_nearest_one_says_by_how_much() -> None:
    space = kernel_space("scale")
    full, budget = Full(space), space.target.budget

    def refuse(point: DesignPoint) -> Judged:
        return Judged(full(point).cycles, {"lut": 2 * budget.lut, "dsp": budget.dsp, "ff": budget.ff * 3 // 2})

    with pytest.raises(NoDesignError, match="the nearest one exceeds ff by 50 %, lut by 100 %") as failed:
        SearchWithin(space, MeasuredCosts, "exact", refuse, improve=True).run(Limits())
    assert failed.value.exit_code == 3
    assert "raise that budget" in (failed.value.hint or "")


def test_the_best_design_within_the_budgets_is_proved() -> None:
    space = kernel_space("scale", dsp=9)
    full = Full(space)
    found = SearchWithin(space, MeasuredCosts, "exact", full.judge, improve=True, top=3).run(Limits())
    assert found.outcome.stop is Stop.PROVED
    cycles = [full(point).cycles for point in (found.point, *found.others)]
    assert cycles == sorted(cycles)
    assert len(cycles) == 3
    assert all(full(point).dsp <= 9 for point in (found.point, *found.others))
