"""Ragged tiles and places under outer loops as a user asks for them, proved and run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Ran, sisy

POLYBENCH = Path(__file__).parents[2] / "kernels" / "polybench"


def optimize(kernel: str, *words: str, cwd: Path) -> Ran:
    command = ["optimize", str(POLYBENCH / f"{kernel}.c"), "--solver", "exact", "--effort", "2", *words]
    return sisy(*command, cwd=cwd)


def buffers(out: Path) -> list[tuple[str, str, list[str]]]:
    design = json.loads((out / "design.json").read_text())["design"]
    return [(b["array"], b["place"], b["nests"]) for b in design["buffers"]]


def test_a_prime_loop_has_ragged_tiles(tmp_path: Path) -> None:
    sizes = ["-DNI=13", "-DNJ=17", "-DNK=11"]
    done = optimize("gemm", *sizes, "--fix", "S1.i=4x1x4", "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "verification: passed" in done.stdout
    assert "i=4x1x4" in done.stdout
    refused = optimize("gemm", *sizes, "--tiles", "divisors", "--fix", "S1.i=4x1x4", cwd=tmp_path)
    assert refused.returncode == 2
    assert "legal: 13x1x1, 1x13x1, 1x1x13" in refused.stderr
    paper = optimize("gemm", *sizes, "--model", "paper", "--fix", "S1.i=4x1x4", cwd=tmp_path)
    assert paper.returncode == 2


@pytest.mark.long
def test_an_array_that_nests_without_loops_use_need_not_fit(tmp_path: Path) -> None:
    done = optimize("trisolv", "-DN=10", "--mem", "240", "--fix", "adders=dsp", "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "verification: passed" in done.stdout
    places = {place for array, place, _ in buffers(tmp_path / "out") if array == "L"}
    assert places and places.isdisjoint({"kernel", "nest"}), "L does not fit: its tiles lie under loops"


@pytest.mark.parametrize(
    ("kernel", "fixes", "wanted"),
    [
        ("trisolv", ["form=source", "S1.L.place=i", "S2.L.place=i"], [("L", "i", ["S1"]), ("L", "i", ["S2"])]),
        ("lu", ["form=source", "S0.A.place=i"], [("A", "i", ["S0", "S1", "S2"])]),
    ],
)
def test_a_place_under_an_outer_loop_can_be_fixed(
    kernel: str, fixes: list[str], wanted: list[tuple[str, str, list[str]]], tmp_path: Path
) -> None:
    words = [word for fix in fixes for word in ("--fix", fix)]
    done = optimize(kernel, "-DN=10", *words, "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "verification: passed" in done.stdout
    assert [found for found in buffers(tmp_path / "out") if found[0] == wanted[0][0]] == wanted
