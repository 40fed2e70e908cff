"""Solvers: the contract of an adapter, finding the installed ones, running one safely in a child process."""

from sisyphus.errors import ToolError
from sisyphus.solve.contract import Form, Limits, Progress, SolveOutcome, SolverAdapter, SolveRequest, Stop
from sisyphus.solve.registry import (
    AUTO,
    DEFAULT_SOLVER,
    EXACT,
    SolverInfo,
    adapters,
    find_adapter,
    load_adapter,
    solver_infos,
    solver_list,
)
from sisyphus.tools import find_tool, run_tool

__all__ = [
    "AUTO",
    "DEFAULT_SOLVER",
    "EXACT",
    "Form",
    "Limits",
    "Progress",
    "SolveOutcome",
    "SolveRequest",
    "SolverAdapter",
    "SolverInfo",
    "Stop",
    "ToolError",
    "adapters",
    "find_adapter",
    "find_tool",
    "load_adapter",
    "run_tool",
    "solver_infos",
    "solver_list",
]
