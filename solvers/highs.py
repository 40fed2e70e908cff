"""HiGHS through Pyomo and its Python package: chooses between listed candidates, a linear problem with binaries."""

from __future__ import annotations

import time
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from sisyphus.solve import Form, SolveOutcome, SolveRequest, Stop

STOPS = {
    "convergenceCriteriaSatisfied": Stop.PROVED,
    "provenInfeasible": Stop.INFEASIBLE,
    "infeasibleOrUnbounded": Stop.INFEASIBLE,
    "maxTimeLimit": Stop.TIME,
}


class HighsAdapter:
    """The Python package `highspy`; it knows no exponentials, so the search lists candidates for it."""

    name = "highs"
    forms = frozenset({Form.LINEAR})

    def missing(self) -> str | None:
        if find_spec("highspy") is None:
            return "the Python package `highspy` is not installed (pip install highspy)"
        return None

    def version(self) -> str:
        return version("highspy")

    def solve(self, request: SolveRequest) -> SolveOutcome:
        from pyomo.contrib.solver.common.factory import SolverFactory

        from sisyphus.solve.models import binary_values

        started = time.monotonic()
        limits = request.limits
        options: dict[str, Any] = {"random_seed": limits.seed, "mip_rel_gap": limits.gap, "mip_abs_gap": 1e-6}
        results = SolverFactory("highs").solve(
            request.model,
            load_solutions=False,
            raise_exception_on_nonoptimal_result=False,
            time_limit=limits.seconds,
            threads=limits.threads,
            solver_options=options,
        )
        values = None
        if results.incumbent_objective is not None:
            results.solution_loader.load_vars()
            values = binary_values(request.model)
        return SolveOutcome(
            stop=STOPS.get(results.termination_condition.name, Stop.FAILED),
            values=values,
            objective=results.incumbent_objective,
            bound=results.objective_bound,
            solver=self.name,
            version=self.version(),
            seconds=time.monotonic() - started,
            log=str(results.solver_log or ""),
            message=str(results.termination_condition.name),
        )
