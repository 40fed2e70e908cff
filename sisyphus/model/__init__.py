"""Every cost formula, written once over an algebra, and the cost of a plan."""

from sisyphus.model.area.arrays import ArrayCosts
from sisyphus.model.area.multiplexers import Users
from sisyphus.model.backing import Backing
from sisyphus.model.estimate import Estimate, Estimator, estimate
from sisyphus.model.formulas.rtl import natural_objective
from sisyphus.model.formulas.rules import VITIS_2021_1, VITIS_2023_2, GuardForm
from sisyphus.model.formulas.terms import WAITS_FOR, Term, parts_named
from sisyphus.model.nest_model import NestCosts, NestModel
from sisyphus.model.nest_shapes import Candidates

__all__ = [
    "VITIS_2021_1",
    "VITIS_2023_2",
    "WAITS_FOR",
    "ArrayCosts",
    "Backing",
    "Candidates",
    "Estimate",
    "Estimator",
    "GuardForm",
    "NestCosts",
    "NestModel",
    "Term",
    "Users",
    "estimate",
    "natural_objective",
    "parts_named",
]
