"""Loops over tiles of the source's own: taken out where that is the same program, and only there."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import scop
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_interpreter import computes_the_same

from sisyphus.analysis import dependences, statement_text
from sisyphus.forms import IN_PLACE, UNTILED, in_tiles, rewritten, untiled
from sisyphus.ir import Scop, promises
from sisyphus.ir.scop_text import dump
from sisyphus.kernel_forms import load_kernels
from sisyphus.request import Source

SOME = settings(max_examples=40, deadline=None, derandomize=True)

MULTIPLY = """
void multiply(const float A[13][12], const float B[12][16], float C[13][16])
{
    for (int kk = 0; kk < 12; kk += 4)
        for (int ii = 0; ii < 13; ii += 4)
            for (int i = ii; i < (ii + 4 < 13 ? ii + 4 : 13); i++)
                for (int j = 0; j < 16; j++) {
                    float s = C[i][j];
                    for (int k = kk; k < kk + 4; k++) s += A[i][k] * B[k][j];
                    C[i][j] = s;
                }
}
"""


def check_same(source: Scop, found: Scop) -> None:
    promises.run(found)
    for seed in (1, 2):
        assert computes_the_same(source, found, seed)


def test_a_product_in_tiles_is_the_product(tmp_path: Path) -> None:
    """Tiles of k need the element in place of the sum: each tile of k loads and stores that."""
    path = tmp_path / "multiply.c"
    path.write_text(MULTIPLY)
    written, flat, *_ = load_kernels(Source(str(path)))
    assert (flat.name, flat.rewrites) == (UNTILED, (IN_PLACE, UNTILED))
    [statement] = flat.scop.statements
    assert statement.iterators == ("i", "j", "k") and [len(s.iterators) for s in written.scop.statements] == [4, 5, 4]
    check_same(written.scop, flat.scop)
    assert dump(rewritten(written.scop, flat.rewrites)) == dump(flat.scop)


def test_nests_in_one_tile_follow_one_another() -> None:
    text = """
    for t in range(3):
        for i in range(4*t, 4*t + 4):
            B[i] = A[i] * 2.0
        for j in range(4*t, 4*t + 4):
            C[j] = B[j] + A[j]
    """
    source = scop(text, A=(12,), B=(12,), C=(12,))
    found = untiled(dependences(source))
    assert found is not None and [s.iterators for s in found.statements] == [("i",), ("j",)]
    check_same(source, found)


@pytest.mark.parametrize(
    "text",
    [
        "for i in range(12):\n    A[i] = B[i]\n",  # nothing is tiled
        "for t in range(3):\n    for i in range(12):\n        A[i] += B[i]\n",  # the loop repeats the work
        "for t in range(3):\n    for i in range(4*t, 4*t + 4):\n        A[i] = B[t]\n",  # the tile is used
        # the value of one tile is wanted in the next one before the loop is through
        """for t in range(3):
    for i in range(4*t, 4*t + 4):
        B[i] = C[i] + A[i]
    for j in range(4*t, 4*t + 4):
        C[j + 4] = B[j]
""",
    ],
)
def test_what_is_not_taken_out(text: str) -> None:
    source = scop(text, A=(12,), B=(12,), C=(16,))
    assert untiled(dependences(source)) is None
    assert rewritten(source, [UNTILED]) is source


@pytest.mark.parametrize(("step", "length", "is_tiled"), [(4, 4, True), (4, 3, False), (4, 5, False)])
def test_only_loops_that_others_determine_are_tiles(step: int, length: int, *, is_tiled: bool) -> None:
    """Neither tiles that overlap nor those with gaps between, which would be a loop with steps."""
    text = f"for t in range(3):\n    for i in range({step}*t, {step}*t + {length}):\n        A[i] = B[i]\n"
    assert in_tiles(scop(text, A=(13,), B=(13,))) == is_tiled


@st.composite
def tiled(draw: st.DrawFn) -> Scop:
    """One or two statements in loops over tiles, in a random order of loops, which depend on each other or not."""
    size, step = 6, draw(st.sampled_from([2, 3]))
    outer = draw(st.permutations(["ii", "jj"]))
    count = draw(st.integers(1, 2))
    lines = [f"{'    ' * at}for {name} in range({size // step}):" for at, name in enumerate(outer)]
    elements = ["A[i, j]", "A[i + 1, j]", "A[j, i]", "B[i]", "B[j]", "A[i, j + 1]", "C[i + j]"]
    for _ in range(count):
        inner = draw(st.permutations(["i", "j"]))
        for at, name in enumerate(inner):
            lines.append(f"{'    ' * (2 + at)}for {name} in range({step}*{name}{name}, {step}*{name}{name} + {step}):")
        target, first, second = (draw(st.sampled_from(elements)) for _ in range(3))
        lines.append(f"{'    ' * 4}{target} = {first} * z + {second}")
    return scop("\n".join(lines) + "\n", A=(8, 8), B=(8,), C=(16,))


@SOME
@given(tiled())
def test_random_tiles_give_the_same_results(source: Scop) -> None:
    found = untiled(dependences(source))
    if found is not None:
        check_same(source, found)
        assert all(len(s.iterators) < 4 for s in found.statements), [statement_text(s) for s in found.statements]
