"""A folder that was written earlier, checked again as it lies there; knows no search and changes no file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sisyphus.asked_forms import form_of
from sisyphus.backends.hls import DESIGN, Project, heading, is_ours, project, source_in
from sisyphus.errors import KernelError, UsageError, VerifyError
from sisyphus.kernel_forms import load_kernels
from sisyphus.model import estimate
from sisyphus.plan import Plan, build_plan, check_point
from sisyphus.record import Record
from sisyphus.report import interface_data, verdict_text
from sisyphus.request import Source
from sisyphus.shown import Shown
from sisyphus.target import Target
from sisyphus.values import dataclass, replace
from sisyphus.verification import Check, Verdict, reduced, run_files, verify

#: What the differential run is made of.
RUN_FILES = ("kernel.h", "kernel.cpp", "testbench.cpp", "reference.c")
#: Enough for one data set of any kernel that is run at all, where its size is not known.
UNKNOWN_SIZE_SECONDS = 600.0

_SETS = re.compile(r'wanted \? wanted : "(?P<sets>[\w ]+)"')


@dataclass(frozen=True)
class Rechecked(Shown):
    """The verdict on a folder, or on a design at hand (None); `notes` say what could not be checked, and why."""

    folder: Path | None
    verdict: Verdict
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([f"verification: {verdict_text(self.verdict)}", *(f"note: {note}" for note in self.notes)])

    def check(self) -> None:
        """`VerifyError` where some check failed."""
        if not self.verdict.passed:
            failed, where = self.verdict.failures[0], f" of {self.folder}" if self.folder is not None else ""
            raise VerifyError(f"verification{where} failed: {failed.name}: {failed.detail}")


def recheck(
    folder: Path,
    *,
    source: Path | None = None,
    device: str | None = None,
    sandboxed: bool = False,
    full: bool = False,
    listen: Callable[[str], None] = lambda stage: None,
) -> Rechecked:
    """Proof, comparison with what would be printed now, and differential run of the files in `folder`.

    `source` is the kernel file where it is no longer at its recorded place, `device` the board where its name is not
    one that sisy knows. Without the source, the text of it in reference.c stands for it. `sandboxed`: neither may
    include anything outside of its folder and those of `-I`.
    """
    if not is_ours(folder):
        raise UsageError(f"`{folder}` is no folder that sisy wrote", hint=f"give one that has a {DESIGN}")
    record = Record.of(folder / DESIGN, sandboxed=sandboxed)
    files = _read_files(folder)
    found = record.known_source(source)
    missing = [name for name in RUN_FILES if name not in files]
    if missing:
        return Rechecked(folder, Verdict((Check("files", False, f"{missing[0]} is missing"),)))
    if found is None:
        return _without_source(folder, record, files, device=device, full=full, listen=listen)
    return _whole(folder, record, files, found, device=device, full=full, listen=listen)


def _without_source(
    folder: Path,
    record: Record,
    files: Mapping[str, str],
    *,
    device: str | None,
    full: bool,
    listen: Callable[[str], None],
) -> Rechecked:
    """By the source that reference.c has; where it cannot be read, only the run of the files is left."""
    text = source_in(files["reference.c"])
    gone = f"the source `{record.source.path}` is not there as it was"
    if text is not None:
        same = "" if record.is_source(text) else ", which differs from it or has its headers"
        found = replace(record.source, text=text.encode())
        try:
            checked = _whole(folder, record, files, found, device=device, full=full, listen=listen, trusted=not same)
        except KernelError:
            if found.sandboxed:
                raise
        else:
            note = f"{gone}: proved and run by the text in reference.c{same} (`--source FILE`)"
            return replace(checked, notes=(note, *checked.notes))
    note = f"{gone}: no proof, only the run, at full size (`--source FILE`)"
    return Rechecked(folder, _run_alone(files), (note,))


def _whole(
    folder: Path,
    record: Record,
    files: Mapping[str, str],
    found: Source,
    *,
    device: str | None,
    full: bool,
    listen: Callable[[str], None],
    trusted: bool = True,
) -> Rechecked:
    """`trusted`: the text in `found` is the recorded one, so that reference.c must be as it would be printed."""
    target, notes = record.target(device)
    kernels = load_kernels(found)
    kernel = form_of(kernels, record.point)
    if kernel is None or kernel.scop.name != record.point.kernel:
        raise KernelError(f"{folder / DESIGN}: a design of `{record.point.kernel}`, not of `{kernels[0].scop.name}`")
    check_point(kernel.scop, kernel.distribution, record.point)
    plan = build_plan(kernel.scop, kernel.distribution, kernel.live, record.point)
    printed = _printed(plan, target, record, found.path)
    if not trusted:
        printed = replace(printed, files={**printed.files, "reference.c": files["reference.c"]})
    there = replace(printed, files=files)
    told = record.source
    verdict = verify(
        plan,
        there,
        kernel.dependences,
        live=kernel.live,
        full=full,
        listen=listen,
        smaller=lambda: reduced(kernel.scop, record.point, params=told.params, temporaries=told.temporaries),
    )
    told_as_found = _told_as_found(record, plan, printed, record.whole_target(device) if target else None)
    return Rechecked(folder, Verdict((*_compared(files, printed), *told_as_found)).joined(verdict), notes)


def _printed(plan: Plan, target: Target | None, record: Record, found: str) -> Project:
    """The project as it was printed: reference.c names the file that the source was in then."""
    printed = project(plan, target, temporaries=record.source.temporaries)
    was, now = (heading(path) for path in (record.source.path, found))
    return replace(printed, files={**printed.files, "reference.c": printed.files["reference.c"].replace(now, was, 1)})


def _compared(files: Mapping[str, str], printed: Project) -> tuple[Check, ...]:
    checks = []
    for name, text in printed.files.items():
        if name not in files:
            detail = "is missing"
        elif files[name] != text:
            detail = f"line {_first_difference(files[name], text)} is not what its design point prints"
        else:
            detail = "as its design point prints it"
        checks.append(Check(f"file {name}", files.get(name) == text, detail))
    return tuple(checks)


def _told_as_found(record: Record, plan: Plan, printed: Project, target: Target | None) -> tuple[Check, ...]:
    """What design.json says of its design beside the point itself, which is all that the files are printed from."""
    found: dict[str, Any] = {"interface": interface_data(printed.interface)}
    if target is not None:
        found["estimate"] = estimate(plan, target).to_json()
    checks = []
    for name, data in found.items():
        same = json.loads(json.dumps(data)) == getattr(record, name)
        detail = "as its design point has it" if same else "is not what its design point has"
        checks.append(Check(f"file {DESIGN}, {name}", same, detail))
    return tuple(checks)


def _first_difference(one: str, other: str) -> int:
    lines, others = one.splitlines(), other.splitlines()
    pairs = enumerate(zip(lines, others, strict=False), start=1)
    return next((at for at, (a, b) in pairs if a != b), min(len(lines), len(others)) + 1)


def _run_alone(files: Mapping[str, str]) -> Verdict:
    """The run of all data sets that the test bench names."""
    match = _SETS.search(files["testbench.cpp"])
    if match is None:
        return Verdict((Check("files", False, "testbench.cpp is not one that sisy printed"),))
    sets = match["sets"].split()
    ran = run_files(files, sets, time_limit_s=UNKNOWN_SIZE_SECONDS * len(sets))
    return Verdict(ran.checks, ran.compiler, 0, ran.worst_error)


def _read_files(folder: Path) -> dict[str, str]:
    """The printed files that are there."""
    names = (*RUN_FILES, "host.cpp", "hls_config.cfg", "run_hls.tcl", "system.cfg", "Makefile")
    found = {}
    for name in names:
        path = folder / name
        if path.is_file():
            try:
                found[name] = path.read_bytes().decode("utf-8", errors="replace")
            except OSError as failure:
                raise UsageError(f"`{path}` cannot be read: {failure.strerror or failure}") from failure
    return found
