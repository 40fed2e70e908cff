"""Spaces in which updated tiles are stored late: searched where their transfers take much of a design, and kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.choosing.small_kernels import asked, read

from sisyphus import beside
from sisyphus.choice import find
from sisyphus.part_search import Choice
from sisyphus.request import Request, estimate_of, space_of_point
from sisyphus.slow_transfers import is_held_by_updates
from sisyphus.space import stores_late

#: Rows that do not fit on chip together, with enough to do for each of them.
SWEEPS = """
void sweeps(float A[256][256], const float u[256], const float v[256]) {
  for (int k = 0; k < 24; k++)
    for (int i = 0; i < 256; i++)
      for (int j = 0; j < 256; j++)
        A[i][j] = A[i][j] * u[i] + v[j];
}
"""


def sweeps(folder: Path, *fixes: str) -> tuple[Request, Choice]:
    request = asked(folder, SWEEPS, budgets={"onchip_bytes": 100_000}, fixes=("adders=fabric", *fixes))
    return request, find(read(request), request)


@pytest.mark.long
def test_tiles_are_stored_late_where_that_is_faster(tmp_path: Path) -> None:
    request, choice = sweeps(tmp_path, "A.ports=4")
    late = estimate_of(choice.kernel, choice.point, request.target).cycles
    nests = choice.kernel.distribution.nests
    assert stores_late(choice.kernel.scop, nests, choice.point)
    assert not is_held_by_updates(choice.kernel, choice.point, request.target)  # nothing is left to store late
    assert space_of_point(choice.kernel, request, choice.point).options.late  # what is near it is looked for there
    _, other = sweeps(tmp_path, "A.ports=4", "S0.ahead=no", "A.layout=plain")
    assert not stores_late(choice.kernel.scop, nests, other.point)
    assert is_held_by_updates(other.kernel, other.point, request.target)
    assert late < 0.9 * estimate_of(other.kernel, other.point, request.target).cycles


@pytest.mark.long
def test_no_space_has_them_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "is_held_by_updates", lambda *_: False)
    _, choice = sweeps(tmp_path, "A.ports=4")
    assert not stores_late(choice.kernel.scop, choice.kernel.distribution.nests, choice.point)
    _, asked_for = sweeps(tmp_path, "S0.ahead=yes", "S0.A.place=i")
    assert stores_late(choice.kernel.scop, choice.kernel.distribution.nests, asked_for.point)
