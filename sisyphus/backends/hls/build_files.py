"""Build files of a design: configurations of both tool flows, connectivity of the board, and the Makefile.

It knows the tools' command lines, not what the kernel computes. The unified flow is `v++ -c --mode hls` with
`vitis-run` (2023.2 and later), the classic one `vitis_hls` with a Tcl script (before it was withdrawn).
"""

from __future__ import annotations

from collections.abc import Sequence

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
from sisyphus.space import added_types
from sisyphus.target import Target

BENCH = ("testbench.cpp", "reference.c")


def print_build_files(plan: Plan, target: Target, names: Names, exact: str) -> dict[str, str]:
    """`exact`: the options with which a compiler computes what C says."""
    top = names.of("top", plan.scop.name)
    return {
        "hls_config.cfg": unified(plan, target, top, exact),
        "run_hls.tcl": classic(plan, target, top, exact),
        "system.cfg": _system(plan, target, names),
        "Makefile": _makefile(target, top, exact),
    }


def _clock(target: Target) -> str:
    return f"{target.clock_mhz:g}MHz"


def _bound(plan: Plan) -> list[str]:
    """The operators of all additions of floating point, as tools name them, where they are not left to the tool.

    For the whole function and not by a pragma for each result: this also holds the additions that the tool makes itself
    where it may reassociate, and leaves statements in the form that reports were measured with.
    """
    if plan.adders == "dsp":
        return []
    return [f"{kind[0]}{op}" for kind in sorted(added_types(plan.scop)) for op in ("add", "sub")]


def unified(plan: Plan, target: Target, top: str, exact: str | None, unit: str = "kernel") -> str:
    """The configuration of one top function, in `unit`.cpp; without `exact` there is no test bench of it alone."""
    w = Writer()
    w.lines(
        [
            f"# {top} for `v++ -c --mode hls` and `vitis-run --mode hls`.",
            f"part={one_line(target.device.part)}",
            "",
            "[hls]",
        ]
    )
    w.lines(["flow_target=vitis", f"clock={_clock(target)}", f"syn.top={top}", f"syn.file={unit}.cpp"])
    w.line("syn.cflags=-std=c++14")
    if plan.tree_reduction:
        w.line("syn.compile.unsafe_math_optimizations=1")
    w.lines(f"syn.op=op:{op} impl:{plan.adders}" for op in _bound(plan))
    if exact is not None:
        w.lines(f"tb.file={name}" for name in BENCH)
        w.line(f"tb.file_cflags=testbench.cpp,-std=c++14 {BENCH_FLAGS} -Wno-unknown-pragmas")
        w.line(f"tb.file_cflags=reference.c,-w {exact}")
    w.lines(["package.output.format=xo", f"package.output.file={unit}.xo", "package.output.syn=false"])
    return w.text()


def classic(plan: Plan, target: Target, top: str, exact: str | None, unit: str = "kernel") -> str:
    """The same as a script for vitis_hls."""
    w, script = Writer(), "run_hls.tcl" if exact is not None else f"run_hls_{unit}.tcl"
    steps = ("csim", "csynth", "cosim", "package") if exact is not None else ("csynth", "package")
    w.line(f"# One step of the classic flow: SISY_STEP={'|'.join(steps)} vitis_hls -f {script}")
    w.line("set step csynth")
    w.line("if {[info exists ::env(SISY_STEP)]} { set step $::env(SISY_STEP) }")
    w.line("file mkdir build")
    w.line("cd build")
    with w.block("set failed [catch", tail="} message]"):
        w.line(f"open_project {'hls' if exact is not None else f'hls_{unit}'}")
        w.line(f"set_top {top}")
        w.line(f'add_files ../{unit}.cpp -cflags "-std=c++14"')
        if exact is not None:
            w.line(f'add_files -tb ../testbench.cpp -cflags "-std=c++14 {BENCH_FLAGS} -Wno-unknown-pragmas"')
            w.line(f'add_files -tb ../reference.c -cflags "-w {exact}"')
        w.line("open_solution -flow_target vitis solution")
        w.line(f"set_part {tcl_word(target.device.part)}")
        w.line(f"create_clock -period {1000 / target.clock_mhz:.6g} -name default")
        if plan.tree_reduction:
            w.line("config_compile -unsafe_math_optimizations")
        w.lines(f"config_op {op} -impl {plan.adders}" for op in _bound(plan))
        with w.block("switch $step"):
            commands = {"package": f"export_design -format xo -output {unit}.xo"}
            w.lines(f"{step} {{ {commands.get(step, f'{step}_design')} }}" for step in steps)
            known = f"{', '.join(steps[:-1])} or {steps[-1]}"
            w.line(f'default {{ error "SISY_STEP is $step, not {known}" }}')
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
    print_strategies(w, target)
    return w.text()


def print_strategies(w: Writer, target: Target) -> None:
    """What Vivado is asked for, in a system.cfg."""
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


def _makefile(target: Target, top: str, exact: str) -> str:
    w = Writer()
    w.line("# Simulates, synthesizes, links and runs this kernel with AMD Vitis (2023.2 to 2025.x); see `make help`.")
    w.lines([f"TOP := {top}", f"DEVICE := {make_value(target.device.name)}"])
    print_variables(w, target, exact, [f"{top}_1"])
    w.lines(RULES.splitlines())
    return w.text()


def print_variables(w: Writer, target: Target, exact: str, units: Sequence[str]) -> None:
    """What the rules of a Makefile take from the board, for the units that are linked."""
    w.line(f"EXACT := {exact}")
    w.line("# How the clock is told to the linker differs between versions of Vitis.")
    w.line(f"SCALABLE_VERSIONS := {' '.join(scalable_versions(target))}".rstrip())
    w.line(f"SCALABLE_CLOCK := {' '.join(dict.fromkeys(scalable_clock_option(target, unit) for unit in units))}")
    w.line(f"USUAL_CLOCK := {' '.join(dict.fromkeys(clock_option(target, unit) for unit in units))}")
