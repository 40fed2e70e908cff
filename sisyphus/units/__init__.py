"""Compute units: a kernel dealt over the SLRs of a board, each share a design of its own."""

from sisyphus.units.design import UnitsDesign, optimize_units
from sisyphus.units.places import Count, places
from sisyphus.units.recheck import recheck_units
from sisyphus.units.shares import Split, Unit, split
from sisyphus.units.told import explain_units, has_units

__all__ = [
    "Count",
    "Split",
    "Unit",
    "UnitsDesign",
    "explain_units",
    "has_units",
    "optimize_units",
    "places",
    "recheck_units",
    "split",
]
