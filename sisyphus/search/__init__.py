"""The exact search: finds the best design of a space by its structure and proves it."""

from sisyphus.search.combine import Combine, branch_and_bound
from sisyphus.search.costs import CostModel, MakeCosts
from sisyphus.search.engine import Engine, Result, Solution, Terms
from sisyphus.search.fit import search_within
from sisyphus.search.measured_costs import MeasuredCosts
from sisyphus.search.nodes import Problem
from sisyphus.search.paper_costs import PaperCosts
from sisyphus.search.session import Judge, Judged
from sisyphus.search.solution_point import point_of, values_of
from sisyphus.search.splitting import split_as_fixed, split_where_better
from sisyphus.search.turns import Found, search

__all__ = [
    "Combine",
    "CostModel",
    "Engine",
    "Found",
    "Judge",
    "Judged",
    "MakeCosts",
    "MeasuredCosts",
    "PaperCosts",
    "Problem",
    "Result",
    "Solution",
    "Terms",
    "branch_and_bound",
    "point_of",
    "search",
    "search_within",
    "split_as_fixed",
    "split_where_better",
    "values_of",
]
