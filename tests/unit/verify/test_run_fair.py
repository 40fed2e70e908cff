"""Nothing is held against a design that comes from the user, the compiler or C's own freedom."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from coarse_kernels import plain_point
from plain_points import pipelined_point

from sisyphus import kernel_forms, request
from sisyphus.backends.hls import project
from sisyphus.errors import ToolError
from sisyphus.plan import build_plan
from sisyphus.space import Tile
from sisyphus.verification import Check, Ran, Verdict, prove, run

FAIR = {
    "comparisons that are always so": """
        void k(unsigned char a[8], float x[8], float o[8]) {
          for (int i = 0; i < 8; i++) o[i] = (a[i] > 255 ? 1.0f : x[i]) + (x[i] >= x[i] ? 1.0f : 2.0f);
        }""",
    "loops that GCC 12 mixes up": """
        void k(int A[64]) { for (int i = 0; i < 16; i += 4) A[-i + 17] = A[i + 4] + A[i + 5] + A[i + 2]; }""",
    "zeros of two signs": """
        #include <math.h>
        void k(float x[8][8], float o[8]) {
          for (int i = 0; i < 8; i++) { o[i] = x[i][0]; for (int j = 0; j < 8; j++) o[i] = fmaxf(o[i], x[i][j]); }
        }""",
    "a division by some zeros": """
        void k(int a[8], int b[8], int o[8]) { for (int i = 0; i < 8; i++) o[i] = a[i] / (b[i] - 2); }""",
    "sums that wrap": """
        void k(int a[8], int o[8]) { for (int i = 0; i < 8; i++) o[i] = (a[i] + 2147483647 > a[i]) ? 1 : 2; }""",
}


def _run(place: Path, text: str, spoil: tuple[str, str] = ("", "")) -> Ran:
    (place / "k.c").write_text(text)
    kernel = kernel_forms.load_kernels(request.Source(str(place / "k.c")))[0]
    plan = build_plan(kernel.scop, kernel.distribution, kernel.live, pipelined_point(kernel.scop, kernel.distribution))
    printed = project(plan)
    files = {**printed.files, "kernel.cpp": printed.files["kernel.cpp"].replace(*spoil)}
    return run(replace(printed, files=files), plan)


@pytest.mark.parametrize("name", FAIR)
def test_what_is_not_the_designs_fault_is_no_failure(name: str, tmp_path: Path) -> None:
    ran = _run(tmp_path, FAIR[name])
    assert ran.passed and ran.worst_error == 0, ran.checks


@pytest.mark.parametrize("name", ["a division by some zeros", "zeros of two signs"])
def test_a_fault_beside_it_is_seen(name: str, tmp_path: Path) -> None:
    spoil = (" / ", " % ") if "division" in name else ("fmaxf", "fminf")
    ran = _run(tmp_path, FAIR[name], spoil)
    assert not ran.passed and ran.worst_error


def test_data_that_the_source_always_stops_at_are_not_used(tmp_path: Path) -> None:
    text = "void k(int a[8], int b[8]) { for (int i = 0; i < 8; i++) b[i] = a[i] / (a[i] - a[i]); }"
    ran = _run(tmp_path, text)
    assert ran.passed and ran.worst_error is None
    assert all("NOT RUN" in check.detail for check in ran.checks[1:])


def test_an_unused_variable_is_the_emitted_codes_own_fault(tmp_path: Path) -> None:
    ran = _run(tmp_path, FAIR["sums that wrap"], ("#pragma HLS pipeline", "int idle;\n#pragma HLS pipeline"))
    assert [c.name for c in ran.checks if not c.passed] == ["compile"]


def test_a_full_temporary_folder_is_no_failed_verification(tmp_path: Path) -> None:
    full = Path("/dev/full")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "kernel.cpp").symlink_to(full)
    (tmp_path / "k.c").write_text(FAIR["sums that wrap"])
    kernel = kernel_forms.load_kernels(request.Source(str(tmp_path / "k.c")))[0]
    plan = build_plan(kernel.scop, kernel.distribution, kernel.live, pipelined_point(kernel.scop, kernel.distribution))
    with pytest.raises(ToolError, match="cannot be written: No space left"):
        run(project(plan), plan, workdir=tmp_path / "work")


def test_a_linker_that_a_full_disk_kills_is_no_failed_verification(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    dying = tmp_path / "bin" / "g++"
    dying.write_text('#!/bin/sh\ncase "$*" in *-Wl*) echo "signal 25 [File size limit exceeded]" >&2; exit 1;; esac')
    dying.chmod(0o755)
    monkeypatch.setenv("PATH", f"{dying.parent}:{os.environ['PATH']}")
    with pytest.raises(ToolError, match="no space left"):
        _run(tmp_path, FAIR["sums that wrap"])


UNPROVEN = Check("order of RAW S0 -> S1", False, "not proven (too complex): isl gave up")


def test_what_isl_gave_up_on_counts_once_it_was_run() -> None:
    ran = Check("run random", True, "all agree")
    assert not Verdict((UNPROVEN,)).passed
    assert not Verdict((UNPROVEN, Check("compile", True)), "g++").passed
    assert Verdict((UNPROVEN, ran), "g++", 0, 0.0).passed
    assert not Verdict((UNPROVEN, replace(ran, passed=False)), "g++", 0, 1.0).passed
    assert Verdict((UNPROVEN, replace(ran, passed=False))).failures[0].name == "run random"


STRIDED = (
    """void k(float C[6], float D[1]) {
      for (int l = 0; l < 6; l++) { for (int m = 0; m < 6; m += 2) if (m == l) D[0] += C[m]; D[0] = D[0] * C[l]; } }""",
    """void k(float C[6], float D[1]) {
      for (int k = 0; k < 2; k++) for (int l = 0; l < 6; l++) {
        for (int m = 0; m < l; m += 3) if (m >= k) D[0] += C[m];
        D[0] *= C[l]; } }""",
)


@pytest.mark.parametrize("text", STRIDED)
def test_strided_loops_behind_conditions_are_scanned(text: str, tmp_path: Path) -> None:
    assert _run(tmp_path, text).passed
    kernel = kernel_forms.load_kernels(request.Source(str(tmp_path / "k.c")))[0]
    plan = build_plan(kernel.scop, kernel.distribution, kernel.live, pipelined_point(kernel.scop, kernel.distribution))
    assert prove(plan, kernel.dependences, kernel.live).passed


STRIDED_WRITES = (
    # isl's dataflow analysis misses reads of B,
    """void k(double A[8], double B[9][19]) {
      for (int i = 0; i < 2; i++) {
        for (int j = i; j < 7; j += 3) for (int l = 7; l >= 0; l--) B[i - l + 7][3 * j] = A[i] + l;
        for (int j = -i + 5; j >= 2; j -= 2) A[i + j + 2] += B[i - j + 8][i + j + 1] + j;
      } }""",
    # and takes other writes of D for the last ones.
    """void k(float D[15]) {
      for (int i = 1; i < 7; i++) for (int j = -i; j < 8; j += 2) for (int l = j + 5; l >= 0; l -= 2)
        for (int m = 4; m >= 0; m--) D[l + 2] += D[m + 1] + D[m]; }""",
)


@pytest.mark.parametrize("text", STRIDED_WRITES)
def test_strided_writes_that_the_dataflow_of_isl_is_wrong_about(text: str, tmp_path: Path) -> None:
    """A proof by it alone refused designs that are right."""
    (tmp_path / "k.c").write_text(text)
    kernel = kernel_forms.load_kernels(request.Source(str(tmp_path / "k.c")))[0]
    points = [pipelined_point(kernel.scop, kernel.distribution)]
    if len(kernel.distribution.nests) == 1:
        [nest] = kernel.distribution.nests
        tiles = {loop.iterator: Tile(loop.trip_count, 1, 1) for loop in nest.band}
        points.append(plain_point(kernel.scop, nest, tiles, {}, nest.iterators[-1]))
    for point in points:
        plan = build_plan(kernel.scop, kernel.distribution, kernel.live, point)
        assert not prove(plan, kernel.dependences, kernel.live).refuted
