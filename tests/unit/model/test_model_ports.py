"""An array over several ports: stripes side by side, a share of the banks, and what each port takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from builders import scop
from plain_points import pipelined_point

from sisyphus.algebra import EXACT
from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.errors import KernelError
from sisyphus.ir import ArrayId, StmtId
from sisyphus.model import Estimate, estimate
from sisyphus.model.area.arrays import ArrayCosts
from sisyphus.model.area.movers import mover_ff, mover_lut, mover_of
from sisyphus.model.facts.task_facts import Move
from sisyphus.model.formulas.bank_waits import busiest, waits_for_banks, waits_for_beats
from sisyphus.model.limit import limit_of
from sisyphus.plan import build_plan
from sisyphus.space import (
    KERNEL_PLACE,
    STREAM,
    BufferPoint,
    DesignPoint,
    NestPoint,
    Tile,
    TransferPoint,
    port_names,
)
from sisyphus.target import load_device, make_target

SHAPE = (64, 256)
KERNEL = scop(
    "for i in range(64):\n    for j in range(256):\n        C[i, j] = A[i, j] + B[i, j]", A=SHAPE, B=SHAPE, C=SHAPE
)
TARGET = make_target(load_device("u200"), budget="chip")


def point_with(ports: dict[str, int]) -> DesignPoint:
    """Arrays in banks for four ports, with beats as wide as they allow, and a copy of the body for each stripe."""
    point = pipelined_point(KERNEL, distribute(KERNEL, dependences(KERNEL)))
    [nest] = point.nests
    point = point.with_nest(replace(nest, tiles=(nest.tiles[0], ("j", Tile(1, 64, 4)))))
    buffers = tuple(replace(b, partition=(1, 32)) for b in point.buffers)
    moved = [(b.id, ports.get(b.array, 1)) for b in buffers]
    transfers = tuple(TransferPoint(b, 16 * n, port_names(b, n), form=STREAM) for b, n in moved)
    return replace(point, buffers=buffers, transfers=transfers)


def cost_of(ports: dict[str, int]) -> Estimate:
    found = distribute(KERNEL, dependences(KERNEL))
    return estimate(build_plan(KERNEL, found, liveness(KERNEL), point_with(ports)), TARGET)


def terms(cost: Estimate) -> dict[str, float]:
    return {term.name: float(term.value) for step in cost.sums["cycles"].children for term in step.children}


def test_beats_of_all_ports_travel_at_once() -> None:
    one, two = cost_of({}), cost_of({"C": 2})
    assert one.cycles - two.cycles == 64 * 256 // 16 - 64 * 256 // 32
    assert two.bram18k == one.bram18k + 30 and two.is_trusted and one.is_trusted


def test_a_bank_moves_for_one_port_at_a_time() -> None:
    """A over two ports, B and C have four banks; over four, A has one of them together with B."""
    moves = {count: terms(cost_of({"A": count})) for count in (2, 4)}
    beats = 64 * 256 // 16
    assert moves[2]["banks shared"] == 0
    own = beats // 4 + (moves[4]["load_B"] - beats)
    assert moves[4]["banks shared"] == own + beats - moves[4]["load_B"] == beats // 4


#: Six arrays that pass through one port each, so that banks of a U200 have two of them, and one that is written.
SUM = scop(
    "for i in range(4096):\n    G[i] = A[i] + B[i] + C[i] + D[i] + E[i] + F[i]", **dict.fromkeys("ABCDEFG", (4096,))
)


@pytest.mark.parametrize(("board", "beats"), [("u200", 2 * 256), ("u55c", 256), ("pynq-z2", 7 * 2048 // 4)])
def test_rtl_takes_no_less_than_the_busiest_bank(board: str, beats: int) -> None:
    target = make_target(load_device(board), budget="chip")
    found, width = distribute(SUM, dependences(SUM)), target.port_bits // 32
    point = pipelined_point(SUM, found)
    [nest] = point.nests
    point = point.with_nest(replace(nest, tiles=(("i", Tile(1, 4096 // width, width)),)))
    moved = tuple(TransferPoint(b.id, width, port_names(b, 1), form=STREAM) for b in point.buffers)
    point = replace(point, buffers=tuple(replace(b, partition=(width,)) for b in point.buffers), transfers=moved)
    live = liveness(SUM)
    cost = estimate(build_plan(SUM, found, live, point), target)
    assert cost.rtl[1] >= limit_of(SUM, dependences(SUM), live, target).memory
    waits = sum(t.rtl for step in cost.sums["cycles"].children for t in step.children if t.name == "busiest bank")
    assert cost.rtl[1] >= beats and (waits > 0) == (board != "u55c")


def test_the_busiest_bank_has_all_that_lies_in_it() -> None:
    banks = {"A": (0,), "B": (1,), "C": (0, 1)}
    assert busiest([{"A": 5, "B": 3}, {"C": 4}], banks) == 9 and busiest([], banks) == 0


@pytest.mark.parametrize("ports", [1, 2, 4])
def test_the_search_counts_what_a_plan_costs(ports: int) -> None:
    array, width = ArrayId("A"), 16 * ports
    columns = [np.array([factor]) for factor in (1, 32)]
    rows = ArrayCosts(TARGET, KERNEL.array(array), SHAPE, columns, np.array([width]), np.array([True]))
    plain = replace(rows, widths=np.array([16]))
    found = {term.name: term.value for term in cost_of({"A": ports}).sums["bram18k"].leaves()}
    assert rows._with_fifo({n: np.zeros(1) for n in ("bram18k", "uram", "lut", "ff")})["bram18k"] == [15 * ports]
    assert found["load_A, FIFO of 512 bits"] == 15 * ports
    assert found["A, 512 bits"] == 30 * ports
    assert int(rows.transfer(is_load=True)[0]) == terms(cost_of({"A": ports, "B": ports}))["load_A"]
    for figure, moved in (("lut", mover_lut), ("ff", mover_ff)):
        [area] = [t.value for t in cost_of({"A": ports}).sums[figure].children if t.name == "transfers"]
        [others] = [t.value for t in cost_of({}).sums[figure].children if t.name == "transfers"]
        setting = rows._setting
        own = [sum(t.value for t in moved(setting, mover_of(setting, r._move(is_load=True)))) for r in (rows, plain)]
        assert area - others == own[0] - own[1]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"ports": ("A", "B")}, "one port, named like the array, or A_0, A_1 or A_0, A_1, A_2, A_3"),
        ({"width": 2}, "is not dealt evenly over 2 ports, several elements to each"),
        ({"width": 64}, "is wider than 512 bits for each port"),
        ({"buffer": "C", "ports": ("A_0", "A_1")}, "can be built"),
        ({"width": 16, "ports": ("A_0", "A_1"), "partition": (1, 9)}, "rows are in 9 banks"),
        ({"width": 16, "ports": ("A_0", "A_1"), "tile": Tile(1, 86, 3)}, "do not keep to the 2 stripes of `A`"),
    ],
)
def test_ports_that_cannot_be_built(change: dict[str, object], told: str) -> None:
    point, change = point_with({"A": 2}), dict(change)
    if "partition" in change:
        own = replace(point.buffers[0], partition=change.pop("partition"))  # type: ignore[arg-type]
        point = replace(point, buffers=(own, *point.buffers[1:]))
    if "tile" in change:
        [nest] = point.nests
        point = point.with_nest(replace(nest, tiles=(nest.tiles[0], ("j", change.pop("tile")))))  # type: ignore[arg-type]
    transfers = (replace(point.transfers[0], **change), *point.transfers[1:])  # type: ignore[arg-type]
    found = distribute(KERNEL, dependences(KERNEL))
    with pytest.raises(KernelError, match=told):
        build_plan(KERNEL, found, liveness(KERNEL), replace(point, transfers=transfers))


def test_a_transfer_waits_for_all_that_its_banks_move_for_others() -> None:
    own = [{"A": 100}, {"B": 30, "C": 20}, {}]
    assert waits_for_banks(own, {"A": (0, 1), "B": (1,), "C": (2,)}) == [30, 100, 0]


def tiles_of(arrays: str, ports: int, ahead: int = 1) -> Estimate:
    """Tiles of some rows of arrays that one nest reads, which travel side by side."""
    extents = {array: (64, 256 // ports if len(arrays) > 1 else 256) for array in arrays}
    last = extents[arrays[0]][1]
    read = " + ".join(f"{array}[i, j]" for array in arrays)
    kernel = scop(f"for i in range(64):\n    for j in range({last}):\n        Y[i] = Y[i] + {read}", **extents, Y=(64,))
    found = distribute(kernel, dependences(kernel))
    loops = (("i", Tile(8, 1, 8)), ("j", Tile(1, last // 4, 4)))
    one = NestPoint((StmtId("S0"),), ("i", "j"), loops, "j")
    stripes = ports if len(arrays) == 1 else 1
    held = tuple(BufferPoint(ArrayId(a), ("S0",), "i", (8, 8 * stripes), ahead) for a in arrays)
    out = BufferPoint(ArrayId("Y"), ("S0",), KERNEL_PLACE, (8,))
    names = port_names(arrays, stripes)
    moved = (TransferPoint(b.id, 16 * stripes, names if stripes > 1 else (), form=STREAM) for b in held)
    point = DesignPoint(kernel.name, (one,), (*held, out), tuple(moved))
    return estimate(build_plan(kernel, found, liveness(kernel), point), TARGET)


def test_a_tile_over_ports_takes_what_tiles_of_several_arrays_take() -> None:
    """Of as many arrays as there are ports, each with rows an n-th as long: cycles of transfers, memories and ports."""
    for ports, arrays in ((2, "AB"), (4, "ABCD")):
        one, many = tiles_of("A", ports), tiles_of(arrays, ports)
        own, others = (
            [t for t in cost.sums["cycles"].leaves() if t.rule == "beats x II" and t.value] for cost in (one, many)
        )
        assert own[0].value == others[0].value
        fifos = [
            sum(t.value for t in cost.sums["bram18k"].leaves() if "FIFO" in t.name or "512 bits" in t.name)
            for cost in (one, many)
        ]
        assert fifos[0] == fifos[1] == ports * 30 + ports * 15


def test_transfers_beside_one_over_ports_wait_for_its_beats() -> None:
    """And it for theirs: in a task it is not asked which banks they have."""
    moves = [Move(name, name, name, name, True, (), 16, 32, beats=beats) for name, beats in (("A", 100), ("B", 30))]
    assert waits_for_beats(EXACT, moves) == [None, None]
    dealt = [replace(moves[0], stripes=4), moves[1]]
    assert waits_for_beats(EXACT, dealt) == [30, 100]
    assert waits_for_beats(EXACT, [replace(dealt[0], active=False), moves[1]]) == [0, 0]
    assert waits_for_beats(EXACT, dealt[:1]) == [None]
    stored = replace(moves[1], is_load=False)
    assert waits_for_beats(EXACT, dealt[:1], [(stored, 12)], entries=4) == [90]  # three of them in each iteration
    assert waits_for_beats(EXACT, moves[:1], [(stored, 12)], entries=4) == [None]


@pytest.mark.parametrize("copies", [1, 2])
def test_banks_move_no_more_than_they_can_where_tiles_are_loaded_ahead_and_stored_late(copies: int) -> None:
    """The same four banks bring the tiles of one array and take those of the other: each beat in a cycle of its own."""
    kernel = scop(
        "for i in range(64):\n    for j in range(4096):\n        Y[i, j] = X[i, j] * 2", X=(64, 4096), Y=(64, 4096)
    )
    found, live = distribute(kernel, dependences(kernel)), liveness(kernel)
    loops = (("i", Tile(8, 1, 8)), ("j", Tile(1, 64, 64)))
    one = NestPoint((StmtId("S0"),), ("i", "j"), loops, "j")
    held = [BufferPoint(ArrayId(a), ("S0",), "i", (8, 64), copies) for a in "XY"]
    moved = [TransferPoint(b.id, 64, port_names(b.array, 4), form=STREAM) for b in held]
    point = DesignPoint(kernel.name, (one,), tuple(held), tuple(moved))
    cost = estimate(build_plan(kernel, found, live, point), TARGET)
    moves = [task.bytes_by_port for task in cost.study.tasks.values()]
    assert cost.cycles >= sum(sum(ports.values()) for ports in moves) // (4 * 64)
