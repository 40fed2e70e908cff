"""What an adapter is asked and what it answers; knows no solver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol, runtime_checkable


class Stop(Enum):
    """Why a solver stopped, apart from what it holds."""

    PROVED = "proved"
    TIME = "time"
    INFEASIBLE = "infeasible"
    FAILED = "failed"


@dataclass(frozen=True)
class Limits:
    """`seconds` of wall time (None: none), relative `gap` at which an incumbent counts as proved, seed, threads."""

    seconds: float | None = None
    gap: float = 0.0
    seed: int = 0
    threads: int = 1


@dataclass(frozen=True, eq=False)
class SolveRequest:
    """A Pyomo model to be minimised; `start` has values of binary knobs to begin from."""

    model: Any
    limits: Limits
    start: Mapping[str, int] | None = None


@dataclass(frozen=True)
class SolveOutcome:
    """The answer of a solver on two axes: why it stopped, and what it holds.

    `values` has the binary knobs of the best point found (None: nothing was found), `objective` its cost as the solver
    sees it, `bound` a proven lower bound of any cost; `message` says more where `stop` is FAILED.
    """

    stop: Stop
    values: Mapping[str, int] | None
    objective: float | None
    bound: float | None
    solver: str
    version: str
    seconds: float
    log: str = ""
    message: str = ""

    @property
    def gap(self) -> float | None:
        """(objective - bound) / objective, None where either is unknown."""
        if self.objective is None or self.bound is None:
            return None
        return max(0.0, (self.objective - self.bound) / max(abs(self.objective), 1e-12))


@runtime_checkable
class SolverAdapter(Protocol):
    """One solver; found through the entry-point group `sisyphus.solvers` under its own name."""

    name: str

    def missing(self) -> str | None:
        """Why it cannot run here and how to get it, or None."""
        ...

    def version(self) -> str:
        """Version of the solver; only asked where nothing is missing."""
        ...

    def solve(self, request: SolveRequest) -> SolveOutcome:
        """Minimises the model; it may load values into it. Never raises for what the outcome can say."""
        ...
