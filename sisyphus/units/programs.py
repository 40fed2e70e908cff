"""A unit as what the printers of programs know of it."""

from __future__ import annotations

from sisyphus.backends.hls import UnitProgram, plan_names
from sisyphus.units.shares import Unit


def program(unit: Unit) -> UnitProgram:
    place, share = unit.place, unit.share
    return UnitProgram(
        unit.plan,
        plan_names(unit.plan),
        unit.part.elements,
        share.delivers,
        place.slr,
        place.banks,
        share.adds,
        unit.turn,
    )
