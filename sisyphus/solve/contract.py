"""What an adapter is asked and what it answers; knows no solver."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from sisyphus.values import dataclass


class Stop(Enum):
    """Why a solver stopped, apart from what it holds.

    UNPROVED: it came to its end without a proof, because it is a local solver, or because its answer had to be changed
    to become a design (rounded, or made smaller).
    """

    PROVED = "proved"
    TIME = "time"
    INFEASIBLE = "infeasible"
    UNPROVED = "unproved"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


class Form(Enum):
    """Problems that an adapter solves, told by its attribute `forms`; LINEAR and NONLINEAR where it has none.

    LINEAR: mixed-integer linear, the choice between counted candidates. NONLINEAR: mixed-integer with exponentials,
    the paper's whole problem. RELAXED: the same, but the answer may be fractional; it comes back as
    `SolveOutcome.relaxed`.
    """

    NONLINEAR = "nonlinear"
    LINEAR = "linear"
    RELAXED = "relaxed"


@dataclass(frozen=True)
class Limits:
    """`seconds` of wall time (None: none), relative `gap` at which an incumbent counts as proved, seed, threads.

    `effort` is what a search of our own may do, as the clock counts work; then `seconds` end it only from outside.
    """

    seconds: float | None = None
    effort: float | None = None
    gap: float = 0.0
    seed: int = 0
    threads: int = 1


@dataclass(frozen=True)
class Progress:
    """A word from a solver that still runs; `values` where it has found something better."""

    seconds: float
    objective: float | None = None
    bound: float | None = None
    values: Mapping[str, int] | None = None


@dataclass(frozen=True, eq=False)
class SolveRequest:
    """A Pyomo model to be minimised.

    `start` has values of binary knobs to begin from; `progress` is a file to which every better point may be appended
    while the solver runs, with `tell`; `is_convex`: without integrality, what is left is a convex problem.
    """

    model: Any
    limits: Limits
    start: Mapping[str, int] | None = None
    progress: Path | None = None
    is_convex: bool = False

    def tell(self, word: Progress) -> None:
        """Appends a line to the progress file."""
        if self.progress is not None:
            line = {
                "seconds": word.seconds,
                "objective": word.objective,
                "bound": word.bound,
                "values": None if word.values is None else dict(word.values),
            }
            with self.progress.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")


@dataclass(frozen=True)
class SolveOutcome:
    """The answer of a solver on two axes: why it stopped, and what it holds.

    `values` has the binary knobs of the best point that an adapter found, `objective` its cost as the solver
    sees it, `bound` a proven lower bound of any cost; `message` says more where `stop` is FAILED. A solver of the form
    RELAXED leaves its fractional answer in `relaxed`; another may leave that of its relaxation, to be rounded too.
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
    relaxed: Mapping[str, float] | None = None

    @property
    def gap(self) -> float | None:
        """(objective - bound) / objective, None where either is unknown."""
        if self.objective is None or self.bound is None:
            return None
        return max(0.0, (self.objective - self.bound) / max(abs(self.objective), 1e-12))


@runtime_checkable
class SolverAdapter(Protocol):
    """One solver; found through the entry-point group `sisyphus.solvers` under its own name.

    An adapter that solves only some forms of problems says so in an attribute `forms`.
    """

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


def forms_of(adapter: SolverAdapter) -> frozenset[Form]:
    """The problems that an adapter solves."""
    return frozenset(getattr(adapter, "forms", (Form.LINEAR, Form.NONLINEAR)))


def failure(solver: str, message: str, seconds: float, version: str = "") -> SolveOutcome:
    """The outcome of a solver that holds nothing."""
    return SolveOutcome(Stop.FAILED, None, None, None, solver, version, seconds, message=message)
