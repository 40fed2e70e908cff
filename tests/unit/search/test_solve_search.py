"""The search as a whole: which solver has its turn, what is believed, limits, interruption, starts, and no design."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from clock import Clock
from unit.search.solve_spaces import gemm_space

from sisyphus.errors import InternalError, NoDesignError, NothingFits, TimeUp
from sisyphus.search import Found, Judged, PaperCosts, search, session
from sisyphus.search.effort import EFFORT
from sisyphus.search.repair import logarithms, near
from sisyphus.solve import Limits, Stop, adapters, load_adapter, solver_infos, solver_list, solving
from sisyphus.solve.registry import in_turn
from sisyphus.space import DesignPoint, Space

PLUGIN = Path(__file__).parents[2] / "solvers" / "plugin"
BEST = 132.0  # of gemm_space()
#: More than any budget.
MOST = 1 << 40


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package of tests/solvers/plugin, installed for this process and for the processes of its solvers."""
    monkeypatch.syspath_prepend(str(PLUGIN))
    path = os.pathsep.join(filter(None, [str(PLUGIN), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.setattr(solving, "GRACE_S", 0.5)


def found(space: Space, solver: str, seconds: float | None = None, **more: object) -> Found:
    return search(space, PaperCosts, solver, Limits(seconds=seconds), **more)  # type: ignore[arg-type]


def test_auto_proves_with_our_own_search() -> None:
    answer = found(gemm_space(), "auto")
    assert answer.outcome.stop is Stop.PROVED
    assert answer.outcome.solver == "exact"
    assert (answer.outcome.objective, answer.outcome.bound, answer.outcome.gap) == (BEST, BEST, 0.0)
    assert PaperCosts(gemm_space()).evaluate(answer.point) == BEST


@pytest.mark.usefixtures("fakes")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("fake-crash", "exited -6"),
        ("fake-raise", "a pivot of 0"),
        ("fake-hang", "did not end within"),
        ("fake-nonsense", "answered with str"),
        ("fake-wrong", "returned an infeasible point"),
    ],
)
def test_a_failing_solver_is_named_and_the_next_one_used(
    name: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "LEAST_S", 600.0)  # of the next one, whose proof must not depend on the load
    answer = found(gemm_space(dsp=100), f"{name},exact", seconds=1.0 if name == "fake-hang" else 60.0)
    assert answer.outcome.solver == "exact"
    assert answer.outcome.stop is Stop.PROVED
    [skipped] = answer.skipped
    assert skipped.startswith(f"`{name}` ")
    assert reason in skipped


@pytest.mark.usefixtures("fakes")
def test_a_solver_alone_that_fails_is_an_error_that_names_it() -> None:
    with pytest.raises(NoDesignError, match="`fake-raise`"):
        found(gemm_space(), "fake-raise", seconds=60.0)


@pytest.mark.long
@pytest.mark.usefixtures("fakes")
def test_what_a_killed_solver_told_of_is_kept() -> None:
    for seconds in (5.0, 20.0, 80.0, 320.0):  # until the child's start fits in
        with contextlib.suppress(NoDesignError):
            answer = found(gemm_space(), "fake-late", seconds=seconds)
            break
    assert answer.outcome.solver == "fake-late"
    assert answer.outcome.objective == PaperCosts(gemm_space()).evaluate(answer.point) > BEST
    assert "did not end within" in answer.skipped[0]


@pytest.mark.usefixtures("fakes")
def test_a_point_on_the_way_may_be_better_than_the_last_when_it_is_built() -> None:
    start = found(gemm_space(), "exact").point

    def judge(point: DesignPoint) -> Judged:
        return Judged(20.0 if point == start else 10.0, {})

    answer = found(gemm_space(), "fake-teller", seconds=60.0, start=start, judge=judge)
    assert answer.point != start
    assert answer.outcome.objective == 10.0


@pytest.mark.usefixtures("fakes")
def test_what_a_solver_leaves_unproved_is_rounded_to_the_best_design_near() -> None:
    costs = PaperCosts(gemm_space())

    def judge(point: DesignPoint) -> Judged:
        return Judged(costs.evaluate(point), {})

    alone = found(gemm_space(), "fake-plain", seconds=60.0)
    rounded = found(gemm_space(), "fake-plain", seconds=60.0, judge=judge)
    assert rounded.outcome.solver == "fake-plain"
    assert rounded.outcome.objective == judge(rounded.point).cycles
    assert costs.evaluate(rounded.point) < costs.evaluate(alone.point)


@pytest.mark.usefixtures("fakes")
def test_rounding_goes_on_around_every_better_design() -> None:
    space = gemm_space(64, 60, 64)
    costs = PaperCosts(space)
    answer = found(space, "fake-plain", seconds=120.0, judge=lambda point: Judged(costs.evaluate(point), {}))
    simplest = found(space, "fake-plain", seconds=60.0).point
    one_step = found(near(space, logarithms(simplest), 16.0), "exact").outcome.objective
    assert answer.outcome.objective is not None
    assert one_step is not None
    assert answer.outcome.objective < one_step


@pytest.mark.usefixtures("fakes")
def test_where_nothing_that_the_solver_finds_fits_designs_near_to_its_relaxation_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sisyphus.search.by_adapter.EFFORT", replace(EFFORT, tightenings=2))
    space = gemm_space()
    simplest = found(space, "fake-plain", seconds=60.0).point

    def judge(point: DesignPoint) -> Judged:
        return Judged(PaperCosts(space).evaluate(point), {"dsp": MOST if point == simplest else 0})

    answer = found(space, "fake-relaxed", seconds=60.0, judge=judge)
    assert answer.outcome.solver == "fake-relaxed"
    assert answer.outcome.stop is Stop.UNPROVED
    assert answer.outcome.objective == BEST
    with pytest.raises(NoDesignError, match="`fake-plain` found no design whose banks fit"):
        found(space, "fake-plain", seconds=60.0, judge=judge)


@pytest.mark.usefixtures("fakes")
def test_a_start_refutes_who_says_that_nothing_fits() -> None:
    start = found(gemm_space(), "exact").point
    answer = found(gemm_space(), "fake-infeasible,exact", start=start)
    assert answer.point == start
    assert answer.outcome.stop is Stop.PROVED
    assert "said that nothing fits" in answer.skipped[0]


@pytest.mark.usefixtures("fakes")
def test_a_start_reaches_the_adapter_and_comes_back() -> None:
    start = found(gemm_space(), "exact").point
    answer = found(gemm_space(), "fake-plain", start=start)
    assert answer.point == start
    assert answer.outcome.objective == BEST


def test_a_start_that_is_no_design_is_said_to_be_none() -> None:
    start = found(gemm_space(), "exact").point
    answer = found(gemm_space(dsp=20), "exact", start=start)
    assert answer.skipped[0].startswith("`start` is no design of this space")
    assert answer.outcome.stop is Stop.PROVED


def test_progress_falls_to_the_optimum_and_the_bound_rises_to_it() -> None:
    said: list[tuple[float | None, float | None, float]] = []
    found(gemm_space(12, 12, 12), "exact", on_progress=lambda cost, bound, s: said.append((cost, bound, s)))
    costs = [cost for cost, _, _ in said if cost is not None]
    bounds = [bound for _, bound, _ in said if bound is not None]
    seconds = [s for _, _, s in said]
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds)
    assert costs[-1] == pytest.approx(bounds[-1])
    assert seconds == sorted(seconds)


def test_an_interrupted_search_keeps_its_incumbent() -> None:
    def stop(cost: float | None, *_: object) -> None:
        if cost is not None:
            raise KeyboardInterrupt

    space = gemm_space(200, 220, 240)
    answer = found(space, "exact", on_progress=stop)
    assert answer.outcome.stop is Stop.INTERRUPTED
    assert answer.outcome.objective == PaperCosts(space).evaluate(answer.point)


@pytest.mark.usefixtures("fakes")
def test_an_interrupted_adapter_keeps_its_incumbent() -> None:
    def stop(cost: float | None, *_: object) -> None:
        if cost is not None and not sent.is_set():
            sent.set()
            os.kill(os.getpid(), signal.SIGINT)

    sent = threading.Event()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    try:
        answer = found(gemm_space(), "fake-late,exact", on_progress=stop)
    finally:
        signal.signal(signal.SIGINT, before)
    assert answer.outcome.stop is Stop.INTERRUPTED
    assert answer.outcome.solver == "fake-late"


def test_an_interruption_without_a_design_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def formulate_nothing(space: Space) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sisyphus.search.by_adapter.formulate", formulate_nothing)
    with pytest.raises(KeyboardInterrupt):
        found(gemm_space(), "scip")


def test_no_time_leaves_a_plain_design() -> None:
    answer = found(gemm_space(), "exact", seconds=0.0)
    assert answer.point is not None and answer.outcome.stop is Stop.TIME
    assert answer.outcome.objective == PaperCosts(gemm_space()).evaluate(answer.point) > BEST


def test_no_time_and_no_design_where_arrays_do_not_fit() -> None:
    with pytest.raises(TimeUp, match="time ran out before `exact` found a design"):
        found(gemm_space(4000, 4000, 4000), "exact", seconds=0.0)


def test_a_passed_limit_leaves_the_design_found_with_its_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    def linger(cost: float | None, *_: object) -> None:
        clock.passed += 600.0 * (cost is not None)

    clock = Clock(monkeypatch)
    answer = found(gemm_space(200, 220, 240), "exact", seconds=600.0, on_progress=linger)
    assert answer.outcome.stop is Stop.TIME
    assert answer.outcome.gap is not None
    assert 0 < answer.outcome.gap < 1


def test_where_nothing_fits_that_is_said_at_once() -> None:
    with pytest.raises(NothingFits, match="no design of `built` fits 1 DSP,") as failed:
        found(gemm_space(dsp=1), "auto")
    assert "--dsp" in (failed.value.hint or "")


def test_a_budget_that_fits_and_one_less_that_does_not() -> None:
    assert found(gemm_space(dsp=4), "exact").outcome.stop is Stop.PROVED
    assert found(gemm_space(onchip_bytes=16), "exact").outcome.stop is Stop.PROVED
    for limits in ({"dsp": 3}, {"onchip_bytes": 15}):
        with pytest.raises(NoDesignError):
            found(gemm_space(**limits), "exact")  # type: ignore[arg-type]


def test_designs_too_large_when_built_are_refused_one_by_one() -> None:
    refused: list[DesignPoint] = []

    def judge(point: DesignPoint) -> Judged:
        if len(refused) < 4 and point not in refused:
            refused.append(point)
        return Judged(None, {"dsp": MOST if point in refused else 0})

    answer = search(gemm_space(), PaperCosts, "exact", Limits(), judge)
    assert answer.point not in refused
    assert answer.outcome.stop is Stop.PROVED
    assert answer.outcome.bound == answer.outcome.objective
    assert min(PaperCosts(gemm_space()).evaluate(point) for point in refused) <= BEST


def test_when_too_many_are_too_large_a_budget_is_tightened() -> None:
    space, seen = gemm_space(2, 4, 2, onchip_bytes=120), list[bool]()

    def judge(point: DesignPoint) -> Judged:
        seen.append(all(b.place == "kernel" for b in point.buffers))
        return Judged(None, {"onchip_bytes": 200 if seen[-1] else 0})

    answer = search(space, PaperCosts, "exact", Limits(), judge)
    assert answer.outcome.stop is Stop.PROVED
    assert any(b.place != "kernel" for b in answer.point.buffers)
    met, searched, put_together = 3, 3 * 3, len(EFFORT.budget_shares)
    assert seen.index(False) <= 2 * (met + searched + put_together), "designs for each share, and narrower beats"


def test_a_design_that_is_dearer_when_built_costs_what_it_does_then() -> None:
    costs, dearer = PaperCosts(gemm_space()), list[DesignPoint]()

    def judge(point: DesignPoint) -> Judged:
        if len(dearer) < 3 and point not in dearer:
            dearer.append(point)
        return Judged(costs.evaluate(point) + (50 if point in dearer else 0), {})

    answer = search(gemm_space(), PaperCosts, "exact", Limits(), judge)
    assert answer.outcome.stop is Stop.PROVED
    assert answer.outcome.objective == costs.evaluate(answer.point)
    assert answer.point not in dearer
    assert all(costs.evaluate(point) <= answer.outcome.objective + 50 for point in dearer)


def test_the_best_designs_are_kept_in_their_order() -> None:
    answer = found(gemm_space(), "exact", top=4)
    costs = [PaperCosts(gemm_space()).evaluate(point) for point in (answer.point, *answer.others)]
    assert costs == sorted(costs)
    assert len(set(map(DesignPoint.sort_key, (answer.point, *answer.others)))) == 4
    assert costs[0] == BEST


@pytest.mark.usefixtures("fakes")
def test_the_registry_takes_what_is_installed_and_nothing_that_breaks_the_contract() -> None:
    assert {"fake-plain", "scip", "highs"} <= set(adapters())
    assert load_adapter("fake-plain").version() == "1.0"
    with pytest.raises(InternalError, match="not an adapter of the name `fake-misnamed`"):
        load_adapter("fake-misnamed")
    with pytest.raises(NoDesignError, match="it exists in tests only"):
        solver_list("fake-absent")
    with pytest.raises(NoDesignError, match="there is no solver `scipp`") as failed:
        solver_list("scipp")
    assert failed.value.hint == "did you mean `scip`?"
    with pytest.raises(NoDesignError, match="takes no argument"):
        solver_list("fake-plain:/some/where")


def test_two_owners_of_one_name_are_both_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    info = tmp_path / "thief-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: thief\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[sisyphus.solvers]\nscip = thief:Scip\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(InternalError, match=r"thief:Scip.*sisyphus_solvers|sisyphus_solvers.*thief:Scip"):
        adapters()


def test_auto_and_lists_name_each_solver_once() -> None:
    assert tuple(in_turn(solver_list("auto"))) == ("exact", "scip")
    assert tuple(in_turn(solver_list("scip, auto"))) == ("scip", "exact")
    with pytest.raises(NoDesignError, match="no solver was named"):
        solver_list(" , ")


def test_every_solver_is_listed_with_a_version_or_a_reason() -> None:
    infos = {info.name: info for info in solver_infos()}
    assert {"exact", "asl", "bonmin", "couenne", "gurobi", "highs", "ipopt", "scip"} <= set(infos)
    for info in infos.values():
        assert (info.version is None) != (info.missing is None)
