"""Tiles that grow to whole beats: what they hold beside is loaded and stored as it was, and the proof sees it."""

from __future__ import annotations

from dataclasses import replace

import spoil
from builders import scop
from plan_interpreter import differences, run_plan, run_source, some_memory

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.backends.hls.top_function import print_kernel
from sisyphus.ir import ArrayId, Scop
from sisyphus.plan import Direction, For, Plan, build_plan
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


COLUMNS = """
for k in range({low}, {low} + 20):
    for i in range(3):
        Q[i, k - {low}] = A[i, k - {low}] * s
    for i in range(3):
        for j in range(k - {low} + 1, 20):
            A[i, j] = A[i, j] - Q[i, k - {low}] * R[2 * k - 2 * {low} + 1]
"""


def columns(low: int = 0) -> tuple[Scop, Plan]:
    """Column k of two arrays in the beats that it lies in; k begins at `low`, in the first column."""
    kernel = scop(COLUMNS.format(low=low), A=(3, 20), Q=(3, 20), R=(42,))
    found = dependences(kernel)
    first, second = distribute(kernel, found).nests
    nests = (
        NestPoint(first.statements, ("i",), (("i", Tile(3, 1, 1)),), None),
        NestPoint(second.statements, ("i", "j"), (("i", Tile(3, 1, 1)), ("j", Tile(1, 19, 1))), "j"),
    )
    used = [
        ("A", nests[0], "i"),
        ("Q", nests[0], "i"),
        ("A", nests[1], "i"),
        ("Q", nests[1], "k"),
        ("R", nests[1], "k"),
    ]
    buffers = tuple(BufferPoint(ArrayId(a), (n.id,), at, (1,) if a == "R" else (1, 1)) for a, n, at in used)
    widths = {"A": 4, "Q": 8, "R": 4}
    layouts = {"A": "plain", "Q": "padded", "R": "padded"}
    transfers = tuple(TransferPoint(b.id, widths[b.array], layout=layouts[b.array]) for b in buffers)
    point = DesignPoint("built", nests, buffers, transfers)
    return kernel, build_plan(kernel, distribute(kernel, found), liveness(kernel), point)


def test_a_column_that_an_outer_loop_moves_is_held_in_the_beat_that_it_lies_in() -> None:
    kernel, plan = columns()
    origins = {b.id: (str(b.origin[-1]), b.extents[-1]) for b in plan.buffers}
    assert origins["buf_Q_S0"] == ("8*k_by8", 8) and origins["buf_A_S0"] == ("4*k_by4", 4)
    assert origins["buf_R_S1"] == ("8*k_by4", 8)
    memory = some_memory(kernel)
    assert differences(kernel, run_source(kernel, memory), run_plan(plan, memory)) == []
    assert prove(plan, dependences(kernel), liveness(kernel)).passed


def test_only_quotients_that_something_asks_for_are_printed() -> None:
    """A variable that nothing reads is a warning, and so an error of verification."""
    _, plan = columns()
    [loop] = plan.body
    assert isinstance(loop, For)
    more = replace(loop, quotients=(*loop.quotients, ("k_by2", 2)))
    text = print_kernel(replace(plan, body=(more,))).source
    assert "const int k_by8 = k / 8;" in text and "k_by2" not in text


def test_loops_of_one_name_print_the_quotients_that_their_own_calls_ask_for() -> None:
    """Two loops over j in ludcmp: tiles of the second one are as wide as their array, and ask for none."""
    _, plan = columns()
    [loop] = plan.body
    assert isinstance(loop, For)
    text = print_kernel(replace(plan, body=(loop, replace(loop, body=())))).source
    assert text.count("for (int k = ") == 2 and text.count("const int k_by8 = k / 8;") == 1


def test_quotients_below_zero_are_rounded_down() -> None:
    """C rounds to zero: `-7 / 4` is -1 there, and the beat another one."""
    kernel, plan = columns(-7)
    assert print_kernel(plan).source.count("_by4 = floor_div(k, 4);") == 1
    memory = some_memory(kernel)
    assert differences(kernel, run_source(kernel, memory), run_plan(plan, memory)) == []
    assert prove(plan, dependences(kernel), liveness(kernel)).passed


def test_the_other_columns_of_a_beat_have_to_be_loaded() -> None:
    kernel, plan = columns()
    wrong = spoil.drop_copies(plan, "Q", Direction.LOAD)
    assert any("data of Q" in check.name for check in prove(wrong, dependences(kernel), liveness(kernel)).failures)


def test_what_is_stored_beside_a_tile_has_to_be_loaded() -> None:
    kernel, plan = grown()
    wrong = spoil.drop_copies(plan, "B", Direction.LOAD)
    assert any("data of B" in check.name for check in prove(wrong, dependences(kernel), liveness(kernel)).failures)
