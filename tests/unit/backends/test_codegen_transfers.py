"""Burst functions: every layout, width and partition moves exactly the elements inside the array."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

import pytest
from hand_plans import copy_plan, gemm_overlapped
from plain_points import pipelined_point

from sisyphus import kernel_forms, request
from sisyphus.backends.hls import project
from sisyphus.backends.hls.loop_bounds import narrowest
from sisyphus.errors import InternalError
from sisyphus.lint import lint_text
from sisyphus.plan import as_it_lies, build_plan
from sisyphus.plan.walks import Walk, is_clipped, settled, transfer_ranges, walk_of
from sisyphus.space import TransferPoint
from sisyphus.verification import run


@dataclass(frozen=True)
class Case:
    extents: tuple[int, ...]
    tile: tuple[int, ...]
    width: int = 1
    layout: str = "plain"
    partition: tuple[int, ...] | None = None
    shift: int = 0


CASES = {
    "one_row": Case((24,), (24,), 8),
    "one_row_in_tiles": Case((24,), (8,), 4),
    "ragged_tiles": Case((23,), (5,)),
    "whole_plane": Case((6, 8), (6, 8), 4, partition=(1, 4)),
    "whole_space": Case((3, 4, 10), (3, 4, 10), 2),
    "rows_of_a_plane": Case((7, 8), (2, 8), 8),
    "columns_of_a_plane": Case((6, 12), (6, 4), 4),
    "ragged_both_ways": Case((7, 10), (3, 4), 2),
    "middle_of_a_space": Case((4, 6, 5), (4, 4, 5)),
    "partition_without_power_of_two": Case((4, 12), (4, 12), 4, partition=(1, 6)),
    "two_lanes_of_three_banks": Case((5, 6), (5, 6), 2, partition=(1, 3)),
    "padded": Case((5, 7), (5, 7), 4, layout="padded"),
    "padded_in_tiles": Case((5, 13), (2, 8), 4, layout="padded"),
    "padded_row": Case((13,), (13,), 8, layout="padded"),
    "padded_row_shorter_than_a_beat": Case((3, 5), (3, 5), 8, layout="padded"),
    "padded_last_tile_hangs_over": Case((5, 21), (2, 8), 8, layout="padded"),
    "padded_with_lanes_written_out": Case((4, 27), (4, 27), 16, layout="padded", partition=(1, 10)),
    "padded_with_a_bank_for_every_element": Case((4, 11), (4, 11), 8, layout="padded", partition=(1, 11)),
    "packed": Case((8, 12), (2, 4), 4, layout="packed"),
    "packed_ragged_both_ways": Case((7, 10), (3, 4), 2, layout="packed"),
    "packed_with_rows_of_whole_beats": Case((7, 10), (3, 5), 4, layout="packed"),
    "packed_of_three_dimensions": Case((3, 5, 9), (2, 2, 5), 2, layout="packed", partition=(1, 1, 3)),
    "packed_of_one_tile": Case((5, 7), (5, 7), 4, layout="packed"),
    "columns": Case((8, 12), (2, 4), 4, layout="columns"),
    "columns_of_one_element": Case((5, 7), (2, 3), layout="columns"),
    "columns_as_high_as_the_array": Case((6, 12), (6, 4), 2, layout="columns", partition=(2, 1)),
    "columns_and_a_rest": Case((6, 13), (4, 8), 4, layout="columns", partition=(1, 3)),
    "columns_of_the_whole_array": Case((6, 13), (6, 13), 4, layout="columns", partition=(3, 4)),
    "columns_with_lanes_written_out": Case((4, 27), (4, 27), 16, layout="columns", partition=(1, 10)),
    "columns_of_three_dimensions": Case((3, 5, 9), (2, 2, 4), 2, layout="columns", partition=(1, 1, 3)),
    "columns_of_whole_planes": Case((5, 4, 9), (2, 4, 4), 2, layout="columns"),
    "columns_from_before_the_array": Case((8, 8), (4, 4), 2, layout="columns", shift=-2),
    "starts_before_the_array": Case((8, 8), (4, 4), 2, shift=-2),
    "single_element": Case((), ()),
}


@pytest.mark.parametrize("name", CASES)
def test_copies_every_element_once(name: str) -> None:
    case = CASES[name]
    plan = copy_plan(case.extents, case.tile, case.width, case.layout, case.partition, shift=case.shift)
    ran = run(project(plan), plan, sets=["random"])
    assert ran.passed, [c for c in ran.checks if not c.passed]


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.extents])
def test_a_stream_copies_every_element_once(name: str) -> None:
    case = CASES[name]
    plan = copy_plan(case.extents, case.tile, case.width, case.layout, case.partition, shift=case.shift, stream=True)
    ran = run(project(plan), plan, sets=["random"])
    assert ran.passed, [c for c in ran.checks if not c.passed]


@pytest.mark.parametrize(
    ("beats", "wrong"),
    [
        ("fifo.write(port[beat]);", "fifo.write(port[0]);"),
        ("= fifo.read();", "= fifo.read(); if (beat == 0) fifo.read();"),
    ],
)
def test_a_wrong_process_is_seen(beats: str, wrong: str) -> None:
    plan = copy_plan((24,), (24,), 8, stream=True)
    good = project(plan)
    kernel = good.files["kernel.cpp"]
    assert beats in kernel
    bad = replace(good, files={**good.files, "kernel.cpp": kernel.replace(beats, wrong)})
    assert not run(bad, plan, sets=["random"]).passed


def test_a_stream_is_two_processes_with_a_fifo(expect) -> None:  # type: ignore[no-untyped-def]
    text = project(copy_plan((6, 8), (6, 8), 4, partition=(1, 4), stream=True)).files["kernel.cpp"]
    assert lint_text(text) == ()
    expect(text[: text.index("static void store")], ".cpp")


def test_a_stream_of_a_clipped_tile(expect) -> None:  # type: ignore[no-untyped-def]
    """Each process is given the iterators that it needs."""
    text = project(copy_plan((7, 10), (3, 4), 2, stream=True)).files["kernel.cpp"]
    expect(text[: text.index("static void store")], ".cpp")


@pytest.mark.parametrize("seed", range(6))
def test_random_tiles_under_sanitizers(seed: int) -> None:
    rng = random.Random(seed)
    extents = tuple(rng.randint(1, 12) for _ in range(rng.randint(1, 3)))
    width = rng.choice([w for w in (1, 2, 4) if extents[-1] % w == 0])
    tile = tuple(rng.randint(1, e) for e in extents)
    tile = (*tile[:-1], min(extents[-1], -(-tile[-1] // width) * width))
    partition = tuple(rng.randint(1, t) for t in tile)
    plan = copy_plan(extents, tile, width, "plain", partition)
    ran = run(project(plan), plan, sets=["random"], sanitize=True)
    assert ran.passed, [c for c in ran.checks if not c.passed]


@pytest.mark.parametrize("seed", range(6))
def test_random_padded_tiles_under_sanitizers(seed: int) -> None:
    rng = random.Random(seed)
    extents = (*(rng.randint(1, 12) for _ in range(rng.randint(0, 2))), rng.randint(1, 40))
    width = rng.choice([2, 4, 8, 16])
    whole_rows = rng.random() < 0.5
    last = extents[-1] if whole_rows else width * rng.randint(1, -(-extents[-1] // width))
    tile = (*(rng.randint(1, e) for e in extents[:-1]), last)
    partition = tuple(rng.randint(1, t) for t in tile)
    plan = copy_plan(extents, tile, width, "padded", partition)
    ran = run(project(plan), plan, sets=["random"], sanitize=True)
    assert ran.passed, [c for c in ran.checks if not c.passed]


@pytest.mark.parametrize("seed", range(6))
def test_random_packed_tiles_under_sanitizers(seed: int) -> None:
    rng = random.Random(seed)
    extents = tuple(rng.randint(1, 12) for _ in range(rng.randint(2, 3)))
    tile = tuple(rng.randint(1, e) for e in extents)
    partition = tuple(rng.randint(1, t) for t in tile)
    plan = copy_plan(extents, tile, rng.choice([1, 2, 4, 8]), "packed", partition, stream=rng.random() < 0.5)
    ran = run(project(plan), plan, sets=["random"], sanitize=True)
    assert ran.passed, [c for c in ran.checks if not c.passed]


@pytest.mark.parametrize("seed", range(8))
def test_random_tiles_in_columns_under_sanitizers(seed: int) -> None:
    """Over up to four ports, in tiles of whole beats."""
    rng = random.Random(seed)
    extents = tuple(rng.randint(1, 12) for _ in range(rng.randint(2, 3)))
    stripes, lanes = rng.choice([1, 1, 2, 4]), rng.choice([2, 4])
    width = stripes * lanes
    row = rng.randint(1, -(-extents[-1] // width)) * width
    tile = (*(rng.randint(1, e) for e in extents[:-1]), row)
    partition = (*(rng.randint(1, t) for t in tile[:-1]), min(stripes * rng.randint(1, 2), row))
    streamed = rng.random() < 0.5
    plan = copy_plan(extents, tile, width, "columns", partition, stream=streamed, stripes=stripes)
    ran = run(project(plan), plan, sets=["random"], sanitize=True)
    assert ran.passed, [c for c in ran.checks if not c.passed]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("2*i0t + 14*i1t + 7 * column + row0", "2*i0t + 14*i1t + 8 * column + row0"), ("[4 * column + lane]", "[lane]")],
)
def test_a_column_at_the_wrong_place_is_seen(right: str, wrong: str) -> None:
    plan = copy_plan((7, 16), (2, 8), 4, layout="columns")
    good = project(plan)
    assert right in good.files["kernel.cpp"]
    bad = replace(good, files={**good.files, "kernel.cpp": good.files["kernel.cpp"].replace(right, wrong, 1)})
    assert not run(bad, plan, sets=["random"]).passed


def test_columns_of_beats_are_bursts(expect) -> None:  # type: ignore[no-untyped-def]
    text = project(copy_plan((7, 16), (2, 8), 4, layout="columns")).files["kernel.cpp"]
    assert lint_text(text) == ()
    expect(text[: text.index("static void store")], ".cpp")


@pytest.mark.parametrize(
    ("file", "right", "wrong"),
    [
        (
            "kernel.cpp",
            "const hls::vector<float, 2> line = port[18*i0t + 6*i1t + beat];",
            "port[12*i0t + 6*i1t + beat]",
        ),
        ("testbench.cpp", "tiles *= (extent + tile - 1) / tile;", "tiles *= extent / tile;"),
        ("testbench.cpp", "size *= d + 1 == Dimensions ? tiled.row : tile;", "size *= tile - 1;"),
    ],
)
def test_a_tile_at_the_wrong_place_is_seen(file: str, right: str, wrong: str) -> None:
    """An index that counts too few tiles in a row of them, and a host that forgets the ragged one, or what is in it."""
    plan = copy_plan((7, 10), (3, 4), 2, layout="packed")
    good = project(plan)
    assert right in good.files[file]
    wrong = right.replace("port[18*i0t + 6*i1t + beat]", wrong) if file == "kernel.cpp" else wrong
    bad = replace(good, files={**good.files, file: good.files[file].replace(right, wrong)})
    assert not run(bad, plan, sets=["random"]).passed


def test_a_packed_tile_is_one_run(expect) -> None:  # type: ignore[no-untyped-def]
    text = project(copy_plan((7, 10), (3, 5), 4, layout="packed")).files["kernel.cpp"]
    assert lint_text(text) == ()
    expect(text[: text.index("static void store")], ".cpp")


def test_padding_is_not_a_number() -> None:
    """A kernel that reads padding by mistake is seen by what it computes."""
    plan = copy_plan((5, 7), (5, 7), 4, layout="padded")
    good, read = project(plan), "const hls::vector<float, 4> line = port[beat];"
    kernel = good.files["kernel.cpp"]
    assert read in kernel
    wrong = "hls::vector<float, 4> line = port[beat]; line[0] = port[beat][3];"
    ran = run(replace(good, files={**good.files, "kernel.cpp": kernel.replace(read, wrong)}), plan, sets=["random"])
    assert not ran.passed
    assert ran.worst_error == inf


def test_a_loop_over_the_lanes_only_where_it_costs_nothing(expect) -> None:  # type: ignore[no-untyped-def]
    """A factor that is no power of two has its lanes written out; the first ones of a row are always there."""
    text = project(copy_plan((4, 9), (4, 9), 4, layout="padded", partition=(1, 3))).files["kernel.cpp"]
    expect(text[: text.index("static void store")], ".cpp")


def test_burst_of_a_whole_array_is_one_run(expect) -> None:  # type: ignore[no-untyped-def]
    text = project(copy_plan((4, 6, 8), (4, 6, 8), 4, partition=(1, 1, 4))).files["kernel.cpp"]
    expect(text[: text.index("static void store")], ".cpp")


def test_clipped_tile_with_a_row_per_run(expect) -> None:  # type: ignore[no-untyped-def]
    text = project(copy_plan((7, 10), (3, 4), 2)).files["kernel.cpp"]
    expect(text[: text.index("static void store")], ".cpp")


def test_tile_inside_a_beat_is_our_fault() -> None:
    with pytest.raises(InternalError, match="whole beat"):
        project(copy_plan((8,), (4,), 2, shift=-1))


def test_store_beside_a_tile_is_our_fault() -> None:
    plan = copy_plan((8, 8), (8, 8), 8)
    short = tuple(replace(b, extents=(8, 7)) for b in plan.buffers)
    with pytest.raises(InternalError, match="beside its tile"):
        project(replace(plan, buffers=short))


def test_no_file_is_left_in_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plan = copy_plan((4,), (4,))
    assert run(project(plan), plan, sets=["random"]).passed
    assert list(tmp_path.iterdir()) == []


def test_the_loops_that_are_printed_are_those_of_the_walk() -> None:
    """What the register of evidence is told of a transfer is what stands in the text."""
    for case in (case for case in CASES.values() if case.extents):
        plan = copy_plan(case.extents, case.tile, case.width, case.layout, case.partition, shift=case.shift)
        ranges = transfer_ranges(plan)["load_A"]
        text = project(plan).files["kernel.cpp"]
        body = text[: text.index("static void store_B")]
        buffer, port = as_it_lies(plan.buffer("buf_A"), plan.port_of(plan.transfer("load_A")))
        kind = walk_of(buffer, port, settled(buffer, ranges))
        assert (kind is Walk.RUN) == any(text in body for text in ("++column ==", "++row0 ==", "++row0;", "++column;"))
        assert is_clipped(plan, "load_A", ranges) == ("loop_tripcount" in body)


@pytest.mark.parametrize(("factor", "counter"), [(6, "ap_uint<4> column"), (4, "int column"), (48, "int column")])
def test_a_counter_of_which_a_remainder_is_taken_is_as_wide_as_it_must_be(factor: int, counter: str) -> None:
    """12 columns of 4 elements: a carried `int` would be divided in all of its 32 bits."""
    text = project(copy_plan((4, 48), (4, 48), 4, "plain", (1, factor))).files["kernel.cpp"]
    assert f"{counter} = 0;" in text
    assert ("#include <ap_int.h>" in text) == counter.startswith("ap_uint")


def test_each_counter_is_as_wide_as_its_own_dimension() -> None:
    """9 rows and 5 columns of beats; whole planes come one after another."""
    text = project(copy_plan((2, 9, 20), (2, 9, 20), 4, "plain", (1, 3, 3))).files["kernel.cpp"]
    for counter in ("int row0", "ap_uint<4> row1", "ap_uint<3> column"):
        assert f" {counter} = 0;" in text


@pytest.mark.parametrize(("factor", "tile"), [(6, "ap_uint<2> i0t_at, ap_uint<1> i1t_at"), (4, "int i0t, int i1t")])
def test_an_argument_is_as_wide_as_it_must_be_where_an_index_is_divided(factor: int, tile: str) -> None:
    """4 by 2 tiles."""
    plan = copy_plan((24, 48), (6, 24), 4, "plain", (1, factor))
    good = project(plan)
    kernel = good.files["kernel.cpp"]
    assert f"float buffer[6][24], {tile})" in kernel and lint_text(kernel) == ()
    assert run(good, plan, sets=["random"], sanitize=True).passed
    if factor == 6:
        bad = replace(good, files={**good.files, "kernel.cpp": kernel.replace("ap_uint<2>", "ap_uint<1>")})
        assert not run(bad, plan, sets=["random"]).passed


@pytest.mark.parametrize(("copies", "tile"), [(2, "ap_uint<3>"), (5, "ap_uint<4>")])
def test_an_argument_holds_tiles_that_are_looked_for_ahead(copies: int, tile: str) -> None:
    """Of 5 tiles, up to one less than there are copies behind the last one."""
    plan = gemm_overlapped(copies)
    buffers = tuple(replace(b, partition=(2, 6)) if b.id == "buf_B" else b for b in plan.buffers)
    assert f"buffer[2][12], {tile} k0_at)" in project(replace(plan, buffers=buffers)).files["kernel.cpp"]


@pytest.mark.parametrize(
    ("low", "high", "kind"), [(0, 0, "ap_uint<1>"), (0, 8, "ap_uint<4>"), (-1, 7, "ap_int<4>"), (-9, 7, "ap_int<5>")]
)
def test_types_hold_all_values(low: int, high: int, kind: str) -> None:
    assert narrowest(low, high) == kind


def test_a_tile_beside_the_array_has_no_iteration() -> None:
    """The tool is told so, since its latency report would count at least one."""
    text = project(copy_plan((8, 8), (4, 4), 1, shift=-4)).files["kernel.cpp"]
    assert text.count("loop_tripcount min=0 max=4") == 4 and "min=1" not in text


@pytest.mark.parametrize("spoil", [("", ""), ("(short)", "1 + (short)")])
def test_numbers_of_a_width_of_their_own_hang_over(tmp_path: Path, spoil: tuple[str, str]) -> None:
    """A lane beside the tile is a zero of the type in memory, and so is an element there."""
    arguments, loop = "sisy_int12 x[10], sisy_int12 o[10]", "for (int i = 0; i < 10; i++) o[i] = x[9 - i];"
    (tmp_path / "k.c").write_text(f'#include "sisy_types.h"\nvoid k({arguments}) {{ {loop} }}\n')
    kernel = kernel_forms.load_written(request.Source(str(tmp_path / "k.c")))
    point = pipelined_point(kernel.scop, kernel.distribution)
    transfers = tuple(TransferPoint(b.id, 4, layout="padded") for b in point.buffers)
    plan = build_plan(kernel.scop, kernel.distribution, kernel.live, replace(point, transfers=transfers))
    printed = project(plan)
    text = printed.files["kernel.cpp"]
    assert spoil[0] in text
    files = {**printed.files, "kernel.cpp": text.replace(*spoil)}
    assert run(replace(printed, files=files), plan, sets=["random"]).passed == (spoil[0] == "")
