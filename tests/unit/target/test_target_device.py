"""Devices by name and from a user's file; the budgets of a target."""

from pathlib import Path

import pytest

from sisyphus.errors import KernelError, UsageError
from sisyphus.report.board import device_text
from sisyphus.target import Resources, device_names, load_device, make_target

NAMES = ("u200", "u250", "u280", "u55c", "u50", "vck190", "zcu104", "kv260", "pynq-z2")
GOOD = """
[mine]
part = "xczu9eg-ffvb1156-2-e"
dsp = 2520
bram18k = 1824
uram = 0
lut = 274080
ff = 548160
slrs = 1
banks = 1
clock_mhz = 200.5
port_bits = 128
source = "product table"
"""


def test_known_names() -> None:
    assert device_names() == NAMES


def test_u200() -> None:
    u200 = load_device("u200")
    assert u200.part == "xcu200-fsgd2104-2-e"
    assert (u200.dsp, u200.bram18k, u200.uram, u200.lut, u200.ff) == (6840, 4320, 960, 1_182_240, 2_364_480)
    assert (u200.slrs, u200.banks, u200.clock_mhz, u200.port_bits) == (3, 4, 250.0, 512)
    assert u200.chip() == Resources(6840, 4320, 960, 1_182_240, 2_364_480, 4320 * 2304 + 960 * 36864)


@pytest.mark.parametrize("name", NAMES)
def test_every_device_is_plausible(name: str) -> None:
    device = load_device(name)
    assert device.name == name
    assert device.source
    assert min(device.dsp, device.bram18k, device.lut, device.slrs, device.banks, device.port_bits) > 0
    assert device.ff == 2 * device.lut
    assert isinstance(device.clock_mhz, float)
    assert 100 <= device.clock_mhz <= 300
    assert device.family == {"pynq-z2": "7series", "vck190": "versal"}.get(name, "ultrascale+")
    target = make_target(device)
    assert target.operators.cost("mul", "float").latency > 0
    assert target.memories.bank(3000, 32).uram == (1 if device.uram else 0)


def test_names_are_forgiving() -> None:
    assert load_device("U200") is load_device("u200")
    assert load_device("pynq_z2") is load_device("pynq-z2")


def test_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(KernelError) as caught:
        load_device("u25")
    assert all(f"`{name}`" in caught.value.message for name in NAMES)
    assert caught.value.hint == "did you mean `u250`?"
    with pytest.raises(KernelError) as caught:
        load_device("u20")
    assert caught.value.hint == "did you mean `u200`?"
    with pytest.raises(KernelError) as caught:
        load_device("u2")
    assert caught.value.hint == "did you mean `u200`, `u250` or `u280`?"
    assert caught.value.exit_code == 1
    with pytest.raises(KernelError) as caught:
        load_device("versal-of-my-dreams")
    assert "path" in str(caught.value.hint)


def write(folder: Path, text: str) -> str:
    path = folder / "board.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_device_file(tmp_path: Path) -> None:
    device = load_device(write(tmp_path, GOOD))
    assert (device.name, device.dsp, device.clock_mhz, device.bank_kind) == ("mine", 2520, 200.5, "DDR")
    assert device.family == "ultrascale+"
    stand_in = make_target(device).memories.bank(3000, 32)
    assert (stand_in.bram18k, stand_in.uram, stand_in.measured) == (8, 0, False)


def test_every_fault_of_a_device_file_is_reported(tmp_path: Path) -> None:
    text = """
        [mine]
        part = "  "
        dsp = -1
        bram18k = true
        uram = 1.5
        lut = "many"
        lutt = 3
        slrs = 0
        clock_mhz = nan
        port_bits = 100
        bank_kind = "tape"
    """
    path = write(tmp_path, text)
    with pytest.raises(KernelError) as caught:
        load_device(path)
    message = caught.value.message
    assert path in message
    for key in ("part", "dsp", "bram18k", "uram", "lut", "slrs", "clock_mhz", "port_bits", "bank_kind"):
        assert f"`{key}` is `" in message
    for key in ("ff", "banks", "source"):
        assert f"`{key}` is missing" in message
    assert "`lutt` is not a key of a device; did you mean `lut`?" in message


def test_what_a_bank_gives_is_known_of_boards_with_banks(tmp_path: Path) -> None:
    given = {name: load_device(name) for name in NAMES}
    assert {d.bank_kind: d.bank_gb_s for d in given.values()} == {"DDR": 19.25, "HBM": 14.375, "PS": None}
    mine = load_device(write(tmp_path, GOOD + "bank_gb_s = 12.5\n"))
    assert mine.bank_gb_s == 12.5 and "each bank: 12.5 GB/s at most" in device_text(mine)
    assert "each bank: not known; a port that moves a beat in every cycle asks for 0.8 GB/s" in device_text(
        given["pynq-z2"]
    )
    for wrong in ("0", "true", "'19'", "1e9"):
        with pytest.raises(KernelError, match="bank_gb_s"):
            load_device(write(tmp_path, GOOD + f"bank_gb_s = {wrong}\n"))


@pytest.mark.parametrize("clock", ["0", "-1", "inf", "true", "'250'", "1e9", "9" * 400])
def test_impossible_clocks(tmp_path: Path, clock: str) -> None:
    with pytest.raises(KernelError, match="clock_mhz"):
        load_device(write(tmp_path, GOOD.replace("200.5", clock)))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[mine\n", "not valid TOML"),
        ("", "exactly one table"),
        ("dsp = 3\n", "exactly one table"),
        ("[a]\n[b]\n", "exactly one table"),
        ("x = 1\n" + GOOD, "exactly one table"),
    ],
)
def test_files_of_the_wrong_shape(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(KernelError, match=reason):
        load_device(write(tmp_path, text))


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(KernelError, match="cannot be read"):
        load_device(str(tmp_path / "absent.toml"))
    with pytest.raises(KernelError, match="cannot be read"):
        load_device(f"{tmp_path}/")
    (tmp_path / "latin.toml").write_bytes(b"[caf\xe9]\n")
    with pytest.raises(KernelError, match="not valid TOML"):
        load_device(str(tmp_path / "latin.toml"))


def test_flags_only_tighten() -> None:
    u200 = load_device("u200")
    tight = make_target(
        u200, budget="chip", dsp=1000, onchip_bytes=7_200_000, lut=10**9, clock_mhz=220, max_partition=64
    )
    assert tight.budget.dsp == 1000
    assert tight.budget.onchip_bytes == 7_200_000
    assert tight.budget.lut == u200.lut
    assert (tight.clock_mhz, tight.max_partition, tight.port_bits) == (220.0, 64, 512)
    assert make_target(u200, dsp=0).budget.dsp == 0
    assert make_target(u200, budget="chip", onchip_bytes=10**12).budget.onchip_bytes == u200.chip().onchip_bytes
    assert (make_target(u200).max_partition, make_target(u200).level) == (1024, "routable")


def test_impossible_flags() -> None:
    u200 = load_device("u200")
    with pytest.raises(UsageError, match="`dsp` is -1, `ff` is -2"):
        make_target(u200, dsp=-1, ff=-2)
    for clock in (0, -5, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="clock"):
            make_target(u200, clock_mhz=clock)
    with pytest.raises(UsageError, match="partition"):
        make_target(u200, max_partition=0)


def test_equal_targets_are_equal_and_share_their_tables() -> None:
    one, two = make_target(load_device("u200"), budget="chip"), make_target(load_device("u200"), budget="chip")
    one.operators.cost("add", "float")
    assert one == two
    assert hash(one) == hash(two)
    assert one.operators is two.operators
    assert one.memories is two.memories
