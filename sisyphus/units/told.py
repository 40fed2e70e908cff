"""Units as a design.json tells them: their shares, kernels and designs; and why the slowest one is as it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sisyphus.analysis import Cut, Dealer, Dealing, Dependences, Stream, dependences, phase_of, restricted
from sisyphus.asked_forms import form_of
from sisyphus.errors import KernelError
from sisyphus.ir import StmtId
from sisyphus.kernel_forms import forms_of
from sisyphus.part_search import Listen, silent
from sisyphus.plan import check_point
from sisyphus.record import Record
from sisyphus.report import Explanation
from sisyphus.request import Source, read_kernel
from sisyphus.saved import check_units, design_file, read_data
from sisyphus.saved import has_units as tells_units
from sisyphus.solve import Limits
from sisyphus.space import DesignPoint
from sisyphus.target import Target
from sisyphus.units.explained import explained
from sisyphus.units.places import Place
from sisyphus.units.shares import Unit, made, unwanted
from sisyphus.units.streams import results_of, with_streams
from sisyphus.values import dataclass, replace


@dataclass(frozen=True, eq=False)
class Told:
    """What a design.json says, with its units built anew.

    `target` is what the printed files depend on of the board, None where that is not known; then `notes` say so.
    """

    record: Record
    data: Mapping[str, Any]
    known: Dependences
    units: tuple[Unit, ...]
    cut: Cut
    target: Target | None
    notes: tuple[str, ...]


def has_units(path: Path) -> bool:
    """Whether a folder, or a file itself, holds several units; False where it holds nothing that can be read."""
    try:
        data = json.loads(design_file(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and tells_units(data)


def told_units(path: Path, *, source: Path | None, device: str | None, sandboxed: bool) -> Told:
    """Raises KernelError where design.json has no units as they are written, or designs that are none of its shares."""
    path = design_file(path)
    data = read_data(path)
    check_units(path, data)
    try:
        points = [DesignPoint.from_json(told["design"]) for told in data["units"]]
        record = Record.told(path, points[0], data, sandboxed=sandboxed)
        dealings = [Dealing.of_json(phase["dealing"]) for phase in data["phases"]]
        target, notes = record.target(device)
        known = dependences(read_kernel(record.source_at(source)))
        estimated = record.whole_target(device if target is not None else None)
        cut = tuple(tuple(map(StmtId, phase["statements"])) for phase in data["phases"])
        parts = _parts(known, cut, record.source)
        units = [
            _unit(number, record, *parts[at], dealings[at], told, point, estimated)
            for number, (told, point) in enumerate(zip(data["units"], points, strict=True))
            for at in [int(told["phase"])]
        ]
        streams = [Stream(**told) for told in data.get("streams", ())]
        results = results_of(known.scop, record.source.temporaries)
        units = [with_streams(unit, streams, results) for unit in units] if streams else units
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as fault:
        raise KernelError(f"{path}: its units are not as sisy writes them ({fault!r})") from fault
    return Told(record, data, known, tuple(units), cut if len(cut) > 1 else (), target, notes)


def _parts(known: Dependences, cut: Cut, source: Source) -> list[tuple[Dependences, Source]]:
    """Each phase as a kernel, with the arguments that nobody wants of it."""
    if len(cut) == 1:
        return [(known, source)]
    phases = [phase_of(known.scop, cut, at, source.temporaries) for at in range(len(cut))]
    return [(dependences(phase.scop), replace(source, temporaries=phase.temporaries)) for phase in phases]


def _unit(
    number: int,
    record: Record,
    known: Dependences,
    source: Source,
    dealing: Dealing,
    told: Mapping[str, Any],
    point: DesignPoint,
    target: Target,
) -> Unit:
    low, high = map(int, told["share"])
    share = Dealer(known, source.temporaries).share(dealing, low, high, int(told.get("width", 0)))
    if share is None:
        raise KernelError(f"{record.path}: unit {number} has no share of the kernel")
    part = restricted(known.scop, share)
    own = replace(source, temporaries=unwanted(part.scop, share, source.temporaries))
    kernel = form_of(forms_of(part.scop, own), point)
    if kernel is None or point.kernel != kernel.scop.name:
        raise KernelError(f"{record.path}: the design of unit {number} is none of its share")
    check_point(kernel.scop, kernel.distribution, point)
    banks = tuple(map(int, told["banks"]))
    there = target.on_slr(int(told["slr"]), len(banks))
    there = replace(there, budget=there.budget.with_amounts(told["budget"]))
    unit = made(number, Place(int(told["slr"]), banks, there), share, part, kernel, point)
    return replace(unit, phase=int(told["phase"]))


def explain_units(
    path: Path,
    *,
    source: Path | None,
    device: str | None,
    limits: Limits,
    sandboxed: bool = False,
    listen: Listen = silent,
) -> Explanation:
    """Why the slowest unit takes as long as it does, and how its neighbours compare."""
    told = told_units(path, source=source, device=device, sandboxed=sandboxed)
    request = replace(told.record.request(told.units[0].place.target, told.record.source), limits=limits)
    return explained(told.known.scop, told.cut, told.units, request, listen)
