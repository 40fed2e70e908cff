"""Time steps in strips of rows: which loops have them, that they compute the same, and that wrong ones are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import brute
import pytest
from brute import is_same
from builders import scop

from sisyphus.analysis import LoopKind, dependences, distribute
from sisyphus.errors import KernelError
from sisyphus.forms import ScheduleError, order_in_strips, rewritten, steps_of_rows, strips
from sisyphus.forms.strips import Strips, in_strips
from sisyphus.frontend import read
from sisyphus.ir import Read, Role, Scop, promises
from sisyphus.ir.scop_text import dump
from sisyphus.search import fit_together, most_elements
from sisyphus.search.packing import fits_alone
from sisyphus.target import load_device, make_target

KERNELS = Path(__file__).parents[3] / "kernels" / "polybench"
JACOBI = """
for t in range(6):
    for i in range(1, 9):
        for j in range(1, 5):
            B[i, j] = A[i - 1, j] + A[i, j - 1] + A[i + 1, j + 1]
    for i in range(1, 9):
        for j in range(1, 5):
            A[i, j] = B[i - 1, j] + B[i, j] + B[i + 1, j]
"""


def jacobi() -> Scop:
    return scop(JACOBI, A=(10, 6), B=(10, 6))


def test_a_strip_fills_its_windows_runs_its_steps_and_writes_them_back() -> None:
    found = in_strips(dependences(jacobi()), Strips(3, 4))
    assert found is not None
    promises.run(found)
    windows = [(str(a.id), a.extents) for a in found.arrays if a.role is Role.LOCAL]
    assert windows == [("A_1", (11, 6)), ("B_1", (11, 6))]
    lines = dump(found).splitlines()
    heads = [line for line in lines if " at (" in line]
    assert [head.split(" at ")[1] for head in heads] == [
        "(0, 0, 0, 0, 0)",
        "(0, 0, 1, 0, 0)",
        "(0, 0, 2, 0, 0)",
        "(0, 0, 3, 0, 0)",
        "(0, 0, 6, 0, 0, 0)",
        "(0, 0, 6, 1, 0, 0)",
        "(0, 0, 11, 0, 0)",
        "(0, 0, 12, 0, 0)",
    ]
    assert any("A_1[i_block_0][i_block_1]: float = A_1[i_block_0 + 4][i_block_1]" in line for line in lines)
    assert any("A_1[i_block_0][i_block_1]: float = A[4*i_block + i_block_0 - 7][i_block_1]" in line for line in lines)


@pytest.mark.parametrize("sizes", [Strips(2, 3), Strips(3, 4)])
def test_time_does_not_move_the_subscripts_of_windows(sizes: Strips) -> None:
    """So that each copy of a body, unrolled over rows, has the same banks in every step."""
    found = in_strips(dependences(jacobi()), sizes)
    assert found is not None
    steps = [s for s in found.statements if "t" in s.iterators]
    assert len(steps) == 2
    for ref in (ref for s in steps for ref in (s.write, *s.reads)):
        assert ref.array in ("A_1", "B_1") and ref.index[0].names == {"i"}


@pytest.mark.parametrize("sizes", [Strips(2, 3), Strips(3, 1), Strips(4, 5), Strips(6, 20)])
def test_strips_compute_the_same(sizes: Strips) -> None:
    """Whether they divide the steps and the rows or not."""
    found = in_strips(dependences(jacobi()), sizes)
    assert found is not None and is_same(jacobi(), found)
    assert is_same(jacobi(), rewritten(jacobi(), [f"strips {sizes}"]))


@pytest.mark.parametrize(
    ("name", "sizes", "shifts", "skew"),
    [
        ("jacobi-2d", ("TSTEPS=4", "N=8"), [0, 1], 2),
        ("heat-3d", ("TSTEPS=3", "N=6"), [0, 1], 2),
        ("seidel-2d", ("TSTEPS=4", "N=8"), [0], 1),
        ("fdtd-2d", ("TMAX=4", "NX=7", "NY=5"), [0, 0, 0, 1], 1),
    ],
)
def test_strips_of_kernels_move_as_far_as_their_reach(
    name: str, sizes: tuple[str, ...], shifts: list[int], skew: int
) -> None:
    kernel = read(KERNELS / f"{name}.c", defines=sizes)
    steps = steps_of_rows(kernel)
    assert steps is not None
    assert (list(steps.shift.values()), steps.skew) == (shifts, skew)
    found = in_strips(dependences(kernel), Strips(2, 3))
    assert found is not None and is_same(kernel, found)


@pytest.mark.parametrize("name", ["adi", "floyd-warshall", "lu", "gemm", "durbin", "jacobi-1d", "gramschmidt"])
def test_other_kernels_have_none(name: str) -> None:
    kernel = read(KERNELS / f"{name}.c")
    assert steps_of_rows(kernel) is None
    assert in_strips(dependences(kernel), Strips(2, 8)) is None
    with pytest.raises(KernelError, match="has no strips of 8 rows"):
        rewritten(kernel, ["strips 2x8"])


@pytest.mark.parametrize(("less_shift", "less_skew"), [(0, 1), (1, 0)])
def test_strips_that_move_too_little_are_refused(
    less_shift: int, less_skew: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_little(*given: Any) -> tuple[dict[Any, int], int]:
        shift, skew = moves(*given)
        return {name: max(by - less_shift, 0) for name, by in shift.items()}, skew - less_skew

    moves = strips._moves
    monkeypatch.setattr(strips, "_moves", too_little)
    assert in_strips(dependences(jacobi()), Strips(3, 4)) is None


def test_windows_have_as_many_elements_as_there_are() -> None:
    steps = steps_of_rows(jacobi())
    assert steps is not None
    found = steps.within(100)
    assert found is not None and len(steps.window(found)) * steps.row_elements <= 100
    assert steps.within(40) is None  # a strip of one row has windows of five in two steps


def test_every_row_is_loaded_and_written_back_once_in_a_block() -> None:
    """What two strips touch slides to where the next one has it."""
    found = in_strips(dependences(jacobi()), Strips(3, 4))
    assert found is not None
    copies = [s for s in found.statements if isinstance(s.rhs, Read)]
    rows = 10
    for array in ("A", "B"):
        loads = [s for s in copies if str(s.rhs.ref.array) == array]  # type: ignore[union-attr]
        stores = [s for s in copies if str(s.write.array) == array]
        assert [len(list(brute.points(s))) for s in (*loads, *stores)] == [2 * rows * 6] * 2


def test_least_effort_is_few_rows_moved_and_few_calls() -> None:
    steps = steps_of_rows(scop(JACOBI, A=(10, 4096), B=(10, 4096)))
    assert steps is not None
    few, many = Strips(2, 4), Strips(3, 4)
    assert steps.effort(many) < steps.effort(few)  # fewer blocks, each of which moves all rows
    assert steps.effort(Strips(3, 1)) > steps.effort(many)  # more strips, each of which calls the nests of every step


@pytest.mark.parametrize("text", ["", "3", "3x", "0x4", "axb", "1x2x3"])
def test_sizes_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(KernelError, match="no sizes of strips"):
        rewritten(jacobi(), [f"strips {text}"])


@pytest.mark.parametrize(("uram", "fits"), [(0, False), (8, True)])
def test_arrays_fit_together_in_both_kinds_of_memory(uram: int, *, fits: bool) -> None:
    """Two arrays of 30,720 words take 60 BRAM18 or 8 URAM each."""
    arrays = scop(JACOBI, A=(10, 3072), B=(10, 3072)).arrays
    target = make_target(load_device("u200"))
    assert fit_together(target.memories, arrays, 8, (70, uram)) == fits


def test_the_largest_array_on_chip_is_known() -> None:
    target = make_target(load_device("u200"))
    blocks = target.budget.bram18k, target.budget.uram
    most = most_elements(target.memories, 32, target.max_partition, blocks, 1 << 40)
    assert fits_alone(target.memories, most, 32, target.max_partition, blocks)
    assert not fits_alone(target.memories, most + 1, 32, target.max_partition, blocks)
    assert most_elements(target.memories, 32, target.max_partition, (0, 0), 1 << 40) < 1 << 20
    assert 5000 <= most_elements(target.memories, 32, target.max_partition, blocks, 5000) < most
    assert most_elements(target.memories, 32, target.max_partition, (1 << 40, 1 << 40), 5000) < 10_000  # and soon


SEIDEL = """
for t in range(4):
    for i in range(1, 9):
        for j in range(1, 7):
            A[i, j] = A[i - 1, j + 1] + A[i, j - 1] + A[i, j] + A[i + 1, j - 1]
"""


@pytest.mark.parametrize("sizes", [Strips(2, 3), Strips(3, 5), Strips(4, 20)])
def test_strips_run_in_another_order_of_the_kernel(sizes: Strips) -> None:
    """As wavefronts, whose times have nothing of the strip that they are in."""
    found = dependences(scop(SEIDEL, A=(10, 8)))
    wave = "{ S0[t, i, j] -> [3t + 2i + j, t, i] }"
    order = order_in_strips(found, sizes, wave)
    assert order is not None and "2*i + j + 3*t - " in order
    kernel = rewritten(found.scop, [f"strips {sizes}", f"schedule {order}"])
    assert is_same(found.scop, kernel)
    [nest] = [n for n in distribute(kernel, dependences(kernel)).nests if len(n.band) == 3]
    assert [loop.kind for loop in nest.band] == [LoopKind.SEQUENTIAL, LoopKind.PARALLEL, LoopKind.PARALLEL]


def test_rows_that_depend_on_each_other_in_one_step_are_a_chain() -> None:
    """Their waves go through all rows of a window, so that strips of more rows take less effort."""
    chain, free = steps_of_rows(scop(SEIDEL, A=(10, 8))), steps_of_rows(jacobi())
    assert chain is not None and free is not None
    assert chain.is_chain and not free.is_chain
    assert chain.effort(Strips(4, 8)) < chain.effort(Strips(4, 2)) / 2


def test_an_order_of_another_program_is_refused_in_strips_too() -> None:
    found = dependences(scop(SEIDEL, A=(10, 8)))
    order = order_in_strips(found, Strips(2, 3), "{ S0[t, i, j] -> [t, j, i] }")
    assert order is not None
    with pytest.raises(ScheduleError, match="another program"):
        rewritten(found.scop, ["strips 2x3", f"schedule {order}"])


def test_an_order_that_cuts_a_statement_has_no_strips() -> None:
    found = dependences(scop(SEIDEL, A=(10, 8)))
    halves = "{ S0[t, i, j] -> [t, 0, i, j] : i < 4; S0[t, i, j] -> [t, 1, i, j] : i >= 4 }"
    assert order_in_strips(found, Strips(2, 3), halves) is None
    assert (
        order_in_strips(dependences(scop("for i in range(4):\n    A[i] = 0.0", A=(4,))), Strips(2, 3), halves) is None
    )


#: The new values in an array of the kernel alone, and how much counts of each neighbour, which no step changes.
WEIGHTED = """
for t in range(6):
    for i in range(1, 9):
        for j in range(1, 5):
            r[i, j] = A[i - 1, j] * U[i - 1, j] + A[i, j - 1] * U[i + 1, j]
    for i in range(2, 9):
        for j in range(1, 5):
            A[i, j] = r[i - 1, j] + r[i, j]
"""
GRID = {"A": (10, 6), "U": (10, 6), "r": (10, 6)}


def local_windows(found: Scop, name: str) -> list[str]:
    """The statements that move an array, or a window of it, elsewhere."""
    copies = [s for s in found.statements if isinstance(s.rhs, Read) and s.iterators[-1].startswith("i_block")]
    return [f"{s.write.array} = {s.rhs.ref.array}" for s in copies if str(s.write.array).startswith(name)]  # type: ignore[union-attr]


@pytest.mark.parametrize("sizes", [Strips(2, 3), Strips(3, 1), Strips(4, 5), Strips(6, 20)])
def test_local_arrays_of_one_step_slide_on_chip_and_what_is_read_is_loaded_once(sizes: Strips) -> None:
    kernel = scop(WEIGHTED, **GRID)
    steps = steps_of_rows(kernel)
    assert steps is not None and [a.id for a in steps.arrays] == ["A", "r", "U"]
    found = in_strips(dependences(kernel), sizes)
    assert found is not None
    promises.run(found)
    assert is_same(kernel, found)
    assert set(local_windows(found, "r")) <= {"r_1 = r_1"}
    assert "U_1 = U" in local_windows(found, "U") and local_windows(found, "U = ") == []
    assert "A = A_1" in local_windows(found, "A")


PLANES = """
for t in range(6):
    for i in range(1, 9):
        for j in range(1, 5):
            G[0, i, j] = F[0, i, j] + F[2, i - 1, j]
            G[1, i, j] = F[1, i, j - 1] + F[0, i, j]
            G[2, i, j] = F[2, i, j + 1] + F[1, i + 1, j]
    for i in range(1, 9):
        for j in range(1, 5):
            F[0, i, j] = G[1, i, j] + G[2, i - 1, j]
            F[1, i, j] = G[0, i, j]
            F[2, i, j] = G[2, i + 1, j]
"""


@pytest.mark.parametrize("sizes", [Strips(2, 3), Strips(3, 1), Strips(4, 5), Strips(6, 20)])
def test_rows_are_of_the_first_dimension_that_some_loop_goes_through(sizes: Strips) -> None:
    """Arrays with a plane for each of many fields have windows of the same rows of each plane; of few, one for each."""
    kernel = scop(PLANES, F=(3, 10, 6), G=(5, 10, 6))
    steps = steps_of_rows(kernel)
    assert steps is not None and set(steps.dim.values()) == {1}
    found = in_strips(dependences(kernel), sizes)
    assert found is not None
    promises.run(found)
    assert is_same(kernel, found)
    rows = len(steps.window(sizes))
    assert [a.extents for a in found.arrays if a.role is Role.LOCAL] == [(rows, 6)] * 3 + [(5, rows, 6)]


@pytest.mark.parametrize(
    ("old", "new", "arrays"),
    [
        ("r[i - 1, j] + r[i, j]", "r[i - 1, j] + r[i - 2, j]", None),  # a row that no step gives a value
        ("for t in range(6):\n", "for i in range(10):\n    r[i, 0] = U[i, 0]\nfor t in range(6):\n", None),
        ("            A[i, j] =", "            r[0, j] = A[i, j]\n            A[i, j] = r[0, j] +", None),
        ("U[i + 1, j]", "U[j + 1, i]", ["A", "r"]),  # rows of another kind
        ("U[i + 1, j]", "U[i + t - 6, j]", ["A", "r"]),  # other rows in each step
    ],
)
def test_which_arrays_are_in_strips(old: str, new: str, arrays: list[str] | None) -> None:
    assert old in WEIGHTED
    kernel = scop(WEIGHTED.replace(old, new), **(GRID | {"U": (16, 16)}))
    steps = steps_of_rows(kernel)
    assert (None if steps is None else [a.id for a in steps.arrays]) == arrays
    if steps is not None:
        found = in_strips(dependences(kernel), Strips(2, 3))
        assert found is not None and is_same(kernel, found)


def test_there_are_no_strips_of_all_rows() -> None:
    steps = steps_of_rows(jacobi())
    assert steps is not None
    rows = max(array.extents[0] for array in steps.arrays)
    assert steps.within(steps.row_elements * (rows - 1)) is not None
    assert steps.within(steps.row_elements * rows) is None
