"""Finished elements in an array of their own: what such forms look like, that results stay, and what has none."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import brute
import pytest
from builders import scop
from random_kernels import random_point

from sisyphus.analysis import dependences, distribute, liveness, statement_text
from sisyphus.backends.hls import project
from sisyphus.forms import FINISHED, LATCH, finished_apart, in_place, proposals, rewritten
from sisyphus.frontend import read
from sisyphus.ir import Role, Scop, promises
from sisyphus.ir.scop_text import dump
from sisyphus.kernel_forms import load_kernels
from sisyphus.plan import build_plan
from sisyphus.request import Source
from sisyphus.verification import verify

KERNELS = Path(__file__).parents[3] / "kernels" / "polybench"


def right_looking(name: str, size: int = 9) -> Scop:
    source = read(str(KERNELS / f"{name}.c"), defines=(f"N={size}",))
    found = dependences(source)
    return proposals(found, distribute(source, found))[0].scop


def is_same(one: Scop, other: Scop) -> bool:
    """What is finished is copied back whole: an element that no statement writes keeps what it had."""
    numbers: dict[object, int] = {}
    first, second = brute.results(one, numbers), brute.results(other, numbers)
    return all(first[at] == second.get(at, numbers.get(at)) for at in first)


@pytest.mark.parametrize(
    ("name", "statements", "of_before"),
    [
        ("trisolv", ["x_1[i] = b[i]", "x[j] = x_1[j] / L[j][j]", "x_1[i] = x_1[i] - L[i][j] * x[j]"], True),
        (
            "lu",
            [
                "A_1[i][k] = A[i][k] / A[k][k]",
                "A[i][j] = A[i][j] - A_1[i][k] * A[k][j]",
                "A[d0][d1] = A_1[d0][d1]",
            ],
            False,
        ),
        (
            "cholesky",
            [
                "A_1[k][k] = sqrt(A[k][k])",
                "A_1[i][k] = A[i][k] / A_1[k][k]",
                "A[i][j] = A[i][j] - A_1[i][k] * A_1[j][k]",
                "A[d0][d1] = A_1[d0][d1]",
            ],
            False,
        ),
    ],
)
def test_what_is_divided_last_is_finished(name: str, statements: list[str], of_before: bool) -> None:
    """Where the source gives every element a value first, the array of its own is for the values before."""
    source = right_looking(name)
    found = finished_apart(dependences(source))
    assert found is not None
    promises.run(found)
    assert [statement_text(s).replace("sqrtf", "sqrt") for s in found.statements] == statements
    assert [a.id for a in found.arrays if a.role is Role.LOCAL] == ["x_1" if of_before else "A_1"]
    assert is_same(source, found) and is_same(source, rewritten(source, [FINISHED, LATCH]))


def test_several_arrays_have_finished_elements() -> None:
    placed = in_place(dependences(read(str(KERNELS / "ludcmp.c"), defines=("N=7",))))
    assert placed is not None
    source = proposals(dependences(placed), distribute(placed, dependences(placed)))[0].scop
    found = finished_apart(dependences(source))
    assert found is not None
    promises.run(found)
    assert [a.id for a in found.arrays if a.role is Role.LOCAL] == ["A_1", "x_1"]
    assert is_same(source, found)


STEPS = """
void steps(float M[7][7])
{
    for (int s = 0; s < 7; s++) {
        for (int r = s + 1; r < 7; r++)
            M[r][s] /= M[s][s];
        for (int r = s + 1; r < 7; r++)
            for (int c = s + 1; c < 7; c++)
                M[r][c] -= M[r][s] * M[s][c];
    }
}
"""


def test_an_elimination_written_in_its_best_order_has_these_forms_too(tmp_path: Path) -> None:
    """No other order is better, so that nothing was latched: its update started every 14 cycles."""
    path = tmp_path / "steps.c"
    path.write_text(STEPS)
    kernels = load_kernels(Source(str(path)))
    assert [kernel.name for kernel in kernels][:4] == ["source", "latch", "finished", "panels"]
    source = kernels[0].scop
    for kernel in kernels[1:]:
        again = rewritten(source, kernel.rewrites)
        assert dump(again) == dump(kernel.scop)
        assert is_same(source, kernel.scop), kernel.name


def test_a_product_has_no_such_form() -> None:
    defines = ("NI=4", "NJ=5", "NK=6")
    assert [k.name for k in load_kernels(Source(str(KERNELS / "gemm.c"), defines=defines))] == ["source"]


SEVERAL_SIDES = """
for j in range(6):
    for r in range(3):
        R[r, j] = R[r, j] / U[j, j]
    for i in range(j + 1, 6):
        for r in range(3):
            R[r, i] -= R[r, j] * U[j, i]
"""


def test_several_right_hand_sides_in_place_are_copied_back() -> None:
    source = scop(SEVERAL_SIDES, U=(6, 6), R=(3, 6))
    found = finished_apart(dependences(source))
    assert found is not None
    assert [statement_text(s) for s in found.statements] == [
        "R_1[r][j] = R[r][j] / U[j][j]",
        "R[r][i] = R[r][i] - R_1[r][j] * U[j][i]",
        "R[d0][d1] = R_1[d0][d1]",
    ]
    assert is_same(source, found)
    assert liveness(found)["R"].load  # type: ignore[index]


@pytest.mark.parametrize(
    "text",
    [
        SEVERAL_SIDES + "for i in range(6):\n    R[0, i] = R[0, i] * 2",  # written once more
        SEVERAL_SIDES.replace("R[r, j] * U", "R[r, 5 - j] * U"),  # finished in the second half of the steps alone
        SEVERAL_SIDES.replace("R[r, j] * U", "U[r, j] * U"),  # nothing reads what is finished
        "for i in range(1, 6):\n    A[i] = A[i] + A[i - 1] * B[i]",  # nobody latches such a read
    ],
)
def test_what_is_not_finished_or_not_read_stays(text: str) -> None:
    arrays = {"A": (6,), "B": (6,)} if "A[i]" in text else {"U": (6, 6), "R": (3, 6)}
    assert finished_apart(dependences(scop(text, **arrays))) is None


def test_a_read_that_is_taken_for_one_of_finished_elements_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A read of both finished and other elements goes wrong if it is moved."""
    source = scop(SEVERAL_SIDES.replace("R[r, j] * U", "R[r, 5 - j] * U"), U=(6, 6), R=(3, 6))
    module = sys.modules[finished_apart.__module__]
    reads = [(s, a) for s in source.statements for a in s.accesses if str(a.ref) == "R[r][-j + 5]"]
    assert len(reads) == 1
    monkeypatch.setattr(module, "_reads_of_finished", lambda *_: reads)
    found = finished_apart(dependences(source))
    assert found is not None and not is_same(source, found)


@pytest.mark.parametrize("name", ["trisolv", "lu"])
def test_a_random_design_computes_what_the_source_does(name: str) -> None:
    kernels = load_kernels(Source(str(KERNELS / f"{name}.c"), defines=("N=13",)))
    form = next(kernel for kernel in kernels if FINISHED in kernel.rewrites)
    point = form.point(random_point(random.Random(7), form.scop, form.distribution))
    plan = build_plan(form.scop, form.distribution, form.live, point)
    verdict = verify(plan, project(plan), form.dependences, live=form.live)
    assert verdict.passed, verdict.failures
