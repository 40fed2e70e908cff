"""The published results that the paper's model must reach here too: objectives, and which arrays move in tiles."""

from __future__ import annotations

from pathlib import Path

import pytest

from sisyphus.pipeline import Design, Request, Source, optimize
from sisyphus.solve import Stop
from sisyphus.space import KERNEL_PLACE
from sisyphus.target import load_device, make_target, parse_size

GEMM = str(Path(__file__).parents[2] / "kernels" / "polybench" / "gemm.c")


def gemm(dsp: int, memory: str) -> Design:
    target = make_target(load_device("u200"), budget="chip", dsp=dsp, onchip_bytes=parse_size(memory))
    return optimize(Request(Source(GEMM), target, model="paper", solver="scip"))


@pytest.fixture(scope="module")
def small() -> Design:
    return gemm(2000, "320kB")


@pytest.fixture(scope="module")
def large() -> Design:
    return gemm(6840, "7.2MB")


def test_gemm_reaches_the_published_objective_and_proves_it(large: Design) -> None:
    assert large.outcome is not None
    assert large.outcome.stop is Stop.PROVED
    assert large.paper.objective == 50800


@pytest.mark.parametrize("which", ["small", "large"])
def test_both_designs_are_inside_their_budgets_and_verified(which: str, request: pytest.FixtureRequest) -> None:
    design: Design = request.getfixturevalue(which)
    budget = design.request.target.budget
    assert design.paper.dsp <= budget.dsp
    assert design.plan.onchip_bytes <= budget.onchip_bytes
    assert design.verdict is not None
    assert design.verdict.passed


def test_the_small_design_tiles_a_and_b_and_the_large_keeps_all_on_chip(small: Design, large: Design) -> None:
    assert {b.place for b in large.point.buffers} == {KERNEL_PLACE}
    places = {b.array: b.place for b in small.point.buffers}
    assert places["C"] == KERNEL_PLACE
    assert places["A"] != KERNEL_PLACE
    assert places["B"] != KERNEL_PLACE
    assert small.project.files["kernel.cpp"] != large.project.files["kernel.cpp"]
