"""Neighbours of a design, what more of a budget buys, and the refusal that names the tightest budget."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schedules import schedules_of
from unit.choosing.small_kernels import BLEND, BLUR, TWICE, asked, read
from unit.search.measured_designs import a_point, kernel_space

from sisyphus import sensitivity
from sisyphus.budgets import given as budgets_of
from sisyphus.budgets import with_amounts
from sisyphus.choice import find
from sisyphus.choose import choose
from sisyphus.errors import NothingFits
from sisyphus.neighbours import neighbours
from sisyphus.part_search import Choice, silent
from sisyphus.plan import check_point, dump_schedule
from sisyphus.report import Explanation
from sisyphus.request import estimate_of, plan_of
from sisyphus.sensitivity import explain
from sisyphus.space import illegal


@pytest.fixture(scope="module")
def blur(tmp_path_factory: pytest.TempPathFactory) -> tuple[Choice, Explanation]:
    request = asked(tmp_path_factory.mktemp("blur"), BLUR, budgets={"dsp": 60})
    kernels = read(request)
    choice = choose(kernels, request)
    return choice, explain(kernels, request, choice, silent)


def test_a_neighbour_is_a_legal_design_that_differs(blur: tuple[Choice, Explanation]) -> None:
    choice, _ = blur
    kernel, found = choice.kernel, list(neighbours(choice.space, choice.point))
    assert {change.kind for change in found} >= {"tile", "pipeline", "place", "width"}
    for change in found:
        if change.point is None:
            assert change.refused
            continue
        check_point(kernel.scop, kernel.distribution, change.point)
        assert illegal(kernel.dependences, kernel.distribution, change.point) is None
        assert change.point != choice.point
        same = [a for a, b in zip(choice.point.nests, change.point.nests, strict=True) if a == b]
        changed = {n.id for n in choice.point.nests} - {n.id for n in same}
        assert changed <= {change.nest}


def test_neighbours_have_more_or_fewer_copies() -> None:
    space = kernel_space("pair")
    plain = a_point(space, {"S0+S1.i": (4, 1, 1), "S0+S1.j": (1, 2, 1)})
    point = replace(plain, nests=(replace(plain.nests[0], unroll=(("i", 2),)),))
    found = {c.words: c.point.nests[0] for c in neighbours(space, point) if c.point is not None}
    assert found["i in 1 copies, not 2"].unroll == ()
    assert found["i in 4 copies, not 2"].unroll == (("i", 4),)
    # as many as still divide the tiles
    assert {nest.unroll for words, nest in found.items() if words.startswith("i=2x1x2")} == {(("i", 2),)}
    assert {nest.unroll for words, nest in found.items() if words.startswith("i=1x")} <= {()}


def test_loops_that_follow_each_other_are_exchanged(tmp_path: Path) -> None:
    request = asked(tmp_path, BLUR, fixes=("S1.i=4x1x1", "S1.p=3x1x1", "S1.order=i,p,q,j"))
    choice = choose(read(request), request)
    free = asked(tmp_path, BLUR)
    space = find(read(free), free).space
    orders = [c.words for c in neighbours(space, choice.point) if c.kind == "order" and c.nest == "S1"]
    assert "order p i q j, not i p q j" in orders
    assert not [c for c in neighbours(choice.space, choice.point) if c.kind == "order" and c.nest == "S1"]


def test_the_figures_of_an_explanation_are_the_models(blur: tuple[Choice, Explanation]) -> None:
    choice, told = blur
    target = choice.space.target
    cost = estimate_of(choice.kernel, choice.point, target)
    assert told.cycles == cost.cycles
    assert {s.option: s.used for s in told.shares}["--dsp"] == cost.dsp
    assert all(s.used <= s.limit for s in told.shares)
    changes = {(c.nest, c.words): c.point for c in neighbours(choice.space, choice.point)}
    assert len(changes) == len(told.neighbours)
    for row in told.neighbours:
        point = changes[row.nest, row.change]
        if row.cycles is not None and point is not None:
            found = estimate_of(choice.kernel, point, target)
            assert row.cycles == found.cycles
            assert {b.option for b in row.breaks} == (set() if found.dsp <= 60 else {"--dsp"})
    assert told.parts[0].cycles <= told.cycles
    assert all(a.cycles >= b.cycles for a, b in pairwise(told.parts))
    assert told.complete


def test_the_pace_of_a_nest_has_the_schedule_that_the_model_reads(blur: tuple[Choice, Explanation]) -> None:
    choice, _ = blur
    plan, target = plan_of(choice.kernel, choice.point), choice.space.target
    schedules = [tuple(dump_schedule(one)) for one in chain(*schedules_of(plan, target).values())]
    paces = list(sensitivity.paces_of(plan, target, {nest.id for nest in choice.space.nests}))
    assert paces and all(pace.schedule in schedules for pace in paces)


def test_more_of_a_budget_never_costs_cycles_and_is_a_tenth_more(blur: tuple[Choice, Explanation]) -> None:
    choice, told = blur
    limits = budgets_of(choice.space.target)
    assert len(told.steps) == len(limits)
    assert {s.option: s.amount for s in told.steps}["--dsp"] == 66
    assert all(s.cycles <= told.cycles for s in told.steps)
    assert {s.option: s.beyond for s in told.steps}["--lut"] == limits["lut"]


def test_ctrl_c_leaves_an_explanation_that_says_that_it_is_not_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = asked(tmp_path, BLEND)
    kernels = read(request)
    choice = choose(kernels, request)

    def interrupted(*_: object, **__: object) -> Choice:
        raise KeyboardInterrupt

    monkeypatch.setattr(sensitivity, "find", interrupted)
    told = explain(kernels, request, choice, silent)
    assert told.steps == ()
    assert told.neighbours
    assert not told.complete


@pytest.mark.long
@pytest.mark.parametrize(
    ("budgets", "option"),
    [
        ({"lut": 1500}, "--lut"),
    ],
)
def test_the_tightest_budget_is_named_and_what_is_said_to_fit_does(
    tmp_path: Path, budgets: dict[str, int], option: str
) -> None:
    request = asked(tmp_path, TWICE, budgets=budgets)
    with pytest.raises(NothingFits, match="no design of `twice` fits") as failed:
        choose(read(request), request)
    hint = failed.value.hint or ""
    assert hint.startswith(f"`{option} ")
    amount = int(hint.split("`")[1].split()[1])
    name = next(iter(budgets))
    enough = replace(request, target=with_amounts(request.target, {name: amount}))
    choice = find(read(request), enough)
    assert getattr(estimate_of(choice.kernel, choice.point, enough.target), name) <= amount


@pytest.mark.long
def test_two_budgets_that_are_too_small_are_both_named(tmp_path: Path) -> None:
    request = asked(tmp_path, TWICE, budgets={"dsp": 1, "lut": 100})
    with pytest.raises(NothingFits, match="raising one budget alone does not help") as failed:
        choose(read(request), request)
    assert "--dsp" in (failed.value.hint or "")
    assert "--lut" in (failed.value.hint or "")


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(dsp=st.integers(5, 40))
def test_the_best_designs_are_distinct_in_order_and_within_the_budgets(tmp_path: Path, dsp: int) -> None:
    request = asked(tmp_path, TWICE, budgets={"dsp": dsp}, top=4)
    choice = find(read(request), request)
    points = [choice.point, *(k.point for k in choice.others)]
    costs = [estimate_of(choice.kernel, p, request.target) for p in points]
    assert len({p.sort_key() for p in points}) == len(points) <= 4
    assert [c.cycles for c in costs] == sorted(c.cycles for c in costs)
    assert all(c.dsp <= dsp for c in costs)


def test_neighbours_of_a_design_with_split_nests_are_split(blur: tuple[Choice, Explanation]) -> None:
    choice, _ = blur
    nests = tuple(replace(nest, split=nest.id == "S1") for nest in choice.point.nests)
    found = [c.point for c in neighbours(choice.space, replace(choice.point, nests=nests)) if c.point is not None]
    assert found
    assert all([n.id for n in other.nests if n.split] == ["S1"] for other in found)
