"""The files of several units as one project: a kernel file for each, one test bench, one host, one system.cfg."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from types import MappingProxyType

from sisyphus.backends.hls import interface
from sisyphus.backends.hls.build_files import classic, print_strategies, print_variables, unified
from sisyphus.backends.hls.identifiers import plan_names
from sisyphus.backends.hls.makefile import UNIT_RULES
from sisyphus.backends.hls.project import Project, digest_of
from sisyphus.backends.hls.quoting import make_value
from sisyphus.backends.hls.reference import exact_flags, print_reference
from sisyphus.backends.hls.top_function import print_kernel
from sisyphus.backends.hls.unit_host import print_unit_host
from sisyphus.backends.hls.unit_programs import UnitProgram, joined, print_unit_testbench
from sisyphus.backends.hls.writer import Writer
from sisyphus.ir import Scop
from sisyphus.plan import banks_of
from sisyphus.target import Target
from sisyphus.values import replace

__all__ = ["UnitProgram", "plan_names", "unit_project"]


def unit_project(
    scop: Scop, units: Sequence[UnitProgram], target: Target | None, *, temporaries: Collection[str] = ()
) -> Project:
    """All files of a kernel that is dealt over units; those that name a device only with a target."""
    kept, reference = tuple(sorted(temporaries)), print_reference(scop)
    files = {
        "reference.c": reference,
        "testbench.cpp": print_unit_testbench(scop, units, kept),
        "host.cpp": print_unit_host(scop, units, kept),
    }
    for number, unit in enumerate(units):
        kernel = print_kernel(unit.plan, f"kernel_{number}.h")
        files |= {f"kernel_{number}.h": kernel.header, f"kernel_{number}.cpp": kernel.source}
        if target is not None:
            name = f"kernel_{number}"
            files[f"hls_config_{name}.cfg"] = unified(unit.plan, target, unit.top, None, name)
            files[f"run_hls_{name}.tcl"] = classic(unit.plan, target, unit.top, None, name)
    if target is not None:
        files["system.cfg"] = _system(units, target)
        files["Makefile"] = _makefile(scop.name, units, target, exact_flags(reference))
    ports = tuple(port for unit in units for port in unit.ports)
    return Project(MappingProxyType(dict(sorted(files.items()))), scop.name, ports, digest_of(files))


def _system(units: Sequence[UnitProgram], target: Target) -> str:
    w, device = Writer(), target.device
    w.lines(["# Where each unit sits and which memory its ports use, for `v++ --link`.", "[connectivity]"])
    for unit in units:
        w.line(f"nk={unit.top}:1:{unit.top}_1")
    if device.slrs > 1:
        w.lines(f"slr={unit.top}_1:SLR{unit.slr}" for unit in units)
    if device.bank_kind != "PS":
        for unit in units:
            ports, mine = interface.arrays(unit.plan), replace(device, banks=len(unit.banks))
            for port, own in zip(ports, banks_of(ports, mine).values(), strict=True):
                for pointer, bank in zip(interface.pointers(port, unit.names), own, strict=True):
                    w.line(f"sp={unit.top}_1.{pointer}:{device.bank_kind}[{unit.banks[bank]}]")
    for stream in joined(units):
        named = (units[stream.source], stream.port), (units[stream.sink], stream.array)
        ends = [f"{unit.top}_1.{unit.names.of('port', port)}" for unit, port in named]
        w.line(f"stream_connect={':'.join(ends)}:{stream.depth}")
    print_strategies(w, target)
    return w.text()


def _makefile(name: str, units: Sequence[UnitProgram], target: Target, exact: str) -> str:
    w = Writer()
    w.line("# Synthesizes, links and runs the units of this kernel with AMD Vitis (2023.2 to 2025.x); see `make help`.")
    w.lines([f"TOP := {name}", f"DEVICE := {make_value(target.device.name)}"])
    w.line(f"UNITS := {' '.join(f'kernel_{number}' for number in range(len(units)))}")
    print_variables(w, target, exact, [f"{unit.top}_1" for unit in units])
    w.lines(UNIT_RULES.splitlines())
    return w.text()
