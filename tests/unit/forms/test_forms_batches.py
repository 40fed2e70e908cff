"""Independent iterations of steps in batches: which loops have them, that they compute the same, that faults show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from batch_kernels import systems
from brute import is_same
from builders import scop
from compiled_scops import run as compiled

from sisyphus.analysis import OuterLoop, dependences, distribute, liveness
from sisyphus.asked_forms import with_inner, with_word
from sisyphus.errors import KernelError
from sisyphus.forms import (
    BATCHES,
    elements_of,
    in_batches,
    independent,
    lines,
    needless,
    rewritten,
    shared_windows,
    steps_of,
)
from sisyphus.frontend import read
from sisyphus.ir import Role, Scop, promises
from sisyphus.ir.scop_text import dump
from sisyphus.kernel_forms import load_kernels
from sisyphus.poly import count, dim_range, project_onto
from sisyphus.poly import last_write_times as kept
from sisyphus.request import Kernel, Source
from sisyphus.target import load_device, make_target
from sisyphus.too_large import for_large_arrays

KERNELS = Path(__file__).parents[3] / "kernels" / "polybench"
#: In each step rows are swept in one direction, then columns: each row, and each column, by itself.
SWEEPS = """
for t in range(3):
    for i in range(1, 9):
        P[i, 0] = 0.5
        for j in range(1, 6):
            P[i, j] = A[i, j] * P[i, j - 1]
        for j in range(1, 6):
            B[j, i] = B[j - 1, i] + P[i, j]
    for i in range(1, 6):
        for j in range(1, 9):
            Q[j, i] = B[i, j] * A[j, i]
        for j in range(1, 9):
            A[j, i] = A[j - 1, i] + Q[j, i] * B[i, j]
"""
#: Tridiagonal systems, one a row, solved in place: forwards, then backwards.
SOLVES = """
for t in range(2):
    for i in range(7):
        C[i, 0] = A[i, 0]
        for j in range(1, 6):
            C[i, j] = A[i, j] * C[i, j - 1]
            U[i, j] = U[i, j] - C[i, j - 1] * U[i, j - 1]
        for j in range(5):
            U[i, 4 - j] = U[i, 4 - j] - C[i, 4 - j] * U[i, 5 - j]
"""
#: The same with lines that are planes, one of them by its last dimension.
PLANES = """
for t in range(2):
    for i in range(1, 5):
        for k in range(3):
            P[i, 0, k] = 0.5
        for j in range(1, 4):
            for k in range(3):
                P[i, j, k] = A[j, i, k] * P[i, j - 1, k]
        for j in range(1, 4):
            for k in range(3):
                B[j, i, k] = B[j - 1, i, k] + P[i, j, k]
    for i in range(1, 4):
        for j in range(1, 5):
            for k in range(3):
                Q[j, k, i] = B[i, j, k] * A[i, j, k]
        for j in range(1, 5):
            for k in range(3):
                A[i, j, k] = A[i, j - 1, k] + Q[j, k, i] * B[i, j, k]
"""


def sweeps() -> Scop:
    return scop(SWEEPS, A=(10, 7), B=(6, 10), P=(10, 6), Q=(10, 7))


def solves() -> Scop:
    return scop(SOLVES, A=(7, 6), C=(7, 6), U=(7, 6))


def planes() -> Scop:
    return scop(PLANES, A=(5, 6, 3), B=(5, 6, 3), P=(6, 4, 3), Q=(6, 3, 5))


def adi() -> Scop:
    return read(KERNELS / "adi.c", defines=("N=8", "TSTEPS=2"))


def test_a_batch_has_windows_of_the_lines_of_its_iterations() -> None:
    rows, columns = independent(dependences(sweeps()))
    assert [(array, dim) for array, dim in rows.lines] == [("P", 0)]  # one statement alone uses B
    assert [(array, dim) for array, dim in columns.lines] == [("A", 1), ("B", 0), ("Q", 1)]
    assert elements_of(sweeps(), {*rows.lines, *columns.lines}) == 6 + 10 + 10 + 10
    found = in_batches(dependences(sweeps()), 4)
    assert found is not None
    promises.run(found)
    windows = [(str(a.id), a.extents) for a in found.arrays if a.role is Role.LOCAL]
    assert windows == [("P_1", (4, 6)), ("A_1", (4, 10)), ("B_1", (4, 10)), ("Q_1", (4, 10))]  # lines come first
    inside = distribute(found, dependences(found)).body[0].body  # type: ignore[union-attr]
    first, second = (part for part in inside if isinstance(part, OuterLoop))
    assert (first.iterator, first.trip_count, second.trip_count) == ("i_batch", 3, 2)
    # nothing is read of P that the same iteration did not write, and B is not written; columns 0 and 6 of A and Q,
    # which nothing writes, are filled to be written back
    copies = [s for s in found.statements if s.iterators[2] != "i"]
    assert [str(s.write.array) for s in copies] == ["P", "A_1", "A_1", "A_1", "B_1", "Q_1", "Q_1", "A", "Q"]


def test_nothing_is_written_back_that_a_later_step_writes_over() -> None:
    """Steps before the last one read none of what they wrote of P; what they write of A, the next one reads."""
    found = in_batches(dependences(sweeps()), 4)
    assert found is not None
    steps = {str(s.write.array): dim_range(s.domain, "t") for s in found.statements if s.iterators[2] != "i"}
    assert (steps["P"], steps["A"]) == ((2, 2), (0, 2))


def test_lines_of_groups_after_another_share_a_window() -> None:
    """u has rows in the second half of a step, v columns in the first one, p and q rows in both."""
    kernel = adi()
    shared = shared_windows(kernel, independent(dependences(kernel)))
    assert [{line: owner for line, owner in own.items() if line != owner} for own in shared] == [
        {},
        {("u", 0): ("v", 1)},
    ]
    found = in_batches(dependences(kernel), 4)
    assert found is not None
    assert [str(a.id) for a in found.arrays if len(a.extents) > 1] == ["u", "v", "p", "q", "v_1", "p_1", "q_1"]


@pytest.mark.parametrize("fault", ["read", "last"])
def test_values_that_are_needed_and_not_written_back_are_seen(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the comparison that the tests above rest on."""
    if fault == "read":
        monkeypatch.setattr(needless, "last_writers", lambda *_: ())
    else:
        monkeypatch.setattr(needless, "last_write_times", lambda writes, times: kept(writes, times).lexmin())
    assert not is_same(sweeps(), rewritten(sweeps(), [f"{BATCHES}3"]))


def test_whole_rows_of_a_batch_are_written_back() -> None:
    """In each batch as many elements of a row as it has columns: so no tile of them is loaded before it is stored."""
    found = in_batches(dependences(sweeps()), 4)
    assert found is not None
    for array in ("A", "Q"):
        back = [s for s in found.statements if str(s.write.array) == array and s.iterators[2] != "i"]
        rows = [count(project_onto(s.domain, s.iterators[:3])) for s in back]
        assert [count(s.domain) for s in back] == [rows[0] // 2 * 7]  # 4 columns, then 3


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("make", [sweeps, solves, planes, adi])
def test_batches_compute_the_same(make: Callable[[], Scop], size: int) -> None:
    kernel = make()
    form = rewritten(kernel, [f"{BATCHES}{size}"])
    promises.run(form)
    assert is_same(kernel, form)


@pytest.mark.parametrize("missing", ["filled", "written"])
def test_windows_that_are_not_filled_or_not_written_back_are_seen(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the comparison that the tests above rest on."""
    kept = lines.copies
    monkeypatch.setattr(
        lines, "copies", lambda *given: (copy for copy in kept(*given) if copy[2] == (missing == "written",))
    )
    assert not is_same(sweeps(), rewritten(sweeps(), [f"{BATCHES}3"]))


@pytest.mark.parametrize(
    "text",
    [
        "for i in range(9):\n  for j in range(1, 9):\n    A[j, j] = B[i, j - 1]\n"
        "  for j in range(9):\n    B[i, j] = A[j, j]",
        "for t in range(2):\n  for i in range(1, 9):\n    for j in range(9):\n      A[i, j] = B[i - 1, j]\n"
        "    for j in range(9):\n      B[i, j] = A[i, j]",
        "for t in range(2):\n  for i in range(9):\n    for j in range(9):\n      A[i, j] = B[i, j] + A[i, j]",
        "for t in range(2):\n  for i in range(9):\n    X[i] = 2.0 * B[i, t]\n    Y[i] = X[i]",
        "for t in range(2):\n  for i in range(9):\n    for j in range(9):\n      A[i, j] += B[i, j]\n"
        "    for j in range(9):\n      B[i, j] = A[i, j]",
        "for t in range(1, 9):\n  for i in range(9):\n    A[t, i] = 2.0 * B[t - 1, i]\n    B[t, i] = A[t, i]",
    ],
    ids=[
        "no steps and the same elements",
        "iterations that wait",
        "one statement",
        "vectors",
        "nothing handed on",
        "rows of steps",
    ],
)
def test_loops_that_have_no_batches(text: str) -> None:
    extents = {"A": (9, 9), "B": (9, 9), "X": (9,), "Y": (9,)}
    kernel = scop(text, **{name: shape for name, shape in extents.items() if f"{name}[" in text})
    assert independent(dependences(kernel)) == ()
    with pytest.raises(KernelError, match="no batches of 2"):
        rewritten(kernel, [f"{BATCHES}2"])


@pytest.mark.parametrize("word", ["batches 0", "batches x", "batches 9"])
def test_sizes_of_batches_that_there_are_not(word: str) -> None:
    with pytest.raises(KernelError, match="batches"):
        rewritten(sweeps(), [word])


@pytest.mark.parametrize("size", [8, 12])
def test_batches_around_everything_take_each_step_at_once(size: int) -> None:
    """Windows have the lines of X and L; between their filling and writing back, chains are those of one system."""
    source = systems(24, 5)
    [group] = independent(dependences(source))
    assert (group.loop, group.depth, group.lines) == ("b", 0, (("X", 0), ("L", 0)))
    kernel = Kernel(source, dependences(source), distribute(source, dependences(source)), liveness(source))
    made = with_word(kernel, BATCHES, size)
    assert made is not None
    inner = with_inner(made)
    assert inner is not None and inner.name == "batches-inner"
    assert is_same(source, made.scop) and is_same(source, inner.scop)
    assert dump(rewritten(source, inner.rewrites)) == dump(inner.scop)
    assert steps_of(kernel.distribution.body) == 24 * 4 * (4 + 1)
    assert steps_of(inner.distribution.body) == 24 // size * (2 + 4 * (4 + 1) + 1)
    assert with_inner(inner) is None


def test_loops_of_nests_that_follow_one_another_are_a_batch_that_nothing_ties() -> None:
    """Each nest would move all lines that it uses; whether that is much is for others to say."""
    source = scop("for b in range(9):\n    X[b, 0] = Y[b, 0]\n    Z[b, 1] = X[b, 0] * 2", X=(9, 2), Y=(9, 2), Z=(9, 2))
    [group] = independent(dependences(source))
    assert (group.lines, group.tied) == ((("X", 0),), False)
    assert is_same(source, rewritten(source, [f"{BATCHES}4"]))


#: What normalises each row by its sum, in variables and in rows of local arrays.
ROWS = """
void rows(float x[N][M], float y[N][M])
{
    for (int i = 0; i < N; i++) {
        float s = 0, e[M];
        for (int j = 0; j < M; j++) {
            e[j] = x[i][j] * 2;
            s += e[j];
        }
        for (int j = 0; j < M; j++)
            y[i][j] = e[j] / s;
        for (int j = 1; j < M; j++)
            x[i][j] = x[i][j - 1] + y[i][j];
    }
}
"""


def rows(folder: Path, n: int, m: int) -> Path:
    path = folder / "rows.c"
    path.write_text(f"#define N {n}\n#define M {m}\n{ROWS}")
    return path


@pytest.mark.parametrize("size", [1, 3, 4])
def test_variables_have_places_for_the_iterations_of_a_batch(size: int, tmp_path: Path) -> None:
    """Rows that stay in an iteration have windows that are neither filled nor written back, in place of all of them."""
    path = rows(tmp_path, 7, 4)
    source = read(path)
    assert independent(dependences(source)) == ()  # all rows wait for the variable
    found = promises.run(rewritten(source, [f"{BATCHES}{size}"]))
    assert {a.extents for a in found.arrays if a.role is Role.LOCAL} == {(size, 4), (7,)}
    assert compiled(found, path, tmp_path) == "equal"


def test_batches_around_everything_are_offered_where_nests_then_move_far_less(tmp_path: Path) -> None:
    target, last = make_target(load_device("u200")), "x[i][j] = x[i][j - 1] + y[i][j];"
    again = f"{last}\n        for (int j = 1; j < M; j++)\n            y[i][j] = y[i][j - 1] * x[i][j];"
    for text, names in ((ROWS, []), (ROWS.replace(last, again), ["batches"])):
        path = rows(tmp_path, 4096, 2048)
        path.write_text(path.read_text().replace(ROWS, text))
        assert [kernel.name for kernel in for_large_arrays(load_kernels(Source(str(path))), target)[0]] == names
    assert not for_large_arrays(load_kernels(Source(str(rows(tmp_path, 64, 64)))), target)[0]
