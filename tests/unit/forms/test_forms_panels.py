"""Steps in panels: which loops have them, that they compute the same, and that wrong ones are refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from brute import is_same
from builders import scop

from sisyphus.analysis import dependences, distribute
from sisyphus.errors import KernelError
from sisyphus.forms import LATCH, PANELS, SCHEDULE, in_panels, panels, proposals, rewritten, sizes_of_panels
from sisyphus.forms.building import Cut
from sisyphus.frontend import read
from sisyphus.ir import Role, Scop, promises
from sisyphus.ir.scop_text import dump

KERNELS = Path(__file__).parents[3] / "kernels" / "polybench"
#: LU without pivoting, the step outside.
STEPS = """
for k in range(12):
    for i in range(k + 1, 12):
        A[i, k] = A[i, k] / A[k, k]
    for i in range(k + 1, 12):
        for j in range(k + 1, 12):
            A[i, j] -= A[i, k] * A[k, j]
"""
RIGHT_LOOKING = "{ S1[i, j] -> [j, 0, i]; S0[i, j, k] -> [k, 1, i, j]; S2[i, j, k] -> [k, 1, i, j] }"


def lu() -> Scop:
    return scop(STEPS, A=(12, 12))


def test_a_block_of_steps_works_in_windows_and_updates_the_rest_at_once() -> None:
    found = in_panels(dependences(lu()), 3)
    assert found is not None
    promises.run(found)
    assert [(str(a.id), a.extents) for a in found.arrays if a.role is Role.LOCAL] == [
        ("A_1", (12, 3)),
        ("A_2", (3, 12)),
    ]
    rest = found.statements[-3]
    assert dump(replace(found, statements=(rest,))).splitlines()[-2:] == [
        "  for 0 <= k, 0 <= k_block, 3*k_block + 3 <= i, 3*k_block + 3 <= j, i <= 11, j <= 11, k <= 2",
        "  A[i][j]: float = (A[i][j] - (A_1[i][k] * A_2[k][j]))",
    ]
    last = distribute(found, dependences(found)).nest_of(rest.id)
    assert [(loop.iterator, loop.kind.value) for loop in last.band] == [
        ("k", "reduction"),
        ("i", "parallel"),
        ("j", "parallel"),
    ]
    copies = [s for s in found.statements if s.iterators[1] == "k_block_0"]
    assert [str(s.write.array) for s in copies] == ["A_1", "A_2", "A", "A"]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_panels_compute_the_same(size: int) -> None:
    found = in_panels(dependences(lu()), size)
    assert found is not None and is_same(lu(), found)
    assert is_same(lu(), rewritten(lu(), [f"{PANELS}{size}", LATCH]))


@pytest.mark.parametrize(("rows", "columns", "size"), [(3, 7, 4), (5, 7, 4), (2, 9, 5), (7, 3, 2)])
def test_a_panel_of_pieces_whose_other_subscripts_differ_stays_in_its_window(
    rows: int, columns: int, size: int
) -> None:
    """C is read by both loops, which cuts the inner one by the block, too: the box around all pieces is no panel."""
    text = f"for i in range({columns}):\n    for j in range({rows}):\n        B[j, i] = B[j, i] + (C[j] + C[i])\n"
    kernel = scop(text, B=(rows, columns), C=(max(rows, columns),))
    found = in_panels(dependences(kernel), size)
    assert found is not None
    promises.run(found)
    assert is_same(kernel, found)


@pytest.mark.parametrize("size", [4, 12, 64])
def test_too_few_blocks_are_none(size: int) -> None:
    assert in_panels(dependences(lu()), size) is None


@pytest.mark.parametrize(
    ("name", "defines"),
    [
        ("lu", ("N=14",)),
        ("cholesky", ("N=14",)),
        ("trisolv", ("N=14",)),
        ("trmm", ("M=14", "N=5")),
    ],
)
def test_panels_of_kernels_compute_the_same(name: str, defines: tuple[str, ...]) -> None:
    kernel = read(KERNELS / f"{name}.c", defines=defines)
    found = dependences(kernel)
    first, *_ = proposals(found, distribute(kernel, found))
    assert sizes_of_panels(first.dependences)[-1] == 3
    form = rewritten(kernel, [SCHEDULE + first.text, f"{PANELS}3", LATCH])
    promises.run(form)
    assert is_same(kernel, form)


@pytest.mark.parametrize(("n", "size"), [(40, 10), (120, 30), (400, 80), (2000, 80), (1000, 64), (4096, 64)])
def test_panels_have_whole_beats_where_they_can(n: int, size: int) -> None:
    kernel = read(KERNELS / "lu.c", defines=(f"N={n}",))
    assert sizes_of_panels(dependences(rewritten(kernel, [SCHEDULE + RIGHT_LOOKING]))) == (size,)


@pytest.mark.parametrize(
    ("n", "sizes"), [(40, (20, 10)), (400, (200, 80)), (2000, (1000, 400)), (3968, (1984, 992)), (4000, (2000, 800))]
)
def test_panels_of_steps_that_update_a_vector_are_as_long_as_they_may_be(n: int, sizes: tuple[int, ...]) -> None:
    by_columns = "{ S0[i] -> [0, i]; S2[i] -> [1, i, 0]; S1[i, j] -> [1, j, 1, i] }"
    kernel = read(KERNELS / "trisolv.c", defines=(f"N={n}",))
    assert sizes_of_panels(dependences(rewritten(kernel, [SCHEDULE + by_columns]))) == sizes


def test_what_a_block_only_reads_has_a_window_where_it_is_all_in_the_block() -> None:
    by_columns = "{ S0[i] -> [0, i]; S2[i] -> [1, i, 0]; S1[i, j] -> [1, j, 1, i] }"
    kernel = read(KERNELS / "trisolv.c", defines=("N=12",))
    found = rewritten(kernel, [SCHEDULE + by_columns, f"{PANELS}3"])
    assert [(str(a.id), a.extents) for a in found.arrays if a.role is Role.LOCAL] == [("L_1", (3, 3))]
    reads = [str(ref) for s in found.statements for ref in s.reads if str(ref.array).startswith("L")]
    assert reads == ["L[3*j_block + j_block_0][3*j_block + j_block_1]", "L_1[j][j]", "L_1[i][j]", "L[i][j + 3*j_block]"]
    assert not [s for s in found.statements if str(s.write.array) == "L"]


@pytest.mark.parametrize("size", [1, 2])
def test_what_a_block_writes_at_times_is_read_in_no_window(size: int) -> None:
    """A row that a step writes one element after another lies in the block of its columns for some of them only."""
    rows = scop(
        """
for i in range(1, 9):
    for j in range(9):
        for l in range(2):
            A[i, j] += A[i, l] * A[l, j]
""",
        A=(9, 9),
    )
    found = in_panels(dependences(rows), size)
    assert found is None or is_same(rows, found)


@pytest.mark.parametrize("name", ["gemm", "jacobi-2d", "atax"])
def test_other_kernels_have_none(name: str) -> None:
    kernel = read(KERNELS / f"{name}.c")
    assert in_panels(dependences(kernel), 4) is None
    with pytest.raises(KernelError, match="has no panels of 4 steps"):
        rewritten(kernel, [f"{PANELS}4"])


@pytest.mark.parametrize("text", ["", "0", "-3", "x", "3x4"])
def test_sizes_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(KernelError, match="no size of panels"):
        rewritten(lu(), [f"{PANELS}{text}"])


def refusal(monkeypatch: pytest.MonkeyPatch) -> str:
    """The first fault that makes panels of lu another program."""
    said, faults = list[str](), panels.faults

    def told(*given: Any) -> Iterator[str]:
        for fault in faults(*given):
            said.append(fault)
            yield fault

    monkeypatch.setattr(panels, "faults", told)
    assert in_panels(dependences(lu()), 3) is None
    return said[0]


def test_pieces_that_overlap_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block that is taken for one step longer than it is: its last step runs twice."""
    monkeypatch.setattr(Cut, "inside", lambda cut, step: [step, cut.size - step])
    assert "runs twice" in refusal(monkeypatch)


def test_pieces_in_a_wrong_order_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left is updated before the panels that it reads are done."""
    apart = panels._apart

    def backwards(found: Any) -> Any:
        for timed in apart(found):
            place, block, at, *inner = timed.times
            yield replace(timed, times=(place, block, -1 * at, *inner))

    monkeypatch.setattr(panels, "_apart", backwards)
    assert "must run before" in refusal(monkeypatch)
