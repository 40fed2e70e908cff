"""Solvers: the contract of an adapter, finding the installed ones, running one safely, and our own exact search."""

from sisyphus.nlp import binary_values
from sisyphus.solve.contract import Form, Limits, Progress, SolveOutcome, SolverAdapter, SolveRequest, Stop
from sisyphus.solve.fit import Fitted, search_within
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
from sisyphus.solve.search import Found, search

__all__ = [
    "AUTO",
    "DEFAULT_SOLVER",
    "EXACT",
    "Fitted",
    "Form",
    "Found",
    "Limits",
    "Progress",
    "SolveOutcome",
    "SolveRequest",
    "SolverAdapter",
    "SolverInfo",
    "Stop",
    "adapters",
    "binary_values",
    "find_adapter",
    "load_adapter",
    "search",
    "search_within",
    "solver_infos",
    "solver_list",
]
