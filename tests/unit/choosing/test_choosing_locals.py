"""Local arrays that are larger than the memory on chip: they lie in memory where no form has them in blocks."""

from __future__ import annotations

from pathlib import Path

import pytest

import sisyphus as sisy
from sisyphus import part_search
from sisyphus.errors import KernelError
from sisyphus.request import Kernel, Request
from sisyphus.space import Space

#: One space is enough.
FIXED = ["*.ports=1", "adders=dsp"]
#: The first element needs the last one, so that all are kept.
ROWS = """
#define N 512
void mirrored(const float x[N], float y[N])
{
    static float t[N];
    for (int i = 0; i < N; i++)
        t[i] = 0.5f * x[i];
    for (int i = 0; i < N; i++)
        y[i] = t[i] + t[N - 1 - i];
}
"""


@pytest.mark.long
def test_a_local_array_without_room_is_in_memory(tmp_path: Path) -> None:
    path, out, target = tmp_path / "rows.c", tmp_path / "out", sisy.board(mem="1KB")
    path.write_text(ROWS)
    found = sisy.optimize(path, target, fix=FIXED, effort=0.5, cache=False, verify=False)
    assert any("no room for `t`: in memory" in note for note in found.notes)
    assert any(port.name == "t" for port in found.plan.ports)
    asked = sisy.optimize(sisy.read(path, temporaries=["t"]), target, fix=FIXED, effort=0.5, cache=False, verify=False)
    assert found.point == asked.point and not any("no room" in note for note in asked.notes)
    found.save(out)
    assert sisy.estimate(path, out, target).estimate.cycles == found.estimate.cycles
    assert sisy.verify(out).verdict.passed
    kernel = (out / "kernel.cpp").read_text(), sisy.emit(path, out, target).files["kernel.cpp"]
    assert kernel[0] == kernel[1]


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
