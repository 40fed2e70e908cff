"""Build files: what they say, and a Makefile that believes no tool by its exit status alone."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hand_plans import gemm_resident

from sisyphus.backends.hls import project
from sisyphus.target import Target, load_device, make_target
from sisyphus.tools import Finished, run_tool
from sisyphus.verification.differential_run import ANY_STATUS, INCLUDE_DIR

REPORT = "mkdir -p build/hls/hls/syn/report && echo report > build/hls/hls/syn/report/csynth.rpt"
TOOLS = {
    "v++": f'case "$*" in -l*) echo linked > build/kernel_gemm.hw.xclbin;; *) {REPORT};; esac',
    "vitis-run": 'case "$*" in *--package*) echo xo > kernel.xo;; *--cosim*) '
    'echo "$SISY_SETS: C/RTL co-simulation finished: PASS";; *) echo "sisy: PASS";; esac',
    "vitis_hls": 'case "$SISY_STEP" in csynth) ' + REPORT + ";; package) echo xo > build/kernel.xo;; "
    'cosim) echo "co-simulation finished: PASS";; *) echo "sisy: PASS";; esac',
}


def target(name: str = "u200") -> Target:
    return make_target(load_device(name), budget="chip")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "a b $x"
    place.mkdir()
    for name, text in project(gemm_resident(), target()).files.items():
        (place / name).write_text(text)
    return place


def make(folder: Path, *words: str, tools: Mapping[str, str], accept: range | tuple[int, ...] = (0,)) -> Finished:
    """`make` with these shell scripts as the only Vitis on PATH; each call is noted in calls.txt."""
    bin_dir = folder / "tools"
    shutil.rmtree(bin_dir, ignore_errors=True)
    bin_dir.mkdir()
    for name, script in tools.items():
        (bin_dir / name).write_text(f'#!/bin/sh\necho "{name} $*" >> calls.txt\n{script}\n')
        (bin_dir / name).chmod(0o755)
    env = {**os.environ, "PATH": f"{bin_dir}:/usr/bin:/bin"}
    env.pop("XILINX_XRT", None)
    return run_tool(["make", *words], cwd=folder, timeout_s=300, accept=accept, env=env)


def change(file: Path) -> None:
    """Newer than everything so far, on file systems with a coarse clock too."""
    time.sleep(0.05)
    os.utime(file)


def calls(folder: Path) -> list[str]:
    log = folder / "calls.txt"
    return log.read_text().splitlines() if log.exists() else []


UNIFIED = {name: TOOLS[name] for name in ("v++", "vitis-run")}
CLASSIC = {"vitis_hls": TOOLS["vitis_hls"]}


@pytest.mark.parametrize("tools", [UNIFIED, CLASSIC], ids=["unified", "classic"])
def test_every_step_runs_once(folder: Path, tools: Mapping[str, str]) -> None:
    for step, product in [
        ("csim", "csim.done"),
        ("csynth", "csynth.rpt"),
        ("cosim", "cosim.log"),
        ("package", "kernel.xo"),
    ]:
        make(folder, step, tools=tools)
        assert (folder / "build" / product).exists(), step
    before = calls(folder)
    assert len(before) == 4
    again = make(folder, "csim", "csynth", "cosim", "package", tools=tools)
    assert calls(folder) == before and "see build" not in again.output
    change(folder / "testbench.cpp")
    make(folder, "csynth", "csim", tools=tools)
    assert len(calls(folder)) == 5


def test_unified_link(folder: Path) -> None:
    missing = make(folder, "xclbin", tools=UNIFIED, accept=ANY_STATUS)
    assert missing.status != 0 and "PLATFORM" in missing.errors
    make(folder, "xclbin", "PLATFORM=xilinx_u200", tools=UNIFIED)
    assert (folder / "build" / "kernel_gemm.hw.xclbin").exists()
    assert "--platform xilinx_u200 --config system.cfg --clock.freqHz 250000000:kernel_gemm_1" in calls(folder)[-1]


@pytest.mark.parametrize(
    ("version", "board", "clock"),
    [
        ("2024.1", "u200", "--clock.freqHz 250000000:kernel_gemm_1"),
        ("2023.2", "u200", "--kernel_frequency 250 "),
        ("2022.2", "u200", "--kernel_frequency 250 "),
        ("2022.2", "kv260", "--clock.freqHz 250000000:kernel_gemm_1"),
    ],
)
def test_the_clock_is_told_as_the_version_wants_it(tmp_path: Path, version: str, board: str, clock: str) -> None:
    for name, text in project(gemm_resident(), target(board)).files.items():
        (tmp_path / name).write_text(text)
    make(tmp_path, "xclbin", "PLATFORM=p", f"VITIS_VERSION={version}", tools=UNIFIED)
    assert clock in calls(tmp_path)[-1]


def test_cosimulation_gets_its_data_sets(folder: Path) -> None:
    make(folder, "cosim", tools=UNIFIED)
    assert "dominant: " in (folder / "build" / "cosim.log").read_text()
    make(folder, "cosim", "COSIM_SETS=zeros random", "-B", tools=UNIFIED)
    assert "zeros random: " in (folder / "build" / "cosim.log").read_text()


def test_linking_again_does_nothing(folder: Path) -> None:
    make(folder, "xclbin", "PLATFORM=p", tools=UNIFIED)
    before = calls(folder)
    make(folder, "xclbin", "PLATFORM=p", tools=UNIFIED)
    assert calls(folder) == before
    change(folder / "system.cfg")
    make(folder, "xclbin", "PLATFORM=p", tools=UNIFIED)
    assert [c.split()[1] for c in calls(folder)[len(before) :]] == ["-l"]


def test_from_another_directory(folder: Path, tmp_path: Path) -> None:
    make(folder, "help", tools=UNIFIED)
    env = {**os.environ, "PATH": f"{folder / 'tools'}:/usr/bin:/bin"}
    for place in (folder.name, str(folder)):
        run_tool(["make", "-C", place, "csim", "package"], cwd=tmp_path, timeout_s=300, env=env)
    assert (folder / "build" / "kernel.xo").exists() and len(calls(folder)) == 3
    assert {f.name for f in tmp_path.iterdir()} == {folder.name}
    run_tool(["make", "-C", folder.name, "clean"], cwd=tmp_path, timeout_s=300, env=env)
    assert not (folder / "build").exists() and (folder / "kernel.cpp").exists()


#: A compiler whose programs note how they are called.
PROGRAM = '#!/bin/sh\necho "host $*" >> calls.txt\nexit ${HOST_STATUS:-0}\n'
COMPILER = 'while test "$1" != -o; do shift; done; cp program "$2"; chmod +x "$2"'
ON_BOARD = {**UNIFIED, "cc": COMPILER, "g++": COMPILER}
BOARD = ("PLATFORM=p", "XILINX_XRT=/opt/xrt", "CC=cc", "CXX=g++")


def test_host_and_run(folder: Path) -> None:
    (folder / "program").write_text(PROGRAM)
    make(folder, "host", *BOARD, tools=ON_BOARD)
    assert any("-lxrt_coreutil" in c and "-I/opt/xrt/include" in c for c in calls(folder))
    before = len(calls(folder))
    make(folder, "host", *BOARD, tools=ON_BOARD)
    assert len(calls(folder)) == before
    make(folder, "run", *BOARD, "DEVICE_INDEX=2", tools=ON_BOARD)
    assert calls(folder)[-1] == "host build/kernel_gemm.hw.xclbin 2"
    change(folder / "host.cpp")
    done = make(folder, "run", *BOARD, "HOST_STATUS=3", tools=ON_BOARD, accept=ANY_STATUS)
    assert done.status != 0


CLASSIC_FAILURES = {
    "exit_status": ("csim", "echo 'sisy: PASS'; exit 1", "csim failed"),
    "error_beside_a_report": ("csynth", f"{REPORT}; echo 'ERROR: [HLS 200-1505] no'", "HLS 200-1505"),
    "no_report": ("csynth", "true", "left no csynth.rpt"),
    "killed": ("csynth", f"{REPORT}; kill -9 $$", "csynth failed"),
    "no_xo": ("package", 'case "$SISY_STEP" in csynth) ' + REPORT + ";; esac", "left no kernel.xo"),
}


@pytest.mark.parametrize("name", CLASSIC_FAILURES)
def test_failure_of_the_classic_flow_is_seen(folder: Path, name: str) -> None:
    step, script, message = CLASSIC_FAILURES[name]
    done = make(folder, step, tools={"vitis_hls": script}, accept=ANY_STATUS)
    assert done.status != 0 and message in done.errors
    assert not (folder / "build" / f"{step}.done").exists()
    make(folder, step, tools=CLASSIC)


FAILURES = {
    "exit_status": ("csim", {"vitis-run": "echo 'sisy: PASS'; exit 1"}, "csim failed"),
    "error_line": ("csim", {"vitis-run": "echo 'sisy: PASS'; echo 'ERROR: [HLS 200-70] no'"}, "HLS 200-70"),
    "mismatch": ("csim", {"vitis-run": "echo 'sisy: FAIL'"}, "no 'sisy: PASS'"),
    "error_beside_a_report": ("csynth", {"v++": f"{REPORT}; echo 'ERROR: [v++ 60-300] no'"}, "v++ 60-300"),
    "no_report": ("csynth", {"v++": "true"}, "left no csynth.rpt"),
    "error_while_linking": (
        "xclbin",
        {"v++": TOOLS["v++"].replace(";; *)", "; echo 'ERROR: [v++ 60-703] no';; *)", 1)},
        "v++ 60-703",
    ),
    "cosim": ("cosim", {"vitis-run": "echo 'co-simulation finished: FAIL'"}, "cosim failed"),
    "no_xo": ("package", {"vitis-run": "true"}, "left no kernel.xo"),
    "no_xclbin": (
        "xclbin",
        {"v++": 'case "$*" in -l*) ;; *) ' + REPORT + ";; esac"},
        "left no build/kernel_gemm.hw.xclbin",
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failure_is_seen_and_tried_again(folder: Path, name: str) -> None:
    step, broken, message = FAILURES[name]
    for _ in range(2):
        done = make(folder, step, "PLATFORM=p", tools={**UNIFIED, **broken}, accept=ANY_STATUS)
        assert done.status != 0 and message in done.errors
    make(folder, step, "PLATFORM=p", tools=UNIFIED)


def test_old_products_are_no_success(folder: Path) -> None:
    make(folder, "csynth", tools=UNIFIED)
    change(folder / "kernel.cpp")
    done = make(folder, "csynth", tools={**UNIFIED, "v++": "true"}, accept=ANY_STATUS)
    assert done.status != 0 and "left no csynth.rpt" in done.errors


def test_without_tools(folder: Path) -> None:
    for step in ("csim", "csynth", "cosim", "package"):
        done = make(folder, step, tools={}, accept=ANY_STATUS)
        assert done.status != 0 and "settings64.sh" in done.errors
    for step, word in (("host", "XILINX_XRT"), ("check", "HLS_INCLUDE")):
        done = make(folder, step, tools={}, accept=ANY_STATUS)
        assert done.status != 0 and word in done.errors
    assert "make cosim" in make(folder, "help", tools={}).output
    make(folder, "clean", tools={})
    assert not (folder / "build").exists()


def test_check_with_a_plain_compiler(folder: Path) -> None:
    shutil.copytree(INCLUDE_DIR, folder / "hls include")
    done = make(folder, "check", "HLS_INCLUDE=hls include", tools={})
    assert "sisy: PASS" in done.output
    assert "sisy: PASS" not in make(folder, "check", "HLS_INCLUDE=hls include", tools={}).output


def test_configuration_of_the_unified_flow(expect) -> None:  # type: ignore[no-untyped-def]
    expect(project(gemm_resident(), target()).files["hls_config.cfg"], ".cfg")


def test_script_of_the_classic_flow(expect) -> None:  # type: ignore[no-untyped-def]
    expect(project(gemm_resident(), target()).files["run_hls.tcl"], ".tcl")


def test_connectivity(expect) -> None:  # type: ignore[no-untyped-def]
    expect(project(gemm_resident(), target()).files["system.cfg"], ".cfg")


def test_boards_with_a_shell_are_placed_and_routed_as_designs_that_were() -> None:
    assert "={-directive AltSpreadLogic_medium}" in project(gemm_resident(), target("u55c")).files["system.cfg"]
    assert "[vivado]" not in project(gemm_resident(), target("kv260")).files["system.cfg"]


def test_tree_reduction_is_told_to_both_flows() -> None:
    plan = gemm_resident()
    for name, words in (
        ("hls_config.cfg", "unsafe_math_optimizations=1"),
        ("run_hls.tcl", "-unsafe_math_optimizations"),
    ):
        assert words not in project(plan, target()).files[name]
        assert words in project(replace(plan, tree_reduction=True), target()).files[name]


def test_adders_in_fabric_are_told_to_both_flows() -> None:
    """Of each type that the kernel adds, additions and subtractions, which are one core."""
    plan = gemm_resident()
    for name, line in (
        ("hls_config.cfg", "syn.op=op:{} impl:fabric"),
        ("run_hls.tcl", "    config_op {} -impl fabric"),
    ):
        asked = project(replace(plan, adders="fabric"), target()).files[name].splitlines()
        assert [line.format(op) in asked for op in ("fadd", "fsub", "dadd", "fmul")] == [True, True, False, False]
        assert project(plan, target()).files[name].splitlines() == [own for own in asked if "fabric" not in own]


def test_project_is_the_same_every_time() -> None:
    one, other = project(gemm_resident(), target()), project(gemm_resident(), target())
    assert one.files == other.files and one.digest == other.digest
    assert one.digest != project(gemm_resident(), target("u55c")).digest
    assert list(one.files) == sorted(one.files)
