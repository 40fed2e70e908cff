"""Costs of memories, FIFOs and adapters against the facts they were taken from."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sisyphus.errors import InternalError
from sisyphus.target import BankCost, MemoryTable, load_device, make_target, memory_table, storage_of

ORACLE = Path(__file__).parents[3].parent / "shared" / "oracle" / "memories.csv"
SEEDED = settings(derandomize=True, max_examples=300, deadline=None)
TABLE = memory_table(has_uram=True, family="ultrascale+")


def figures(cost: BankCost) -> tuple[int, int, int, int]:
    return cost.bram18k, cost.uram, cost.lut, cost.ff


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (1, (0, 0, 0, 32)),
        (2, (0, 0, 33, 32)),
        (64, (0, 0, 33, 32)),
        (65, (0, 0, 65, 32)),
        (128, (0, 0, 65, 32)),
        (129, (1, 0, 0, 0)),
        (512, (1, 0, 0, 0)),
        (513, (2, 0, 0, 0)),
        (1025, (4, 0, 0, 0)),
        (2048, (4, 0, 0, 0)),
        (2049, (0, 1, 0, 0)),
        (4096, (0, 1, 0, 0)),
        (4097, (16, 0, 0, 0)),
        (8192, (16, 0, 0, 0)),
        (8193, (16, 0, 0, 0)),
        (12544, (25, 0, 0, 0)),
        (19200, (38, 0, 0, 0)),
        (524288, (1024, 0, 0, 0)),
    ],
)
def test_banks_of_32_bits(words: int, expected: tuple[int, int, int, int]) -> None:
    cost = TABLE.bank(words, 32)
    assert figures(cost) == expected
    assert cost.measured


@pytest.mark.parametrize(
    ("words", "expected"),
    [(1, (0, 0, 0, 64)), (64, (0, 0, 65, 64)), (65, (2, 0, 0, 0)), (512, (2, 0, 0, 0)), (750, (4, 0, 0, 0))],
)
def test_banks_of_64_bits(words: int, expected: tuple[int, int, int, int]) -> None:
    cost = TABLE.bank(words, 64)
    assert figures(cost) == expected
    assert cost.measured


def test_other_banks_say_that_they_are_not_measured() -> None:
    assert not TABLE.bank(1024, 64).measured
    assert figures(TABLE.bank(24, 256)) == (8, 0, 0, 0)
    assert figures(TABLE.bank(512, 512)) == (15, 0, 0, 0)
    assert figures(TABLE.bank(2048, 8)) == (1, 0, 0, 0)
    assert figures(TABLE.bank(1024, 16)) == (1, 0, 0, 0)
    assert not TABLE.bank(2048, 8).measured


def test_storages() -> None:
    assert figures(TABLE.bank(10, 32, "bram")) == (1, 0, 0, 0)
    assert figures(TABLE.bank(3000, 32, "bram")) == (8, 0, 0, 0)
    assert TABLE.bank(3000, 32, "bram").measured
    assert figures(TABLE.bank(100, 64, "bram")) == (2, 0, 0, 0)
    assert figures(TABLE.bank(5000, 128, "uram")) == (0, 4, 0, 0)
    assert figures(TABLE.bank(64, 32, "lutram")) == figures(TABLE.bank(64, 32))
    assert figures(TABLE.bank(10, 32, "register")) == (0, 0, 0, 320)
    with pytest.raises(InternalError):
        TABLE.bank(10, 32, "tape")
    with pytest.raises(InternalError):
        TABLE.bank(0, 32)


def test_pingpong() -> None:
    assert figures(TABLE.pingpong(25, 32)) == (0, 0, 66, 64)
    assert figures(TABLE.pingpong(512, 32, dual_port=False)) == (2, 0, 0, 0)
    assert figures(TABLE.pingpong(1500, 32, dual_port=False)) == (0, 1, 0, 0)
    assert figures(TABLE.pingpong(2088, 32)) == (0, 2, 0, 0)


@pytest.mark.parametrize(
    ("bits", "bram18k", "ff", "lut"),
    [(32, 2, 696, 720), (64, 4, 878, 966), (128, 8, 1181, 1117), (256, 16, 1963, 1644), (512, 30, 3521, 2695)],
)
def test_m_axi(bits: int, bram18k: int, ff: int, lut: int) -> None:
    assert TABLE.m_axi(bits) == BankCost(bram18k, 0, lut, ff, True)


def test_m_axi_of_other_widths() -> None:
    assert TABLE.m_axi(48) == BankCost(4, 0, 966, 878, False)
    assert not TABLE.m_axi(1024).measured
    for bits in (0, 2048):
        with pytest.raises(InternalError):
            TABLE.m_axi(bits)


def test_s_axilite() -> None:
    for registers, ff in ((0, 36), (2, 112), (4, 176), (10, 386), (20, 742)):
        assert TABLE.s_axilite(registers) == BankCost(0, 0, 40 + 64 * registers, ff, True)
    assert TABLE.s_axilite(30) == BankCost(0, 0, 1960, 1092, False)
    with pytest.raises(InternalError):
        TABLE.s_axilite(-1)


def test_fifos() -> None:
    for depth, expected in ((2, (0, 68, 40)), (4, (0, 5, 26)), (16, (0, 7, 30)), (40, (0, 118, 100))):
        cost = TABLE.fifo(32, depth)
        assert (cost.bram18k, cost.ff, cost.lut, cost.measured) == (*expected, True)
    assert TABLE.fifo(512, 1024) == BankCost(15, 0, 557, 1056, True)
    assert TABLE.fifo(512, 4).ff == 1547
    assert not TABLE.fifo(512, 4).measured
    assert TABLE.fifo_blocks(32, 128) == 0
    assert TABLE.fifo_blocks(512, 1024) == 30
    with pytest.raises(InternalError):
        TABLE.fifo(0, 2)


def test_without_uram_and_on_other_families() -> None:
    zynq = memory_table(has_uram=False, family="7series")
    assert zynq.bank(4096, 32) == BankCost(8, 0, 0, 0, False)
    for cost in (zynq.bank(100, 32), zynq.m_axi(64), zynq.fifo(32, 2), zynq.s_axilite(2), zynq.pingpong(10, 32)):
        assert not cost.measured
    assert memory_table(has_uram=False, family="7series") is zynq


def test_times() -> None:
    assert TABLE.bank(64, 32).times(3) == BankCost(0, 0, 99, 96, True)


def capacity_order(cost: BankCost) -> float:
    """Bits of the memory primitives, so that URAM and BRAM compare."""
    return cost.bram18k * 18432 + cost.uram * 294912


@SEEDED
@given(st.integers(1, 100_000), st.integers(1, 1024), st.sampled_from(("auto", "bram", "uram", "lutram", "register")))
def test_no_cost_is_negative_nor_nothing(words: int, bits: int, storage: str) -> None:
    cost = TABLE.bank(words, bits, storage)
    assert min(figures(cost)) >= 0
    assert sum(figures(cost)) > 0


@SEEDED
@given(st.integers(129, 50_000), st.integers(0, 5000), st.integers(1, 512))
def test_more_words_cost_no_less(words: int, more: int, bits: int) -> None:
    few, many = TABLE.bank(words, bits, "bram"), TABLE.bank(words + more, bits, "bram")
    assert capacity_order(few) <= capacity_order(many)


@SEEDED
@given(st.integers(129, 50_000), st.integers(33, 1024), st.integers(0, 64))
def test_wider_words_cost_no_less(words: int, bits: int, more: int) -> None:
    assert TABLE.bank(words, bits, "bram").bram18k <= TABLE.bank(words, bits + more, "bram").bram18k


def reported() -> Iterator[dict[str, str]]:
    if not ORACLE.exists():
        pytest.skip(f"{ORACLE} is absent: the rules cannot be compared with the reports")
    with ORACLE.open(newline="") as stream:
        yield from (row for row in csv.DictReader(stream) if row["vitis"] == "2023.2")


def by_rule(table: MemoryTable, row: dict[str, str]) -> BankCost | None:
    """What the table says of a row of the reports, or None if the row is not a memory."""
    kind = row["kind"]
    if kind.startswith("pipo"):
        return table.pingpong(int(row["depth"]), int(row["width"]), dual_port=kind != "pipo_ram_1p")
    if kind.startswith(("ram", "rom")):
        return table.bank(int(row["depth"]), int(row["width"]), "bram" if kind.endswith("_bram") else "auto")
    return None


def test_all_reported_memories() -> None:
    compared = 0
    for row in reported():
        cost = by_rule(TABLE, row)
        if cost is not None:
            assert figures(cost) == tuple(int(row[k]) for k in ("bram18", "uram", "lut", "ff")), row
            assert cost.measured
            compared += 1
    assert compared > 500


def test_all_reported_fifos() -> None:
    compared = 0
    for row in reported():
        if row["kind"] != "fifo":
            continue
        cost = TABLE.fifo(int(row["width"]), int(row["depth"]))
        assert cost.bram18k == int(row["bram18"]), row
        assert cost.ff == int(row["ff"]), row
        # The LUT of some sizes cannot be told from their neighbours' in the reports.
        if row["lut"]:
            assert cost.lut == int(row["lut"]), row
            compared += 1
    assert compared > 50


def test_all_reported_adapters() -> None:
    compared = 0
    for row in reported():
        if row["kind"].startswith("m_axi"):
            cost = TABLE.m_axi(int(row["width"]))
            assert (cost.bram18k, cost.lut, cost.ff) == (int(row["bram18"]), int(row["lut"]), int(row["ff"]))
        elif row["kind"].startswith("s_axilite"):
            cost = TABLE.s_axilite(int(row["depth"]))
            assert cost.lut == int(row["lut"])
            assert abs(cost.ff - int(row["ff"])) <= 6, row
        else:
            continue
        compared += 1
    assert compared >= 20


@given(words=st.integers(1, 200_000), bits=st.sampled_from([8, 16, 32, 64]))
@SEEDED
def test_deep_banks_take_a_smaller_share_of_the_device(words: int, bits: int) -> None:
    """Of the u200, which has 4,320 BRAM18 and 960 URAM; other banks are as the tool has them."""
    deep, alone = TABLE.bank(words, bits, "deep"), TABLE.bank(words, bits)
    if storage_of("deep", words, bits) == "auto":
        assert deep == alone and (words <= 4096 or bits < 32)
    else:
        assert deep == TABLE.bank(words, bits, "uram")
        assert deep.uram / 960 < alone.bram18k / 4320


def test_searches_ask_for_deep_storage_where_there_is_uram_to_spare() -> None:
    u200, million = make_target(load_device("u200")), 1_000_000
    assert [u200.memories.storage, u200.storing(million).memories.storage] == ["auto", "deep"]
    assert make_target(load_device("u200"), uram=8).storing(1000).memories.storage == "auto"
    assert make_target(load_device("u200"), uram=8, bram18k=64).storing(1000).memories.storage == "deep"
    assert make_target(load_device("pynq-z2")).storing(1000).memories.storage == "auto"


def test_whole_arrays_may_be_in_either_where_they_take_half_of_the_uram() -> None:
    """800 blocks of 4,096 words, as far as designs were routed."""
    u200 = make_target(load_device("u200"), budget="routable")
    assert [*u200.memories.storages] == ["auto"] and u200.asking("deep").memories.storage == "deep"
    assert [*u200.storing(1_638_400).memories.storages] == ["deep"]
    assert [*u200.storing(1_638_401).memories.storages] == ["deep", "auto"]
    assert [*make_target(load_device("pynq-z2")).storing(1_000_000).memories.storages] == ["auto"]
