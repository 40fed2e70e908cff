"""The exact search: over residency, windows of near-best choices per nest, and their combination; knows no formula.

For each set of resident arrays, best prospects first, every nest offers its choices within a window above its cheapest.
A combination found is the best of all as soon as it costs no more than anything with one nest outside of its window
could. Windows widen until that is so. All nests have the same window, so that the cheap ones, which matter least, have
the choice to get along with the others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sisyphus.errors import InternalError
from sisyphus.ir import ArrayId
from sisyphus.search.combine import Combine, Doubt, branch_and_bound
from sisyphus.search.company import Recount
from sisyphus.search.costs import CostModel, Floats, Homes, Step
from sisyphus.search.greedy import greedy
from sisyphus.search.nodes import Problem
from sisyphus.search.options import Choice, Options, Table
from sisyphus.search.paces import Pace, paces
from sisyphus.search.placements import assignments
from sisyphus.search.prospects import Offers, Prospects
from sisyphus.search.start import MORE, PATIENT, Effort, Enough, Trial, first_homes, with_shares

#: Widths of the windows, as shares of what everything costs at least: how much more one nest may take than its best.
WINDOWS = (0.002, 0.01, 0.03, 0.06, 0.1, 0.2, 0.35, 0.6, 1.0, 1.5, 2.5, 5.0, 10.0, 100.0, float("inf"))
#: So many choices are looked at without windows, once there is the best design of some homes to compare with.
FEW = 300_000
#: Tilings per nest in a first short search, and with how many homes there is one once a design is known.
SAMPLE, MOST_STARTS = 200, 4
#: Choices of one nest that are looked at in putting together a first design.
MOST_LOOKS = 50_000


@dataclass(frozen=True)
class Solution:
    """A complete choice with its cycles; `states` are of the arrays, `widths` the widest beats that these leave."""

    cycles: float
    choices: tuple[Choice, ...]
    homes: Homes
    states: Mapping[ArrayId, int]
    widths: Mapping[ArrayId, int]


@dataclass(frozen=True)
class Result:
    """The best accepted solution with a proven lower bound of every accepted one.

    `complete`: the search ran to its end, so that no solution means that nothing fits.
    """

    solution: Solution | None
    bound: float
    complete: bool


class Stopped(Exception):  # noqa: N818 - a signal of the search to itself
    """Time is up, or what was asked for is found."""


class _NothingFits(Exception):  # noqa: N818 - a signal of the search to itself
    """The smallest buffers of all arrays are larger than the memory."""


class _WideBeats(Exception):  # noqa: N818 - a signal of the search to itself
    """The widest beats that the partitions leave take too much."""


@dataclass(frozen=True)
class Terms:
    """How long and how far to search.

    `deadline` is of time.monotonic; only costs below `upper` count, and a proof within `gap` is enough; `first_only`
    stops at the first solution.
    """

    deadline: float | None = None
    gap: float = 0.0
    upper: float = float("inf")
    first_only: bool = False


#: Told of every solution that may be better, and says what others have to beat from now on: at least its cycles if
#: nothing else is known of it, infinity if it is not acceptable.
Accept = Callable[[Solution], float]
#: Told of every higher bound.
HearBound = Callable[[float], None]


class Engine:
    """One search over one space."""

    def __init__(
        self,
        costs: CostModel,
        terms: Terms,
        *,
        accept: Accept = lambda solution: solution.cycles,
        hear_bound: HearBound = lambda _: None,
        combine: Combine = branch_and_bound,
    ) -> None:
        self.costs, self.terms, self.space = costs, terms, costs.space
        self.accept, self.hear_bound, self.combine = accept, hear_bound, combine
        self.best: Solution | None = None
        self.bound, self.upper = 0.0, terms.upper
        self._homes, self._doubts, self._is_settling = Homes(), dict[Homes, float](), False
        self._paces, self._is_large, self._has_searched = dict[Homes, list[Pace]](), False, False
        self._trial: Trial | None = None
        self._later, self._outside = 0.0, float("inf")
        self.prospects = Prospects(costs, self._tick)
        self._known_residents: dict[Homes, Mapping[str, Mapping[ArrayId, Floats]]] = {}

    def run(self) -> Result:
        """Searches until proof, deadline or an exception of whoever listens."""
        complete = False
        try:
            if not self.costs.may_fit():
                raise _NothingFits
            self.prospects.prepare()
            self._in_registers = self.prospects.in_registers
            starts = first_homes(self.space, self._in_registers)
            self._later = self.prospects.least()
            self._raise_bound(self._later)
            waiting = self._begin(starts)
            parts = assignments(self.space, self.prospects.floor, self.costs.always_resident(), self._in_registers)
            part = next(parts, None)
            self._later = 0.0 if part is None else part[0]
            self._raise_bound(self._later)
            whole = [homes for homes in starts if len(homes.residents) == len(self.space.used_arrays)]
            begun = [homes for homes in whole if self.prospects.has_room(homes)]
            for homes in waiting if not begun else ():
                self._try(homes, Effort())
            for homes in begun:
                self._search(homes)
            searched = 0 if begun else PATIENT
            while part is not None and part[0] < self._to_beat():
                self._raise_bound(part[0])
                following = next(parts, None)
                self._later = following[0] if following is not None else float("inf")
                searched += 1
                for homes in waiting if searched == PATIENT else ():
                    self._try(homes, Effort())
                if part[1] not in begun:
                    self._search(part[1])
                part = following
            self._later = self._outside = float("inf")
            self._settle()
            complete = True
        except _NothingFits:
            complete = True
        except Stopped:
            complete = self.best is not None and self.bound >= self._to_beat()
        if complete:
            self._raise_bound(self._to_beat())
        return Result(self.best, self.bound, complete)

    def _begin(self, starts: Sequence[Homes]) -> list[Homes]:
        """A first design from a few tilings. Returns other homes that are worth a try."""
        waiting = [homes for homes in starts if self.prospects.has_room(homes)]
        for effort in (Effort(), MORE):
            for tried, homes in enumerate(waiting, start=1):
                self._try(homes, effort)
                if np.isfinite(self.upper):
                    return waiting[tried:MOST_STARTS]
        return []

    def _try(self, homes: Homes, effort: Effort) -> None:
        """Short searches among some of the tilings, within less of the budgets where designs turn out too large."""
        self._homes = homes
        offers = self.prospects.offers(homes, sampled=True)
        caps = self._caps_of(offers)
        tables = [
            o.sample(SAMPLE, effort.places, caps[nest], offers.most, self._tick) for nest, o in offers.options.items()
        ]
        nodes = effort.nodes * (1 if np.isfinite(self.upper) else effort.longer)
        with_shares(lambda share: self._is_refused(_within(offers, share), tables))
        for share in effort.shares:
            before = self.upper
            refused = self._try_alone_and_in_company(_within(offers, share), tables, nodes, effort.refused)
            if self.upper < before or not refused:
                return

    def _is_refused(self, offers: Offers, tables: Sequence[Table]) -> bool:
        """Puts one design together of choices that are good enough; whether it is no use."""
        return self._short(Trial(MOST_LOOKS, 1), offers, tables, in_company=False, combine=greedy) > 0

    def _try_alone_and_in_company(self, offers: Offers, tables: Sequence[Table], nodes: int, most_refused: int) -> int:
        """Company may change what designs cost, but not whether there is one. Returns how many were refused."""
        for in_company in (False, True):
            trial = Trial(max(nodes // len(tables), 1), most_refused)
            refused = self._short(trial, offers, tables, in_company=in_company)
            if not np.isfinite(self.upper):
                break
        return refused

    def _short(
        self,
        trial: Trial,
        offers: Offers,
        tables: Sequence[Table],
        *,
        in_company: bool,
        combine: Combine | None = None,
    ) -> int:
        """A short search, for as long as the trial allows. Returns how many designs were refused."""
        self._trial = trial
        try:
            self._choose(offers, tables, None, in_company=in_company, combine=combine)
        except Enough:
            pass
        finally:
            self._trial = None
        return trial.refused

    @property
    def is_trying(self) -> bool:
        """Whether this is only about a first design."""
        return self._trial is not None

    def _settle(self) -> None:
        """Looks at what is like something that turned out dearer than it was thought to be, where that left a doubt."""
        self._is_settling = True
        for homes, doubted in sorted(self._doubts.items(), key=lambda item: item[1]):
            if doubted < self._to_beat():
                offers = self.prospects.offers(homes)
                self._combine(offers, self._caps_of(offers), alike=True)
            self._doubts.pop(homes)

    def _tick(self, bound: float = 0.0) -> None:
        """`bound` is of the combinations being looked at, beside which others are open."""
        self._raise_bound(min(bound, self._outside, self._later))
        if self._trial is not None:
            self._trial.spend()
        if self.terms.deadline is not None and time.monotonic() > self.terms.deadline:
            raise Stopped

    def _raise_bound(self, bound: float) -> None:
        bound = min(bound, self.upper, *self._doubts.values())
        if bound > self.bound:
            self.bound = bound
            self.hear_bound(bound)

    def _to_beat(self) -> float:
        return self.upper * (1 - self.terms.gap) if np.isfinite(self.upper) else self.upper

    def _search(self, homes: Homes) -> None:
        """All designs with these homes of arrays, window after window."""
        self._homes = homes
        offers = self.prospects.offers(homes)
        steps, options = offers.steps, offers.options
        for window in WINDOWS:
            floors = offers.floors()
            total = self.prospects.total(steps, floors)
            if total >= self._to_beat():
                return
            caps = self._caps(steps, floors, total)
            if self._has_searched and sum(o.breadth(caps[nest]) for nest, o in options.items()) <= FEW:
                window = float("inf")
            limits = {n: min(floor + max(total, 1.0) * window, caps[n]) for n, floor in floors.items()}
            outside = [
                self.prospects.total(steps, floors | {nest: limit})
                for nest, limit in limits.items()
                if limit < min(caps[nest], options[nest].ceiling())
            ]
            self._outside = min(outside, default=float("inf"))
            self._combine(offers, limits)
            if self._outside >= self._to_beat():
                self._has_searched = bool(np.isfinite(self.upper))
                return
        raise InternalError("the last window leaves something outside")

    def _caps(self, steps: Sequence[Step], floors: Mapping[str, float], total: float) -> dict[str, float]:
        """Cycles of each nest beyond which everything together (`total` at least) could not beat what is known."""
        caps = {}
        for step in steps:
            caps.update(dict.fromkeys(step.nests, self._to_beat() - (total - self.prospects.step(step, floors))))
        return caps

    def _caps_of(self, offers: Offers) -> dict[str, float]:
        """The same by what is known of the nests now."""
        floors = offers.floors()
        return self._caps(offers.steps, floors, self.prospects.total(offers.steps, floors))

    def _combine(self, offers: Offers, limits: Mapping[str, float], *, alike: bool = False) -> None:
        tables = {}
        # the nest that takes longest has the fewest choices: where it has none, those of others need not be counted
        for nest, options in sorted(offers.options.items(), key=lambda item: -item[1].floor(offers.most)):
            tables[nest] = options.within(limits[nest], offers.most, self._tick, alike=alike)
            if not tables[nest].count:
                return
        self._choose(offers, [tables[nest] for nest in offers.options], None if alike else self.doubt)

    def _choose(
        self,
        offers: Offers,
        tables: Sequence[Table],
        doubt: Doubt | None,
        *,
        in_company: bool = True,
        combine: Combine | None = None,
    ) -> None:
        """The best choice of one entry per table, nests counted again in the company of others or as if alone."""
        if not all(table.count for table in tables):
            return
        homes, steps, combine = offers.homes, offers.steps, combine or self.combine

        def found(cycles: float, chosen: Sequence[int]) -> float:
            picks = [table.take(np.array([entry])) for table, entry in zip(tables, chosen, strict=True)]
            return self._found(cycles, offers, picks, pace)

        moves = {move: self.prospects.moves(move)[0] for step in steps for move in step.moves}
        start = {a: r for a in homes.registers if (r := self.costs.states[a].registers) is not None}
        barred = {a: self.costs.states[a].complete for a in (self._in_registers & homes.residents) - homes.registers}
        recount = self._recount(offers.options) if self.costs.is_sociable and in_company else None
        residents = self._residents_of(homes)
        problem = Problem(tables, steps, offers.budgets, self.costs.states, moves, start, barred, recount, residents)
        pace: Pace | None = None
        if homes not in self._paces:
            doubts = dict(self._doubts)
            try:
                combine(problem, self._limit(), found, self._tick, doubt)
            except _WideBeats:
                self._doubts = doubts  # all of this is looked at again
                self._paces[homes] = list(paces(self.costs, homes, steps, offers.budgets))
            else:
                return
        least = {table.nest: float(table.cycles.min()) for table in tables}
        parts = sorted(((self.prospects.total(p.steps, least), at, p) for at, p in enumerate(self._paces[homes])))
        for at, (lowest, _, pace) in enumerate(parts):
            if lowest >= self._limit():
                return
            after = parts[at + 1][0] if at + 1 < len(parts) else float("inf")
            part = replace(problem, steps=pace.steps, moves=pace.moves, residents=pace.residents)
            combine(part, self._limit(), found, self._tick_below(after), doubt)

    def _tick_below(self, after: float) -> Callable[[float], None]:
        """A tick while combinations that cost no less than `after` wait for their turn."""
        return lambda bound: self._tick(min(bound, after))

    def _limit(self) -> float:
        """Cycles below which combinations are of interest now."""
        return min(self._to_beat(), self._outside)

    def is_too_large(self, solution: Solution) -> bool:
        """Told of a solution that exceeds a budget; whether the search will go through narrower beats then."""
        if solution.homes in self._paces or self.is_trying:
            return False
        self._is_large = True
        return True

    def _residents_of(self, homes: Homes) -> Mapping[str, Mapping[ArrayId, Floats]]:
        if homes not in self._known_residents:
            self._known_residents[homes] = self.costs.resident_usage(homes)
        return self._known_residents[homes]

    def _recount(self, options: Mapping[str, Options]) -> Recount:
        return lambda table, states: options[table.nest].recount(table, states)

    def doubt(self, cycles: float) -> None:
        """Something that costs no less was left out because of something alike, which costs more than was thought."""
        if self._is_settling:
            return
        self._doubts[self._homes] = min(self._doubts.get(self._homes, float("inf")), cycles)

    def _found(self, cycles: float, offers: Offers, picks: Sequence[Table], pace: Pace | None) -> float:
        homes = offers.homes
        asked = {array: states.start for array, states in self.costs.states.items()}
        asked |= {array: registers for array in homes.registers if (registers := self.costs.states[array].registers)}
        for pick in picks:
            for array, state in pick.states.items():
                asked[array] = int(self.costs.states[array].joined_with(asked[array])[int(state[0])])
        widths = {array: int(self.costs.states[array].width[state]) for array, state in asked.items()}
        if pace is not None:
            widths |= pace.widths(asked)
        solution = Solution(
            cycles=cycles,
            choices=tuple(offers.options[pick.nest].choice(pick) for pick in picks),
            homes=homes,
            states=asked,
            widths=widths,
        )
        self._is_large = False
        beaten = self.accept(solution)
        if self._trial is not None and beaten >= self.upper:
            self._trial.refuse()
        if beaten < self.upper:
            self.best, self.upper = solution, beaten
            if self.terms.first_only:
                raise Stopped
        if self._is_large:
            raise _WideBeats
        return self.upper


def _within(offers: Offers, share: float) -> Offers:
    """The same choices with only a share of every budget."""
    return replace(offers, budgets=[replace(budget, limit=budget.limit * share) for budget in offers.budgets])
