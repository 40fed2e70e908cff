"""One design of a batch: the command that makes it, what its result depends on, what came of it; knows no other job.

A job is a run of `sisy optimize` in a process of its own, so that whatever happens to one leaves the others alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from sisyphus.backends.hls import is_ours, whole_text
from sisyphus.errors import EffortUp, SisyphusError, ToolError
from sisyphus.ir import Origin
from sisyphus.settings import settings_of_searches, user_calibration
from sisyphus.tools import find_tool, run_tool
from sisyphus.values import asdict, dataclass, field, replace
from sisyphus.versions import versions

#: Seconds beyond the time limit of its search after which a job is taken to hang.
GRACE_S = 1800.0
#: Figures of an estimate that a result keeps, and of RTL cycles the most.
FIGURES = ("cycles", "dsp", "bram18k", "uram", "lut", "ff", "onchip_bytes", "bytes_moved")
#: Figures that a synthesis report has, too.
REPORTED = ("cycles", "dsp", "bram18k", "uram", "lut", "ff")
#: Exit statuses that the same inputs would lead to again: refused, nothing fits, verification failed.
_FINAL = frozenset({1, 2, 3, 4})


@dataclass(frozen=True)
class Job:
    """`arguments` are those of `sisy optimize` behind the kernel; `folder` gets the design, relative to the batch's.

    `labels` say which set, device and choices these are, for tables. `timeout_s`: None for none.
    """

    name: str
    kernel: str
    arguments: tuple[str, ...]
    folder: str
    labels: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float | None = None

    @cached_property
    def key(self) -> str:
        """SHA-256 over all that the result depends on: texts of kernel, headers and named files, options, versions.

        It is found once, so that a worker elsewhere tells the same.
        """
        settings = settings_of_searches()
        parts = {
            "settings": settings,
            "name": self.name,
            "arguments": self.arguments,
            "files": _named_files(self.arguments, settings),
            "text": _text(self),
            "versions": versions(),
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class JobResult:
    """What came of a job. `figures` are predicted, as in design.json; `seconds` is all that differs between runs.

    `stop` is why the search ended, or what kind of failure there was in place of a design. `reported` are the figures
    of the synthesis report, as far as it has them; None where the design was not synthesized.
    """

    name: str
    key: str
    kernel: str
    labels: Mapping[str, str]
    exit_code: int
    folder: str
    figures: Mapping[str, float] = field(default_factory=dict)
    stop: str | None = None
    gap: float | None = None
    verified: bool | None = None
    message: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    reported: Mapping[str, float] | None = None

    @property
    def is_done(self) -> bool:
        """There is a design, where it was verified it passed, and where it was synthesized there is a report."""
        return self.exit_code == 0

    @property
    def has_design(self) -> bool:
        """There is a design that passed, whatever came of its synthesis."""
        return self.is_done or (self.exit_code == ToolError.exit_code and bool(self.figures))

    @property
    def is_final(self) -> bool:
        """The same inputs would come to the same, so that there is nothing to run again."""
        return self.is_done or self.exit_code in _FINAL or self.stop == EffortUp.kind

    @property
    def line(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self), sort_keys=True)

    @staticmethod
    def of_line(line: str) -> JobResult:
        """The inverse of `line`; `ValueError` where it is none."""
        data = json.loads(line)
        if not isinstance(data, dict):
            raise ValueError("not a JSON object")
        try:
            return JobResult(**data)
        except TypeError as wrong:
            raise ValueError(str(wrong)) from wrong


def run_job(job: Job, out: str, synthesize: bool = False) -> JobResult:
    """Runs a job below the folder `out`; whatever it fails of is in its result. Workers of a cluster call this."""
    begun, place = time.monotonic(), Path(out).resolve() / job.folder
    command = [sys.executable, "-m", "sisyphus", "optimize", str(Path(job.kernel).resolve())]
    try:
        ended = run_tool(
            [*command, *job.arguments, "--no-cache", "--json", "-q", "-o", str(place)],
            cwd=Path.cwd(),
            timeout_s=job.timeout_s,
            accept=range(-64, 256),
        )
    except ToolError as failure:
        return _failed(job, ToolError.exit_code, failure.message, time.monotonic() - begun)
    seconds = time.monotonic() - begun
    try:
        told = json.loads(ended.output)
    except ValueError:
        tail = (ended.errors or ended.output).strip().splitlines()[-1:] or ["it said nothing"]
        return _failed(job, ended.status or ToolError.exit_code, tail[0], seconds)
    if "run" not in told:
        error = told.get("error", {})
        message = str(error.get("message", "")).partition("\n")[0]
        return _failed(job, ended.status, message, seconds, stop=error.get("kind"))
    result = _result(job, ended.status, told, seconds)
    return synthesized(result, out) if synthesize and result.is_done else result


def is_there(result: JobResult, out: Path) -> bool:
    """Whether the folder of a design that was made is still one of ours."""
    return not result.has_design or is_ours(out / result.folder)


def _result(job: Job, status: int, told: Mapping[str, Any], seconds: float) -> JobResult:
    run = told["run"]
    solver, verdict = run.get("solver") or {}, run["verdict"]
    failed = [] if verdict is None else [c for c in verdict["checks"] if not c["passed"]]
    return JobResult(
        name=job.name,
        key=job.key,
        kernel=job.kernel,
        labels=dict(job.labels),
        exit_code=status,
        folder=job.folder if status == 0 else f"{job.folder}.failed",
        figures=_figures(told),
        stop=solver.get("stop"),
        gap=solver.get("gap"),
        verified=None if verdict is None else bool(verdict["passed"]),
        message="; ".join(f"{c['name']}: {c['detail']}" for c in failed),
        seconds={"total": round(seconds, 3), **run.get("seconds", {})},
    )


def _figures(told: Mapping[str, Any]) -> dict[str, int]:
    """Of one design; of several units the cycles of all, and what they take together."""
    if "units" in told:
        estimates = [unit["estimate"] for unit in told["units"]]
        return {name: sum(each[name] for each in estimates) for name in FIGURES} | {"cycles": told["cycles"]}
    estimate = told["estimate"]
    return {name: estimate[name] for name in FIGURES} | {"rtl_cycles": max(estimate["rtl_cycles"])}


def _failed(job: Job, status: int, message: str, seconds: float, stop: str | None = None) -> JobResult:
    labels, taken = dict(job.labels), {"total": round(seconds, 3)}
    return JobResult(
        job.name, job.key, job.kernel, labels, status, job.folder, stop=stop, message=message, seconds=taken
    )


def synthesized(result: JobResult, out: str) -> JobResult:
    """The design after `make csynth` in its folder, which needs Vitis, with what the report of that says."""
    from sisyphus.readback import find_reports

    begun, place = time.monotonic(), Path(out).resolve() / result.folder
    made, log = replace(result, exit_code=0, message="", reported=None), place / "csynth.log"
    try:
        run_tool(["make", "csynth"], cwd=place, timeout_s=None, log=log)
        report = find_reports(place).synthesis
        if report is None:
            raise ToolError(f"`make csynth` left no report; its output is in {log}")
    except SisyphusError as failure:
        why = _told_by(log) if isinstance(failure, ToolError) else ""
        message = failure.message.splitlines()[0] + (f": {why}" if why else "")
        return replace(made, exit_code=ToolError.exit_code, message=message)
    told = {"cycles": report.latency, **report.resources}
    reported = {name: amount for name in REPORTED if (amount := told.get(name)) is not None}
    taken = {**made.seconds, "synthesis": round(time.monotonic() - begun, 3)}
    return replace(made, reported=reported, seconds=taken)


def synthesizer_missing() -> bool:
    """Whether `make csynth` would find no Vitis HLS on this machine."""
    named = any(os.environ.get(name) for name in ("VPP", "VITIS_RUN", "VITIS_HLS"))
    unified = all(find_tool(name) for name in ("v++", "vitis-run"))
    return not (named or unified or find_tool("vitis_hls"))


def _told_by(log: Path) -> str:
    """The line of a log that says what went wrong: the tool's first error, else the last one that is not make's."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.is_file() else []
    said = [line for line in lines if line.strip() and not line.startswith(("make", "csynth"))]
    return next((line for line in said if line.startswith("ERROR")), said[-1] if said else "").strip()


def _named_files(arguments: Sequence[str], settings: Mapping[str, str]) -> dict[str, str]:
    """What options read: a board of one's own, saved designs, schedules, the user's calibration; texts by name."""
    paths = [Path(part) for word in arguments for part in (word, word.partition("=")[2]) if part]
    if "--calibration" in arguments or any("calibration" in f"{n} {text}".lower() for n, text in settings.items()):
        paths.append(user_calibration())
    files = [path / "design.json" if path.is_dir() else path for path in paths]
    return {str(path): path.read_text(encoding="utf-8", errors="replace") for path in files if path.is_file()}


def _text(job: Job) -> str:
    """The kernel with the headers that stand beside it or in folders named with -I; empty where it cannot be read."""
    path = Path(job.kernel)
    words = list(job.arguments)
    folders = tuple(words[at + 1] for at, word in enumerate(words[:-1]) if word == "-I")
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
        return whole_text(Origin(job.kernel, text, "", "", include_dirs=folders))
    except OSError:
        return ""
