"""Which forms come first where values of every iteration do not fit on chip: those without them, then blocks."""

from __future__ import annotations

from pathlib import Path

from sisyphus.kernel_forms import load_kernels
from sisyphus.parts import Parts
from sisyphus.request import Request, Source
from sisyphus.target import load_device, make_target

#: What each pair of boxes has in common: values that may be computed where they are read.
OVERLAP = """
void overlap(const float lo[N], const float hi[N], float m[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float from = lo[i] > lo[j] ? lo[i] : lo[j];
            float to = hi[i] < hi[j] ? hi[i] : hi[j];
            m[i][j] = to > from ? to - from : 0.0f;
        }
}
"""
#: Three sums over the window of every point, whose values the last statement needs.
WINDOWS = """
void windows(const float a[N + 2][N + 2], const float b[N + 2][N + 2], float r[N][N])
{
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            float sa = 0, sb = 0, sab = 0;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    sa += a[y + i][x + j];
                    sb += b[y + i][x + j];
                    sab += a[y + i][x + j] * b[y + i][x + j];
                }
            r[y][x] = sab * 9 - sa * sb;
        }
}
"""
#: Three colours of each pixel, made of three.
COLOURS = """
void colours(const float in[N][N][3], const float m[3][3], float out[N][N][3])
{
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            for (int c = 0; c < 3; c++) {
                float s = 0;
                for (int d = 0; d < 3; d++)
                    s += m[c][d] * in[y][x][d];
                out[y][x][c] = s;
            }
}
"""


def forms_of(text: str, folder: Path, n: int = 4096) -> list[str]:
    """The names of the forms in the order in which they are searched."""
    path = folder / "kernel.c"
    path.write_text(f"#define N {n}\n{text}")
    source = Source(str(path))
    request = Request(source, make_target(load_device("u200"), budget="chip"))
    parts = Parts(load_kernels(source), request, None, best=lambda: None)
    return list(dict.fromkeys(part.kernel.name for part in parts))


def test_values_that_need_no_place_come_before_blocks_of_them(tmp_path: Path) -> None:
    names = forms_of(OVERLAP, tmp_path)
    assert names[0] == "inlined" and names.index("blocks") < names.index("expanded")


def test_sums_in_blocks_are_one_nest_first(tmp_path: Path) -> None:
    names = forms_of(WINDOWS, tmp_path)
    assert names.index("blocks-fused") < names.index("blocks") < names.index("expanded")


def test_where_all_values_fit_they_need_no_blocks(tmp_path: Path) -> None:
    assert not {"blocks", "blocks-fused"} & {*forms_of(WINDOWS, tmp_path, 64)}


def test_sums_are_written_out_where_their_values_leave_no_room(tmp_path: Path) -> None:
    """Those of a whole picture do not fit."""
    small, large = (forms_of(COLOURS, tmp_path, n) for n in (64, 2048))
    assert (small[0], "sums-written-out" in small) == ("expanded", False)
    assert large[0] == "sums-written-out"
