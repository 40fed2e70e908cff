"""The exact search finds what SCIP proves, what plain enumeration finds, and what was published."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
from best_of_space import find_best
from unit.search.brute_points import every_point
from unit.search.solve_spaces import gemm_space, matvec_space, random_space

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.frontend import read
from sisyphus.nlp.nl import write_nl
from sisyphus.nlp.paper_problem import formulate
from sisyphus.search import PaperCosts, Result, Solution, Terms, Verdict, branch_and_bound, point_of
from sisyphus.search.check import faults
from sisyphus.search.deadline import Deadline
from sisyphus.search.exact import Search
from sisyphus.space import DesignPoint, Options, Space, build_space, illegal
from sisyphus.target import load_device, make_target

KERNELS = Path(__file__).parents[3] / "kernels"
SCIP_S = 20.0


def solved(space: Space) -> Result:
    """The proven optimum; its point is in the space and costs what the search says."""
    costs = PaperCosts(space)
    result = find_best(costs, Terms())
    assert result.complete
    if result.solution is not None:
        point = point_of(space, result.solution)
        assert faults(costs, point) == ()
        assert costs.evaluate(point) == pytest.approx(result.solution.cycles, rel=1e-12)
        assert result.bound == pytest.approx(result.solution.cycles)
    return result


def by_scip(space: Space) -> tuple[str, float | None]:
    """What SCIP makes of the same problem in Pyomo."""
    pyscipopt = pytest.importorskip("pyscipopt")
    with tempfile.TemporaryDirectory() as folder:
        model = pyscipopt.Model()
        model.hideOutput()
        model.readProblem(str(write_nl(formulate(space).model, Path(folder)).path))
        model.setParam("timing/clocktype", 2)
        model.setParam("limits/time", SCIP_S)
        model.optimize()
        return model.getStatus(), model.getObjVal() if model.getNSols() else None


#: Chosen so that SCIP takes no more than half a second each; a longer run over more of them found no difference.
SEEDS = (1, 2, 5, 8, 9, 10, 13, 15, 17, 18, 22, 23, 30, 31, 32, 33, 36, 37)


@pytest.mark.parametrize("seed", SEEDS)
def test_agrees_with_scip_on_random_spaces(seed: int) -> None:
    space = random_space(random.Random(seed))
    result = solved(space)
    status, cost = by_scip(space)
    if status == "timelimit":
        pytest.skip(f"SCIP needs more than {SCIP_S:g} s")
    if result.solution is None:
        assert status == "infeasible"
    else:
        assert cost == pytest.approx(result.solution.cycles, rel=1e-5)


@pytest.mark.parametrize(
    "space",
    [
        matvec_space(3, 4),
        matvec_space(2, 4, onchip_bytes=40),
        pytest.param(matvec_space(2, 6, onchip_bytes=25, dsp=9), marks=pytest.mark.long),
        pytest.param(matvec_space(3, 4, onchip_bytes=20), marks=pytest.mark.long),
    ],
    ids=["loose", "memory", "both", "tight"],
)
def test_nothing_enumerated_is_better(space: Space) -> None:
    costs = PaperCosts(space)
    best = solved(space).solution
    assert best is not None
    reached = False
    for point in every_point(space):
        cost = costs.evaluate(point)
        if cost < best.cycles:
            assert faults(costs, point) or illegal(space.dependences, space.distribution, point)
        reached |= cost == best.cycles and not faults(costs, point)
    assert reached


def paper_space(kernel: str, *, tree: bool = False, pessimistic: bool = False) -> Space:
    scop = read(str(next(KERNELS.glob(f"*/{kernel}.c"))))
    found = dependences(scop)
    options = Options(tree_reduction=tree, reuse="pessimistic" if pessimistic else "optimistic").as_in_paper()
    target = make_target(load_device("u200"), budget="chip")
    return build_space(scop, found, distribute(scop, found), liveness(scop), target, options)


@pytest.mark.parametrize(
    ("kernel", "pessimistic", "published"),
    [
        ("gemm", False, 50800),
        ("syr2k", False, 54015),
        ("mvt", False, 15886),
        ("syrk", False, 34285),
        ("3mm", True, 213671),
    ],
)
def test_finds_the_published_optimum(kernel: str, pessimistic: bool, published: int) -> None:
    result = solved(paper_space(kernel, pessimistic=pessimistic))
    assert result.solution is not None
    assert result.solution.cycles == published


def test_is_deterministic() -> None:
    space = gemm_space(onchip_bytes=300)
    first, second = (find_best(PaperCosts(space), Terms()).solution for _ in range(2))
    assert first is not None
    assert second is not None
    assert point_of(space, first) == point_of(space, second)


def test_a_known_cost_to_beat_leaves_only_better_ones() -> None:
    space = gemm_space()
    best = solved(space).solution
    assert best is not None
    beaten = find_best(PaperCosts(space), Terms(upper=best.cycles))
    assert beaten.solution is None
    assert beaten.bound == best.cycles


def test_a_gap_stops_early_with_an_honest_bound() -> None:
    space = gemm_space(12, 12, 12)
    exact = solved(space).solution
    rough = find_best(PaperCosts(space), Terms(gap=0.5))
    assert exact is not None
    assert rough.solution is not None
    assert rough.bound <= exact.cycles <= rough.solution.cycles
    assert rough.solution.cycles * 0.5 <= rough.bound


def test_refused_solutions_are_no_solutions() -> None:
    space = gemm_space()
    costs = PaperCosts(space)
    refused: list[DesignPoint] = []

    def accept(solution: Solution) -> Verdict:
        point = point_of(space, solution)
        if len(refused) < 5 and point not in refused:
            refused.append(point)
        return Verdict(float("inf") if point in refused else solution.cycles, solution.cycles)

    result = find_best(costs, Terms(), accept=accept)
    best = solved(space).solution
    assert best is not None
    assert result.solution is not None
    assert result.solution.cycles >= best.cycles
    assert point_of(space, result.solution) not in refused


@pytest.mark.parametrize("bytes_", [600, 300, 150, 60])
def test_less_memory_never_costs_less(bytes_: int) -> None:
    tight, loose = (solved(gemm_space(onchip_bytes=amount)).solution for amount in (bytes_, 2 * bytes_))
    assert tight is not None
    assert loose is not None
    assert tight.cycles >= loose.cycles


@pytest.mark.parametrize("looks", [*range(12), 20, 40, 80])
def test_a_deadline_ends_the_search_wherever_it_is_with_a_bound_that_holds(
    looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time is over at one look at the clock after another, also where no nest offers a choice yet."""
    left = [looks]

    def is_over(self: Deadline) -> bool:
        left[0] -= 1
        assert left[0] > -1000, "the search does not heed its deadline"
        return left[0] < 0

    space = gemm_space(onchip_bytes=300)
    best = solved(space).solution
    monkeypatch.setattr(Deadline, "is_over", property(is_over))
    result = find_best(PaperCosts(space), Terms())
    assert best is not None
    assert result.bound <= best.cycles
    assert result.complete == (result.bound == best.cycles)


@pytest.mark.parametrize("looks", [0, 1, 2, 3, 5, 8, 13])
def test_a_search_that_time_ended_goes_on_to_the_same_end(looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ended again and again, each time after some more looks at the clock; and it begins below what was found since."""
    space = gemm_space(onchip_bytes=300)
    best, left = solved(space).solution, [0]

    def is_over(self: Deadline) -> bool:
        left[0] -= 1
        return left[0] < 0

    monkeypatch.setattr(Deadline, "is_over", property(is_over))
    search = Search(PaperCosts(space), Terms(), lambda s: Verdict(s.cycles, s.cycles), lambda _: None, branch_and_bound)
    result, bounds = search.run(), [0.0]
    while not result.complete:
        left[0], looks = looks, looks + 1
        result = search.go_on(Terms())
        assert result.bound >= bounds[-1], "what was proved is proved"
        bounds.append(result.bound)
    assert best is not None and result.solution is not None
    assert (result.solution.cycles, result.bound) == (best.cycles, best.cycles) and len(bounds) > 2
    assert search.go_on(Terms(upper=best.cycles)).complete
