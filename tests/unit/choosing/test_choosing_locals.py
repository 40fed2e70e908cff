"""Local arrays that are larger than the memory on chip: what is told where no form has them in blocks."""

from __future__ import annotations

from pathlib import Path

import pytest

import sisyphus as sisy
from sisyphus import part_search
from sisyphus.errors import KernelError, NothingFits
from sisyphus.request import Kernel, Request
from sisyphus.space import Space

#: The first element needs the last one, so that all are kept; 33 MB in between.
ROWS = """
#define H 2048
#define W 4096
void rows(const float x[H][W], float y[H][W])
{
    static float t[H][W];
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++)
            t[i][j] = 0.5f * x[i][j];
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++)
            y[i][j] = t[i][j] + t[H - 1 - i][W - 1 - j];
}
"""


def test_a_local_array_without_room_may_be_an_argument(tmp_path: Path) -> None:
    path = tmp_path / "rows.c"
    path.write_text(ROWS)
    with pytest.raises(NothingFits) as caught:
        sisy.optimize(path, effort=1, cache=False)
    assert caught.value.hint is not None
    assert caught.value.hint.endswith("make `t` an argument and say `--local t`: it is in memory then, not on chip")
    path.write_text(
        ROWS.replace("float y[H][W])", "float y[H][W], float t[H][W])").replace("    static float t[H][W];\n", "")
    )
    design = sisy.optimize(sisy.read(path, temporaries=["t"]), effort=1, cache=False, verify=False)
    assert design.outcome is not None and design.outcome.objective is not None


def test_a_form_whose_tiles_cannot_be_counted_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its loops may bound each other where those of the source do not."""
    space_of = part_search.space_of

    def refusing(kernel: Kernel, request: Request) -> Space:
        if kernel.rewrites or kernel.expanded:
            raise KernelError("too many iterations together")
        return space_of(kernel, request)

    monkeypatch.setattr(part_search, "space_of", refusing)
    path = tmp_path / "sums.c"
    path.write_text(
        "void sums(const float a[64][64], float s[64]) {\n  for (int i = 0; i < 64; i++) {\n    float t = 0;\n"
        "    for (int j = 0; j < 64; j++) t += a[i][j];\n    s[i] = t;\n  }\n}\n"
    )
    design = sisy.optimize(path, effort=1, cache=False, verify=False)
    assert not design.point.rewrites and not design.point.expanded
