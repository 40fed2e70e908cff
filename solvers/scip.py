"""SCIP through Pyomo and the PySCIPOpt wheel: proves optima of mixed-integer nonlinear problems."""

from __future__ import annotations

import time
from importlib.util import find_spec
from typing import Any

from sisyphus.solve import SolveOutcome, SolveRequest, Stop, binary_values


class ScipAdapter:
    """The default solver; needs nothing beside the Python package `pyscipopt`."""

    name = "scip"

    def missing(self) -> str | None:
        if find_spec("pyscipopt") is None:
            return "the Python package `pyscipopt` is not installed (pip install pyscipopt)"
        return None

    def version(self) -> str:
        import pyscipopt

        model = pyscipopt.Model()
        return f"{model.getMajorVersion()}.{model.getMinorVersion()}.{model.getTechVersion()}"

    def solve(self, request: SolveRequest) -> SolveOutcome:
        """SCIP's clock is set to wall time, or a limit would count processor time and overrun."""
        from pyomo.contrib.solver.common.factory import SolverFactory

        options: dict[str, Any] = {
            "timing/clocktype": 2,
            "randomization/randomseedshift": request.limits.seed,
            "limits/gap": request.limits.gap,
        }
        started = time.monotonic()
        results = SolverFactory("scip_direct").solve(
            request.model,
            load_solutions=False,
            raise_exception_on_nonoptimal_result=False,
            time_limit=request.limits.seconds,
            warmstart_discrete_vars=False,
            solver_options=options,
        )
        values = None
        if results.incumbent_objective is not None:
            results.solution_loader.load_vars()
            values = binary_values(request.model)
        return SolveOutcome(
            stop=_stop(results),
            values=values,
            objective=results.incumbent_objective,
            bound=results.objective_bound,
            solver=self.name,
            version=self.version(),
            seconds=time.monotonic() - started,
            log=str(results.solver_log or ""),
            message=str(results.termination_condition.name),
        )


def _stop(results: Any) -> Stop:
    condition = results.termination_condition.name
    if condition == "convergenceCriteriaSatisfied":
        return Stop.PROVED
    if condition in {"provenInfeasible", "infeasibleOrUnbounded"}:
        return Stop.INFEASIBLE
    return Stop.TIME if condition == "maxTimeLimit" else Stop.FAILED
