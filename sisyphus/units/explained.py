"""Why the slowest of several units takes as long as it does; chooses nothing."""

from __future__ import annotations

from collections.abc import Sequence

from sisyphus import pipeline
from sisyphus.analysis import Cut, phase_of
from sisyphus.ir import Scop
from sisyphus.kernel_forms import forms_of
from sisyphus.part_search import Choice, Listen
from sisyphus.report import Explanation
from sisyphus.request import Request, space_of
from sisyphus.units.shares import Unit, unwanted
from sisyphus.values import replace


def explained(scop: Scop, cut: Cut, units: Sequence[Unit], request: Request, listen: Listen) -> Explanation:
    """What binds the slowest unit of a kernel, the first one of several, and how its neighbours compare.

    `cut` has the statements of each phase, nothing where there is one.
    """
    unit = max(units, key=lambda one: (one.cycles, -one.number))
    told, point, known = f"unit {unit.number}, the slowest", unit.point, request.source.temporaries
    listen(told)
    nobodys = unwanted(unit.part.scop, unit.share, phase_of(scop, cut, unit.phase, known).temporaries if cut else known)
    ports = replace(request.options, dealt=point.dealt, striped=point.dealt_tiles)
    options = replace(ports, listed=point.is_listed, adders=point.adders)
    asked = replace(
        request,
        target=unit.place.target,
        source=replace(request.source, temporaries=nobodys),
        options=replace(options, tree_reduction=point.tree_reduction),
    )
    kernels = forms_of(unit.part.scop, asked.source)
    choice = Choice(unit.kernel, space_of(unit.kernel, asked), point, None)
    return replace(pipeline.explained(kernels, asked, choice, listen), of=f"{told} of {len(units)}")
