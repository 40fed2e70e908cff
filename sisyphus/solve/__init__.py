"""Solvers: the contract of an adapter, finding the installed ones, running one safely, and our own exact search."""

from sisyphus.errors import ToolError
from sisyphus.nlp import binary_values
from sisyphus.nlp.nl import NlFile, write_nl
from sisyphus.solve.contract import Form, Limits, Progress, SolveOutcome, SolverAdapter, SolveRequest, Stop
from sisyphus.solve.fit import search_within
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
from sisyphus.solve.session import Judge, Judged
from sisyphus.solve.split import split_as_fixed, split_where_better
from sisyphus.tools import find_tool, run_tool

__all__ = [
    "AUTO",
    "DEFAULT_SOLVER",
    "EXACT",
    "Form",
    "Found",
    "Judge",
    "Judged",
    "Limits",
    "NlFile",
    "Progress",
    "SolveOutcome",
    "SolveRequest",
    "SolverAdapter",
    "SolverInfo",
    "Stop",
    "ToolError",
    "adapters",
    "binary_values",
    "find_adapter",
    "find_tool",
    "load_adapter",
    "run_tool",
    "search",
    "search_within",
    "solver_infos",
    "solver_list",
    "split_as_fixed",
    "split_where_better",
    "write_nl",
]
