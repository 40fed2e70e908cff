"""Gurobi through Pyomo and its Python package: proves optima of linear and nonlinear problems; needs a licence."""

from __future__ import annotations

import time
from dataclasses import replace
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from sisyphus.solve import SolveOutcome, SolveRequest, Stop

STOPS = {
    "convergenceCriteriaSatisfied": Stop.PROVED,
    "provenInfeasible": Stop.INFEASIBLE,
    "infeasibleOrUnbounded": Stop.INFEASIBLE,
    "maxTimeLimit": Stop.TIME,
}


class GurobiAdapter:
    """The Python package `gurobipy`, version 12 or later, which knows exponentials."""

    name = "gurobi"

    def missing(self) -> str | None:
        if find_spec("gurobipy") is None:
            return "the Python package `gurobipy` is not installed (pip install gurobipy; most problems need a licence)"
        if int(self.version().split(".")[0]) < 12:
            return f"gurobipy {self.version()} knows no exponentials (pip install 'gurobipy>=12')"
        return None

    def version(self) -> str:
        return version("gurobipy")

    def solve(self, request: SolveRequest) -> SolveOutcome:
        """A problem too large for the licence is a failure that says so."""
        from sisyphus.solve.models import binary_values

        gurobipy: Any = import_module("gurobipy")
        started = time.monotonic()
        empty = SolveOutcome(Stop.FAILED, None, None, None, self.name, self.version(), 0.0)
        try:
            results = _results(request)
        except gurobipy.GurobiError as refused:
            return replace(empty, seconds=time.monotonic() - started, message=str(refused))
        values = None
        if results.incumbent_objective is not None:
            results.solution_loader.load_vars()
            values = binary_values(request.model)
        return replace(
            empty,
            stop=STOPS.get(results.termination_condition.name, Stop.FAILED),
            values=values,
            objective=results.incumbent_objective,
            bound=results.objective_bound,
            seconds=time.monotonic() - started,
            log=str(results.solver_log or ""),
            message=str(results.termination_condition.name),
        )


def _results(request: SolveRequest) -> Any:
    from pyomo.contrib.solver.common.factory import SolverFactory

    limits = request.limits
    return SolverFactory("gurobi_direct_minlp").solve(
        request.model,
        load_solutions=False,
        raise_exception_on_nonoptimal_result=False,
        time_limit=limits.seconds,
        threads=limits.threads,
        solver_options={"Seed": limits.seed, "MIPGap": limits.gap},
    )
