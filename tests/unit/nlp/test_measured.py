"""The measured problem in Pyomo: at any point its objective is at most what the full model says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import scop
from random_knobs import random_points

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.model import estimate
from sisyphus.nlp import measured
from sisyphus.nlp.convex import is_convex
from sisyphus.nlp.encode import encode
from sisyphus.plan import build_plan
from sisyphus.solve import Limits, SolveRequest, Stop, find_adapter
from sisyphus.space import DesignPoint, Options, Space, build_space
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
}


def space_of(name: str) -> Space:
    text, extents = KERNELS[name]
    kernel = scop(text, **extents)
    deps = dependences(kernel)
    target = make_target(load_device("u200"))
    return build_space(kernel, deps, distribute(kernel, deps), liveness(kernel), target, Options())


def cycles(space: Space, point: DesignPoint) -> int:
    plan = build_plan(space.scop, space.distribution, space.live, point)
    return estimate(plan, space.target).cycles


def dsp(space: Space, point: DesignPoint) -> int:
    return estimate(build_plan(space.scop, space.distribution, space.live, point), space.target).dsp


def with_dsp(space: Space, limit: int) -> Space:
    return replace(space, target=replace(space.target, budget=replace(space.target.budget, dsp=limit)))


def objective_at(space: Space, point: DesignPoint) -> float | None:
    """The problem with every knob of the point fixed; None where the formulation leaves the point out."""
    knobs = measured.formulate(space)
    values = encode(space, point)
    for component in ("tile", "unroll", "pipeline", "resident", "outside", "width"):
        for index, variable in getattr(knobs.model, component).items():
            parts = index if isinstance(index, tuple) else (index,)
            variable.fix(values.get(f"{component}[{','.join(map(str, parts))}]", 0))
    outcome = find_adapter("scip").solve(SolveRequest(knobs.model, Limits(seconds=20)))
    return outcome.objective if outcome.stop is Stop.PROVED else None


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_objective_is_a_lower_bound_of_the_full_model(kernel: str) -> None:
    space = space_of(kernel)
    compared = 0
    for point in random_points(space, 12, seed=7):
        objective = objective_at(space, point)
        if objective is not None:
            compared += 1
            assert objective <= cycles(space, point) * (1 + 1e-4) + 2, point
    assert compared >= 6


def test_a_bound_that_is_none_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        measured.bound, "flattened_cycles", lambda starts, latency, runs: 50 * (starts + runs * latency)
    )
    space = space_of("gemm")
    points = list(random_points(space, 6, seed=3, resident=True))
    found = [(objective_at(space, p), cycles(space, p)) for p in points]
    assert any(objective is not None and objective > real for objective, real in found)


def test_nests_of_one_step_share_no_operators(monkeypatch: pytest.MonkeyPatch) -> None:
    space = space_of("side by side")
    points = list(random_points(space, 6, seed=4, resident=True))
    tight = [with_dsp(space, dsp(space, point) * 4 // 5) for point in points]
    left_out = [objective_at(narrow, point) is None for narrow, point in zip(tight, points, strict=True)]
    monkeypatch.setattr(measured.bound, "sure_stages", lambda _: ())
    as_if_shared = [objective_at(narrow, point) is None for narrow, point in zip(tight, points, strict=True)]
    assert left_out != as_if_shared


@pytest.mark.parametrize("kernel", ["gemm", "atax", "side by side", "outer loop"])
def test_without_tree_reduction_the_relaxation_is_convex(kernel: str) -> None:
    assert is_convex(measured.formulate(space_of(kernel)).model)
