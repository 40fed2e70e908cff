"""Why the slowest of several units takes as long as it does; chooses nothing."""

from __future__ import annotations

from collections.abc import Sequence

from sisyphus import pipeline
from sisyphus.analysis import Cut, phase_of
from sisyphus.ir import Scop
from sisyphus.kernel_forms import forms_of
from sisyphus.part_search import Choice, Listen
from sisyphus.report import Explanation
from sisyphus.request import Request, space_of_point
from sisyphus.units.shares import Unit, unwanted
from sisyphus.values import replace


def explained(scop: Scop, cut: Cut, units: Sequence[Unit], request: Request, listen: Listen) -> Explanation:
    """What binds the slowest unit of a kernel, the first one of several, and how its neighbours compare.

    `cut` has the statements of each phase, nothing where there is one.
    """
    unit = max(units, key=lambda one: (one.cycles, -one.number))
    told, known = f"unit {unit.number}, the slowest", request.source.temporaries
    listen(told)
    nobodys = unwanted(unit.part.scop, unit.share, phase_of(scop, cut, unit.phase, known).temporaries if cut else known)
    asked = replace(request, target=unit.place.target, source=replace(request.source, temporaries=nobodys))
    kernels = forms_of(unit.part.scop, asked.source)
    choice = Choice(unit.kernel, space_of_point(unit.kernel, asked, unit.point), unit.point, None)
    return replace(pipeline.explained(kernels, asked, choice, listen), of=f"{told} of {len(units)}")
