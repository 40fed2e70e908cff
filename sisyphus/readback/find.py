"""Reports of vendor tools below a folder; knows what they are called, not what they say."""

from __future__ import annotations

from pathlib import Path

from sisyphus.errors import KernelError, UsageError
from sisyphus.readback.csynth import Synthesis, read_csynth, with_issues
from sisyphus.readback.hls_log import Warned, read_log
from sisyphus.readback.vivado import Implementation, read_vivado
from sisyphus.values import dataclass

#: Names of synthesis reports, the ones that tell most first.
CSYNTH = ("csynth.xml", "*.csynth.xml", "*_csynth.xml", "csynth.rpt", "*.csynth.rpt")
LOGS = ("csynth.log", "vitis_hls.log", "*.log")
UTILIZATION = (
    "*kernel_util*routed*.rpt",
    "*kernel_util*.rpt",
    "*utilization*routed*.rpt",
    "*utilization*placed*.rpt",
    "*utilization*.rpt",
    "*util*.rpt",
)
TIMING = ("*timing_summary*routed*.rpt", "*timing_summary*.rpt", "*timing*.rpt")


@dataclass(frozen=True)
class Reports:
    """What was found below a folder: a synthesis report, or those of Vivado, or both; what the log warned of."""

    synthesis: Synthesis | None
    implementation: Implementation | None
    logged: tuple[Warned, ...] = ()


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
            chosen = (named or found)[0]
            return Reports(_with_table(chosen), implementation, _logged(folder))
    if implementation is not None:
        return Reports(None, implementation)
    raise UsageError(f"{folder}: no csynth.xml and no csynth.rpt below", hint="run `make csynth` in the folder")


def _with_table(found: Synthesis) -> Synthesis:
    """A csynth.xml with what the csynth.rpt beside it says of loops: some versions say less in the former."""
    table = found.path.with_suffix(".rpt")
    if table == found.path or not table.is_file():
        return found
    try:
        return with_issues(found, read_csynth(table))
    except KernelError:  # what csynth.xml says stands without it
        return found


def _logged(folder: Path) -> tuple[Warned, ...]:
    """Of the newest log of a synthesis, whatever it is called."""
    for pattern in LOGS:
        for path in _newest_first(folder, pattern):
            if "Pipelining" in path.read_text(encoding="utf-8", errors="replace"):
                return read_log(path)
    return ()


def _newest_first(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.rglob(pattern), key=lambda path: (-path.stat().st_mtime, str(path)))


def _first(folder: Path, patterns: tuple[str, ...]) -> Path | None:
    return next((path for pattern in patterns for path in _newest_first(folder, pattern)), None)
