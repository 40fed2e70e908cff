"""Loops over sets with holes: bounds enclose the holes, and no loop has more iterations than it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from sisyphus import kernel_forms, request
from sisyphus.plan import For, build_plan, walk
from sisyphus.space import KERNEL_PLACE, BufferPoint, DesignPoint, NestPoint, Tile
from sisyphus.verification import prove

ODD = """void k(short E[20][5], double y) {
  for (int i = 1; i < 3; i++)
    for (int j = i + 4; j >= 2; j -= 2)
      for (int m = i; m < 5; m++)
        if (j - 6 + m < 0) E[j + 10][m] = y;
}"""


@pytest.mark.parametrize("order", ["imj", "mij", "ijm"])
def test_no_loop_has_more_iterations_than_it_says(order: str, tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(ODD)
    kernel = kernel_forms.load_kernels(request.Source(str(tmp_path / "k.c")))[0]
    [nest] = kernel.distribution.nests
    tiles = tuple(
        (b.iterator, Tile(1, 1, b.trip_count) if b.iterator == "j" else Tile(b.trip_count, 1, 1)) for b in nest.band
    )
    point = DesignPoint(
        kernel.scop.name,
        (NestPoint(nest.statements, tuple(order), tiles, None),),
        tuple(BufferPoint(a.id, (nest.id,), KERNEL_PLACE, (1, 1)) for a in kernel.scop.arrays),
    )
    plan = build_plan(kernel.scop, kernel.distribution, kernel.live, point)
    verdict = prove(plan, kernel.dependences, kernel.live)
    assert verdict.passed, verdict.failures
    assert any(isinstance(n, For) and n.trip_count > 1 for n in walk(plan.tasks[0].body))
