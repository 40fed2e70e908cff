"""An estimator says of every point what the plan and the estimate of the point alone say, whatever it saw before."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from builders import scop
from random_kernels import random_kernel, random_point

from sisyphus.analysis import Distribution, dependences, distribute, liveness
from sisyphus.errors import SisyphusError
from sisyphus.ir import Scop
from sisyphus.model import Estimate, Estimator, estimate, study
from sisyphus.plan import Plan, build_plan, dump, known, task
from sisyphus.space import DesignPoint
from sisyphus.target import load_device, make_target

TARGET = make_target(load_device("u200"), budget="chip")
PAIR = """
for i in range(8):
    for j in range(8):
        B[i, j] = A[i, j] * c
for t in range(3):
    for i in range(8):
        C[i] = C[i] + B[i, t]
    for i in range(1, 8):
        D[i] = D[i - 1] * C[i]
"""


def _mixed(rng: random.Random, points: list[DesignPoint]) -> Iterator[DesignPoint]:
    """The points, and points with a nest, or with the buffers and transfers of another one."""
    yield from points
    for _ in range(8):
        one, other = rng.choice(points), rng.choice(points)
        at = rng.randrange(len(one.nests))
        yield replace(one, nests=(*one.nests[:at], other.nests[at], *one.nests[at + 1 :]))
        yield replace(one, buffers=other.buffers, transfers=other.transfers)


def _differences(kernel: Scop, distribution: Distribution, seed: int) -> list[DesignPoint]:
    """Points of which one estimator says something else than a plan and an estimate of their own."""
    rng, live = random.Random(seed), liveness(kernel)
    estimator = Estimator(kernel, distribution, live, TARGET)
    points = list(_mixed(rng, [random_point(rng, kernel, distribution) for _ in range(4)]))
    alone = [_said(lambda p=p: build_plan(kernel, distribution, live, p), None) for p in points]
    known = [_said(lambda p=p: estimator.plan(p), lambda p=p: estimator.estimate(p)) for p in points]
    return [point for point, one, other in zip(points, alone, known, strict=True) if one != other]


def _said(plan: Callable[[], Plan], cost: Callable[[], Estimate] | None) -> object:
    """A plan with all that it is compared by, and its estimate; or what was wrong."""
    try:
        made = plan()
        found = cost() if cost else estimate(made, TARGET)
    except SisyphusError as fault:
        return fault.message
    return dump(made), made.ports, made.buffers, made.transfers, made.tasks, found


@pytest.mark.parametrize("seed", range(12))
def test_random_kernels_are_estimated_as_if_alone(seed: int) -> None:
    kernel = random_kernel(random.Random(seed))
    assert _differences(kernel, distribute(kernel, dependences(kernel)), seed) == []


def test_nests_under_outer_loops_are_estimated_as_if_alone() -> None:
    kernel = scop(PAIR, A=(8, 8), B=(8, 8), C=(8,), D=(8,))
    distribution = distribute(kernel, dependences(kernel))
    assert all(_differences(kernel, distribution, seed) == [] for seed in range(6))


def test_what_is_forgotten_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "MOST_KEPT", 2 * study.IN_A_TASK)
    monkeypatch.setattr(known, "MOST_KNOWN", 2)
    kernel = scop(PAIR, A=(8, 8), B=(8, 8), C=(8,), D=(8,))
    assert _differences(kernel, distribute(kernel, dependences(kernel)), 1) == []


def test_a_nest_remembered_by_too_little_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task, "_key", lambda parts, nest, tiled, around: nest.id)
    kernel = scop(PAIR, A=(8, 8), B=(8, 8), C=(8,), D=(8,))
    assert _differences(kernel, distribute(kernel, dependences(kernel)), 1)


def test_known_tasks_are_not_built_again(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = scop(PAIR, A=(8, 8), B=(8, 8), C=(8,), D=(8,))
    distribution = distribute(kernel, dependences(kernel))
    point = random_point(random.Random(3), kernel, distribution, ragged=False)
    estimator = Estimator(kernel, distribution, liveness(kernel), TARGET)
    found = estimator.estimate(point)
    monkeypatch.setattr(task, "_new_task", lambda *_: pytest.fail("built again"))
    monkeypatch.setattr(study, "task_facts", lambda *_: pytest.fail("read again"))
    assert estimator.estimate(point) == found
