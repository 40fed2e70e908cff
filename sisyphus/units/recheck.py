"""A folder of several units, checked again as it lies there; knows no search and changes no file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sisyphus.analysis import Dealer, Dealing, Dependences, dependences, restricted
from sisyphus.backends.hls import DESIGN, heading
from sisyphus.choice import Listen, silent
from sisyphus.errors import KernelError
from sisyphus.plan import check_point
from sisyphus.recheck import Rechecked
from sisyphus.record import Record
from sisyphus.request import form_of, forms_of, read_kernel
from sisyphus.saved import check_units, read_data
from sisyphus.saved import has_units as tells_units
from sisyphus.space import DesignPoint
from sisyphus.target import Target
from sisyphus.units.design import project_of, unit_data, verdict_of
from sisyphus.units.places import Place
from sisyphus.units.shares import Unit, made, unwanted
from sisyphus.verification import Check, Verdict


def has_units(folder: Path) -> bool:
    """Whether a folder holds several units; False where it holds nothing that can be read."""
    try:
        data = json.loads((folder / DESIGN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and tells_units(data)


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
    path = folder / DESIGN
    data = read_data(path)
    check_units(path, data)
    try:
        points = [DesignPoint.from_json(told["design"]) for told in data["units"]]
        record = Record.told(path, points[0], data, sandboxed=sandboxed)
        dealing = Dealing.of_json(data["dealing"])
        target, notes = record.target(device)
        scop = read_kernel(record.source_at(source))
        known = dependences(scop)
        estimated = record.whole_target(device) if target is not None else None
        units = [
            _unit(number, record, known, dealing, told, point, estimated)
            for number, (told, point) in enumerate(zip(data["units"], points, strict=True))
        ]
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as fault:
        raise KernelError(f"{path}: its units are not as sisy writes them ({fault!r})") from fault
    temporaries = record.source.temporaries
    printed = project_of(scop, units, target, temporaries)
    was, now = (heading(name) for name in (record.source.path, scop.origin.path))
    files = {**printed.files, "reference.c": printed.files["reference.c"].replace(now, was, 1)}
    there = {
        name: (folder / name).read_text(encoding="utf-8", errors="replace")
        for name in files
        if (folder / name).is_file()
    }
    checks = [*_compared(there, files), *_told(data["units"], units, exact=estimated is not None)]
    if len(there) < len(files):
        return Rechecked(folder, Verdict(tuple(checks)), notes)
    found = replace(printed, files=there)
    verdict = verdict_of(known, units, found, temporaries, full=full, listen=listen)
    return Rechecked(folder, Verdict(tuple(checks)).joined(verdict), notes)


def _unit(
    number: int,
    record: Record,
    known: Dependences,
    dealing: Dealing,
    told: Mapping[str, Any],
    point: DesignPoint,
    target: Target | None,
) -> Unit:
    low, high = map(int, told["share"])
    share = Dealer(known, record.source.temporaries).share(dealing, low, high)
    if share is None:
        raise KernelError(f"{record.path}: unit {number} has no share of the kernel")
    part = restricted(known.scop, share)
    source = replace(record.source, temporaries=unwanted(part.scop, share, record.source.temporaries))
    kernel = form_of(forms_of(part.scop, source), point)
    if kernel is None or point.kernel != kernel.scop.name:
        raise KernelError(f"{record.path}: the design of unit {number} is none of its share")
    check_point(kernel.scop, kernel.distribution, point)
    banks = tuple(map(int, told["banks"]))
    own = (target or record.whole_target(None)).on_slr(int(told["slr"]), len(banks))
    return made(number, Place(int(told["slr"]), banks, own), share, part, kernel, point)


def _compared(there: Mapping[str, str], printed: Mapping[str, str]) -> list[Check]:
    found = []
    for name, text in printed.items():
        detail = "as its units print it" if there.get(name) == text else "is not what its units print"
        found.append(Check(f"file {name}", there.get(name) == text, detail if name in there else "is missing"))
    return found


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
