"""Tiles that grow to whole beats: what they hold beside is loaded and stored as it was, and the proof sees it."""

from __future__ import annotations

import spoil
from builders import scop
from plan_interpreter import differences, run_plan, run_source, some_memory

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.ir import ArrayId, Scop
from sisyphus.plan import Direction, Plan, build_plan
from sisyphus.space import BufferPoint, DesignPoint, NestPoint, Tile, TransferPoint
from sisyphus.verification.proof import prove

STENCIL = """
for i in range(1, 5):
    for j in range(1, 33):
        B[i, j] = A[i, j - 1] + A[i, j] + A[i, j + 1]
"""


def grown(width: int = 8) -> tuple[Scop, Plan]:
    """Tiles of 16 columns from column 1 on, in beats that begin at column 0."""
    kernel = scop(STENCIL, A=(6, 34), B=(6, 34))
    statement = kernel.statements[0].id
    nest = NestPoint((statement,), ("i", "j"), (("i", Tile(4, 1, 1)), ("j", Tile(2, 16, 1))), "j")
    buffers = tuple(BufferPoint(ArrayId(a), (nest.id,), "j", (1, 1)) for a in "AB")
    layout = "plain" if width == 1 else "padded"
    transfers = tuple(TransferPoint(b.id, width, layout=layout) for b in buffers)
    found = dependences(kernel)
    point = DesignPoint("built", (nest,), buffers, transfers)
    return kernel, build_plan(kernel, distribute(kernel, found), liveness(kernel), point)


def test_a_tile_that_begins_at_1_is_held_in_whole_beats() -> None:
    kernel, plan = grown()
    held = plan.buffer("buf_B_S0")
    assert str(held.origin[1]) == "16*j0" and held.extents == (1, 24)
    memory = some_memory(kernel)
    assert differences(kernel, run_source(kernel, memory), run_plan(plan, memory)) == []
    assert prove(plan, dependences(kernel), liveness(kernel)).passed


def test_beats_of_one_element_hold_the_tile_alone() -> None:
    _, plan = grown(width=1)
    assert plan.buffer("buf_B_S0").extents == (1, 16)
    assert not any(t.direction is Direction.LOAD and t.array == "B" for t in plan.transfers)


def test_what_is_stored_beside_a_tile_has_to_be_loaded() -> None:
    kernel, plan = grown()
    wrong = spoil.drop_copies(plan, "B", Direction.LOAD)
    assert any("data of B" in check.name for check in prove(wrong, dependences(kernel), liveness(kernel)).failures)
