"""Nests placed apart: phases that follow one another, each a split of its own over the SLRs; writes nothing.

Units of all phases are on the board at the same time, so that phases share the budgets of each SLR. Between phases the
board copies what they hand over, and the host starts the next units: both are paid for here. Units that streams join
(`joined.py`) run at the same time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from fractions import Fraction
from math import inf, sqrt

from sisyphus.analysis import (
    Cut,
    Dealer,
    Dependences,
    Phase,
    Stream,
    cuts,
    dependences,
    handed_over,
    phase_of,
    work_of,
)
from sisyphus.backends.hls import UnitProgram, handings
from sisyphus.errors import KernelError, NoDesignError
from sisyphus.ir import Scop
from sisyphus.part_search import Listen
from sisyphus.request import Request
from sisyphus.solve import Limits
from sisyphus.units.beside import Beside
from sisyphus.units.limits import Purse
from sisyphus.units.places import AUTO, Count
from sisyphus.units.programs import program
from sisyphus.units.shares import Find, Split, Unit, split
from sisyphus.units.streams import cycles_together
from sisyphus.values import dataclass, replace

#: Seconds until units of a further phase run, seconds until a copy on the board begins, and bytes that it then moves in
#: a second. Assumed: no report or manual has them, and nothing here was measured on a board.
STARTED_S, COPIED_S, COPIED_PER_S = 30e-6, 10e-6, 5e9
#: Phases are searched where a unit of two has at most this share of the operations that it has without them.
WORTH_IT = 0.9
#: The part of the limit that phases have: what one phase has not, few kernels being faster in several.
IN_PHASES = 0.1


@dataclass(frozen=True)
class Handed:
    """What phases hand over: copies on the board, their bytes, and how often units are started after others."""

    copies: int = 0
    bytes: int = 0
    starts: int = 0

    @property
    def seconds(self) -> float:
        return self.starts * STARTED_S + self.copies * COPIED_S + self.bytes / COPIED_PER_S


@dataclass(frozen=True, eq=False)
class Placed:
    """A kernel over units, in one phase or several that follow one another.

    `cut` has the statements of each phase, nothing where there is one; `cycles` are those of the slowest unit of each
    phase and what handing over takes, or with `streams` those until the last unit ends.
    """

    scop: Scop
    splits: tuple[Split, ...]
    clock_mhz: float
    cut: Cut = ()
    handed: Handed = Handed()
    streams: tuple[Stream, ...] = ()

    @property
    def units(self) -> tuple[Unit, ...]:
        return tuple(unit for split in self.splits for unit in split.units)

    @property
    def handing_cycles(self) -> int:
        return round(self.handed.seconds * self.clock_mhz * 1e6)

    @property
    def cycles(self) -> int:
        if self.streams:
            return cycles_together(self.units, self.streams)
        return sum(split.cycles for split in self.splits) + self.handing_cycles


def placed(
    scop: Scop,
    request: Request,
    count: Count,
    find: Find,
    listen: Listen,
    wanted: Count = AUTO,
) -> Placed:
    """The best that was found: one split of all of it, or phases where these are predicted to be faster.

    Or as many phases as are `wanted`. `KernelError` where no output can be dealt, or there is no cut into so many
    phases, `NoDesignError` where no share has a design.
    """
    purse, clock = Purse(request.limits), request.target.clock_mhz
    may_be_cut = wanted != 1 and (count != 1 or wanted != AUTO)
    hope = promising(dependences(scop), request, wanted) if may_be_cut else None

    def whole(limits: Limits) -> Placed:
        return Placed(scop, (split(scop, replace(request, limits=limits), count, find, listen),), clock)

    def parts(cut: Cut, limits: Limits) -> Placed:
        over = request.target.device.slrs if count == "auto" else count
        return in_phases(scop, cut, replace(request, limits=limits), over, find, listen)

    if hope is None and wanted not in (AUTO, 1):
        raise KernelError(
            f"`{scop.name}` cannot be cut into {wanted} phases",
            hint="all statements that write an array, and all that depend on each other, are in one phase",
        )
    if hope is None:
        return whole(request.limits)
    if wanted != AUTO:
        return parts(hope.cut, request.limits)
    try:
        best = whole(purse.part(1 - IN_PHASES))
    except KernelError as refusal:  # no output can be dealt in one phase, which no search has to find out
        try:
            return parts(hope.cut, request.limits)
        except KernelError:
            raise refusal from None
    if hope.helps(best.cycles, clock):
        with suppress(KernelError, NoDesignError):
            best = min(best, parts(hope.cut, purse.part(1.0)), key=lambda found: found.cycles)
    return best


@dataclass(frozen=True)
class Hope:
    """A cut, and the operations of one of two units with it beside those that it has without."""

    cut: Cut
    ratio: float

    def helps(self, cycles: int, clock_mhz: float) -> bool:
        """Whether a kernel that takes so many cycles may take fewer in phases; each but the first has a copy."""
        least = Handed(copies=len(self.cut) - 1, starts=len(self.cut) - 1)
        return self.ratio * cycles + least.seconds * clock_mhz * 1e6 < cycles


def promising(found: Dependences, request: Request, wanted: Count = AUTO) -> Hope | None:
    """The cut with which one of two units has the fewest operations, of those the one of the fewest phases.

    None where it has as many without; of so many phases as are `wanted`, the best one whatever it has. Of a phase whose
    outputs cannot be dealt, one unit would have all.
    """
    temporaries, tree = request.source.temporaries, request.options.tree_reduction
    whole, rated = _most(found, temporaries, tree=tree), list[tuple[float, Cut]]()
    for cut in (cut for cut in cuts(found) if wanted in (AUTO, len(cut))):
        phases = [phase_of(found.scop, cut, at, temporaries) for at in range(len(cut))]
        work = [
            _most(dependences(phase.scop), phase.temporaries, tree=tree and phase is phases[-1]) for phase in phases
        ]
        known = [most for most in work if most is not None]
        if whole and len(known) == len(work):
            rated.append((round(sum(known) / whole, 2), cut))
        elif wanted != AUTO:
            rated.append((inf, cut))
    best = min(rated, key=lambda rate: (rate[0], len(rate[1])), default=None)
    return None if best is None or (wanted == AUTO and best[0] > WORTH_IT) else Hope(best[1], best[0])


def _most(found: Dependences, temporaries: Collection[str], *, tree: bool) -> float | None:
    """Operations of the busier one of two units; None where they cannot be counted."""
    dealer = Dealer(found, temporaries, tree=tree)
    if dealer.all_work is None:
        return None
    return dealer.all_work * min((dealt.work for dealt in dealer.dealings), default=1.0)


def in_phases(scop: Scop, cut: Cut, request: Request, count: int, find: Find, listen: Listen) -> Placed:
    """Every phase of a cut split over so many units. Raises what `split` does."""
    temporaries = request.source.temporaries
    phases = [phase_of(scop, cut, at, temporaries) for at in range(len(cut))]
    budgets, purse, splits = budget_parts(phases), Purse(request.limits), list[Split]()
    for at, (phase, part) in enumerate(zip(phases, budgets, strict=True)):
        beside = Beside(at, sum(len(known.units) for known in splits), part, handed_over(cut, scop))
        limits = purse.part(1 / (len(phases) - at))
        splits.append(split_of(phase, replace(request, limits=limits), count, find, listen, beside))
    units = [program(unit) for known in splits for unit in known.units]
    return Placed(scop, tuple(splits), request.target.clock_mhz, cut, handed_by(units))


def split_of(phase: Phase, request: Request, count: int, find: Find, listen: Listen, beside: Beside) -> Split:
    """One phase over so many units; raises what `split` does."""
    asked = replace(request, source=replace(request.source, temporaries=phase.temporaries))
    return split(phase.scop, asked, count, find, lambda stage: listen(f"phase {beside.phase}, {stage}"), beside)


def budget_parts(phases: Sequence[Phase]) -> list[Fraction]:
    """What each phase may have of every budget.

    If a statement takes as long as its operations by what it has, the sum over statements is least where each has in
    proportion to the square root of its operations (by Lagrange's multiplier of the budget).
    """
    roots = [sum(sqrt(work) for work in (work_of(phase.scop) or {}).values()) or 1.0 for phase in phases]
    parts = [Fraction(root / sum(roots)).limit_denominator(100) for root in roots]
    return [*parts[:-1], 1 - sum(parts[:-1], Fraction(0))]


def handed_by(units: Sequence[UnitProgram]) -> Handed:
    """What the phases of these units hand over."""
    known = handings(units)
    return Handed(sum(h.runs for h in known), sum(h.bytes for h in known), max(unit.phase for unit in units))
