"""Every cost formula, written once over an algebra, and the cost of a plan."""

from sisyphus.algebra import EXACT, VECTOR, Algebra
from sisyphus.model.area.arrays import ArrayCosts
from sisyphus.model.area.multiplexers import Users
from sisyphus.model.backing import Backing
from sisyphus.model.estimate import Estimate, Estimator, estimate, schedules_of
from sisyphus.model.formulas.rtl import natural_objective
from sisyphus.model.formulas.rules import VITIS_2021_1, VITIS_2023_2, GuardForm, Rules
from sisyphus.model.formulas.terms import Term
from sisyphus.model.nest_model import Candidates, NestCosts, NestModel

__all__ = [
    "EXACT",
    "VECTOR",
    "VITIS_2021_1",
    "VITIS_2023_2",
    "Algebra",
    "ArrayCosts",
    "Backing",
    "Candidates",
    "Estimate",
    "Estimator",
    "GuardForm",
    "NestCosts",
    "NestModel",
    "Rules",
    "Term",
    "Users",
    "estimate",
    "natural_objective",
    "schedules_of",
]
