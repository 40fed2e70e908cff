"""Build files of a design: configurations of both tool flows, connectivity of the board, and the Makefile.

It knows the tools' command lines, not what the kernel computes. The unified flow is `v++ -c --mode hls` with
`vitis-run` (2023.2 and later), the classic one `vitis_hls` with a Tcl script (before it was withdrawn).
"""

from __future__ import annotations

from sisyphus.backends.hls import interface
from sisyphus.backends.hls.identifiers import Names
from sisyphus.backends.hls.makefile import RULES
from sisyphus.backends.hls.quoting import make_value, one_line, tcl_word
from sisyphus.backends.hls.reference import BENCH_FLAGS
from sisyphus.backends.hls.tool_options import (
    clock_option,
    scalable_clock_option,
    scalable_versions,
    strategies,
)
from sisyphus.backends.hls.writer import Writer
from sisyphus.plan import Plan, banks_of
from sisyphus.target import Target

SOURCES = "kernel.cpp"
BENCH = ("testbench.cpp", "reference.c")


def print_build_files(plan: Plan, target: Target, names: Names, exact: str) -> dict[str, str]:
    """`exact`: the options with which a compiler computes what C says."""
    top = names.of("top", plan.scop.name)
    return {
        "hls_config.cfg": _unified(plan, target, top, exact),
        "run_hls.tcl": _classic(plan, target, top, exact),
        "system.cfg": _system(plan, target, names),
        "Makefile": _makefile(target, top, exact),
    }


def _clock(target: Target) -> str:
    return f"{target.clock_mhz:g}MHz"


def _unified(plan: Plan, target: Target, top: str, exact: str) -> str:
    w = Writer()
    w.lines(
        [
            f"# {top} for `v++ -c --mode hls` and `vitis-run --mode hls`.",
            f"part={one_line(target.device.part)}",
            "",
            "[hls]",
        ]
    )
    w.lines(["flow_target=vitis", f"clock={_clock(target)}", f"syn.top={top}", f"syn.file={SOURCES}"])
    w.line("syn.cflags=-std=c++14")
    if plan.tree_reduction:
        w.line("syn.compile.unsafe_math_optimizations=1")
    w.lines(f"tb.file={name}" for name in BENCH)
    w.line(f"tb.file_cflags=testbench.cpp,-std=c++14 {BENCH_FLAGS} -Wno-unknown-pragmas")
    w.line(f"tb.file_cflags=reference.c,-w {exact}")
    w.lines(["package.output.format=xo", "package.output.file=kernel.xo", "package.output.syn=false"])
    return w.text()


def _classic(plan: Plan, target: Target, top: str, exact: str) -> str:
    w = Writer()
    w.line("# One step of the classic flow: SISY_STEP=csim|csynth|cosim|package vitis_hls -f run_hls.tcl")
    w.line("set step csynth")
    w.line("if {[info exists ::env(SISY_STEP)]} { set step $::env(SISY_STEP) }")
    w.line("file mkdir build")
    w.line("cd build")
    with w.block("set failed [catch", tail="} message]"):
        w.line("open_project hls")
        w.line(f"set_top {top}")
        w.line(f'add_files ../{SOURCES} -cflags "-std=c++14"')
        w.line(f'add_files -tb ../testbench.cpp -cflags "-std=c++14 {BENCH_FLAGS} -Wno-unknown-pragmas"')
        w.line(f'add_files -tb ../reference.c -cflags "-w {exact}"')
        w.line("open_solution -flow_target vitis solution")
        w.line(f"set_part {tcl_word(target.device.part)}")
        w.line(f"create_clock -period {1000 / target.clock_mhz:.6g} -name default")
        if plan.tree_reduction:
            w.line("config_compile -unsafe_math_optimizations")
        with w.block("switch $step"):
            w.line("csim { csim_design }")
            w.line("csynth { csynth_design }")
            w.line("cosim { cosim_design }")
            w.line("package { export_design -format xo -output kernel.xo }")
            w.line('default { error "SISY_STEP is $step, not csim, csynth, cosim or package" }')
    with w.block("if {$failed}"):
        w.line('puts "ERROR: $message"')
        w.line("exit 1")
    w.line("exit 0")
    return w.text()


def _system(plan: Plan, target: Target, names: Names) -> str:
    top = names.of("top", plan.scop.name)
    device, unit = target.device, f"{top}_1"
    w = Writer()
    w.lines([f"# Where {unit} sits and which memory its ports use, for `v++ --link`.", "[connectivity]"])
    w.line(f"nk={top}:1:{unit}")
    if device.slrs > 1:
        w.lines([f"# The linker chooses among {device.slrs} SLRs; to fix one:", f"# slr={unit}:SLR0"])
    if device.bank_kind != "PS":
        ports = interface.arrays(plan)
        for port, own in zip(ports, banks_of(ports, device).values(), strict=True):
            for pointer, bank in zip(interface.pointers(port, names), own, strict=True):
                w.line(f"sp={unit}.{pointer}:{device.bank_kind}[{bank}]")
    props = strategies(target)
    if props:
        w.lines(
            [
                "",
                "# As designs were routed that fill a good part of a die (Prometheus, U55C, 216 of 220 MHz).",
                "[vivado]",
            ]
        )
        w.lines(f"prop={prop}" for prop in props)
    return w.text()


def _makefile(target: Target, top: str, exact: str) -> str:
    w = Writer()
    w.line("# Simulates, synthesizes, links and runs this kernel with AMD Vitis (2023.2 to 2025.x); see `make help`.")
    w.lines([f"TOP := {top}", f"DEVICE := {make_value(target.device.name)}"])
    w.line(f"EXACT := {exact}")
    w.line("# How the clock is told to the linker differs between versions of Vitis.")
    w.line(f"SCALABLE_VERSIONS := {' '.join(scalable_versions(target))}".rstrip())
    w.line(f"SCALABLE_CLOCK := {scalable_clock_option(target, f'{top}_1')}")
    w.line(f"USUAL_CLOCK := {clock_option(target, f'{top}_1')}")
    w.lines(RULES.splitlines())
    return w.text()
