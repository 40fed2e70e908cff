"""The exact search: finds the best design of a space by its structure and proves it."""

from sisyphus.search.combine import branch_and_bound
from sisyphus.search.costs import CostModel, MakeCosts
from sisyphus.search.events import Bound, Combine, Incumbent, LeftOut, Whole
from sisyphus.search.exact import Result, Terms, Verdict
from sisyphus.search.fit import SearchWithin
from sisyphus.search.measured_costs import MeasuredCosts
from sisyphus.search.nodes import Problem
from sisyphus.search.packing import fit_together, fits_whole, most_elements
from sisyphus.search.paper_costs import PaperCosts
from sisyphus.search.polish import as_fixed, polished
from sisyphus.search.session import Judged, OnProgress
from sisyphus.search.solution import Solution, point_of
from sisyphus.search.turns import Found, search
from sisyphus.search.variety import are_alike, varied

__all__ = [
    "Bound",
    "Combine",
    "CostModel",
    "Found",
    "Incumbent",
    "Judged",
    "LeftOut",
    "MakeCosts",
    "MeasuredCosts",
    "OnProgress",
    "PaperCosts",
    "Problem",
    "Result",
    "SearchWithin",
    "Solution",
    "Terms",
    "Verdict",
    "Whole",
    "are_alike",
    "as_fixed",
    "branch_and_bound",
    "fit_together",
    "fits_whole",
    "most_elements",
    "point_of",
    "polished",
    "search",
    "varied",
]
