"""The exact search over a space by itself, for tests that ask it for one answer."""

from __future__ import annotations

from sisyphus.search import Combine, CostModel, Result, Terms, Verdict, branch_and_bound
from sisyphus.search.exact import Accept, HearBound, Search


def find_best(
    costs: CostModel,
    terms: Terms,
    *,
    accept: Accept = lambda solution: Verdict(solution.cycles, solution.cycles),
    hear_bound: HearBound = lambda _: None,
    combine: Combine = branch_and_bound,
) -> Result:
    """The best solution of a space."""
    return Search(costs, terms, accept, hear_bound, combine).run()
