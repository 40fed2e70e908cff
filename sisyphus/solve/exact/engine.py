"""The exact search: over residency, windows of near-best choices per nest, and their combination; knows no formula.

For each set of resident arrays, best prospects first, every nest offers its choices within a window above its cheapest.
A combination found is the best of all as soon as it costs no more than anything with one nest outside of its window
could. Windows widen until that is so. All nests have the same window, so that the cheap ones, which matter least, have
the choice to get along with the others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sisyphus.errors import InternalError
from sisyphus.ir import ArrayId
from sisyphus.solve.exact.candidates import candidates_of
from sisyphus.solve.exact.combine import Combine, Doubt, branch_and_bound
from sisyphus.solve.exact.costs import Arrays, Budget, CostModel, Costs, Floats, Homes, Move, Step, Tilings
from sisyphus.solve.exact.nodes import Problem, Recount
from sisyphus.solve.exact.options import Choice, Options, Table
from sisyphus.solve.exact.residency import assignments
from sisyphus.space import KERNEL_PLACE, NestSpace

#: Widths of the windows, as shares of what everything costs at least: how much more one nest may take than its best.
WINDOWS = (0.002, 0.01, 0.03, 0.06, 0.1, 0.2, 0.35, 0.6, 1.0, 1.5, 2.5, 5.0, 10.0, 100.0, float("inf"))
#: Tilings per nest in a first short search, its seconds, and how many such searches there are at most.
SAMPLE, TRY_S, MOST_STARTS = 200, 0.3, 4
#: Seconds that such a search may take longer while there is no design at all.
LONGER_S = 2.0


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


class _Enough(Exception):  # noqa: N818 - a signal of the search to itself
    """A short search has had its time."""


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
        self._try_until = float("inf")
        self._later = self._outside = float("inf")
        self._options: dict[tuple[str, tuple[ArrayId, ...], Arrays], Options] = {}
        self._known_moves: dict[Move, tuple[Floats, float]] = {}
        self._known_residents: dict[Homes, Mapping[str, Mapping[ArrayId, Floats]]] = {}
        self._tilings: dict[str, Tilings] = {}
        self._whole: dict[tuple[str, Arrays], Costs] = {}
        self._least: dict[str, Costs] = {}

    def run(self) -> Result:
        """Searches until proof, deadline or an exception of whoever listens."""
        complete = False
        try:
            self._prepare()
            self._in_registers = self.costs.in_registers()
            parts = assignments(self.space, self._floor, self.costs.always_resident(), self._in_registers)
            part = next(parts, None)
            begun = self._begin(0.0 if part is None else part[0])
            while part is not None and part[0] < self._to_beat():
                following = next(parts, None)
                self._later = following[0] if following is not None else float("inf")
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

    def _begin(self, lowest: float) -> list[Homes]:
        """A first design from a few tilings, and if all arrays can be resident, everything with that.

        Nothing costs less than `lowest`. Returns what was looked at to the end.
        """
        self._later, self._outside = lowest, float("inf")
        everything = frozenset(self.space.used_arrays)
        movable = [a for a in everything if self._may_be(a, resident=True) and self._may_be(a, resident=False)]
        residents = frozenset(a for a in everything if self._may_be(a, resident=True))
        starts = [Homes(residents, self._in_registers & residents), Homes(residents)]
        for array in sorted(movable, key=lambda a: (-self.space.scop.array(a).elements, a)):
            residents -= {array}
            starts.append(Homes(residents))
        starts = [h for h in dict.fromkeys(starts) if self._floor(h, everything - h.residents) < np.inf]
        for homes in starts[:MOST_STARTS]:
            self._try(homes)
        whole = [homes for homes in starts if len(homes.residents) == len(everything)]
        for homes in whole:
            self._search(homes)
        return whole

    def _may_be(self, array: ArrayId, *, resident: bool) -> bool:
        """May the array be resident, or else tiled, in all its nests?"""
        uses = [use for nest in self.space.users(array) if (use := nest.use(array)) is not None]
        return all(any((place == KERNEL_PLACE) == resident for place in use.places) for use in uses)

    def _try(self, homes: Homes) -> None:
        """A short search among some of the tilings."""
        self._homes = homes
        budgets = self.costs.budgets(homes.residents)
        most = {budget.name: budget.limit for budget in budgets}
        options = {nest.id: self._options_of(nest, homes) for nest in self.space.nests}
        tables = [o.sample(SAMPLE, most, self._tick) for o in options.values()]
        for in_company in (False, True):
            self._try_until = time.monotonic() + TRY_S
            try:
                self._choose(homes, self.costs.steps(homes), budgets, options, tables, None, in_company=in_company)
            except _Enough:
                continue
            finally:
                self._try_until = float("inf")

    def _settle(self) -> None:
        """Looks at what is like something that turned out dearer than it was thought to be, where that left a doubt."""
        self._is_settling = True
        for homes, doubted in sorted(self._doubts.items(), key=lambda item: item[1]):
            if doubted < self._to_beat():
                steps, budgets = self.costs.steps(homes), self.costs.budgets(homes.residents)
                most = {budget.name: budget.limit for budget in budgets}
                options = {nest.id: self._options_of(nest, homes) for nest in self.space.nests}
                floors = {nest: o.floor(most) for nest, o in options.items()}
                caps = self._caps(steps, floors, self._total(steps, floors))
                self._combine(homes, steps, budgets, options, caps, alike=True)
            self._doubts.pop(homes)

    def _prepare(self) -> None:
        """What does not depend on residency."""
        if not self.costs.may_fit():
            raise _NothingFits
        self.states = self.costs.states
        budgets = self.costs.budgets(frozenset())
        for nest in self.space.nests:
            self._tick()
            found = candidates_of(self.space, nest, self.states)
            least = self.costs.least(nest, found)
            alone = np.ones(found.count, np.bool_)
            for budget in budgets:
                alone &= least.usage[budget.name].sum(axis=0) <= budget.limit
            self._tilings[nest.id] = found.take(alone)
            self._least[nest.id] = least.take(alone)

    def _tick(self, bound: float = 0.0) -> None:
        """`bound` is of the combinations being looked at, beside which others are open."""
        self._raise_bound(min(bound, self._outside, self._later))
        if time.monotonic() > self._try_until + (0.0 if np.isfinite(self.upper) else LONGER_S):
            raise _Enough
        if self.terms.deadline is not None and time.monotonic() > self.terms.deadline:
            raise Stopped

    def _raise_bound(self, bound: float) -> None:
        bound = min(bound, self.upper, *self._doubts.values())
        if bound > self.bound:
            self.bound = bound
            self.hear_bound(bound)

    def _to_beat(self) -> float:
        return self.upper * (1 - self.terms.gap) if np.isfinite(self.upper) else self.upper

    def _options_of(self, nest: NestSpace, homes: Homes) -> Options:
        tiled = tuple(use.array for use in nest.arrays if use.array not in homes.residents)
        registers = self._registers_of(nest, homes)
        key = (nest.id, tiled, registers)
        if key not in self._options:
            is_counted = not tiled and self.costs.is_quick(nest)
            base = self._whole_of(nest, registers) if is_counted else self._least[nest.id]
            tilings = self._tilings[nest.id]
            self._options[key] = Options(self.costs, nest, tilings, base, tiled, registers, is_counted=is_counted)
        return self._options[key]

    @staticmethod
    def _registers_of(nest: NestSpace, homes: Homes) -> Arrays:
        return homes.registers & {use.array for use in nest.arrays}

    def _whole_of(self, nest: NestSpace, registers: Arrays) -> Costs:
        """Cycles and usage with all arrays resident."""
        key = (nest.id, registers)
        if key not in self._whole:
            self._tick()
            self._whole[key] = self.costs.nest(nest, self._tilings[nest.id], registers)
        return self._whole[key]

    def _floor(self, homes: Homes, tiled: Arrays) -> float:
        """Cheapest nests, cheapest moves of the resident arrays, least transfers of the tiled ones."""
        nests, used = {}, dict[str, float]()
        for nest in self.space.nests:
            least = [self.costs.least_tile(nest, use) for use in nest.arrays if use.array in tiled]
            if all(use.array in homes.residents for use in nest.arrays) and self.costs.is_quick(nest):
                base = self._whole_of(nest, self._registers_of(nest, homes))
            else:
                base = self._least[nest.id]
            nests[nest.id] = float(base.cycles.min(initial=np.inf)) + self.costs.least_tiles(least)
            for one in least:
                for name, amount in one.usage.items():
                    used[name] = used.get(name, 0.0) + amount
        budgets = self.costs.budgets(homes.residents)
        if any(used.get(b.name, 0.0) > b.limit for b in budgets if len(b.groups) == 1):
            return float("inf")
        if any(b.limit < 0 for b in budgets):
            return float("inf")
        undecided = self._in_registers - homes.residents - tiled
        return self._total(self.costs.steps(Homes(homes.residents, homes.registers | undecided)), nests)

    def _total(self, steps: Sequence[Step], nests: Mapping[str, float]) -> float:
        """Cycles of nests of given cycles with the cheapest moves."""
        return sum(self._step(step, nests) for step in steps)

    def _step(self, step: Step, nests: Mapping[str, float]) -> float:
        moves = [self._moves(move)[1] for move in step.moves]
        return max([*(nests[n] for n in step.nests), *moves], default=0.0) + step.extra

    def _moves(self, move: Move) -> tuple[Floats, float]:
        """Cycles of a move per state of its array, and the least of them."""
        if move not in self._known_moves:
            cycles = self.costs.moves(move)
            self._known_moves[move] = cycles, float(cycles.min(initial=np.inf))
        return self._known_moves[move]

    def _search(self, homes: Homes) -> None:
        """All designs with these homes of arrays, window after window."""
        self._homes = homes
        steps, budgets = self.costs.steps(homes), self.costs.budgets(homes.residents)
        most = {budget.name: budget.limit for budget in budgets}
        options = {nest.id: self._options_of(nest, homes) for nest in self.space.nests}
        for window in WINDOWS:
            floors = {nest: o.floor(most) for nest, o in options.items()}
            total = self._total(steps, floors)
            if total >= self._to_beat():
                return
            caps = self._caps(steps, floors, total)
            limits = {n: min(floor + max(total, 1.0) * window, caps[n]) for n, floor in floors.items()}
            outside = [
                self._total(steps, floors | {nest: limit})
                for nest, limit in limits.items()
                if limit < min(caps[nest], options[nest].ceiling())
            ]
            self._outside = min(outside, default=float("inf"))
            self._combine(homes, steps, budgets, options, limits)
            if self._outside >= self._to_beat():
                return
        raise InternalError("the last window leaves something outside")

    def _caps(self, steps: Sequence[Step], floors: Mapping[str, float], total: float) -> dict[str, float]:
        """Cycles of each nest beyond which everything together (`total` at least) could not beat what is known."""
        caps = {}
        for step in steps:
            caps.update(dict.fromkeys(step.nests, self._to_beat() - (total - self._step(step, floors))))
        return caps

    def _combine(
        self,
        homes: Homes,
        steps: Sequence[Step],
        budgets: Sequence[Budget],
        options: Mapping[str, Options],
        limits: Mapping[str, float],
        *,
        alike: bool = False,
    ) -> None:
        most = {budget.name: budget.limit for budget in budgets}
        tables = [o.within(limits[nest], most, self._tick, alike=alike) for nest, o in options.items()]
        self._choose(homes, steps, budgets, options, tables, None if alike else self.doubt)

    def _choose(
        self,
        homes: Homes,
        steps: Sequence[Step],
        budgets: Sequence[Budget],
        options: Mapping[str, Options],
        tables: Sequence[Table],
        doubt: Doubt | None,
        *,
        in_company: bool = True,
    ) -> None:
        """The best choice of one entry per table, nests counted again in the company of others or as if alone."""
        if not all(table.count for table in tables):
            return

        def found(cycles: float, chosen: Sequence[int]) -> float:
            picks = [table.take(np.array([entry])) for table, entry in zip(tables, chosen, strict=True)]
            return self._found(cycles, homes, options, picks)

        moves = {move: self._moves(move)[0] for step in steps for move in step.moves}
        start = {a: r for a in homes.registers if (r := self.states[a].registers) is not None}
        barred = {a: self.states[a].complete for a in (self._in_registers & homes.residents) - homes.registers}
        recount = self._recount(options) if self.costs.is_sociable and in_company else None
        residents = self._residents_of(homes)
        problem = Problem(tables, steps, budgets, self.states, moves, start, barred, recount, residents)
        upper = min(self._to_beat(), self._outside)
        self.combine(problem, upper, found, self._tick, doubt)

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

    def _found(self, cycles: float, homes: Homes, options: Mapping[str, Options], picks: Sequence[Table]) -> float:
        asked = {array: states.start for array, states in self.states.items()}
        asked |= {array: registers for array in homes.registers if (registers := self.states[array].registers)}
        for pick in picks:
            for array, state in pick.states.items():
                asked[array] = int(self.states[array].joined_with(asked[array])[int(state[0])])
        solution = Solution(
            cycles=cycles,
            choices=tuple(options[pick.nest].choice(pick) for pick in picks),
            homes=homes,
            states=asked,
            widths={array: int(self.states[array].width[state]) for array, state in asked.items()},
        )
        beaten = self.accept(solution)
        if beaten < self.upper:
            self.best, self.upper = solution, beaten
            if self.terms.first_only:
                raise Stopped
        return self.upper
