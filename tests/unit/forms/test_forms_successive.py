"""Statements of a step that follow each other in an iteration: which are one nest, and when that is offered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders import scop
from points_run import differences_of_points

import sisyphus as sisy
from sisyphus.analysis import dependences, distribute
from sisyphus.forms import PRIVATE, SUCCESSIVE, rewritten, successive
from sisyphus.frontend import read
from sisyphus.ir import Scop, promises
from sisyphus.kernel_forms import load_kernels
from sisyphus.promise import by_promise
from sisyphus.request import Source

#: What its neighbours read is updated when all of a step is done.
STEPS = """
void steps(float a[6][7], float b[6][7])
{
    for (int t = 0; t < 3; t++) {
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 7; j++) {
                float l = 2.0f * a[i][j];
                if (i > 0)
                    l += a[i - 1][j];
                if (j < 6)
                    l += a[i][j + 1];
                MORE
                b[i][j] = 0.5f * b[i][j] + l;
            }
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 7; j++)
                a[i][j] = b[i][j];
    }
}
"""
MORE = "if (i < 5) l += a[i + 1][j]; if (j > 0) l += a[i][j - 1]; if (i > 1) l *= 0.5f;"
SHAPES = {"P": (8,), "Q": (8,), "R": (8,), "X": (8,)}


def written(folder: Path, more: str = "") -> Path:
    path = folder / "steps.c"
    path.write_text(STEPS.replace("MORE", more))
    return path


@pytest.fixture
def steps(tmp_path: Path) -> Scop:
    """The steps with their statements together, and a place for each value of the variable."""
    return rewritten(read(written(tmp_path)), [PRIVATE, SUCCESSIVE])


def nests(source: Scop) -> list[tuple[str, ...]]:
    return [nest.statements for nest in distribute(source, dependences(source)).nests]


def test_statements_of_a_step_are_one_nest(steps: Scop) -> None:
    """Also where some run in fewer iterations; what updates elements that other iterations read has its own."""
    promises.run(steps)
    first, second = distribute(steps, dependences(steps)).nests
    assert (first.statements, first.outer, second.statements) == (("S0", "S1", "S2", "S3"), ("t",), ("S4",))
    assert [loop.kind.value for loop in first.band] == ["parallel", "parallel"]


def test_what_is_together_before_stays_so(steps: Scop) -> None:
    assert successive(dependences(steps)) is None
    part = replace(steps, fused=(("S0", "S1"),))
    assert nests(part)[0] == ("S0", "S1")
    more = successive(dependences(part))
    assert more is not None and more.fused[0] == ("S0", "S1")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("for i in range(8):\n    P[i] = X[i]\n    Q[i] = P[i]\n", [("S0",), ("S1",)]),  # in no step
        (
            "for t in range(3):\n    for i in range(8):\n        P[i] = Q[i]\n        Q[i] = P[i] * 2.0\n",
            [("S0", "S1")],
        ),
        (  # of another iteration
            "for t in range(3):\n    for i in range(7):\n        P[i] = Q[i]\n        Q[i + 1] = P[i] * 2.0\n"
            "    for i in range(8):\n        Q[i] = Q[i] * 0.5\n",
            [("S0", "S1"), ("S2",)],
        ),
        (  # loops of their own
            "for t in range(3):\n    for i in range(8):\n        P[i] = Q[i]\n"
            "    for i in range(8):\n        Q[i] = P[i] * 2.0\n",
            [("S0",), ("S1",)],
        ),
    ],
)
def test_which_statements_are_together(text: str, found: list[tuple[str, ...]]) -> None:
    assert nests(rewritten(scop(text, **SHAPES), [SUCCESSIVE])) == found


def test_points_of_steps_compute_what_the_source_computes(steps: Scop) -> None:
    assert differences_of_points(steps, seed=5, points=12) == []


@pytest.mark.parametrize(("more", "is_offered"), [("", False), (MORE, True)])
def test_steps_of_far_fewer_nests_are_offered_and_come_first(tmp_path: Path, more: str, *, is_offered: bool) -> None:
    kernels = load_kernels(Source(str(written(tmp_path, more))))
    assert (SUCCESSIVE in {kernel.name for kernel in kernels}) == is_offered
    assert (by_promise(kernels)[0].name == SUCCESSIVE) == is_offered


@pytest.mark.long
def test_a_design_of_steps_in_one_body_is_the_source_and_faster(tmp_path: Path) -> None:
    apart, together = (
        sisy.optimize(
            written(tmp_path, MORE),
            effort=1,
            cache=False,
            verify=word == SUCCESSIVE,
            fix=[f"form={word}", "adders=dsp"],
        )
        for word in ("expanded", SUCCESSIVE)
    )
    assert together.verdict is not None and together.verdict.passed
    assert SUCCESSIVE in together.point.rewrites and together.outcome is not None and apart.outcome is not None
    assert (together.outcome.objective or 0) < 0.8 * (apart.outcome.objective or 0)
