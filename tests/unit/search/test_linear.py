"""The choice between counted candidates by a solver of linear problems, against counting every whole choice."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from unit.search.listening import least
from unit.search.measured_designs import Full, kernel_space
from unit.search.solve_spaces import gemm_space
from unit.search.test_coupling_search import best_of_all, problem_of

from sisyphus.errors import NoDesignError
from sisyphus.nlp import choice_model
from sisyphus.search import Incumbent, MeasuredCosts, PaperCosts, Problem, Whole, search
from sisyphus.search import linear as linear_module
from sisyphus.search.effort import EFFORT
from sisyphus.search.events import Failed
from sisyphus.search.linear import Chooser
from sisyphus.solve import Limits, SolveOutcome, SolveRequest, Stop, load_adapter

SEEDS = range(20)
PLUGIN = Path(__file__).parents[2] / "solvers" / "plugin"


def ask(model: Any) -> SolveOutcome:
    """HiGHS, in this process."""
    return load_adapter("highs").solve(SolveRequest(model, Limits(seconds=20)))


@pytest.fixture(autouse=True)
def _nothing_is_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear_module, "EFFORT", replace(EFFORT, choices_for_ours=0))


def chosen_by(problem: Problem) -> float:
    """The least that the solver's choices come to."""
    pytest.importorskip("highspy")
    return least(Chooser(ask), problem)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_solver_finds_what_is_best_coupled(seed: int) -> None:
    problem = problem_of(seed)
    assert chosen_by(problem) == pytest.approx(best_of_all(problem))


def test_couplings_and_shared_operators_make_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above notices where they are left out."""
    every = [problem_of(seed) for seed in SEEDS]
    best = list(map(best_of_all, every))
    alone = [replace(problem, recount=None) for problem in every]
    assert list(map(chosen_by, alone)) != pytest.approx(best)
    taken = choice_model._Builder._taken

    def nothing(self: choice_model._Builder, table: int, budget: str, kind: int, unit: float) -> Any:
        return 0.0 if budget == "lut" else taken(self, table, budget, kind, unit)

    monkeypatch.setattr(choice_model._Builder, "_taken", nothing)
    monkeypatch.setattr(linear_module, "_with_cut", lambda cuts, *_: pytest.fail("an answer breaks a budget"))
    with pytest.raises(pytest.fail.Exception):
        list(map(chosen_by, every))


@pytest.mark.parametrize("seed", range(4))
def test_what_is_refused_when_built_does_not_come_again(seed: int) -> None:
    pytest.importorskip("highspy")
    problem, incumbent, seen = problem_of(seed), Incumbent(), list[Whole]()
    for event in Chooser(ask)(problem, np.inf, incumbent, may_leave_out=False):
        if isinstance(event, Whole):
            assert event not in seen
            seen.append(event)
            if len(seen) == 4:
                incumbent.cycles = event.cycles
    assert [whole.cycles for whole in seen] == sorted(whole.cycles for whole in seen)
    assert min((whole.cycles for whole in seen), default=np.inf) == pytest.approx(best_of_all(problem))


def test_an_answer_that_is_not_proved_is_offered_and_then_ends_the_search() -> None:
    pytest.importorskip("highspy")

    def unproved(model: Any) -> SolveOutcome:
        return replace(ask(model), stop=Stop.UNPROVED)

    problem = next(p for p in map(problem_of, SEEDS) if best_of_all(p) < np.inf)
    chooser = Chooser(unproved)
    events = list(chooser(problem, np.inf, Incumbent(), may_leave_out=False))
    assert [type(event) for event in events] == [Whole, Failed]
    assert chooser.wrong is Stop.UNPROVED
    assert getattr(events[0], "cycles", None) == pytest.approx(best_of_all(problem))


@pytest.mark.parametrize("solver", ["highs", "scip"])
def test_the_measured_problem_is_proved_by_any_solver_of_linear_problems(solver: str) -> None:
    pytest.importorskip({"highs": "highspy", "scip": "pyscipopt"}[solver])
    space = kernel_space("scale", dsp=100)
    found = search(space, MeasuredCosts, solver, Limits(seconds=120), Full(space).judge)
    exact = search(space, MeasuredCosts, "exact", Limits(seconds=120), Full(space).judge)
    assert (found.outcome.solver, found.outcome.stop) == (solver, Stop.PROVED)
    assert found.outcome.objective == found.outcome.bound == exact.outcome.objective


@pytest.mark.parametrize("solver", ["ipopt", "exact,couenne", "bonmin"])
def test_a_solver_of_formulas_is_refused_where_there_are_none(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sisyphus_solvers.couenne.CouenneAdapter.missing", lambda _: None)
    monkeypatch.setattr("sisyphus_solvers.bonmin.BonminAdapter.missing", lambda _: None)
    monkeypatch.setattr("sisyphus_solvers.ipopt.IpoptAdapter.missing", lambda _: None)
    with pytest.raises(NoDesignError, match="solves problems given by formulas") as refused:
        search(gemm_space(), MeasuredCosts, solver, Limits())
    assert "--model paper" in (refused.value.hint or "")
    assert refused.value.exit_code == 3


def test_pyomo_is_imported_for_an_adapter_and_for_nothing_else(tmp_path: Path) -> None:
    source = tmp_path / "scale.c"
    source.write_text("void scale(float A[8], float B[8]) { for (int i = 0; i < 8; i++) B[i] = 2.0f * A[i]; }\n")
    optimize = ["optimize", str(source), "--no-verify", "-q"]
    commands = [["--help"], ["solvers"], optimize, [*optimize, "--model", "paper"], [*optimize, "--solver", "scip"]]
    probe = (
        "import sys\nfrom sisyphus.cli import main\n"
        f"for sys.argv[1:] in {commands}:\n"
        "    try:\n        main()\n    except SystemExit as end:\n        assert not end.code, end.code\n"
        "    print('loaded', 'pyomo' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    told = [line for line in ran.stdout.splitlines() if line.startswith("loaded")]
    assert told == [*["loaded False"] * 4, "loaded True"]


def test_the_paper_problem_is_the_same_choice() -> None:
    pytest.importorskip("highspy")
    found = search(gemm_space(), PaperCosts, "highs", Limits(seconds=60))
    assert (found.outcome.stop, found.outcome.objective) == (Stop.PROVED, 132.0)
