"""What a machine has of all that sisy can use: found and of which version, or how to get it; changes nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sisyphus.errors import ToolError
from sisyphus.report.tables import table
from sisyphus.shown import Shown
from sisyphus.solve import solver_infos
from sisyphus.tools import find_tool, run_tool
from sisyphus.values import asdict, dataclass
from sisyphus.versions import version_of

#: Seconds for a program to say its version.
ASK_S = 20.0
PACKAGES = ("islpy", "networkx", "numpy", "pycparser", "pcpp", "pyomo", "jinja2", "matplotlib", "jsonschema", "rich")
#: Programs by their names: arguments that print the version, what needs them, how to get them.
PROGRAMS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "g++": (("--version",), "verification", "install g++ (Debian, Ubuntu: apt-get install g++)"),
    "gcc": (("--version",), "--compare-cpu", "install gcc (Debian, Ubuntu: apt-get install gcc)"),
    "make": (("--version",), "the Makefile of a folder", "install make (Debian, Ubuntu: apt-get install make)"),
    "vitis-run": (("--version",), "make csynth, Vitis 2024.2 and later", "install Vitis and source its settings64.sh"),
    "vitis_hls": (("-version",), "make csynth, Vitis before 2024.2", "install Vitis and source its settings64.sh"),
    "v++": (("--version",), "make xclbin", "install Vitis and source its settings64.sh"),
    "xbutil": (("--version",), "running on a board", "install XRT and source /opt/xilinx/xrt/setup.sh"),
}
CLUSTER = ("distributed", "dask-jobqueue")
#: What no run of `sisy optimize` as it is by default can do without.
NEEDED = ("g++",)


@dataclass(frozen=True)
class Finding:
    """A thing that is there (`version`, `place`) or missing (`advice`: how to get it); `use` is what needs it."""

    kind: str
    name: str
    use: str
    version: str | None = None
    place: str | None = None
    advice: str | None = None

    @property
    def is_there(self) -> bool:
        return self.advice is None


@dataclass(frozen=True)
class Findings(Shown):
    """All of them."""

    rows: tuple[Finding, ...]

    @property
    def missing(self) -> tuple[Finding, ...]:
        """What is missing of that which every run needs."""
        return tuple(row for row in self.rows if row.name in NEEDED and not row.is_there)

    def to_json(self) -> list[dict[str, Any]]:
        return [asdict(row) for row in self.rows]

    def __str__(self) -> str:
        parts = []
        for kind in dict.fromkeys(row.kind for row in self.rows):
            rows = [_line(row) for row in self.rows if row.kind == kind]
            parts.append(f"{kind}\n" + "\n".join("  " + line for line in table((), rows).splitlines()))
        return "\n\n".join(parts)


def examine() -> Findings:
    """Looks for everything; asks programs for their versions."""
    return Findings((*_packages(), *_programs(), *_solvers()))


def _line(row: Finding) -> tuple[str, str, str]:
    if row.is_there:
        return row.name, row.version or "found", row.place or ""
    return row.name, "MISSING" if row.name in NEEDED else "-", f"{row.advice} (for {row.use})"


def _packages() -> Iterator[Finding]:
    for name in PACKAGES:
        found = version_of(name)
        yield Finding("Python packages", name, "every run", found, advice=None if found else "reinstall sisyphus-hls")
    for name in CLUSTER:
        installed = version_of(name)
        advice = None if installed else "pip install 'sisyphus-hls[cluster]'"
        yield Finding("Python packages", name, "batches on clusters", installed, advice=advice)


def _programs() -> Iterator[Finding]:
    for name, (words, use, advice) in PROGRAMS.items():
        place = find_tool(name)
        if place is None:
            yield Finding("programs", name, use, advice=advice)
        else:
            yield Finding("programs", name, use, _version(name, words), place)
    xrt = os.environ.get("XILINX_XRT")
    lacking = None if xrt else "source /opt/xilinx/xrt/setup.sh, which sets XILINX_XRT"
    yield Finding("programs", "XRT libraries", "building the host", None, xrt, lacking)


def _version(name: str, words: Sequence[str]) -> str | None:
    """The first thing that looks like a version in what a program says of itself."""
    try:
        said = run_tool([name, *words], cwd=Path.cwd(), timeout_s=ASK_S, accept=range(-64, 256))
    except (ToolError, OSError):
        return None
    found = re.search(r"\bv?(\d+\.\d+(?:\.\d+)*)", said.output + said.errors)
    return found[1] if found else None


def _solvers() -> Iterator[Finding]:
    for row in solver_infos():
        yield Finding("solvers", row.name, f"--solver {row.name}", row.version, advice=row.missing)
