"""Solvers: the contract of an adapter, finding the installed ones, and running one safely."""

from sisyphus.nlp import binary_values
from sisyphus.solve.contract import Limits, SolveOutcome, SolverAdapter, SolveRequest, Stop
from sisyphus.solve.registry import DEFAULT_SOLVER, adapters, find_adapter, load_adapter
from sisyphus.solve.search import Found, search

__all__ = [
    "DEFAULT_SOLVER",
    "Found",
    "Limits",
    "SolveOutcome",
    "SolveRequest",
    "SolverAdapter",
    "Stop",
    "adapters",
    "binary_values",
    "find_adapter",
    "load_adapter",
    "search",
]
