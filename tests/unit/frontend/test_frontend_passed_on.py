"""Locals of which copies alone are read before they are written: accepted where nothing else sees what they pass on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import sisyphus as sisy
from sisyphus.errors import KernelError
from sisyphus.frontend.c import passed_on
from sisyphus.ir import Scop
from sisyphus.poly import IslError

#: Two lines of a picture and a window of it, which hold nothing as the first pixels come.
LINES = """
void blur(const unsigned char in[8][9], unsigned char out[8][9])
{
    unsigned char line[2][9], win[3][3];
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 9; x++) {
            for (int r = 0; r < 3; r++) { win[r][0] = win[r][1]; win[r][1] = win[r][2]; }
            win[0][2] = line[0][x];
            win[1][2] = line[1][x];
            win[2][2] = in[y][x];
            line[0][x] = line[1][x];
            line[1][x] = in[y][x];
            if (y >= 2 && x >= 2) {
                int s = 0;
                for (int r = 0; r < 3; r++)
                    for (int c = 0; c < 3; c++) s += win[r][c];
                out[y - 1][x - 1] = s / 9;
            }
        }
}
"""
DELAYS = """
void differences(const float x[20], float y[20])
{
    float one, two;
    for (int n = 0; n < 20; n++) {
        if (n >= 2) y[n] = x[n] - two;
        two = one;
        one = x[n];
    }
}
"""


@pytest.mark.parametrize(("text", "names"), [(LINES, ["line", "win"]), (DELAYS, ["one"])], ids=["lines", "delays"])
def test_what_only_copies_see_is_filled_with_zeros(kernel: Callable[..., Scop], text: str, names: list[str]) -> None:
    scop = kernel(text)
    assert [s.write.array for s in scop.statements[: len(names)]] == names
    assert (
        f"filled with zeros, of which copies are made that nothing else reads: {', '.join(map('`{}`'.format, names))}"
        in (scop.notes)
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("y >= 2 && x >= 2", "y >= 1 && x >= 2"),  # the first line is seen one row too early
        ("y >= 2 && x >= 2", "y >= 2 && x >= 1"),  # the window still has the end of the row before
        ("win[0][2] = line[0][x];", "win[0][2] = line[0][x] + 1;"),  # computed with, if for nothing
        ("line[0][x] = line[1][x];", "line[0][x] = line[1][x]; out[0][0] = line[0][x];"),
    ],
    ids=["a row early", "a column early", "computed with", "handed out"],
)
def test_what_is_seen_is_refused(kernel: Callable[..., Scop], old: str, new: str) -> None:
    with pytest.raises(KernelError) as refused:
        kernel(LINES.replace(old, new))
    [fault] = refused.value.diagnostics
    assert (fault.rule, fault.message) == ("uninitialised", "local `line[0][0]` is read before it is written")


def test_where_isl_gives_up_it_is_refused(kernel: Callable[..., Scop], monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(*_: object) -> None:
        raise IslError("too long")

    monkeypatch.setattr(passed_on, "followed", gives_up)
    with pytest.raises(KernelError) as refused:
        kernel(DELAYS)
    assert [fault.rule for fault in refused.value.diagnostics] == ["uninitialised"]


def test_designs_of_such_a_kernel_are_the_source_bit_for_bit(tmp_path: Path) -> None:
    path = tmp_path / "blur.c"
    path.write_text(LINES)
    design = sisy.optimize(sisy.read(path), effort=2, cache=False)
    assert design.verdict is not None and design.verdict.passed
