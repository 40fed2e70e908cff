"""Ipopt: the continuous relaxation; the search rounds its answer to a design.

By the wheel of CasADi, which reads the .nl file that Pyomo writes, or else by an `ipopt` executable on PATH.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sisyphus.solve import Form, Limits, SolveOutcome, SolveRequest, Stop, find_tool

from .asl import AslAdapter

if TYPE_CHECKING:
    from sisyphus.solve.models import NlFile

#: An optimum found to a tolerance is a bound less this share of it.
TOLERANCE = 1e-6


class IpoptAdapter(AslAdapter):
    """`casadi`, or the program `ipopt` on PATH."""

    forms = frozenset({Form.RELAXED})

    def __init__(self) -> None:
        super().__init__("ipopt")
        self.name = "ipopt"

    def missing(self) -> str | None:
        if find_spec("casadi") is None and find_tool(self.executable) is None:
            return "neither the Python package `casadi` (pip install casadi) nor a program `ipopt` on PATH is there"
        return None

    def version(self) -> str:
        return super().version() if find_spec("casadi") is None else f"casadi {version('casadi')}"

    def arguments(self, limits: Limits) -> Sequence[str]:
        return () if limits.seconds is None else (f"max_wall_time={max(limits.seconds, 0.1):g}",)

    def proves(self, request: SolveRequest) -> bool:
        return request.is_convex

    def solve(self, request: SolveRequest) -> SolveOutcome:
        outcome = _by_casadi(self, request) if find_spec("casadi") is not None else super().solve(request)
        if outcome.bound is not None:
            outcome = replace(outcome, bound=outcome.bound - TOLERANCE * abs(outcome.bound))
        return replace(outcome, stop=Stop.UNPROVED if outcome.stop is Stop.PROVED else outcome.stop, objective=None)

    def answer(self, outcome: SolveOutcome, file: NlFile, values: Sequence[float]) -> SolveOutcome:
        return replace(outcome, relaxed=file.all(values))


def _by_casadi(adapter: IpoptAdapter, request: SolveRequest) -> SolveOutcome:
    import casadi

    from sisyphus.solve.models import write_nl

    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="sisy-ipopt-") as folder:
        file = write_nl(request.model, Path(folder))
        problem = casadi.NlpBuilder()
        problem.import_nl(str(file.path))
    options: dict[str, Any] = {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes"}
    if request.limits.seconds is not None:
        options["ipopt.max_wall_time"] = max(request.limits.seconds - (time.monotonic() - started), 0.1)
    functions = {"x": casadi.vertcat(*problem.x), "f": problem.f, "g": casadi.vertcat(*problem.g)}
    solver = casadi.nlpsol("relaxation", "ipopt", functions, options)
    found = solver(x0=problem.x_init, lbx=problem.x_lb, ubx=problem.x_ub, lbg=problem.g_lb, ubg=problem.g_ub)
    status = str(solver.stats()["return_status"])
    values = [float(v) for v in found["x"].full().ravel()]
    solved = status in ("Solve_Succeeded", "Solved_To_Acceptable_Level")
    outcome = SolveOutcome(
        stop=Stop.UNPROVED if solved else Stop.TIME if "Time" in status else Stop.FAILED,
        values=None,
        objective=None,
        bound=float(found["f"]) if status == "Solve_Succeeded" and request.is_convex else None,
        solver=adapter.name,
        version=adapter.version(),
        seconds=time.monotonic() - started,
        message=status,
    )
    return outcome if not solved else adapter.answer(outcome, file, values)
