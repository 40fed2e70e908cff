"""The measured problem in Pyomo: at any point its objective is at most what the full model says."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from builders import scop
from pyomo.common.errors import InfeasibleConstraintException
from random_kernels import random_kernel
from random_knobs import random_points

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.ir import Scop
from sisyphus.model import estimate
from sisyphus.model.counting import domains
from sisyphus.nlp import measured_problem as measured
from sisyphus.nlp.convex import is_convex
from sisyphus.nlp.knobs import Knobs
from sisyphus.plan import build_plan
from sisyphus.request import Source, load_kernels
from sisyphus.solve import Limits, SolveRequest, Stop, find_adapter
from sisyphus.space import DesignPoint, NestSpace, Options, Space, build_space, encode
from sisyphus.target import load_device, make_target

KERNELS = {
    "gemm": (
        "for i in range(12):\n  for j in range(16):\n    C[i, j] = C[i, j] * beta\n"
        "  for k in range(8):\n    for j in range(16):\n      C[i, j] += alpha * A[i, k] * B[k, j]",
        {"C": (12, 16), "A": (12, 8), "B": (8, 16)},
    ),
    "atax": (
        "for i in range(12):\n  Y[i] = 0.0\nfor i in range(16):\n  T[i] = 0.0\n  for j in range(12):\n"
        "    T[i] += A[i, j] * X[j]\n  for j in range(12):\n    Y[j] += A[i, j] * T[i]",
        {"A": (16, 12), "X": (12,), "Y": (12,), "T": (16,)},
    ),
    "sum of products": (
        "for i in range(8):\n  for j in range(12):\n    D[i, j] = A[i, j] * B[i, j] + C[i, j]",
        {"A": (8, 12), "B": (8, 12), "C": (8, 12), "D": (8, 12)},
    ),
    "primes": (
        "for i in range(7):\n  for j in range(13):\n    for k in range(11):\n      C[i, j] += A[i, k] * B[k, j]",
        {"C": (7, 13), "A": (7, 11), "B": (11, 13)},
    ),
    "rows under an outer loop": (
        "for i in range(12):\n  X[i] = B[i]\n  for j in range(12):\n    X[i] -= L[i, j] * X[j]\n"
        "  X[i] = X[i] / L[i, i]",
        {"X": (12,), "B": (12,), "L": (12, 16)},
    ),
    "outer loop": (
        "for t in range(3):\n  for i in range(14):\n    B[i] = A[i] + A[i + 1]\n"
        "  for i in range(14):\n    A[i + 1] = B[i] + B[i + 1]",
        {"A": (16,), "B": (16,)},
    ),
    "side by side": (
        "for i in range(12):\n  for j in range(8):\n    E[i, j] = 0.0\n    for k in range(10):\n"
        "      E[i, j] += A[i, k] * B[k, j]\n"
        "for i in range(8):\n  for j in range(14):\n    F[i, j] = 0.0\n    for k in range(6):\n"
        "      F[i, j] += C[i, k] * D[k, j]\n"
        "for i in range(12):\n  for j in range(14):\n    G[i, j] = 0.0\n    for k in range(8):\n"
        "      G[i, j] += E[i, k] * F[k, j]",
        {"A": (12, 10), "B": (10, 8), "C": (8, 6), "D": (6, 14), "E": (12, 8), "F": (8, 14), "G": (12, 14)},
    ),
    "two statements": (
        "for i in range(12):\n  for j in range(5):\n    X[i, j + 1] = Y[i, j] * A[j]\n    Y[i, j + 1] = X[i, j] * c",
        {"X": (12, 6), "Y": (12, 6), "A": (5,)},
    ),
    "stencil": (
        "for i in range(14):\n  for j in range(11):\n    for p in range(3):\n      D[i, j] += A[i + p, j + 1] * W[p]",
        {"A": (16, 12), "W": (3,), "D": (14, 11)},
    ),
    "stamps": (
        "for c in range(3):\n  for y in range(8):\n    for p in range(4):\n      D[2 * y + p] += A[c, y] * W[c, p]",
        {"A": (3, 8), "W": (3, 4), "D": (20,)},
    ),
    "written first": (
        "for i in range(6):\n  X = 0.0\n  for j in range(12):\n    D[i, j] = A[i, j] * c + X\n    X = D[i, j]",
        {"A": (6, 12), "D": (6, 12), "X": ()},
    ),
}
#: Loops whose bounds depend on each other; sums that tree reduction balances.
TRIANGLES = ("cholesky", "covariance", "durbin", "lu", "nussinov", "symm", "syrk", "trisolv", "trmm")
BALANCED = ("gramschmidt", "heat-3d", "seidel-2d")
FILES = (*TRIANGLES, *BALANCED)
POLYBENCH = Path(__file__).parents[3] / "kernels" / "polybench"


def space_of(name: str) -> Space:
    text, extents = KERNELS[name]
    return of_scop(scop(text, **extents))


def of_scop(kernel: Scop, options: Options | None = None) -> Space:
    deps = dependences(kernel)
    target = make_target(load_device("u200"), budget="chip")
    return build_space(kernel, deps, distribute(kernel, deps), liveness(kernel), target, options or Options())


def of_file(name: str, *, tree: bool = False) -> Space:
    sizes = tomllib.loads((POLYBENCH / "sizes.toml").read_text())[name]["MINI"]
    defines = tuple(f"{key}={value}" for key, value in sizes.items())
    first, *_ = load_kernels(Source(str(POLYBENCH / f"{name}.c"), defines=defines))
    return of_scop(first.scop, Options(tree_reduction=tree))


def cycles(space: Space, point: DesignPoint) -> int:
    plan = build_plan(space.scop, space.distribution, space.live, point)
    return estimate(plan, space.target).cycles


def dsp(space: Space, point: DesignPoint) -> int:
    return estimate(build_plan(space.scop, space.distribution, space.live, point), space.target).dsp


def with_dsp(space: Space, limit: int) -> Space:
    return replace(space, target=replace(space.target, budget=replace(space.target.budget, dsp=limit)))


def objective_at(knobs: Knobs, point: DesignPoint) -> float | None:
    """The problem with every knob of the point fixed; None where the formulation leaves the point out."""
    values = encode(knobs.space, point)
    for component in ("tile", "unroll", "pipeline", "resident", "outside", "width"):
        for index, variable in getattr(knobs.model, component).items():
            parts = index if isinstance(index, tuple) else (index,)
            variable.fix(values.get(f"{component}[{','.join(map(str, parts))}]", 0))
    try:
        outcome = find_adapter("scip").solve(SolveRequest(knobs.model, Limits(seconds=20)))
    except InfeasibleConstraintException:
        return None
    return outcome.objective if outcome.stop is Stop.PROVED else None


def compared(space: Space, count: int, seed: int, *, resident: bool = False) -> Iterator[tuple[float, int]]:
    """Objective and cycles of the full model, of random points."""
    knobs = measured.formulate(space)
    for point in random_points(space, count, seed=seed, resident=resident):
        objective = objective_at(knobs, point)
        if objective is not None:
            yield objective, cycles(space, point)


def too_high(pairs: list[tuple[float, int]]) -> list[tuple[float, int]]:
    return [(objective, real) for objective, real in pairs if objective > real * (1 + 1e-4) + 2]


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_objective_is_a_lower_bound_of_the_full_model(kernel: str) -> None:
    pairs = list(compared(space_of(kernel), 12, seed=7))
    assert len(pairs) >= 6
    assert too_high(pairs) == []


@pytest.mark.parametrize("kernel", FILES)
def test_it_is_one_for_loops_that_fill_no_box(kernel: str) -> None:
    pairs = list(compared(of_file(kernel, tree=kernel in BALANCED), 5, seed=11))
    assert pairs
    assert too_high(pairs) == []


@pytest.mark.parametrize("seed", range(8))
def test_it_is_one_for_random_kernels(seed: int) -> None:
    options = Options(tree_reduction=seed % 2 == 1, tiles="ragged" if seed % 3 else "divisors")
    space = of_scop(random_kernel(random.Random(seed)), options)
    assert too_high(list(compared(space, 5, seed=seed))) == []


@pytest.mark.parametrize("kernel", ["gemm", "atax", "primes", "sum of products", "side by side"])
def test_no_design_is_left_out_however_it_shares_its_operators(kernel: str) -> None:
    space = space_of(kernel)
    points = list(random_points(space, 5, seed=2))
    assert not any(left_out_of([with_dsp(space, dsp(space, point)) for point in points], points))


def test_a_bound_that_is_none_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        measured.bound, "flattened_cycles", lambda starts, latency, runs: 50 * (starts + runs * latency)
    )
    assert too_high(list(compared(space_of("gemm"), 6, seed=3, resident=True)))


@pytest.mark.parametrize("kernel", ["cholesky", "durbin"])
def test_a_triangle_counted_as_a_box_would_be_seen(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = domains.reach_of

    def boxed(space: Space, nest: NestSpace) -> domains.Reach:
        found = real(space, nest)
        return replace(found, uneven=frozenset(), points=1.0, share=1.0, working=1.0)

    monkeypatch.setattr(measured, "reach_of", boxed)
    assert too_high(list(compared(of_file(kernel), 8, seed=1)))


@pytest.mark.parametrize(
    ("text", "extents", "wanted"),
    [
        (
            "for i in range(6):\n for j in range(i + 1):\n  for k in range(5):\n   C[i, j] += A[i, k]",
            {"C": (6, 6), "A": (6, 5)},
            domains.Reach(1, 1.0, frozenset("ij"), 21, 21 / 36),
        ),
        (
            "for t in range(4):\n for i in range(t):\n  X[i + 1] *= a\n for i in range(4):\n  X[i] = X[i + 1]",
            {"X": (5,)},
            domains.Reach(4, 3 / 4, frozenset("i"), 6 / 4, 6 / 4 / 3),
        ),
        ("for i in range(6):\n Y[i] = X[i]", {"X": (6,), "Y": (6,)}, domains.Reach(1, 1.0, frozenset(), 1.0, 1.0)),
    ],
)
def test_iterations_are_counted(text: str, extents: dict[str, tuple[int, ...]], wanted: domains.Reach) -> None:
    space = of_scop(scop(text, **extents))
    assert domains.reach_of(space, space.nests[0]) == wanted


def left_out_of(spaces: list[Space], points: list[DesignPoint]) -> list[bool]:
    return [objective_at(measured.formulate(s), point) is None for s, point in zip(spaces, points, strict=True)]


def test_nests_of_one_step_share_no_operators(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "for i in range(48):\n  {0}[i] = 1.5\nfor i in range(48):\n  {2}[i] = {0}[i] * {1}[i]\n"
    space = of_scop(scop(text.format(*"ABC") + text.format(*"DEF"), **dict.fromkeys("ABCDEF", (48,))))
    points = list(random_points(space, 6, seed=4, resident=True))
    tight = [with_dsp(space, dsp(space, point) * 4 // 5) for point in points]
    assert all(left_out_of(tight, points))
    monkeypatch.setattr(measured.bound, "sure_stages", lambda _: ())
    assert not all(left_out_of(tight, points))


@pytest.mark.parametrize("kernel", ["gemm", "atax", "side by side", "outer loop"])
def test_without_tree_reduction_the_relaxation_is_convex(kernel: str) -> None:
    assert is_convex(measured.formulate(space_of(kernel)).model)
