"""host.cpp: compiles against the native XRT interface, packs what the ports need, and finds a wrong board."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hand_plans import copy_plan, gemm_resident
from plain_points import pipelined_point

from sisyphus import kernel_forms, request
from sisyphus.backends.hls import exact_flags, project
from sisyphus.plan import Plan, build_plan
from sisyphus.tools import Finished, run_tool
from sisyphus.verification.differential_run import ANY_STATUS, INCLUDE_DIR

FAKE_XRT = Path(__file__).parent / "fake_xrt"


def run_host(plan: Plan, folder: Path, *words: str) -> Finished:
    files = project(plan).files
    for name, text in files.items():
        (folder / name).write_text(text)
    flags = ["g++", *exact_flags(files["reference.c"]).split()]
    run_tool([*flags, "-x", "c", "-w", "-c", "reference.c", "-o", "reference.o"], cwd=folder, timeout_s=300)
    includes = ["-isystem", str(FAKE_XRT), "-isystem", str(INCLUDE_DIR), "-I."]
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
    command = [*flags, "-std=c++17", *warnings, *includes, f"-DFAKE_TOP={plan.scop.name}", "host.cpp", "kernel.cpp"]
    run_tool([*command, "reference.o", "-o", "host"], cwd=folder, timeout_s=300)
    return run_tool([folder / "host", *words], cwd=folder, timeout_s=300, accept=ANY_STATUS)


PLANS = {
    "gemm": gemm_resident(),
    "padded": copy_plan((5, 7), (5, 7), 4, layout="padded"),
    "packed": copy_plan((7, 10), (3, 5), 4, layout="packed"),
    "over_two_ports": copy_plan((4, 24), (4, 24), 8, stripes=2),
    "over_four_ports": copy_plan((4, 27), (4, 27), 16, layout="padded", stripes=4),
}


@pytest.mark.parametrize("name", PLANS)
def test_board_agrees(name: str, tmp_path: Path) -> None:
    done = run_host(PLANS[name], tmp_path, "kernel.xclbin")
    assert done.status == 0, done.output + done.errors
    assert done.output.count("mismatches=0") == 2 and "sisy: PASS" in done.output


def test_half_precision_arrives(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(
        "void k(_Float16 s, _Float16 x[3][5]) { for (int i = 0; i < 3; i++) for (int j = 0; j < 5; j++) x[i][j] *= s; }"
    )
    kernel = kernel_forms.load_kernels(request.Source(str(tmp_path / "k.c")))[0]
    point = kernel.point(pipelined_point(kernel.scop, kernel.distribution))
    done = run_host(build_plan(kernel.scop, kernel.distribution, kernel.live, point), tmp_path, "kernel.xclbin")
    assert done.status == 0, done.output + done.errors


def test_wrong_board_is_found(tmp_path: Path) -> None:
    plan = gemm_resident()
    done = run_host(replace(plan, body=plan.body[:-2]), tmp_path, "kernel.xclbin")
    assert done.status == 1 and "sisy: FAIL" in done.output


def test_usage(tmp_path: Path) -> None:
    done = run_host(PLANS["padded"], tmp_path)
    assert done.status == 2 and "usage" in done.errors
