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
from sisyphus.solve.exact.candidates import Candidates, candidates_of
from sisyphus.solve.exact.combine import Combine, branch_and_bound
from sisyphus.solve.exact.costs import Budget, CostModel, Costs, Floats, Move, Residents, Step
from sisyphus.solve.exact.nodes import Problem
from sisyphus.solve.exact.options import Choice, Options, Table
from sisyphus.solve.exact.partitions import States, states_of
from sisyphus.solve.exact.residency import assignments
from sisyphus.space import NestSpace

#: Widths of the windows, as shares of what everything costs at least: how much more one nest may take than its best.
WINDOWS = (0.002, 0.01, 0.05, 0.2, 0.5, 1.0, 3.0, 10.0, 100.0, float("inf"))
#: The same once a solution is known, which limits every nest by itself.
LATER_WINDOWS = (0.05, 0.5, float("inf"))


@dataclass(frozen=True)
class Solution:
    """A complete choice with its cycles; `widths` are the widest legal beats."""

    cycles: float
    choices: tuple[Choice, ...]
    residents: Residents
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


#: Told of every better solution, and says whether it is acceptable.
Accept = Callable[[Solution], bool]
#: Told of every higher bound.
HearBound = Callable[[float], None]


class Engine:
    """One search over one space."""

    def __init__(
        self,
        costs: CostModel,
        terms: Terms,
        *,
        accept: Accept = lambda _: True,
        hear_bound: HearBound = lambda _: None,
        combine: Combine = branch_and_bound,
    ) -> None:
        self.costs, self.terms, self.space = costs, terms, costs.space
        self.accept, self.hear_bound, self.combine = accept, hear_bound, combine
        self.best: Solution | None = None
        self.bound, self.upper = 0.0, terms.upper
        self._later = self._outside = float("inf")
        self._options: dict[tuple[str, tuple[ArrayId, ...]], Options] = {}
        self._known_moves: dict[Move, tuple[Floats, float]] = {}
        self._candidates: dict[str, Candidates] = {}
        self._whole: dict[str, Costs] = {}

    def run(self) -> Result:
        """Searches until proof, deadline or an exception of whoever listens."""
        complete = False
        try:
            self._prepare()
            parts = assignments(self.space, self._floor, self.costs.always_resident())
            part = next(parts, None)
            while part is not None and part[0] < self._to_beat():
                following = next(parts, None)
                self._later = following[0] if following is not None else float("inf")
                self._search(part[1])
                part = following
            complete = True
        except Stopped:
            complete = self.best is not None and self.bound >= self._to_beat()
        if complete:
            self._raise_bound(self._to_beat())
        return Result(self.best, self.bound, complete)

    def _prepare(self) -> None:
        """What does not depend on residency."""
        self.states: Mapping[ArrayId, States] = states_of(self.space)
        budgets = self.costs.budgets(frozenset())
        for nest in self.space.nests:
            self._tick()
            found = candidates_of(self.space, nest, self.states)
            whole = self.costs.nest(nest, found.batch)
            alone = np.ones(found.batch.count, np.bool_)
            for budget in budgets:
                alone &= whole.usage[budget.name].sum(axis=0) <= budget.limit
            self._candidates[nest.id] = found.take(alone)
            self._whole[nest.id] = Costs(whole.cycles[alone], {b: u[:, alone] for b, u in whole.usage.items()})

    def _tick(self, bound: float = 0.0) -> None:
        """`bound` is of the combinations being looked at, beside which others are open."""
        self._raise_bound(min(bound, self._outside, self._later))
        if self.terms.deadline is not None and time.monotonic() > self.terms.deadline:
            raise Stopped

    def _raise_bound(self, bound: float) -> None:
        bound = min(bound, self.upper)
        if bound > self.bound:
            self.bound = bound
            self.hear_bound(bound)

    def _to_beat(self) -> float:
        return self.upper * (1 - self.terms.gap) if np.isfinite(self.upper) else self.upper

    def _options_of(self, nest: NestSpace, residents: Residents) -> Options:
        tiled = tuple(use.array for use in nest.arrays if use.array not in residents)
        key = (nest.id, tiled)
        if key not in self._options:
            candidates, whole = self._candidates[nest.id], self._whole[nest.id]
            self._options[key] = Options(self.costs, nest, candidates, whole, tiled)
        return self._options[key]

    def _floor(self, residents: Residents, tiled: Residents) -> float:
        """Cheapest nests, cheapest moves of the resident arrays, least transfers of the tiled ones."""
        nests, used = {}, dict[str, float]()
        for nest in self.space.nests:
            least = [self.costs.least_tile(nest, use) for use in nest.arrays if use.array in tiled]
            nests[nest.id] = float(self._whole[nest.id].cycles.min(initial=np.inf)) + sum(one.cycles for one in least)
            for one in least:
                for name, amount in one.usage.items():
                    used[name] = used.get(name, 0.0) + amount
        if any(used.get(b.name, 0.0) > b.limit for b in self.costs.budgets(residents) if len(b.groups) == 1):
            return float("inf")
        if any(b.limit < 0 for b in self.costs.budgets(residents)):
            return float("inf")
        return self._total(self.costs.steps(residents), nests)

    def _total(self, steps: Sequence[Step], nests: Mapping[str, float]) -> float:
        """Cycles of nests of given cycles with the cheapest moves."""
        return sum(self._step(step, nests) for step in steps)

    def _step(self, step: Step, nests: Mapping[str, float]) -> float:
        moves = [self._moves(move)[1] for move in step.moves]
        return max([*(nests[n] for n in step.nests), *moves], default=0.0)

    def _moves(self, move: Move) -> tuple[Floats, float]:
        """Cycles of a move per state of its array, and the least of them."""
        if move not in self._known_moves:
            widths = self.states[move.array].width
            cycles = np.array([self.costs.move(move, int(w)) for w in widths], np.float64)
            self._known_moves[move] = cycles, float(cycles.min(initial=np.inf))
        return self._known_moves[move]

    def _search(self, residents: Residents) -> None:
        """All designs with these resident arrays, window after window."""
        steps, budgets = self.costs.steps(residents), self.costs.budgets(residents)
        options = {nest.id: self._options_of(nest, residents) for nest in self.space.nests}
        floors = {nest: o.floor() for nest, o in options.items()}
        total = self._total(steps, floors)
        for window in WINDOWS if self.best is None else LATER_WINDOWS:
            caps = self._caps(steps, floors, total)
            limits = {n: min(floor + max(total, 1.0) * window, caps[n]) for n, floor in floors.items()}
            outside = [
                self._total(steps, floors | {nest: limit})
                for nest, limit in limits.items()
                if limit < min(caps[nest], options[nest].ceiling())
            ]
            self._outside = min(outside, default=float("inf"))
            self._combine(residents, steps, budgets, options, limits)
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
        residents: Residents,
        steps: Sequence[Step],
        budgets: Sequence[Budget],
        options: Mapping[str, Options],
        limits: Mapping[str, float],
    ) -> None:
        most = {budget.name: budget.limit for budget in budgets}
        tables = [o.within(limits[nest], most, self._tick) for nest, o in options.items()]
        if not all(table.count for table in tables):
            return

        def found(cycles: float, chosen: Sequence[int]) -> bool:
            picks = [table.take(np.array([entry])) for table, entry in zip(tables, chosen, strict=True)]
            return self._found(cycles, residents, options, picks)

        moves = {move: self._moves(move)[0] for step in steps for move in step.moves}
        self.combine(Problem(tables, steps, budgets, self.states, moves), self._to_beat(), found, self._tick)

    def _found(
        self, cycles: float, residents: Residents, options: Mapping[str, Options], picks: Sequence[Table]
    ) -> bool:
        asked = {array: states.start for array, states in self.states.items()}
        for pick in picks:
            for array, state in pick.states.items():
                asked[array] = int(self.states[array].joined_with(asked[array])[int(state[0])])
        solution = Solution(
            cycles=cycles,
            choices=tuple(options[pick.nest].choice(pick) for pick in picks),
            residents=residents,
            widths={array: int(self.states[array].width[state]) for array, state in asked.items()},
        )
        if not self.accept(solution):
            return False
        self.best, self.upper = solution, cycles
        if self.terms.first_only:
            raise Stopped
        return True
