"""Arrays of which several nests have tiles: packed in the design that was found, where that is legal and faster."""

from __future__ import annotations

from dataclasses import replace

import pytest
from plan_points import buffer, nest
from unit.search.measured_designs import Full, measured_space

from sisyphus.errors import KernelError
from sisyphus.search import Judged, polished
from sisyphus.space import COLUMNS, PACKED, DesignPoint, Space, TransferPoint, apply_fixes

TWO = """
for i in range(20):
    for j in range(24):
        B[i, j] = A[i, j]
for i in range(20):
    for j in range(24):
        D[i, j] = A[i, j] * 2
"""


def polish(rows: int, *fixes: str) -> tuple[DesignPoint, float | None, Space]:
    """A design with tiles of A of 5 x 8 elements in one nest and `rows` x 8 in the other; its cycles if less."""
    space = apply_fixes(measured_space(TWO, dict.fromkeys("ABD", (20, 24))), fixes)
    full = Full(space)

    def judge(point: DesignPoint) -> Judged:
        try:
            return full.judge(point)
        except KernelError:
            return Judged(None, {})

    tiles = {"S0": 5, "S1": rows}
    nests = tuple(nest(s, "ij", "j", i=(20 // n, 1, n), j=(3, 8, 1)) for s, n in tiles.items())
    held = tuple(buffer(a, s, "j", tiles[s], 1) for a, s in (("A", "S0"), ("A", "S1"), ("B", "S0"), ("D", "S1")))
    moved = tuple(TransferPoint(b.id, 4) for b in held)
    found, cycles = polished(space, DesignPoint("built", nests, held, moved), judge)
    return found, cycles, space


@pytest.mark.parametrize(("rows", "packed"), [(5, ["A", "A", "B", "D"]), (10, ["B", "D"])])
def test_tiles_of_one_grid_are_packed(rows: int, packed: list[str]) -> None:
    found, cycles, space = polish(rows)
    assert [t.buffer[0] for t in found.transfers if t.layout == PACKED] == packed
    in_rows = replace(found, transfers=tuple(replace(t, layout="plain") for t in found.transfers))
    before = Full(space).judge(in_rows).cycles
    assert cycles is not None and before is not None and cycles < before


def test_tiles_that_are_not_alike_are_turned() -> None:
    """Five and ten rows of two beats: as many bursts in rows, two in columns of beats."""
    found, _, _ = polish(10)
    assert [t.buffer for t in found.transfers if t.layout == COLUMNS] == ["A@S0", "A@S1"]


def test_what_is_fixed_stays() -> None:
    found, cycles, _ = polish(5, "*.layout=plain")
    assert cycles is None and {t.layout for t in found.transfers} == {"plain"}
