"""Statements in one body: which are kept together, that designs of these are the source, and what stays apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import scop

import sisyphus as sisy
from sisyphus.analysis import dependences, distribute
from sisyphus.forms import FUSED, fused, rewritten
from sisyphus.ir import Scop, promises

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
        # sums over the outer loop would run in the innermost one alone
        "for k in range(5):\n    for i in range(4):\n        R[i] += A[i, k]\n        S[i] += A[i, k] * 2.0\n",
    ],
)
def test_what_stays_apart(text: str) -> None:
    source = scop(text, **SHAPES)
    found = rewritten(source, [FUSED])
    assert found is source and all(len(statements) == 1 for statements in nests(source))


def test_a_design_of_sums_in_one_body_is_the_source_and_faster(tmp_path: Path) -> None:
    path = tmp_path / "sums.c"
    path.write_text(SUMS)
    read = sisy.read(path)
    apart, together = (
        sisy.optimize(read, effort=2, cache=False, verify=word == FUSED, fix=[f"form={word}"])
        for word in ("source", FUSED)
    )
    assert together.verdict is not None and together.verdict.passed
    assert together.point.rewrites == (FUSED,) and together.outcome is not None and apart.outcome is not None
    assert (together.outcome.objective or 0) < (apart.outcome.objective or 0)
