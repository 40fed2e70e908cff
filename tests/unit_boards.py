"""A board of the tests for several units: XRT in fake_xrt and fake_xrt_units, and the printed host on it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from compiled_once import remembering

from sisyphus.analysis import Dependences
from sisyphus.backends.hls import exact_flags, interface
from sisyphus.backends.hls.testbench import memories
from sisyphus.tools import Finished, run_tool
from sisyphus.units import Unit
from sisyphus.units.design import project_of
from sisyphus.verification.differential_run import ANY_STATUS, INCLUDE_DIR

compiled = remembering(run_tool)


def wired(unit: Unit) -> str:
    """A function in `board` with the arguments that a host gives, and the streams of that board behind them."""
    name, given, passed, streams = unit.plan.scop.name, list[str](), list[str](), ""
    for port in interface.live_ports(unit.plan):
        if port.kind == "stream":
            end = port.name if port.direction == "out" else f"{port.name}_to_{unit.number}"
            own, kind = f"stream_{end}", interface.stream_type(port)
            streams += f"#ifndef {own}_\n#define {own}_\nnamespace board {{ inline {kind} {own}; }}\n#endif\n"
            passed.append(own)
        else:
            given += interface.parameters(port, memories("given", port))
            passed += memories("given", port)
    return (
        f"{streams}namespace board {{ inline void {name}({', '.join(given)}) {{ ::{name}({', '.join(passed)}); }} }}\n"
    )


def run_host(
    units: Sequence[Unit],
    folder: Path,
    *words: str,
    spoil: tuple[str, str] = ("", ""),
    found: Dependences,
    temporaries: Sequence[str] = (),
) -> Finished:
    """Compiles the host of up to three units, with something replaced in its text, and runs it on that board."""
    project = project_of(found.scop, units, None, temporaries)
    for name, text in project.files.items():
        assert name != "host.cpp" or spoil[0] in text
        (folder / name).write_text(text.replace(*spoil) if name == "host.cpp" else text)
    flags = ["g++", *exact_flags(project.files["reference.c"]).split()]
    compiled([*flags, "-x", "c", "-w", "-c", "reference.c", "-o", "reference.o"], cwd=folder, timeout_s=300)
    tests = Path(__file__).parent / "unit"
    places_of = [tests / "units" / "fake_xrt_units", tests / "backends" / "fake_xrt", INCLUDE_DIR]
    includes = [word for place in places_of for word in ("-isystem", str(place))]
    (folder / "wired.h").write_text("".join(map(wired, units)))
    tops = " ".join(f"FAKE_CALL({unit.plan.scop.name})" for unit in units)
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
    names = ["host", *(f"kernel_{number}" for number in range(len(units)))]
    command = [*flags, "-O0", "-std=c++20", *warnings, *includes, "-I.", f"-DFAKE_TOPS={tops}"]
    for name in names:
        compiled([*command, "-c", f"{name}.cpp", "-o", f"{name}.o"], cwd=folder, timeout_s=300)
    objects = [f"{name}.o" for name in (*names, "reference")]
    run_tool(["g++", *objects, "-pthread", "-o", "host"], cwd=folder, timeout_s=300)
    return run_tool([folder / "host", "units.xclbin", *words], cwd=folder, timeout_s=300, accept=ANY_STATUS)
