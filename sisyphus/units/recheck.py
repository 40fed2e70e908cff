"""A folder of several units, checked again as it lies there; knows no search and changes no file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sisyphus.backends.hls import DESIGN, heading
from sisyphus.part_search import Listen, silent
from sisyphus.plan import streams_between
from sisyphus.recheck import Rechecked
from sisyphus.units.design import project_of, unit_data, verdict_of
from sisyphus.units.shares import Unit
from sisyphus.units.told import told_units
from sisyphus.values import asdict, replace
from sisyphus.verification import Check, Verdict


def recheck_units(
    folder: Path,
    *,
    source: Path | None = None,
    device: str | None = None,
    sandboxed: bool = False,
    full: bool = False,
    listen: Listen = silent,
) -> Rechecked:
    """The shares and designs that design.json tells, proved; the files compared with what these print, and run.

    Raises KernelError where design.json has no units as they are written, or designs that are none of its shares.
    """
    told = told_units(folder, source=source, device=device, sandboxed=sandboxed)
    record, units, temporaries = told.record, told.units, told.record.source.temporaries
    printed = project_of(told.known.scop, units, told.target, temporaries)
    was, now = (heading(name) for name in (record.source.path, told.known.scop.origin.path))
    files = {**printed.files, "reference.c": printed.files["reference.c"].replace(now, was, 1)}
    there = {
        name: (folder / name).read_text(encoding="utf-8", errors="replace")
        for name in files
        if (folder / name).is_file()
    }
    checks = [*_compared(there, files), *_told(told.data["units"], units, exact=told.target is not None)]
    checks += _told_streams(told.data.get("streams", []), units)
    if len(there) < len(files):
        return Rechecked(folder, Verdict(tuple(checks)), told.notes)
    found = replace(printed, files=there)
    verdict = verdict_of(told.known, units, found, temporaries, cut=told.cut, full=full, listen=listen)
    return Rechecked(folder, Verdict(tuple(checks)).joined(verdict), told.notes)


def _compared(there: Mapping[str, str], printed: Mapping[str, str]) -> list[Check]:
    found = []
    for name, text in printed.items():
        detail = "as its units print it" if there.get(name) == text else "is not what its units print"
        found.append(Check(f"file {name}", there.get(name) == text, detail if name in there else "is missing"))
    return found


def _told_streams(told: Sequence[Mapping[str, Any]], units: Sequence[Unit]) -> list[Check]:
    """What design.json says of streams."""
    found = [asdict(stream) for stream in streams_between([unit.plan for unit in units])]
    same = len(told) == len(found) and all(stream in told for stream in found)
    detail = "as the designs of units have them" if same else "are not what the designs of units have"
    return [Check(f"file {DESIGN}, streams", same, detail)] if told or found else []


def _told(told: Sequence[Mapping[str, Any]], units: Sequence[Unit], *, exact: bool) -> list[Check]:
    """What design.json says of each unit beside its design."""
    checks = []
    for unit, data in zip(units, told, strict=True):
        found = json.loads(json.dumps(unit_data(unit)))
        names = ("delivers", "interface", "estimate") if exact else ("delivers", "interface")
        wrong = [name for name in names if data.get(name) != found[name]]
        detail = f"{', '.join(wrong)} is not what its design has" if wrong else "as its design has it"
        checks.append(Check(f"file {DESIGN}, unit {unit.number}", not wrong, detail))
    return checks
