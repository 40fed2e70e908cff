"""Chains through several statements: by hand, and never longer than what running every instance finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from sisyphus.analysis import Dependences, dependences, longest_chain
from sisyphus.frontend import read
from sisyphus.ir import Ref, Scop, Statement
from sisyphus.poly import each_point

KERNELS = Path(__file__).parents[3] / "kernels" / "polybench"
MOST = 5_000


def weight(statement: Statement, ref: Ref, again: bool) -> int:
    """Other cycles for every read, one less in a row, so that ways are told apart."""
    return 10 * (1 + statement.reads.index(ref)) - again


def by_running(scop: Scop) -> int:
    """The longest chain of all, by running every instance in the order of the source."""
    runs = []
    for statement in scop.statements:
        for point in each_point(statement.domain, MOST):
            values = [point[name] for name in statement.iterators]
            places = [*zip(statement.position, values, strict=False)]
            runs.append(([n for pair in places for n in pair] + [statement.position[-1]], statement, point))
    runs.sort(key=lambda run: run[0])
    written: dict[tuple[object, ...], int] = {}
    for _, statement, point in runs:
        reads = [(ref, element(ref, point)) for ref in statement.reads]
        waits = [written[place] + weight(statement, ref, False) for ref, place in reads if place in written]
        written[element(statement.write, point)] = max(waits, default=0)
    return max(written.values())


def element(ref: Ref, point: dict[str, int]) -> tuple[object, ...]:
    return ref.array, *(i.constant + sum(factor * point[n] for n, factor in i.terms) for i in ref.index)


def kernel(name: str, *defines: str) -> Dependences:
    return dependences(read(str(KERNELS / f"{name}.c"), defines=defines))


def written(text: str, tmp_path: Path) -> Dependences:
    (tmp_path / "k.c").write_text(text)
    return dependences(read(str(tmp_path / "k.c")))


SIZES = {
    "adi": ("TSTEPS=3", "N=7"),
    "cholesky": ("N=9",),
    "deriche": ("W=6", "H=5"),
    "durbin": ("N=12",),
    "fdtd-2d": ("TMAX=4", "NX=5", "NY=6"),
    "gramschmidt": ("M=5", "N=6"),
    "jacobi-1d": ("TSTEPS=6", "N=9"),
    "lu": ("N=9",),
    "ludcmp": ("N=9",),
    "seidel-2d": ("TSTEPS=3", "N=7"),
    "trisolv": ("N=12",),
}


@pytest.mark.parametrize("name", SIZES)
def test_a_chain_is_no_longer_than_running_finds(name: str) -> None:
    found = kernel(name, *SIZES[name])
    assert longest_chain(found, weight)[0] <= by_running(found.scop)


def test_rows_of_sums_that_wait_for_one_another_add_up() -> None:
    found = kernel("durbin", "N=12")
    cycles, around = longest_chain(found, lambda s, ref, again: int(again))
    rows = sum(k - 1 for k in range(2, 12))  # in step k, the row of k sums has k - 1 that wait for the one before
    assert cycles == rows and "S5" in around


def test_each_step_waits_for_all_sums_of_the_step_before(tmp_path: Path) -> None:
    """A state that a full matrix makes anew: a round ends with one of its elements, which the next sums begin with."""
    found = written(
        """void k(const float w[5][5], float h[5]) { float s[5]; for (int t = 0; t < 4; t++) {
        for (int i = 0; i < 5; i++) { s[i] = 0.0f; for (int j = 0; j < 5; j++) s[i] += w[i][j] * h[j]; }
        for (int i = 0; i < 5; i++) h[i] = s[i] * 2.0f; } }""",
        tmp_path,
    )
    rounds, rows = (
        3,
        3 * 4,
    )  # in every step but the first, a sum of five has four additions that wait for the one before
    assert longest_chain(found, lambda s, ref, again: int(again))[0] == rows
    assert longest_chain(found, lambda s, ref, again: 1)[0] == 2 * rounds + rows
    assert longest_chain(found, weight)[0] <= by_running(found.scop)


def test_two_arrays_that_are_made_of_each_other_in_turn(tmp_path: Path) -> None:
    found = written(
        """void k(float a[20], float b[20]) { for (int t = 0; t < 30; t++) {
        for (int i = 1; i < 19; i++) b[i] = a[i]; for (int i = 1; i < 19; i++) a[i] = b[i] * 2.0f; } }""",
        tmp_path,
    )
    assert longest_chain(found, lambda s, ref, again: 1)[0] == 2 * 29


def test_nothing_goes_around_where_each_round_is_its_own(tmp_path: Path) -> None:
    found = written(
        "void k(float y[8], float x[8]) { float s; for (int i = 0; i < 8; i++) { s = x[i]; y[i] = s * 2.0f; } }",
        tmp_path,
    )
    assert longest_chain(found, lambda s, ref, again: 1) == (0, ())


def test_a_value_that_is_overwritten_between_is_no_wait(tmp_path: Path) -> None:
    found = written(
        """void k(float y[8], const float x[8]) { float s = 0.0f;
        for (int i = 0; i < 8; i++) { s = s + x[i]; y[i] = s; s = x[i]; } }""",
        tmp_path,
    )
    assert longest_chain(found, lambda s, ref, again: 1) == (0, ())
