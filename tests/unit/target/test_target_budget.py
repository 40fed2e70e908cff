"""Whose budgets bind: levels, numbers that the user orders, platforms of a device file."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from sisyphus.errors import KernelError, UsageError
from sisyphus.target import Level, ceilings, device_budget, device_names, load_device, make_target

U200 = load_device("u200")
SHELL = U200.platform()
BOARD = """[mine]
part = "xcu200-fsgd2104-2-e"
dsp = 100
bram18k = 100
uram = 10
lut = 10000
ff = 20000
slrs = 2
banks = 1
clock_mhz = 200
port_bits = 512
source = "made up"

[[mine.platforms]]
name = "shell"
dsp = [40, 50]
bram18k = [40, 50]
uram = [4, 5]
lut = [4000, 5000]
ff = [8000, 10000]
source = "made up, too"
"""


def test_levels_of_the_u200() -> None:
    region = device_budget(U200, SHELL, "platform")
    assert (region.dsp, region.lut) == (5847, 870_000)
    routable = device_budget(U200, SHELL, "routable")
    assert routable.lut == 248_500 + 112_000 + 248_500
    assert routable.dsp == 1472 + 856 + 1472
    assert routable.bram18k == 957 + 489 + 957
    assert (routable.ff, routable.uram) == (region.ff, region.uram), "no routed design is known to stand against these"
    assert device_budget(U200, SHELL, "chip") == U200.chip()


@pytest.mark.parametrize("name", device_names())
def test_levels_only_shrink(name: str) -> None:
    device = load_device(name)
    levels: tuple[Level, ...] = ("chip", "platform", "routable") if device.platforms else ("chip", "routable")
    budgets = [device_budget(device, device.platform(), level) for level in levels]
    for wide, narrow in pairwise(budgets):
        assert not wide.exceeded_by(narrow.amounts())
    assert all(len(platform.slrs) == device.slrs for platform in device.platforms)


@pytest.mark.parametrize(
    ("orders", "level"),
    [
        ({}, "routable"),
        ({"dsp": 1000, "onchip_bytes": 7_200_000}, "routable"),
        ({"dsp": 3801}, "platform"),
        ({"dsp": 5847}, "platform"),
        ({"dsp": 6840, "onchip_bytes": 7_200_000}, "chip"),
        ({"lut": 10**9}, "chip"),
    ],
)
def test_what_is_ordered_decides_whose_other_budgets_bind(orders: dict[str, int], level: Level) -> None:
    target = make_target(U200, budget=None, **orders)
    assert target.level == level
    rest = device_budget(U200, SHELL, level)
    assert target.budget == rest.with_amounts({k: min(v, U200.chip().amounts()[k]) for k, v in orders.items()})
    assert target.ordered == tuple(orders)


def test_an_order_wins_over_a_level_that_is_asked_for() -> None:
    target = make_target(U200, budget="routable", dsp=6840)
    assert (target.budget.dsp, target.budget.lut, target.level) == (6840, 609_000, "routable")


def test_a_board_without_a_platform() -> None:
    kv260 = load_device("kv260")
    assert make_target(kv260, budget=None).budget.lut == int(117_120 * ceilings()["lut"])
    with pytest.raises(UsageError, match="no platform of `kv260` is known") as refused:
        make_target(kv260, budget="platform")
    assert refused.value.exit_code == 2
    with pytest.raises(UsageError, match="no platform `xdma`"):
        make_target(U200, platform="xdma")


def read(folder: Path, text: str) -> str:
    """What is said of a device file with this text."""
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    try:
        device = load_device(str(path))
    except KernelError as refused:
        return refused.message
    return ",".join(p.name for p in device.platforms)


def test_a_device_file_may_have_platforms(tmp_path: Path) -> None:
    assert read(tmp_path, BOARD) == "shell"
    mine = load_device(str(tmp_path / "mine.toml"))
    assert [slr.dsp for slr in make_target(mine, budget="platform").slrs] == [40, 50]


@pytest.mark.parametrize(
    ("good", "wrong", "line", "reason"),
    [
        ("dsp = [40, 50]", "dsp = [40]", 16, "a list of 2 whole numbers"),
        ("dsp = [40, 50]", "dsp = [40, 61]", 16, "no more than the 100 of the chip in all, not 101"),
        ("dsp = [40, 50]", "dsp = [40, -1]", 16, "from 0 to 100"),
        ("dsp = [40, 50]", "", 14, "`dsp` is missing"),
        ("uram = [4, 5]", "uramm = [4, 5]", 18, "`uramm` is not a key of a platform; did you mean `uram`?"),
        ('source = "made up"', 'sauce = "made up"', 12, "`sauce` is not a key of a device"),
        ("lut = 10000\n", f"lut = {10**30}\n", 6, "a whole number from 0 to 100,000,000"),
        ("slrs = 2", "slrs = 1000", 8, "a whole number from 1 to 64"),
        ("[[mine.platforms]]", "[mine.platforms]", 14, "tables, each below a line such as"),
    ],
)
def test_faults_of_a_device_file_have_their_line(tmp_path: Path, good: str, wrong: str, line: int, reason: str) -> None:
    assert good in BOARD
    message = read(tmp_path, BOARD.replace(good, wrong, 1))
    assert f"mine.toml:{line}: " in message
    assert reason in message
