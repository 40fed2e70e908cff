"""The exact search: over residency, windows of near-best choices per nest, and their combination; knows no formula.

For each set of resident arrays, best prospects first, every nest offers its choices within a window above its cheapest.
A combination found is the best of all as soon as it costs no more than anything with one nest outside of its window
could. Windows widen until that is so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sisyphus.errors import InternalError
from sisyphus.ir import ArrayId
from sisyphus.solve.exact.candidates import Candidates, candidates_of
from sisyphus.solve.exact.combine import EPSILON, Combiner, Problem
from sisyphus.solve.exact.costs import Budget, CostModel, Costs, Floats, Move, Residents, Step
from sisyphus.solve.exact.options import Choice, Options, Table
from sisyphus.solve.exact.partitions import States, states_of
from sisyphus.solve.exact.residency import assignments
from sisyphus.space import NestSpace

#: Widths of the windows above the cheapest choice of each nest.
WINDOWS = (0.01, 0.05, 0.2, 0.5, 1.0, 3.0, 10.0, 100.0, float("inf"))


@dataclass(frozen=True)
class Solution:
    """A complete choice with its cycles; `widths` are the widest legal beats."""

    cycles: float
    choices: tuple[Choice, ...]
    residents: Residents
    widths: Mapping[ArrayId, int]


@dataclass(frozen=True)
class Result:
    """`bound` is proven; `complete`: the search ran to its end, so that no solution means that nothing fits."""

    solution: Solution | None
    bound: float
    complete: bool


class Stopped(Exception):  # noqa: N818 - a signal of the search to itself
    """Time is up, or the gap is small enough."""


#: Told of every better solution and of a higher bound: (solution or None, bound).
Listener = Callable[[Solution | None, float], None]


class Engine:
    """One search over one space."""

    def __init__(self, costs: CostModel, *, deadline: float | None, gap: float, listen: Listener) -> None:
        self.costs, self.deadline, self.gap, self.listen = costs, deadline, gap, listen
        self.space = costs.space
        self.best: Solution | None = None
        self.bound = 0.0
        self.upper = float("inf")
        self._options: dict[tuple[str, tuple[ArrayId, ...]], Options] = {}

    def run(self, *, first_only: bool = False, upper: float = float("inf")) -> Result:
        """Searches until proof or deadline; `first_only` stops at the first solution; only costs below `upper` count."""
        self.upper, self._first_only = upper, first_only
        try:
            self._prepare()
            for floor, residents in assignments(self.space, self._floor):
                self._raise_bound(floor)
                if floor >= self._to_beat():
                    break
                self._search(residents)
            self._raise_bound(self._to_beat())
            complete = True
        except Stopped:
            complete = self.best is not None and self.bound >= self._to_beat()
        return Result(self.best, self.bound, complete)

    def _prepare(self) -> None:
        """What does not depend on residency."""
        self.states: Mapping[ArrayId, States] = states_of(self.space)
        self._candidates: dict[str, Candidates] = {}
        self._whole: dict[str, Costs] = {}
        for nest in self.space.nests:
            self._tick(0.0)
            found = candidates_of(self.space, nest, self.states)
            whole = self.costs.nest(nest, found.batch)
            alone = np.ones(found.batch.count, np.bool_)
            for budget in self.costs.budgets(frozenset()):
                alone &= whole.usage[budget.name].sum(axis=0) <= budget.limit
            self._candidates[nest.id] = found.take(alone)
            self._whole[nest.id] = Costs(whole.cycles[alone], {b: u[:, alone] for b, u in whole.usage.items()})

    def _tick(self, bound: float) -> None:
        """`bound` is of the part being searched; everything else left is no lower."""
        self._raise_bound(bound)
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise Stopped

    def _raise_bound(self, bound: float) -> None:
        bound = min(bound, self.upper)
        if bound > self.bound:
            self.bound = bound
            self.listen(None, bound)

    def _to_beat(self) -> float:
        return self.upper * (1 - self.gap) if np.isfinite(self.upper) else self.upper

    def _options_of(self, nest: NestSpace, residents: Residents) -> Options:
        tiled = tuple(use.array for use in nest.arrays if use.array not in residents)
        key = (nest.id, tiled)
        if key not in self._options:
            self._options[key] = Options(
                self.costs, nest, self._candidates[nest.id], self._whole[nest.id], tiled
            )
        return self._options[key]

    def _floor(self, residents: Residents, tiled: Residents) -> float:
        """Cheapest nests, cheapest moves of the resident arrays, least transfers of the tiled ones."""
        if any(budget.limit < 0 for budget in self.costs.budgets(residents)):
            return float("inf")
        nests = {}
        for nest in self.space.nests:
            least = sum(self.costs.least_tile(nest, use) for use in nest.arrays if use.array in tiled)
            nests[nest.id] = float(self._whole[nest.id].cycles.min(initial=np.inf)) + least
        return self._total(self.costs.steps(residents), nests)

    def _total(self, steps: Sequence[Step], nests: Mapping[str, float]) -> float:
        """Cycles of nests of given cycles with the cheapest moves."""
        total = 0.0
        for step in steps:
            moves = [float(self._moves(move).min(initial=np.inf)) for move in step.moves]
            total += max([*(nests[n] for n in step.nests), *moves], default=0.0)
        return total

    def _moves(self, move: Move) -> Floats:
        widths = self.states[move.array].width
        return np.array([self.costs.move(move, int(w)) for w in widths], np.float64)

    def _search(self, residents: Residents) -> None:
        """All designs with these resident arrays, window after window."""
        steps, budgets = self.costs.steps(residents), self.costs.budgets(residents)
        options = {nest.id: self._options_of(nest, residents) for nest in self.space.nests}
        floors = {nest: o.floor() for nest, o in options.items()}
        for window in WINDOWS:
            limits, caps = {}, self._caps(steps, floors)
            for nest, floor in floors.items():
                limits[nest] = min(floor + max(floor, 1.0) * window, caps[nest])
            self._combine(residents, steps, budgets, options, limits)
            outside = [
                self._total(steps, floors | {nest: limit})
                for nest, limit in limits.items()
                if limit < min(caps[nest], options[nest].ceiling())
            ]
            if min(outside, default=float("inf")) >= self._to_beat():
                return
        raise InternalError("the last window leaves nothing outside")

    def _caps(self, steps: Sequence[Step], floors: Mapping[str, float]) -> dict[str, float]:
        """Cycles of each nest beyond which everything together could not be better than what is known."""
        caps = {}
        for step in steps:
            for nest in step.nests:
                alone = floors | {n: 0.0 for n in step.nests}
                caps[nest] = self._to_beat() - self._total([s for s in steps if s is not step], alone)
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
        tables = [o.within(limits[nest], most, lambda: self._tick(0.0)) for nest, o in options.items()]
        if not all(table.count for table in tables):
            return
        moves = {move: self._moves(move) for step in steps for move in step.moves}

        def found(cycles: float, chosen: tuple[int, ...]) -> None:
            picks = [table.take(np.array([entry])) for table, entry in zip(tables, chosen, strict=True)]
            self._found(cycles, residents, options, picks)

        problem = Problem(tables, steps, budgets, self.states, moves)
        Combiner(problem, self._to_beat(), found, lambda _: self._tick(0.0)).run()

    def _found(
        self, cycles: float, residents: Residents, options: Mapping[str, Options], picks: Sequence[Table]
    ) -> None:
        asked = dict.fromkeys(self.states, -1)
        asked = {array: states.start for array, states in self.states.items()}
        for pick in picks:
            for array, state in pick.states.items():
                asked[array] = int(self.states[array].joined_with(asked[array])[int(state[0])])
        self.best = Solution(
            cycles=cycles,
            choices=tuple(options[pick.nest].choice(pick) for pick in picks),
            residents=residents,
            widths={array: int(self.states[array].width[state]) for array, state in asked.items()},
        )
        self.upper = cycles
        self.listen(self.best, self.bound)
        if self._first_only:
            raise Stopped
