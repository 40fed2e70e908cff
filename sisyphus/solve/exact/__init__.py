"""The exact search: finds the best design of a space by its structure and proves it."""

from sisyphus.solve.exact.costs import CostModel, MakeCosts
from sisyphus.solve.exact.engine import Engine, Result, Solution
from sisyphus.solve.exact.paper import PaperCosts

__all__ = ["CostModel", "Engine", "MakeCosts", "PaperCosts", "Result", "Solution"]
