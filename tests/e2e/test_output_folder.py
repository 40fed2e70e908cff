"""Where a project is written, as a user meets it: odd names, somebody else's folder, no room, no right to write."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import sisy

ROOT = Path(__file__).parents[2]
SISY = [sys.executable, "-c", "from sisyphus.cli import main; main()"]
SIZES = ["-DNI=20", "-DNJ=25", "-DNK=30"]
POINT = ROOT / "tests" / "points" / "gemm-tiled.json"
ODD = "a b; $(touch x) `touch y` 'q' \"z\" & ü*"


def limited(*words: str, cwd: Path, limit: Callable[[], None]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SISY, *words], cwd=cwd, capture_output=True, text=True, timeout=300, check=False, preexec_fn=limit
    )


def content(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


@pytest.fixture
def gemm(tmp_path: Path) -> list[str]:
    """A command in `tmp_path` that needs no search."""
    shutil.copy(ROOT / "kernels" / "polybench" / "gemm.c", tmp_path / "gemm.c")
    shutil.copy(POINT, tmp_path / "point.json")
    return ["optimize", "gemm.c", *SIZES, "--design", "point.json"]


def test_names_with_spaces_and_shell_characters(tmp_path: Path) -> None:
    place = tmp_path / ODD
    place.mkdir()
    shutil.copy(ROOT / "kernels" / "polybench" / "gemm.c", place / f"{ODD}.c")
    shutil.copy(POINT, place / f"{ODD}.json")
    words = [f"{ODD}/{ODD}.c", *SIZES, "--design", f"{ODD}/{ODD}.json", "-o", f"{ODD}/out {ODD}"]
    done = sisy("optimize", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for command in ("verify", "lint"):
        again = sisy(command, f"{ODD}/out {ODD}", cwd=tmp_path)
        assert again.returncode == 0, again.stderr
    assert {f.name for f in tmp_path.iterdir()} == {ODD}
    assert {f.name for f in place.iterdir()} == {f"{ODD}.c", f"{ODD}.json", f"out {ODD}"}


def test_folder_of_somebody_else_and_file_in_the_way(gemm: list[str], tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "kernel.cpp").write_text("mine")
    before = content(tmp_path)
    for out, words in (("thesis", "was not written by sisy"), ("gemm.c", "is a file"), (".", "working directory")):
        done = sisy(*gemm, "--no-verify", "-o", out, cwd=tmp_path)
        assert done.returncode == 2 and "Traceback" not in done.stderr
        assert words in done.stderr or "was not written by sisy" in done.stderr
        assert "hint:" in done.stderr
    assert content(tmp_path) == before


def test_place_that_cannot_be_written(gemm: list[str], tmp_path: Path) -> None:
    before = content(tmp_path)
    done = sisy(*gemm, "--no-verify", "-o", "/proc/sisy/out", cwd=tmp_path)
    assert done.returncode == 2 and "cannot be written" in done.stderr and "Traceback" not in done.stderr
    assert content(tmp_path) == before


def no_file_above_2_kb() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))


@pytest.mark.parametrize("there", [False, True], ids=["new", "over an older one"])
def test_no_room_for_a_file(there: bool, gemm: list[str], tmp_path: Path) -> None:
    if there:
        assert sisy(*gemm, "--no-verify", "-o", "out", cwd=tmp_path).returncode == 0
        (tmp_path / "out" / "notes.txt").write_text("mine")
    before = content(tmp_path)
    done = limited(*gemm, "--no-verify", "-o", "out", cwd=tmp_path, limit=no_file_above_2_kb)
    assert done.returncode == 2 and "`out` cannot be written: File too large" in done.stderr
    assert "Traceback" not in done.stderr and "nothing was changed" in done.stderr
    assert content(tmp_path) == before
    assert {f.name for f in tmp_path.iterdir()} == {"gemm.c", "point.json"} | ({"out"} if there else set())
