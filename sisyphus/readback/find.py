"""Reports of vendor tools below a folder; knows what they are called, not what they say."""

from __future__ import annotations

from pathlib import Path

from sisyphus.errors import UsageError
from sisyphus.readback.csynth import Synthesis, read_csynth
from sisyphus.readback.vivado import Implementation, read_vivado
from sisyphus.values import dataclass

#: Names of synthesis reports, the ones that tell most first.
CSYNTH = ("csynth.xml", "*.csynth.xml", "*_csynth.xml", "csynth.rpt", "*.csynth.rpt")
UTILIZATION = ("*utilization*routed*.rpt", "*utilization*placed*.rpt", "*utilization*.rpt", "*util*.rpt")
TIMING = ("*timing_summary*routed*.rpt", "*timing_summary*.rpt", "*timing*.rpt")


@dataclass(frozen=True)
class Reports:
    """What was found below a folder: a synthesis report, or those of Vivado, or both."""

    synthesis: Synthesis | None
    implementation: Implementation | None


def find_reports(folder: Path, kernel: str | None = None) -> Reports:
    """The newest synthesis report of the best kind, and those of Vivado; `UsageError` where there is none of any.

    With `kernel`, a report of a top function of that name goes before others.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder", hint="name a folder that sisy wrote, after `make csynth` in it")
    implementation = read_vivado(_first(folder, UTILIZATION), _first(folder, TIMING))
    for pattern in CSYNTH:
        found = [read_csynth(path) for path in _newest_first(folder, pattern)]
        if found:
            named = [report for report in found if report.top == kernel]
            return Reports((named or found)[0], implementation)
    if implementation is not None:
        return Reports(None, implementation)
    raise UsageError(f"{folder}: no csynth.xml and no csynth.rpt below", hint="run `make csynth` in the folder")


def _newest_first(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.rglob(pattern), key=lambda path: (-path.stat().st_mtime, str(path)))


def _first(folder: Path, patterns: tuple[str, ...]) -> Path | None:
    return next((path for pattern in patterns for path in _newest_first(folder, pattern)), None)
