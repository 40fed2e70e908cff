"""Statements in one body: which are kept together, that designs of these are the source, and what stays apart."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from builders import scop
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from plan_interpreter import differences, run_plan, run_source, some_memory
from random_kernels import random_point

import sisyphus as sisy
from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.forms import FUSED, fused, rewritten
from sisyphus.ir import Scop, promises
from sisyphus.plan import build_plan

SUMS = """
float sums(const float a[64], const float b[64], float c[64])
{
    float s = 0, t = 0;
    for (int i = 0; i < 64; i += 2) {
        s += a[i] * b[i];
        t += a[i + 1] * b[i + 1];
        c[i] = a[i] + b[i];
        c[i + 1] = a[i + 1] + b[i + 1];
    }
    return s + t;
}
"""
COMPLEX = """
for i in range(4):
    for k in range(5):
        R[i] += A[i, k] * X[k] - B[i, k] * Y[k]
        S[i] += A[i, k] * Y[k] + B[i, k] * X[k]
"""
SHAPES = {"A": (8, 8), "B": (8, 8), "R": (8,), "S": (8,), "X": (8,), "Y": (8,), "P": (8,), "Q": (8,)}


def nests(source: Scop) -> list[tuple[str, ...]]:
    return [nest.statements for nest in distribute(source, dependences(source)).nests]


def test_sums_of_the_same_elements_are_one_nest_in_all_loops() -> None:
    source = scop(COMPLEX, **SHAPES)
    found = fused(dependences(source))
    assert found is not None
    promises.run(found)
    assert found.statements == source.statements and found.fused == (("S0", "S1"),)
    [nest] = distribute(found, dependences(found)).nests
    assert nest.statements == ("S0", "S1") and [(loop.iterator, loop.kind.value) for loop in nest.band] == [
        ("i", "parallel"),
        ("k", "reduction"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "for i in range(8):\n    P[i] = X[i]\n",
        "for i in range(8):\n    P[i] = X[i]\nfor i in range(8):\n    Q[i] = X[i]\n",  # loops of their own
        "for i in range(8):\n    P[i] = X[i]\n    Q[i] = Y[i]\n",  # they read nothing in common
        "for i in range(8):\n    P[i] = X[i]\n    X[i] = X[i] * 2.0\n",  # one depends on the other
        # what reads both stands between: it needs the new P and the old Q
        "for i in range(8):\n    P[i] = X[i]\n    R[i] = P[i] + Q[i]\n    Q[i] = X[i] * 2.0\n",
        # one row waits for the row before
        "for k in range(5):\n    for i in range(4):\n        A[k + 1, i] = A[k, i] + X[i]\n        R[i] += X[i]\n",
    ],
)
def test_what_stays_apart(text: str) -> None:
    source = scop(text, **SHAPES)
    found = rewritten(source, [FUSED])
    assert found is source and all(len(statements) == 1 for statements in nests(source))


WINDOWS = """
for i in range(4):
    for k in range(3):
        for l in range(2):
            R[i] += A[i + k, l]
            S[i] += B[i + k, l]
            P[i] += A[i + k, l] * B[i + k, l]
"""


def test_sums_over_several_loops_come_with_one_that_reads_all_their_arrays() -> None:
    found = rewritten(scop(WINDOWS, **SHAPES), [FUSED])
    promises.run(found)
    [nest] = distribute(found, dependences(found)).nests
    assert nest.statements == ("S0", "S1", "S2")
    assert [(loop.iterator, loop.kind.value) for loop in nest.band] == [
        ("i", "parallel"),
        ("k", "reduction"),
        ("l", "reduction"),
    ]
    assert nest.precedence == {("k", "l")}


@settings(max_examples=20, deadline=None)
@given(outer=st.booleans(), seed=st.integers(0, 999))
def test_points_of_such_sums_compute_what_the_source_computes(*, outer: bool, seed: int) -> None:
    """Also where a loop over sums lies outside; the interpreter has no copies of a nest side by side."""
    turned = "for k in range(3):\n    for i in range(4):\n" + WINDOWS.split("range(3):\n")[1]
    found = rewritten(scop(turned if outer else WINDOWS, **SHAPES), [FUSED])
    assert found.fused == (("S0", "S1", "S2"),)
    distribution, live, memory = distribute(found, dependences(found)), liveness(found), some_memory(found)
    point = random_point(random.Random(seed), found, distribution)
    assume(not any(nest.unroll for nest in point.nests))
    plan = build_plan(found, distribution, live, point)
    assert differences(found, run_source(found, memory), run_plan(plan, memory)) == []


def test_a_design_of_sums_in_one_body_is_the_source_and_faster(tmp_path: Path) -> None:
    path = tmp_path / "sums.c"
    path.write_text(SUMS)
    read = sisy.read(path)
    apart, together = (
        sisy.optimize(read, effort=1, cache=False, verify=word == FUSED, fix=[f"form={word}", "adders=dsp"])
        for word in ("source", FUSED)
    )
    assert together.verdict is not None and together.verdict.passed
    assert together.point.rewrites == (FUSED,) and together.outcome is not None and apart.outcome is not None
    assert (together.outcome.objective or 0) < (apart.outcome.objective or 0)
