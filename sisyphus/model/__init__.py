"""Every cost formula, written once over an algebra, and the cost of a plan."""

from sisyphus.model.estimate import Estimate, estimate
from sisyphus.model.terms import Term

__all__ = ["Estimate", "Term", "estimate"]
