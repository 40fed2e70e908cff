"""Points and knobs are two forms of one thing, and the Pyomo model costs a point as the formulas do."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyomo.environ as pyo
import pytest
from best_of_space import find_best
from builders import scop as build_scop
from random_knobs import random_points
from unit.search.solve_spaces import gemm_space, random_space, space_of

from sisyphus.nlp.convex import is_convex
from sisyphus.nlp.nl import write_nl
from sisyphus.nlp.paper_problem import formulate
from sisyphus.nlp.values import chosen, values_of
from sisyphus.search import PaperCosts, Solution, Terms, Verdict, point_of
from sisyphus.space import DesignPoint, NotADesign, Space, Tile, decode


def encode(space: Space, point: DesignPoint) -> dict[str, int]:
    return values_of(space, formulate(space).model, point)


def some_points(space: Space, count: int = 4) -> list[DesignPoint]:
    """Different legal designs, from poor to best."""
    seen: list[DesignPoint] = []

    def accept(solution: Solution) -> Verdict:
        seen.append(point_of(space, solution))
        return Verdict(solution.cycles if len(seen) % 2 == 0 else float("inf"), solution.cycles)

    find_best(PaperCosts(space), Terms(), accept=accept)
    return seen[:count]


@pytest.mark.parametrize("in_paper", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_a_point_survives_the_way_through_its_knobs(seed: int, *, in_paper: bool) -> None:
    space = random_space(random.Random(seed), in_paper=in_paper)
    for point in some_points(space):
        assert decode(space, chosen(space, encode(space, point))) == point


def test_a_point_of_another_space_has_no_knobs() -> None:
    [point, *_] = some_points(gemm_space(8, 12, 6))
    with pytest.raises(NotADesign, match="is no tile of"):
        encode(gemm_space(8, 10, 6), point)


def pair_space(*, in_paper: bool = True) -> Space:
    text = "for i in range(4):\n for j in range(3):\n  X[i, j + 1] = Y[i, j] * c\n  Y[i, j + 1] = X[i, j]"
    return space_of(build_scop(text, X=(4, 4), Y=(4, 4)), in_paper=in_paper)


@pytest.mark.parametrize("in_paper", [True, False])
def test_copies_survive_the_way_through_their_knobs(*, in_paper: bool) -> None:
    space = pair_space(in_paper=in_paper)
    points = list(random_points(space, 12, seed=5))
    assert any(point.nests[0].unroll for point in points)
    for point in points:
        assert decode(space, chosen(space, encode(space, point))) == point


def test_one_statement_has_no_variable_for_copies() -> None:
    assert not list(formulate(gemm_space(4, 4, 2)).model.unroll)
    assert sorted(formulate(pair_space()).model.unroll) == [("S0+S1", "i", f) for f in (1, 2, 4)]


def test_copies_that_do_not_divide_the_tiles_are_no_design() -> None:
    space = pair_space()
    values = encode(space, next(iter(random_points(space, 1))))
    tiles = space.nests[0].loop("i").tiles
    values |= {f"tile[S0+S1,i,{k}]": int(tile == Tile(2, 1, 2)) for k, tile in enumerate(tiles)}
    with pytest.raises(NotADesign, match="do not divide"):
        decode(space, chosen(space, values | {"unroll[S0+S1,i,1]": 0, "unroll[S0+S1,i,2]": 0, "unroll[S0+S1,i,4]": 1}))


@pytest.mark.parametrize("in_paper", [True, False])
@pytest.mark.parametrize("seed", [0, 1, 4, 5, 7, 9])
def test_the_model_costs_a_point_as_the_formulas_do(seed: int, tmp_path: Path, *, in_paper: bool) -> None:
    """SCIP reads the .nl file with all knobs fixed: what is left has one cost."""
    space = random_space(random.Random(seed), in_paper=in_paper)
    cost_alike(space, some_points(space, 3), tmp_path)


def test_the_model_costs_copies_as_the_formulas_do(tmp_path: Path) -> None:
    space = pair_space()
    cost_alike(space, [p for p in random_points(space, 12, seed=5) if p.nests[0].unroll][:4], tmp_path)


def cost_alike(space: Space, points: list[DesignPoint], tmp_path: Path) -> None:
    pyscipopt = pytest.importorskip("pyscipopt")
    assert points
    for point in points:
        file = write_nl(formulate(space).model, tmp_path)
        model: Any = pyscipopt.Model()
        model.hideOutput()
        model.readProblem(str(file.path))
        columns = {v.name: v for v in model.getVars()}
        fixed = file.start(encode(space, point))
        assert len(fixed) == sum(v.is_binary() for v in file.columns)
        for column, value in fixed.items():
            model.fixVar(columns[f"x{column}"], value)
        model.optimize()
        assert model.getStatus() == "optimal"
        assert model.getObjVal() == pytest.approx(PaperCosts(space).evaluate(point), rel=1e-6)


def test_the_columns_of_a_file_are_the_knobs(tmp_path: Path) -> None:
    space = gemm_space(4, 4, 2)
    file = write_nl(formulate(space).model, tmp_path)
    values = [1.0 if v.is_binary() else 0.5 for v in file.columns]
    assert set(file.binaries(values)) <= set(file.all(values))
    assert set(file.binaries(values).values()) == {1}
    assert "tile[S0,i,0]" in file.binaries(values)
    assert "log[S0.i.2]" in file.all(values)
    assert (tmp_path / "model.col").read_text().splitlines() == [f"x{j}" for j in range(len(file.columns))]
    assert file.start({"tile[S0,i,0]": 1, "no such knob": 1}).keys() <= set(range(len(file.columns)))


def test_casadi_reads_the_file_too(tmp_path: Path) -> None:
    casadi = pytest.importorskip("casadi")
    file = write_nl(formulate(gemm_space(4, 4, 2)).model, tmp_path)
    problem = casadi.NlpBuilder()
    problem.import_nl(str(file.path))
    assert casadi.vertcat(*problem.x).numel() == len(file.columns)


def test_without_tree_reduction_the_paper_problem_is_convex() -> None:
    assert is_convex(formulate(gemm_space(4, 4, 2)).model)
    assert not is_convex(formulate(gemm_space(4, 4, 2, tree=True)).model)


def test_tiles_that_overlap_are_not_convex() -> None:
    text = "for i in range(4):\n for p in range(3):\n  Y[i] += A[i + p] * W[p]"
    assert not is_convex(formulate(space_of(build_scop(text, Y=(4,), A=(6,), W=(3,)))).model)


@pytest.mark.parametrize(
    ("body", "sense", "expected"),
    [
        (lambda m: 2 * pyo.exp(m.x + m.y), pyo.minimize, True),
        (lambda m: -pyo.exp(m.x), pyo.minimize, False),
        (lambda m: -pyo.exp(m.x), pyo.maximize, True),
        (lambda m: pyo.exp(m.x) / 4 - m.y, pyo.minimize, True),
        (lambda m: pyo.exp(m.x) / -4, pyo.minimize, False),
        (lambda m: m.x * m.y, pyo.minimize, False),
        (lambda m: pyo.exp(pyo.exp(m.x)), pyo.minimize, False),
        (lambda m: pyo.log(m.x), pyo.minimize, False),
    ],
)
def test_convexity_is_only_claimed_where_it_holds(body: Any, sense: Any, expected: bool) -> None:
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(bounds=(1, 2)), pyo.Var(bounds=(1, 2))
    model.cost = pyo.Objective(expr=body(model), sense=sense)
    assert is_convex(model) is expected


def test_a_constraint_may_curve_one_way_only() -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(0, 2))
    model.cost = pyo.Objective(expr=model.x)
    model.inside = pyo.Constraint(expr=pyo.exp(model.x) <= 5)
    assert is_convex(model)
    model.outside = pyo.Constraint(expr=pyo.exp(model.x) >= 2)
    assert not is_convex(model)
