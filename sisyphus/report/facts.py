"""Everything that a report is made of, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sisyphus.model.estimate import Estimate
from sisyphus.model.paper import PaperEstimate
from sisyphus.plan import Plan, Port
from sisyphus.solve import SolveOutcome
from sisyphus.space import DesignPoint
from sisyphus.target import Target
from sisyphus.verify import Verdict


@dataclass(frozen=True, eq=False)
class Facts:
    """A design with its predicted cost, how it was found and whether it was verified.

    `paper` is what the paper's model says, where that was the objective; `outcome` and `verdict` are None where
    nothing was searched or verified; `seconds` per stage. `interface` are the arguments of the emitted top function,
    `temporaries` the arguments of the source whose final values nobody wants.
    """

    plan: Plan
    point: DesignPoint
    estimate: Estimate
    paper: PaperEstimate | None
    target: Target
    outcome: SolveOutcome | None
    verdict: Verdict | None
    seconds: Mapping[str, float]
    digest: str
    interface: tuple[Port, ...]
    temporaries: tuple[str, ...] = ()
