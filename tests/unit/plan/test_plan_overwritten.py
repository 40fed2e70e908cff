"""What is said of a tile without isl is what isl says of it."""

from __future__ import annotations

import random

import pytest
from builders import scop
from random_kernels import random_kernel, random_point

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.errors import SisyphusError
from sisyphus.ir import Scop
from sisyphus.plan import build_plan, overwritten

SHIFTED = """
for t in range(3):
    for i in range(1, 9):
        for j in range(6):
            C[t, i, j + 2] = A[j, i - 1] * c
for i in range(8):
    for j in range(8):
        D[i, j] = A[i, j] * c
    E[i, i] = B[i] * c
"""


def _ask_both(monkeypatch: pytest.MonkeyPatch, kernel: Scop, seed: int, count: int) -> list[tuple[bool, bool]]:
    """(filled as is seen at once, written first as isl finds) for the tiles of some random points."""
    rng, distribution, found = random.Random(seed), distribute(kernel, dependences(kernel)), list[tuple[bool, bool]]()
    fills, written_first = overwritten._fills, overwritten._written_first
    at_once: list[bool] = []
    monkeypatch.setattr(overwritten, "_fills", lambda *given: at_once.append(fills(*given)))

    def by_isl(*given: object) -> bool:
        found.append((at_once[-1], written_first(*given)))  # type: ignore[arg-type]
        return found[-1][1]

    monkeypatch.setattr(overwritten, "_written_first", by_isl)
    for _ in range(count):
        try:
            build_plan(kernel, distribution, liveness(kernel), random_point(rng, kernel, distribution))
        except SisyphusError:
            continue
    monkeypatch.undo()
    return found


def test_boxes_are_seen_to_be_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = scop(SHIFTED, A=(8, 8), B=(8,), C=(3, 9, 8), D=(8, 8), E=(8, 8))
    found = _ask_both(monkeypatch, kernel, 1, 30)
    assert (True, True) in found
    assert (True, False) not in found


@pytest.mark.parametrize("seed", range(12))
def test_nothing_else_is(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    assert (True, False) not in _ask_both(monkeypatch, random_kernel(random.Random(seed)), seed, 6)
