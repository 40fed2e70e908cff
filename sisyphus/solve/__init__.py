"""Solvers: the contract of an adapter, finding the installed ones, and running one safely."""

from sisyphus.solve.contract import Limits, SolveOutcome, SolverAdapter, SolveRequest, Stop
from sisyphus.solve.registry import adapters, find_adapter, load_adapter

__all__ = [
    "Limits",
    "SolveOutcome",
    "SolveRequest",
    "SolverAdapter",
    "Stop",
    "adapters",
    "find_adapter",
    "load_adapter",
]
