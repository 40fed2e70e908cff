"""Statements that mean something else under conditions on loops: their cases, and when these are too many."""

from __future__ import annotations

from pathlib import Path

import pytest
from compiled_scops import kernel_at, run

from sisyphus.errors import KernelError
from sisyphus.frontend import read
from sisyphus.frontend.c.emitter import MOST_CASES

CLAMPED = """
#define AT(y, x) a[(y) < 0 ? 0 : (y) > 5 ? 5 : (y)][(x) < 0 ? 0 : (x) > 5 ? 5 : (x)]
void kernel(const float a[6][6], float b[6][6])
{
    for (int y = 0; y < 6; y++)
        for (int x = 0; x < 6; x++)
            b[y][x] = AT(y - 1, x) + AT(y + 1, x) + AT(y, x - 1) + AT(y, x + 1) - 4.0f * a[y][x];
}
"""


def test_conditions_that_hold_in_all_iterations_of_a_case_make_no_more_cases(tmp_path: Path) -> None:
    """Of ten conditions, most hold nowhere or follow from others: sixteen cases, one for each side of four."""
    path = kernel_at(tmp_path, CLAMPED)
    found = read(path)
    assert len(found.statements) <= 16
    assert run(found, path, tmp_path) == "equal"


def test_what_a_case_never_reads_may_be_beyond_an_array(tmp_path: Path) -> None:
    """Of the second choice the first condition has said that it never holds, so that no place is left to ask about."""
    value = "(i + 1 < 6 ? a[i + 1][j] : 0) + (i + 1 < 6 && j + 1 < 6 ? a[i + 1][j + 1] : 1)"
    loops = "for (int i = 0; i < 6; i++) for (int j = 0; j < 6; j++)"
    path = kernel_at(tmp_path, f"void kernel(const int a[6][6], int b[6][6])\n{{\n{loops} b[i][j] = {value};\n}}\n")
    found = read(path)
    assert len(found.statements) == 3
    assert run(found, path, tmp_path) == "equal"


@pytest.mark.parametrize("conditions", [MOST_CASES, MOST_CASES + 1])
def test_so_many_conditions_that_hold_here_and_not_there_are_enough(conditions: int, tmp_path: Path) -> None:
    reads = " + ".join(f"a[i > {5 * at} ? i - {at + 1} : {at}]" for at in range(conditions))
    path = kernel_at(
        tmp_path, f"void kernel(const float a[99], float b[99])\n{{\nfor (int i = 0; i < 99; i++) b[i] = {reads};\n}}\n"
    )
    if conditions <= MOST_CASES:
        assert len(read(path).statements) == conditions + 1
    else:
        with pytest.raises(KernelError, match="too many cases"):
            read(path)
