"""Rows and columns before and after each step: results stay bit for bit, and what has no such form."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from builders import scop
from plan_interpreter import computes_the_same

from sisyphus.analysis import LoopKind, dependences, distribute
from sisyphus.forms import PIVOTS, rewritten, with_pivots
from sisyphus.ir import Binary, Call, Select, Statement, promises
from sisyphus.ir.scop_text import dump

PATHS = """
for k in range(6):
    for i in range(6):
        for j in range(6):
            A[i, j] = fmin(A[i, j], A[i, k] + A[k, j])
"""
#: The element of both pivots as well, other orders of loops, a pivot of one place, three dimensions, two step loops.
SHAPES = {
    "paths": PATHS,
    "inverse": PATHS.replace("fmin(A[i, j], A[i, k] + A[k, j])", "A[i, j] - A[i, k] * A[k, j] * A[k, k]"),
    "columns": "for k in range(5):\n for j in range(6):\n  for i in range(6):\n   A[i, j] -= A[k, j] * A[i, k + 1]",
    "one place": "for t in range(3):\n for i in range(6):\n  for j in range(5):\n   A[i, j] = A[3, j] - A[i, 2]",
    "cube": "for k in range(4):\n for i in range(4):\n  for j in range(4):\n   for l in range(4):\n    "
    "B[i, j, l] = B[i, j, l] + B[k, j, l] * B[i, k, l] - B[k, j, k]",
    "steps": "for s in range(2):\n for k in range(4):\n  for i in range(5):\n   for j in range(5):\n    "
    "A[i, j] = A[i, j] * 0.5 - A[k + s, j] * A[i, k]",
}
#: Loops over six rows and columns in five steps.
STEPS = "for k in range(5):\n for i in range(6):\n  for j in range(6):\n   "
EXTENTS = {"A": (6, 7), "B": (4, 4, 4)}


@pytest.mark.parametrize("name", SHAPES)
def test_results_stay_and_the_last_nest_waits_for_nothing(name: str) -> None:
    source = scop(SHAPES[name], **EXTENTS)
    found = with_pivots(source)
    assert found is not None
    promises.run(found)
    assert dump(rewritten(source, (PIVOTS,))) == dump(found)
    assert all(computes_the_same(source, found, seed) for seed in range(3)), dump(found)
    nest = distribute(found, dependences(found)).nest_of(source.statements[0].id)
    assert {loop.kind for loop in nest.band} == {LoopKind.PARALLEL}, dump(found)


@pytest.mark.parametrize("seed", range(12))
def test_results_stay_with_random_pivots(seed: int) -> None:
    rng = random.Random(seed)
    pivots = rng.sample(["A[i, k]", "A[k, j]", "A[k, k]", "A[i, 3]", "A[2, j]", "A[2, 3]"], 3)
    loops = rng.choice(["k i j", "k j i"]).split()
    heads = [" " * at + f"for {name} in range({rng.randint(4, 6)}):" for at, name in enumerate(loops)]
    body = f"   A[i, j] = A[i, j] * 0.5 + {pivots[0]} * {pivots[1]} - {pivots[2]}"
    source = scop("\n".join([*heads, body]), A=(6, 6))
    found = with_pivots(source)
    assert found is None or computes_the_same(source, found, seed), dump(found)


def test_an_instance_reads_what_the_step_made_of_a_pivot_if_that_comes_earlier() -> None:
    found = with_pivots(scop(PATHS, A=(6, 6)))
    assert found is not None
    shown = dump(found)
    assert "((((k) < (j)) ? A_6[i] : A_3[i]) + (((k) < (i)) ? A_5[j] : A_2[j]))" in shown, shown
    swapped = replace(found, statements=tuple(_turned(s) for s in found.statements))
    assert not all(computes_the_same(scop(PATHS, A=(6, 6)), swapped, seed) for seed in range(3))


def _turned(statement: Statement) -> Statement:
    """With each pair of values before and after a step the other way round."""
    match statement.rhs:
        case Call(arguments=(own, Binary(left=Select() as column, right=Select() as row) as total)):
            turned = replace(row, then=row.other, other=row.then)
            return replace(
                statement, rhs=replace(statement.rhs, arguments=(own, replace(total, left=column, right=turned)))
            )
        case _:
            return statement


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (STEPS.replace("range(6)", "range(k + 1, 6)") + "A[i, j] -= A[i, k] * A[k, j]", "finished pivots"),
        ("for t in range(5):\n for i in range(1, 6):\n  for j in range(6):\n   A[i, j] += A[i - 1, j]", "neighbours"),
        (STEPS + "A[i, j] += A[i, k] * A[i, k + 1]", "two places"),
        (STEPS + "A[i, j] += B[i, j, k]", "no pivot"),
        (STEPS.replace(" for i", " C[k] = 0\n for i") + "A[i, j] += A[i, k]", "shared loops"),
        ("for k in range(5):\n for i in range(6):\n  A[i, i] += A[k, i]", "twice in one place"),
    ],
)
def test_what_has_no_pivots(text: str, why: str) -> None:
    assert with_pivots(scop(text, A=(6, 7), B=(6, 7, 5), C=(5,))) is None, why
