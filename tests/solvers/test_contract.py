"""One suite for every adapter: what the contract promises, on problems small enough for all of them.

An adapter that cannot run here is skipped aloud. Those that call a program are run with one made of SCIP instead, which
reads the .nl file that they hand over.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from best_of_space import find_best
from builders import scop
from unit.search.solve_spaces import gemm_space, space_of

from sisyphus.nlp.convex import is_convex
from sisyphus.nlp.nl import write_nl
from sisyphus.nlp.paper_problem import formulate
from sisyphus.nlp.values import chosen, values_of
from sisyphus.search import PaperCosts, Terms, point_of, search
from sisyphus.search.check import faults
from sisyphus.solve import (
    Form,
    Limits,
    Progress,
    SolveOutcome,
    SolveRequest,
    Stop,
    adapters,
    load_adapter,
    solver_list,
)
from sisyphus.solve.contract import forms_of
from sisyphus.solve.solving import solve
from sisyphus.space import Space, decode

PROGRAM = Path(__file__).with_name("ampl_scip.py")
OURS = ("asl", "bonmin", "couenne", "gurobi", "highs", "ipopt", "scip")
CALLS_A_PROGRAM = ("bonmin", "couenne", "ipopt")
#: Those that can run here; `test_each_adapter_can_run_here` says why the others cannot.
HERE = [name for name in OURS if load_adapter(name).missing() is None]
LIMIT_S = 60.0


def small(*, tree: bool = False, dsp: int | None = None) -> Space:
    return gemm_space(4, 4, 2, tree=tree, dsp=dsp)


def optimum(space: Space) -> float:
    solution = find_best(PaperCosts(space), Terms()).solution
    assert solution is not None
    return solution.cycles


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Puts a program of a given name on PATH."""
    pytest.importorskip("pyscipopt")

    def put(name: str) -> Path:
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{PROGRAM}" {name} "$@"\n')
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
        assert shutil.which(name) == str(program)
        return program

    return put


def test_all_of_ours_are_installed() -> None:
    assert set(OURS) <= set(adapters())


@pytest.mark.parametrize("name", OURS)
def test_an_adapter_says_what_it_is_and_what_it_lacks(name: str) -> None:
    adapter = load_adapter(name)
    assert adapter.name == name
    assert forms_of(adapter) <= set(Form)
    assert forms_of(adapter)
    missing = adapter.missing()
    if missing is None:
        assert adapter.version()
    else:
        assert any(word in missing for word in ("pip install", "PATH", "--solver asl:"))


@pytest.mark.parametrize("name", OURS)
def test_each_adapter_can_run_here(name: str) -> None:
    if name not in HERE:
        pytest.skip(f"{name}: {load_adapter(name).missing()}")


@pytest.mark.parametrize("tree", [False, True], ids=["serial", "tree"])
@pytest.mark.parametrize("name", HERE)
def test_a_design_is_found_and_a_proof_is_one(name: str, tree: bool) -> None:
    adapter, space = load_adapter(name), small(tree=tree)
    found = search(space, PaperCosts, name, Limits(seconds=LIMIT_S))
    best = optimum(space)
    assert faults(PaperCosts(space), found.point) == ()
    assert found.outcome.solver == name
    assert found.outcome.version == adapter.version()
    assert found.outcome.objective == pytest.approx(PaperCosts(space).evaluate(found.point))
    if found.outcome.bound is not None:
        assert found.outcome.bound <= best * (1 + 1e-6)
    if found.outcome.stop is Stop.PROVED:
        assert found.outcome.objective == pytest.approx(best, rel=1e-6)
    else:
        assert found.outcome.stop is Stop.UNPROVED


@pytest.mark.parametrize("name", HERE)
def test_knobs_that_have_one_value_come_back_too(name: str) -> None:
    """A local array can only be resident, so that the problem has no variable for its place."""
    text = "for i in range(4):\n  w[i] = A[i] * B[i]\nfor i in range(4):\n  S += w[i]"
    space = space_of(scop(text, A=(4,), B=(4,), w=(4,), S=()))
    found = search(space, PaperCosts, name, Limits(seconds=LIMIT_S))
    assert faults(PaperCosts(space), found.point) == ()
    assert found.outcome.objective == pytest.approx(optimum(space), rel=0.3)


@pytest.mark.parametrize("name", [name for name in HERE if Form.NONLINEAR in forms_of(load_adapter(name))])
def test_too_small_a_budget_is_infeasible(name: str) -> None:
    adapter = load_adapter(name)
    outcome = adapter.solve(SolveRequest(formulate(small(dsp=2)).model, Limits(seconds=LIMIT_S)))
    assert (outcome.stop, outcome.values) == (Stop.INFEASIBLE, None)


@pytest.mark.parametrize("name", [name for name in HERE if forms_of(load_adapter(name)) != {Form.LINEAR}])
def test_no_time_is_no_accident(name: str) -> None:
    adapter = load_adapter(name)
    model = formulate(gemm_space(200, 220, 240)).model
    outcome = adapter.solve(SolveRequest(model, Limits(seconds=0.1)))
    assert isinstance(outcome, SolveOutcome)
    assert outcome.stop in (Stop.TIME, Stop.UNPROVED, Stop.FAILED)


def test_scip_takes_a_start_and_tells_of_better_points() -> None:
    adapter, space = load_adapter("scip"), gemm_space()
    poor = find_best(PaperCosts(space), Terms()).solution
    assert poor is not None
    said: list[Progress] = []
    model = formulate(space).model
    start = values_of(space, model, point_of(space, poor))
    request = SolveRequest(model, Limits(seconds=LIMIT_S), start=start)
    outcome = solve(adapter.name, request, said.append)
    assert outcome.stop is Stop.PROVED
    told = [word.objective for word in said if word.objective is not None]
    assert told == sorted(told, reverse=True)
    assert told[-1] == pytest.approx(optimum(space), rel=1e-6)
    assert all(word.values for word in said)


@pytest.mark.parametrize("name", ["bonmin", "couenne"])
def test_a_program_on_the_path_is_called(name: str, install: Callable[[str], Path]) -> None:
    install(name)
    space = small()
    found = search(space, PaperCosts, name, Limits(seconds=LIMIT_S))
    assert found.outcome.solver == name
    assert found.outcome.version.startswith(f"{name} 1.0")
    assert found.outcome.objective == found.outcome.bound == optimum(space)
    assert found.outcome.stop is Stop.PROVED


def test_bonmin_proves_nothing_of_a_problem_that_is_not_convex(install: Callable[[str], Path]) -> None:
    install("bonmin")
    found = search(small(tree=True), PaperCosts, "bonmin", Limits(seconds=LIMIT_S))
    assert found.outcome.stop is Stop.UNPROVED
    assert found.outcome.bound is None


def test_any_program_is_called_by_its_path(install: Callable[[str], Path]) -> None:
    program = install("my_solver")
    space = small()
    found = search(space, PaperCosts, f"asl:{program}", Limits(seconds=LIMIT_S))
    assert found.outcome.objective == optimum(space)
    assert found.outcome.stop is Stop.UNPROVED
    assert solver_list(f"asl:{program}") == (f"asl:{program}",)


def test_ipopt_as_a_program_gives_the_same_bound(
    install: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    install("ipopt")
    adapter = load_adapter("ipopt")
    monkeypatch.setattr("sisyphus_solvers.ipopt.find_spec", lambda _: None)
    model = formulate(small()).model
    outcome = adapter.solve(SolveRequest(model, Limits(seconds=LIMIT_S), is_convex=is_convex(model)))
    assert outcome.values is None
    assert outcome.relaxed is not None
    assert outcome.bound is not None
    assert outcome.bound <= optimum(small())


def test_a_program_that_leaves_nothing_is_a_failure(tmp_path: Path) -> None:
    program = tmp_path / "mute"
    program.write_text("#!/bin/sh\necho no licence\nexit 3\n")
    program.chmod(0o755)
    outcome = load_adapter(f"asl:{program}").solve(SolveRequest(formulate(small()).model, Limits(seconds=10)))
    assert outcome.stop is Stop.FAILED
    assert outcome.message == "it left no .sol file; it said: no licence"


@pytest.mark.parametrize("name", CALLS_A_PROGRAM)
def test_what_would_be_handed_over_is_read_back(name: str, tmp_path: Path) -> None:
    """The last step that an adapter without its program reaches."""
    pyscipopt = pytest.importorskip("pyscipopt")
    space = small()
    file = write_nl(formulate(space).model, tmp_path)
    model = pyscipopt.Model()
    model.hideOutput()
    model.readProblem(str(file.path))
    model.optimize()
    by_name = {v.name: v for v in model.getVars()}
    values = [model.getVal(by_name[f"x{j}"]) for j in range(len(file.columns))]
    assert PaperCosts(space).evaluate(decode(space, chosen(space, file.binaries(values)))) == optimum(space)
    assert file.objective(values) == pytest.approx(optimum(space))
    assert load_adapter(name).name == name
