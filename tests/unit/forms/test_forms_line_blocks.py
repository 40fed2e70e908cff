"""Steps that make lines, in blocks of lines: which loops have them, that they compute the same, that faults show."""

from __future__ import annotations

from pathlib import Path

import pytest
from brute import is_same
from builders import scop

from sisyphus.analysis import OuterLoop, dependences, distribute
from sisyphus.errors import KernelError
from sisyphus.forms import LINE_BLOCKS, elements_of, in_line_blocks, lines, making_lines, rewritten, size_of_blocks
from sisyphus.frontend import read
from sisyphus.ir import Role, Scop, promises

KERNELS = Path(__file__).parents[3] / "kernels" / "polybench"
#: Each row is scaled, and taken from all later ones.
ROWS = """
for k in range(9):
    for i in range(4):
        Q[k, i] = A[k, i] * W[k]
    for j in range(k + 1, 9):
        R[k, j] = 0.0
        for i in range(4):
            R[k, j] += Q[k, i] * A[j, i]
        for i in range(4):
            A[j, i] -= Q[k, i] * R[k, j]
"""


def rows() -> Scop:
    return scop(ROWS, A=(9, 4), Q=(9, 4), R=(9, 9), W=(9,))


def columns() -> Scop:
    return read(KERNELS / "gramschmidt.c", defines=("M=3", "N=8"))


def test_a_block_makes_its_lines_and_then_updates_later_blocks() -> None:
    making = making_lines(rows())
    assert making is not None
    assert (making.updated, making.made) == ((("A", 0),), (("Q", 0),))
    assert len(making.values) == 9 and elements_of(rows(), making.lines) == 8
    found = in_line_blocks(dependences(rows()), 4)
    assert found is not None
    promises.run(found)
    windows = [(str(a.id), a.extents) for a in found.arrays if a.role is Role.LOCAL]
    assert windows == [("A_1", (4, 4)), ("Q_1", (4, 4))]
    [block] = [part for part in distribute(found, dependences(found)).body if isinstance(part, OuterLoop)]
    loops = [part.iterator for part in block.body if isinstance(part, OuterLoop)]
    assert (block.iterator, block.trip_count, loops) == ("k_block", 3, ["k", "j_block"])


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7])
@pytest.mark.parametrize("name", ["rows", "columns"])
def test_blocks_of_lines_compute_the_same(name: str, size: int) -> None:
    kernel = rows() if name == "rows" else columns()
    form = rewritten(kernel, [f"{LINE_BLOCKS}{size}"])
    promises.run(form)
    assert is_same(kernel, form)


@pytest.mark.parametrize("missing", ["filled", "written"])
def test_windows_that_are_not_filled_or_not_written_back_are_seen(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = lines.copies
    monkeypatch.setattr(
        lines, "copies", lambda *given: (copy for copy in kept(*given) if copy[2] == (missing == "written",))
    )
    assert not is_same(rows(), rewritten(rows(), [f"{LINE_BLOCKS}3"]))


@pytest.mark.parametrize(
    "text",
    [
        "for k in range(8):\n  for i in range(k + 1, 8):\n    A[i, k] = A[i, k] / A[k, k]\n"
        "  for i in range(k + 1, 8):\n    for j in range(k + 1, 8):\n      A[i, j] -= A[i, k] * A[k, j]",
        "for k in range(8):\n  for i in range(8):\n    B[k, i] = 2.0 * A[k, i]",
        "for k in range(8):\n  for j in range(k + 1, 8):\n    for i in range(8):\n      A[j, i] -= A[j - 1, i]",
    ],
    ids=["an element of two lines", "steps alone", "lines of others"],
)
def test_steps_that_make_no_lines(text: str) -> None:
    kernel = scop(text, **{name: (8, 8) for name in "AB" if f"{name}[" in text})
    assert making_lines(kernel) is None
    with pytest.raises(KernelError, match="no line-blocks of 2 lines"):
        rewritten(kernel, [f"{LINE_BLOCKS}2"])


def test_lines_that_are_read_before_they_are_made_have_no_blocks() -> None:
    """Each step takes a line that a later one makes: in blocks it would find another one."""
    text = "for k in range(8):\n  for i in range(3):\n    Q[k, i] = A[k, i]\n"
    text += "  for j in range(8):\n    for i in range(3):\n      A[j, i] -= Q[k, i]"
    assert in_line_blocks(dependences(scop(text, A=(8, 3), Q=(8, 3))), 3) is None


@pytest.mark.parametrize(
    ("count", "most", "size"),
    [(998, 400, 336), (1998, 204, 192), (2600, 409, 384), (64, 63, 32), (64, 31, 16), (64, 15, None), (20, 99, 16)],
)
def test_blocks_are_as_few_as_fit_in_whole_beats(count: int, most: int, size: int | None) -> None:
    assert size_of_blocks(count, most) == size
