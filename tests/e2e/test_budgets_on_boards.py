"""Budgets of real boards from the command line: what binds, what is said of it, and the boards listed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import sisy

ROOT = Path(__file__).parents[2]
GEMM = [str(ROOT / "kernels" / "polybench" / "gemm.c"), "-D", "NI=16", "-D", "NJ=16", "-D", "NK=16", "--no-verify"]


@pytest.mark.parametrize(
    ("words", "dsp", "lut", "told"),
    [
        ((), 3800, 609_000, "budgets: as far as designs were routed in the user region of xilinx_u200"),
        (("--budget", "platform"), 5847, 870_000, "budgets: the user region of xilinx_u200"),
        (("--budget", "chip"), 6840, 1_182_240, "budgets: the whole chip"),
        (("--dsp", "6840", "--mem", "7.2MB"), 6840, 1_182_240, "budgets: the whole chip; --dsp, --mem as ordered"),
        (("--dsp", "50"), 50, 609_000, "in the user region of xilinx_u200; --dsp as ordered"),
    ],
)
def test_what_binds_is_said(words: tuple[str, ...], dsp: int, lut: int, told: str) -> None:
    done = sisy("optimize", *GEMM, *words)
    assert done.returncode == 0, done.stderr
    assert told in done.stdout
    assert f"of {dsp:,}\n" in done.stdout
    assert f"of {lut:,}\n" in done.stdout


def test_a_board_without_a_user_region_says_so() -> None:
    done = sisy("optimize", *GEMM, "--device", "kv260")
    assert "note: no user region of `kv260` is known" in done.stderr
    assert sisy("optimize", *GEMM, "--device", "kv260", "--budget", "platform").returncode == 2


def test_boards_are_listed_and_shown() -> None:
    listed = sisy("devices")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert [line.split()[0] for line in listed.stdout.splitlines()[1:3]] == ["u200", "u250"]
    shown = sisy("devices", "u200").stdout
    assert "SLR1         1,317" in shown
    assert "UG1393" in shown
    assert "no figures of its user region" in sisy("devices", "kv260").stdout
    data = json.loads(sisy("devices", "u200", "--json").stdout)
    assert data["platforms"][0]["slrs"][1]["lut"] == 160_000
    assert data["routable"]["lut"] == 609_000
    assert sisy("devices", "u2000").returncode == 1
