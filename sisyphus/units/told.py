"""Units as a design.json tells them: their shares, kernels and designs; and why the slowest one is as it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sisyphus.analysis import Dealer, Dealing, Dependences, dependences, restricted
from sisyphus.choice import Choice, Listen, silent
from sisyphus.errors import KernelError
from sisyphus.plan import check_point
from sisyphus.record import Record
from sisyphus.report import Explanation, slowest_unit
from sisyphus.request import form_of, forms_of, read_kernel, space_of
from sisyphus.saved import check_units, design_file, read_data
from sisyphus.saved import has_units as tells_units
from sisyphus.solve import Limits
from sisyphus.space import DesignPoint
from sisyphus.target import Target
from sisyphus.units.places import Place
from sisyphus.units.shares import Unit, made, unwanted
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
        dealing = Dealing.of_json(data["dealing"])
        target, notes = record.target(device)
        known = dependences(read_kernel(record.source_at(source)))
        estimated = record.whole_target(device if target is not None else None)
        units = [
            _unit(number, record, known, dealing, told, point, estimated)
            for number, (told, point) in enumerate(zip(data["units"], points, strict=True))
        ]
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as fault:
        raise KernelError(f"{path}: its units are not as sisy writes them ({fault!r})") from fault
    return Told(record, data, known, tuple(units), target, notes)


def _unit(
    number: int,
    record: Record,
    known: Dependences,
    dealing: Dealing,
    told: Mapping[str, Any],
    point: DesignPoint,
    target: Target,
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
    own = target.on_slr(int(told["slr"]), len(banks))
    return made(number, Place(int(told["slr"]), banks, own), share, part, kernel, point)


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
    from sisyphus.sensitivity import explain

    told = told_units(path, source=source, device=device, sandboxed=sandboxed)
    number = slowest_unit(told.data)
    unit = told.units[number]
    listen(f"unit {number}, the slowest")
    own = replace(told.record, point=unit.point)
    temporaries = unwanted(unit.part.scop, unit.share, own.source.temporaries)
    request = replace(own.request(unit.place.target, replace(own.source, temporaries=temporaries)), limits=limits)
    kernels = forms_of(unit.part.scop, request.source)
    choice = Choice(unit.kernel, space_of(unit.kernel, request), unit.point, None)
    return replace(explain(kernels, request, choice, listen), of=f"unit {number}, the slowest of {len(told.units)}")
