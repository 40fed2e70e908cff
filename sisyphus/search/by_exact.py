"""A session's turn with our own exact search, in this process."""

from __future__ import annotations

import time
from collections.abc import Mapping
from importlib.metadata import version
from sys import maxsize

from sisyphus.search.beats import with_narrower_beats, with_narrowest_beats
from sisyphus.search.combine import Combine, branch_and_bound
from sisyphus.search.costs import CostModel
from sisyphus.search.engine import Engine, Solution, Terms
from sisyphus.search.excess import with_smaller_budgets
from sisyphus.search.refine import refine
from sisyphus.search.session import EQUAL, Session
from sisyphus.search.solution_point import point_of, values_of
from sisyphus.solve.contract import SolveOutcome, Stop
from sisyphus.solve.registry import EXACT
from sisyphus.space import DesignPoint

#: Designs that turn out larger than the model thought before the search gives up on refusing them one by one.
MAX_REFUSED = 30
#: Seconds for improving what was found within tightened budgets.
POLISH_S = 5.0
#: A budget is tightened by at least this factor then.
LEAST_STEP = 1.02
#: How often that is done.
MAX_ROUNDS = 8


class _TooLarge(Exception):  # noqa: N818 - a signal to the session
    """Too many designs exceed a budget by what the search does not count."""


class Hunt:
    """Runs the exact search over a space and offers what it finds to the session."""

    def __init__(self, session: Session, *, solver: str = EXACT, combine: Combine = branch_and_bound) -> None:
        self.session, self.solver, self.combine = session, solver, combine
        self.found: Solution | None = None
        self._over: dict[str, float] = {}
        self._refused, self._most_refused = 0, MAX_REFUSED

    def run(self, costs: CostModel, *, proves: bool = True) -> Stop:
        """Searches to the end or to a limit. `proves`: the space is the whole one, so that its bound is a bound."""
        session = self.session
        engine = Engine(
            costs,
            Terms(session.deadline, session.limits.gap, session.to_beat),
            accept=lambda solution: self._accept(engine, solution),
            hear_bound=session.raise_bound if proves else lambda _: None,
            combine=self.combine,
        )
        self._over, self._refused = {}, 0
        result = engine.run()
        if not result.complete:
            return Stop.TIME
        if session.best is None:
            return Stop.INFEASIBLE if not self._over else Stop.FAILED
        return Stop.PROVED if session.is_proved or not proves else Stop.UNPROVED

    def _accept(self, engine: Engine, solution: Solution) -> float:
        """Designs alike are looked at once at first: where one is refused, or is dearer when built, that is a doubt.

        There is none where the search goes on with narrower beats.
        """
        point, cost, over = self._offer(engine, solution)
        will_narrow = bool(over) and engine.is_too_large(solution)
        if over:
            budget = self.session.space.target.budget
            too_much = {name: (ratio - 1) * getattr(budget, name) for name, ratio in over.items()}
            narrower = with_narrower_beats(engine.costs, solution, too_much)
            for asked in (narrower, with_narrowest_beats(engine.costs, solution)):
                if over and asked is not None:
                    point, cost, over = self._offer(engine, asked)
                    solution = asked
        if not (engine.is_trying or will_narrow):
            if over or cost > solution.cycles * (1 + EQUAL):
                engine.doubt(solution.cycles)
            if over:
                self._refuse(over)
        if not over and self.session.best is not None and self.session.best.point == point:
            self.found = solution
        return self.session.to_beat

    def _offer(self, engine: Engine, solution: Solution) -> tuple[DesignPoint, float, Mapping[str, float]]:
        point = point_of(engine.space, solution)
        cost, over = self.session.offer(point, solution.cycles, self.solver)
        return point, cost, over

    def _refuse(self, over: Mapping[str, float]) -> None:
        """Counts designs that do not fit, and remembers by how little they exceed each budget."""
        least = {name: min(ratio, self._over.get(name, ratio)) for name, ratio in over.items()}
        self._over = {**self._over, **{name: max(ratio, LEAST_STEP) for name, ratio in least.items()}}
        self._refused += 1
        if self._refused > self._most_refused:
            raise _TooLarge

    def values(self) -> dict[str, int] | None:
        """The knobs of the best design found here."""
        return None if self.found is None else values_of(self.session.space, self.found)

    def run_tightening(self, costs: CostModel, *, proves: bool = True) -> Stop:
        """As `run`; where all or too many designs do not fit, first with smaller budgets, to have one that does."""
        try:
            stop = self.run(costs, proves=proves)
            if stop is not Stop.FAILED:
                return stop
        except _TooLarge:
            pass
        space = costs.space
        for _ in range(MAX_ROUNDS):
            space = with_smaller_budgets(space, self._over)
            tighter = self.session.costs_of(space)
            if tighter is None or self.session.is_over:
                break
            try:
                if self.run(tighter, proves=False) is not Stop.FAILED:
                    break
            except _TooLarge:
                continue
        self._polish(costs)
        self._most_refused = maxsize
        return self.run(costs, proves=proves)

    def _polish(self, costs: CostModel) -> None:
        """Improves the best design a little, so that there is more to beat."""
        session = self.session
        if session.best is None or session.judge is None:
            return
        until = time.monotonic() + POLISH_S
        deadline = until if session.deadline is None else min(until, session.deadline)
        point = refine(costs, session.best.point, self._cost, deadline)
        session.offer(point, float("inf"), self.solver)

    def _cost(self, point: DesignPoint) -> float:
        """Infinite where a design does not fit."""
        judged = self.session.judged(point, float("inf"))
        over = self.session.space.target.budget.exceeded_by(judged.usage)
        return float("inf") if over or judged.cycles is None else judged.cycles


def exact(session: Session) -> SolveOutcome:
    """The whole turn; Ctrl-C ends it with what was found."""
    costs, hunt = session.costs, Hunt(session)
    if costs is None:
        return _outcome(hunt, Stop.FAILED, "needs a cost model, and there is none for this problem")
    try:
        stop = hunt.run_tightening(costs)
    except KeyboardInterrupt:
        stop = Stop.INTERRUPTED
    if stop is Stop.UNPROVED and session.is_proved:
        stop = Stop.PROVED
    message = "no design fits when memory is counted in whole words" if stop is Stop.FAILED else ""
    return _outcome(hunt, stop, message)


def _outcome(hunt: Hunt, stop: Stop, message: str) -> SolveOutcome:
    session = hunt.session
    return SolveOutcome(
        stop=stop,
        values=hunt.values(),
        objective=None if session.best is None else session.best.cost,
        bound=session.bound,
        solver=EXACT,
        version=version("sisyphus-hls"),
        seconds=session.seconds,
        message=message,
    )
