"""Rows and columns before and after each step: results stay bit for bit, and what has no such form."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from builders import scop
from plan_interpreter import computes_the_same

from sisyphus.analysis import LoopKind, dependences, distribute
from sisyphus.errors import KernelError
from sisyphus.forms import PIVOT_BLOCKS, PIVOTS, rewritten, sizes_of_blocks, with_pivots
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
    for size in (None, 1, 2, 3, 6):
        found = with_pivots(source, size)
        assert found is None or computes_the_same(source, found, seed), dump(found)


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("name", sorted({*SHAPES} - {"one place"}))
def test_results_stay_in_blocks_whose_last_nest_adds_up_their_steps(name: str, size: int) -> None:
    source = scop(SHAPES[name], **EXTENTS)
    found = with_pivots(source, size)
    assert found is not None
    promises.run(found)
    assert dump(rewritten(source, (f"{PIVOT_BLOCKS}{size}",))) == dump(found)
    assert all(computes_the_same(source, found, seed) for seed in range(3)), dump(found)
    last = found.statement(source.statements[0].id)
    nest = distribute(found, dependences(found)).nest_of(last.id)
    waits = {loop.iterator for loop in nest.band if loop.kind is not LoopKind.PARALLEL}
    assert waits == ({"k"} if size > 1 else set()), dump(found)


def test_pivots_of_later_steps_are_read_as_the_step_left_them_in_any_case() -> None:
    source = scop(PATHS, A=(6, 6))
    found = with_pivots(source, 3)
    assert found is not None
    row = "A_2[k_1][j]: float = fmin(A_2[k_1][j], ((((k + 3*k_block_1) < (j)) ? A_6[k][k_1 + 3*k_block_1] : "
    assert f"{row}A_3[k][k_1 + 3*k_block_1]) + A_5[k][j]))" in dump(found), dump(found)
    without = replace(found, statements=tuple(s for s in found.statements if str(s.write) != "A_2[k_1][j]"))
    assert not all(computes_the_same(source, without, seed) for seed in range(3))


def test_sizes_of_blocks_make_whole_ones_of_whole_beats() -> None:
    paths = PATHS.replace("range(6)", "range({0})")
    sizes = {n: sizes_of_blocks(scop(paths.format(n), A=(n, n))) for n in (3, 6, 640, 1009)}
    assert sizes == {3: (), 6: (1,), 640: (128,), 1009: (128,)}
    assert sizes_of_blocks(scop(SHAPES["one place"], **EXTENTS)) == ()
    with pytest.raises(KernelError, match="this kernel has no pivot-blocks of 2 steps"):
        rewritten(scop(SHAPES["one place"], **EXTENTS), (f"{PIVOT_BLOCKS}2",))
    with pytest.raises(KernelError, match="no size of pivot-blocks: `x`"):
        rewritten(scop(PATHS, A=(6, 6)), (f"{PIVOT_BLOCKS}x",))


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
