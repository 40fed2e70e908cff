"""Every cost formula, written once over an algebra, and the cost of a plan."""

from sisyphus.model.algebra import EXACT, VECTOR, Algebra
from sisyphus.model.batch import Candidates, NestCosts, NestModel, bank_costs, whole_transfer
from sisyphus.model.estimate import Estimate, estimate
from sisyphus.model.rules import VITIS_2021_1, VITIS_2023_2, GuardForm, Rules
from sisyphus.model.terms import Term

__all__ = [
    "EXACT",
    "VECTOR",
    "VITIS_2021_1",
    "VITIS_2023_2",
    "Algebra",
    "Candidates",
    "Estimate",
    "GuardForm",
    "NestCosts",
    "NestModel",
    "Rules",
    "Term",
    "bank_costs",
    "estimate",
    "whole_transfer",
]
