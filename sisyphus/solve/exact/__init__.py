"""The exact search: finds the best design of a space by its structure and proves it."""

from sisyphus.solve.exact.combine import Combine, branch_and_bound
from sisyphus.solve.exact.costs import CostModel, MakeCosts
from sisyphus.solve.exact.engine import Engine, Result, Solution, Terms
from sisyphus.solve.exact.measured import MeasuredCosts
from sisyphus.solve.exact.nodes import Problem
from sisyphus.solve.exact.paper import PaperCosts
from sisyphus.solve.exact.point import point_of, values_of

__all__ = [
    "Combine",
    "CostModel",
    "Engine",
    "MakeCosts",
    "MeasuredCosts",
    "PaperCosts",
    "Problem",
    "Result",
    "Solution",
    "Terms",
    "branch_and_bound",
    "point_of",
    "values_of",
]
