"""Everything that a report is made of, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sisyphus.cpu import CpuTime
from sisyphus.model.estimate import Estimate
from sisyphus.model.limit import Limit
from sisyphus.model.paper import PaperEstimate
from sisyphus.plan import Plan, Port
from sisyphus.report.explanation import Explanation
from sisyphus.solve import SolveOutcome
from sisyphus.space import DesignPoint
from sisyphus.target import Target
from sisyphus.values import dataclass, field

if TYPE_CHECKING:  # a stage that many runs do without
    from sisyphus.verification import Verdict


@dataclass(frozen=True, eq=False)
class Rated:
    """A design point and what the full model says of it."""

    point: DesignPoint
    estimate: Estimate


@dataclass(frozen=True, eq=False)
class Front:
    """Designs of which none beats another in cycles, DSPs and BRAM18 blocks at once, fastest first.

    `searches` were made to find them; `complete`: none of these was cut short, and none was left out;
    `interrupted`: the user wanted no more.
    """

    designs: tuple[Rated, ...]
    searches: int
    complete: bool
    interrupted: bool = False


@dataclass(frozen=True)
class Moment:
    """What a search knew after so many seconds: the cost of its best design, and a bound of every design's."""

    seconds: float
    cost: float | None
    bound: float | None


@dataclass(frozen=True)
class Remembered:
    """When a search was made (seconds since 1970), and how long it took."""

    at: float
    seconds: float


@dataclass(frozen=True, eq=False)
class Facts:
    """A design with its predicted cost, how it was found and whether it was verified.

    `paper` is what the paper's model says, where that was the objective; `outcome` and `verdict` are None where
    nothing was searched or verified; `seconds` per stage. `interface` are the arguments of the emitted top function,
    `temporaries` the arguments of the source whose final values nobody wants, `search` the options of the search.
    `others` are the next best designs, `front` the trade against area, `explanation` why it is so, each where it was
    asked for; `notes` what the user should know of how the search went. `limit` is what no design can beat, None with
    the paper's model; `cpu` what the source takes on this machine, where that was asked for. `trace` is how the search
    went, `remembered` when, where its answer comes from the cache.
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
    search: Mapping[str, Any] = field(default_factory=dict)
    others: tuple[Rated, ...] = ()
    front: Front | None = None
    explanation: Explanation | None = None
    notes: tuple[str, ...] = ()
    limit: Limit | None = None
    cpu: CpuTime | None = None
    trace: tuple[Moment, ...] = ()
    remembered: Remembered | None = None
