"""Tiles and columns of beats, one after another in memory: which plans have them, what they move, what is no proof."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from itertools import pairwise, product
from math import prod

import pytest
from builders import scop
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_points import buffer, nest, planned, same_result

from sisyphus.algebra import EXACT
from sisyphus.analysis import dependences
from sisyphus.errors import KernelError
from sisyphus.ir import Scop
from sisyphus.model import estimate
from sisyphus.model.facts.moves import move_of
from sisyphus.plan import Plan, beats, bursts_of, dump, in_memory, layout_extents
from sisyphus.poly import Affine, const
from sisyphus.space import COLUMNS, PACKED, PADDED, DesignPoint, TransferPoint
from sisyphus.target import load_device, make_target
from sisyphus.verification import prove

GEMM = """
for i in range(20):
    for j in range(22):
        for k in range(24):
            C[i, j] += A[i, k] * B[k, j]
"""


def gemm() -> Scop:
    return scop(GEMM, C=(20, 22), A=(20, 24), B=(24, 22))


def tiled(**packed: int) -> DesignPoint:
    """Tiles of 8 rows (the last one of 4) and 10 columns (the last one of 2); beats of packed arrays."""
    tiles = {"i": (3, 1, 8), "j": (3, 10, 1), "k": (4, 1, 6)}
    buffers = (buffer("C", "S0", "j", 8, 1), buffer("A", "S0", "k", 8, 1), buffer("B", "S0", "k", 1, 1))
    moved = tuple(TransferPoint(f"{array}@S0", width, layout=PACKED) for array, width in packed.items())
    return DesignPoint("built", (nest("S0", "ijk", "j", **tiles),), buffers, moved)


def test_a_tile_is_one_run_with_rows_of_whole_beats() -> None:
    plan = planned(gemm(), tiled(A=4, B=8, C=1))
    assert same_result(gemm(), plan) == []
    assert prove(plan, dependences(gemm())).passed
    ports = {port.name: port for port in plan.ports}
    assert (ports["A"].tile, layout_extents(ports["A"]), beats(ports["A"])) == ((8, 6), (3, 4, 8, 8), 12 * 8 * 2)
    assert (ports["B"].tile, layout_extents(ports["B"])) == ((6, 10), (4, 3, 6, 16))
    assert "port in float A[20][24] width 4 bundle A packed in 8x6" in dump(plan)
    moves = {transfer.id: move_of(plan, transfer) for transfer in plan.transfers}
    assert {move.bursts for move in moves.values()} == {1}
    assert moves["load_A_S0"].beats == 16 and moves["load_B_S0"].beats == 12
    plain = planned(gemm(), tiled())
    assert {move_of(plain, transfer).bursts for transfer in plain.transfers} == {8, 6}


@settings(derandomize=True, max_examples=80, deadline=None, database=None)
@given(st.data())
def test_every_element_has_a_place_of_its_own(data: st.DataObject) -> None:
    """The tile at each origin begins where memory has it, by the numbers of tiles before it."""
    dims = data.draw(st.integers(2, 3))
    extents = [data.draw(st.integers(1, 9)) for _ in range(dims)]
    tile = [data.draw(st.integers(1, extent)) for extent in extents]
    counts = [-(-extent // size) for extent, size in zip(extents, tile, strict=True)]
    plan = planned(gemm(), tiled(A=1))
    held, port = plan.buffer("buf_A_S0"), next(p for p in plan.ports if p.name == "A")
    at = [data.draw(st.integers(0, count - 1)) for count in counts]
    begin = tuple(Affine.of(((f"t{d}", size),), 0) for d, size in enumerate(tile))
    held = replace(held, origin=begin, extents=tuple(tile))
    lying = in_memory(EXACT, held, replace(port, extents=tuple(extents), tile=tuple(tile)), 1)
    number = 0
    for index, count in zip(at, counts, strict=True):
        number = number * count + index
    assert lying.origin[0].evaluate({f"t{d}": index for d, index in enumerate(at)}) == number * tile[0]
    assert (lying.extents, lying.held) == ((prod(counts) * tile[0], *tile[1:]), tuple(tile))


TWO = """
for i in range(20):
    for j in range(24):
        B[i, j] = A[i, j]
for i in range(20):
    for j in range({columns}):
        D[i, j] = A[i, {column}]
"""


def two_nests(columns: int, column: str, rows: int, width: int) -> tuple[Scop, DesignPoint]:
    """Two nests with tiles of A, one of 5 x 6."""
    kernel = scop(TWO.format(columns=columns, column=column), A=(20, 24), B=(20, 24), D=(20, columns))
    nests = (
        nest("S0", "ij", "j", i=(4, 1, 5), j=(4, 6, 1)),
        nest("S1", "ij", "j", i=(20 // rows, 1, rows), j=(columns // width, width, 1)),
    )
    held = (("A", "S0"), ("A", "S1"), ("B", "S0"), ("D", "S1"))
    moved = tuple(TransferPoint(f"A@{s}", 2, layout=PACKED) for s in ("S0", "S1"))
    return kernel, DesignPoint("built", nests, tuple(buffer(a, s, "j", 5, 1) for a, s in held), moved)


def test_all_nests_have_tiles_of_one_grid() -> None:
    kernel, point = two_nests(24, "j", 5, 6)
    plan = planned(kernel, point)
    assert same_result(kernel, plan) == [] and prove(plan, dependences(kernel)).passed


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((24, "j", 10, 6), "transfers move tiles of 5x6 and 10x6"),
        ((18, "j + 3", 5, 6), "which is no multiple of 6"),
        ((18, "22 - j", 5, 6), "which is no multiple of 6"),
        ((12, "2 * j", 5, 6), "transfers move tiles of 5x6 and 5x11"),
    ],
)
def test_tiles_off_the_grid_are_refused(given: tuple[int, str, int, int], message: str) -> None:
    kernel, point = two_nests(*given)
    with pytest.raises(KernelError, match=message):
        planned(kernel, point)


def test_one_port_and_one_beat() -> None:
    point = tiled(A=4)
    dealt = tuple(replace(t, ports=("A_0", "A_1")) for t in point.transfers)
    with pytest.raises(KernelError, match="only an array of several dimensions, with one port"):
        planned(gemm(), replace(point, transfers=dealt))
    kernel, both = two_nests(24, "j", 5, 6)
    first, second = both.transfers
    with pytest.raises(KernelError, match="beats of one width, not of 2 and 4"):
        planned(kernel, replace(both, transfers=(first, replace(second, width=4))))
    with pytest.raises(KernelError, match="one layout, not as `packed`, `padded`"):
        planned(kernel, replace(both, transfers=(first, replace(second, layout=PADDED))))


@pytest.mark.parametrize(
    ("shift", "told"),
    [(1, "begins at 8*i0 + 1, which is no multiple of 8"), (8, "outside of 20"), (-8, "outside of 20")],
)
def test_a_tile_at_another_place_is_no_proof(shift: int, told: str) -> None:
    good = planned(gemm(), tiled(A=4))
    found = prove(_shifted(good, shift), dependences(gemm()))
    [failed] = [check for check in found.checks if check.name == "beats"]
    assert not failed.passed and told in failed.detail


def _shifted(plan: Plan, shift: int) -> Plan:
    """The tiles of A, so many rows further down."""
    held = plan.buffer("buf_A_S0")
    other = replace(held, origin=(held.origin[0] + shift, *held.origin[1:]))
    return replace(plan, buffers=tuple(other if b is held else b for b in plan.buffers))


def in_columns_of(**beats: int) -> DesignPoint:
    """The same tiles of 8 x 8 and 8 x 6, and 6 x 8, of arrays in columns of such beats."""
    tiles = {"i": (3, 1, 8), "j": (3, 8, 1), "k": (3, 1, 8)}
    buffers = (buffer("C", "S0", "j", 8, 2), buffer("A", "S0", "k", 8, 2), buffer("B", "S0", "k", 1, 2))
    moved = tuple(TransferPoint(f"{array}@S0", width, layout=COLUMNS) for array, width in beats.items())
    return DesignPoint("built", (nest("S0", "ijk", "j", **tiles),), buffers, moved)


def test_columns_of_beats_are_the_runs_of_a_tile() -> None:
    """However many rows a tile has; and a tile may begin in any of them."""
    plan = planned(gemm(), in_columns_of(A=4, B=8, C=2))
    assert same_result(gemm(), plan) == []
    assert prove(plan, dependences(gemm())).passed
    ports = {port.name: port for port in plan.ports}
    assert (ports["A"].tile, layout_extents(ports["A"]), beats(ports["A"])) == ((20, 4), (1, 6, 20, 4), 120)
    assert (ports["C"].tile, layout_extents(ports["C"]), beats(ports["C"])) == ((20, 2), (1, 11, 20, 2), 220)
    assert "port in float A[20][24] width 4 bundle A columns in 20x4" in dump(plan)
    moves = {transfer.id: move_of(plan, transfer) for transfer in plan.transfers}
    assert {name: (move.bursts, move.beats) for name, move in moves.items()} == {
        "load_C_S0": (4, 32),
        "store_C_S0": (4, 32),
        "load_A_S0": (2, 16),
        "load_B_S0": (1, 8),
    }
    told = estimate(plan, make_target(load_device("u200"))).constructs
    assert "transfer-by-columns" in {construct for each in told.values() for construct in each}


@settings(derandomize=True, max_examples=120, deadline=None, database=None)
@given(st.data())
def test_runs_are_counted_as_addresses_lie(data: st.DataObject) -> None:
    """Of a box of whole beats: as many as there are gaps between the addresses of its beats, and one."""
    rows = [data.draw(st.integers(1, 6)) for _ in range(data.draw(st.integers(1, 2)))]
    width, columns = data.draw(st.sampled_from([1, 2, 4])), data.draw(st.integers(1, 5))
    extents = (*rows, columns * width - data.draw(st.integers(0, width - 1)))
    size = [data.draw(st.integers(1, extent)) for extent in (*rows, columns)]
    first = [data.draw(st.integers(0, e - s)) for e, s in zip((*rows, columns), size, strict=True)]
    plan = planned(gemm(), in_columns_of(A=4))
    port = replace(next(p for p in plan.ports if p.name == "A"), extents=extents, tile=(*rows, width), width=width)
    held = replace(
        plan.buffer("buf_A_S0"),
        origin=(*map(const, first[:-1]), const(first[-1] * width)),
        extents=(*size[:-1], min(size[-1] * width, extents[-1] - first[-1] * width)),
    )
    lying = in_memory(EXACT, held, port, width)
    places = list(product(*(range(f, f + s) for f, s in zip(first, size, strict=True))))
    at = sorted(reduce(lambda number, d: number * rows[d] + place[d], range(len(rows)), place[-1]) for place in places)
    assert bursts_of(EXACT, lying.held, lying.extents) == 1 + sum(b - a > 1 for a, b in pairwise(at))
    start, memory = 0, lying.extents
    for index, extent in zip(lying.origin, memory, strict=True):
        start = start * extent + index.constant
    assert start == at[0] * width


def test_columns_are_of_several_rows_and_of_one_beat() -> None:
    row = scop("for j in range(24):\n    y[j] = y[j] * 2", y=(24,))
    tile = DesignPoint("built", (nest("S0", "j", "j", j=(3, 8, 1)),), (buffer("y", "S0", "j", 1),))
    with pytest.raises(KernelError, match="`y` cannot lie in columns: an array of one dimension is one row"):
        planned(row, replace(tile, transfers=(TransferPoint("y@S0", 2, layout=COLUMNS),)))
    kernel, both = two_nests(24, "j", 5, 6)
    first, second = (replace(t, layout=COLUMNS) for t in both.transfers)
    with pytest.raises(KernelError, match="beats of one width, not of 1 and 2"):
        planned(kernel, replace(both, transfers=(first, replace(second, width=1))))
    with pytest.raises(KernelError, match="one layout, not as `columns`, `padded`"):
        planned(kernel, replace(both, transfers=(first, replace(second, layout=PADDED))))
    with pytest.raises(KernelError, match="does not divide the last dimension"):
        planned(kernel, replace(both, transfers=(replace(first, width=4), replace(second, width=4))))
