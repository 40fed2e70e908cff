"""A session's turn with our own exact search, in this process."""

from __future__ import annotations

from importlib.metadata import version
from math import inf

from sisyphus import clock
from sisyphus.search.beats import with_narrower_beats
from sisyphus.search.combine import branch_and_bound
from sisyphus.search.costs import CostModel
from sisyphus.search.effort import EFFORT
from sisyphus.search.events import Combine
from sisyphus.search.exact import HearBound, Result, Search, Terms, Verdict
from sisyphus.search.excess import with_smaller_budgets
from sisyphus.search.refine import refine
from sisyphus.search.session import Offered, Session
from sisyphus.search.solution import Solution, point_of
from sisyphus.solve.contract import SolveOutcome, Stop
from sisyphus.solve.registry import EXACT
from sisyphus.space import DesignPoint, NotADesign


class Hunt:
    """Runs the exact search over a space and offers what it finds to the session."""

    def __init__(self, session: Session, *, solver: str = EXACT, combine: Combine = branch_and_bound) -> None:
        self.session, self.solver, self.combine = session, solver, combine
        self.found: Solution | None = None
        self._ended_by_time: Search | None = None
        self._most_refused: float = EFFORT.refused_designs

    def run(self, costs: CostModel, *, proves: bool = True) -> Result:
        """Searches to the end or to a limit, from where time ended it if these costs were the last that were searched.

        `proves`: the space is the whole one, so that its bound is a bound.
        """
        known, terms = self._ended_by_time, self._terms
        if known is not None and known.costs is costs:
            search, result = known, known.go_on(terms)
        else:
            search = self._search(costs, terms, self.session.raise_bound if proves else lambda _: None)
            result = search.run()
        self._ended_by_time = None if result.complete or result.gave_up else search
        return result

    def look_around(self, costs: CostModel) -> None:
        """Offers designs with other partitions than that near which the session searches; proves nothing."""
        terms = self._terms
        search = self._ended_by_time or self._search(costs, terms, lambda _: None)
        search.look_around(terms)

    @property
    def _terms(self) -> Terms:
        session = self.session
        most = self._most_refused
        return Terms(session.deadline, session.limits.gap, session.incumbent, most_refused=most, near=session.near)

    def _search(self, costs: CostModel, terms: Terms, hear_bound: HearBound) -> Search:
        return Search(costs, terms, lambda solution: self._accept(costs, solution), hear_bound, self.combine)

    def _accept(self, costs: CostModel, solution: Solution) -> Verdict:
        """Builds a solution, and where it does not fit, with narrower beats."""
        session, found = self.session, self._offer(costs, solution)
        is_too_large = bool(found.over)
        if is_too_large:
            narrower = with_narrower_beats(costs, solution, session.space.target.budget.left_by(found.usage))
            if narrower is not None:
                found = self._offer(costs, narrower)
        return Verdict(session.incumbent, found.cost, found.over, is_too_large)

    def _offer(self, costs: CostModel, solution: Solution) -> Offered:
        try:
            point = point_of(costs.space, solution)
        except NotADesign:  # no partition serves all nests that share a part of an array under an outer loop
            return Offered(inf)
        found = self.session.offer(point, self.solver)
        if not found.over and self.session.best is not None and self.session.best.point == point:
            self.found = solution
        return found

    def run_tightening(self, costs: CostModel, *, proves: bool = True) -> Stop:
        """As `run`; where all or too many designs do not fit, first with smaller budgets, to have one that does.

        Smaller budgets end where designs exceed the real ones by as much as before. Called again, it goes on where
        time ended it.
        """
        result = self.run(costs, proves=proves)
        if not self._needs_less(result):
            return self._stop(result, proves=proves)
        space = costs.space
        for _ in range(EFFORT.tightenings):
            space = with_smaller_budgets(space, {name: max(r, EFFORT.tightened_by) for name, r in result.over.items()})
            tighter = self.session.make_costs(space)
            if self.session.is_over:
                break
            before, result = result, self.run(tighter, proves=False)
            if not self._needs_less(result) or all(ratio <= result.over.get(n, 0) for n, ratio in before.over.items()):
                break
        self._polish(costs)
        self._most_refused = inf
        return self._stop(self.run(costs, proves=proves), proves=proves)

    def _needs_less(self, result: Result) -> bool:
        """Whether a search within smaller budgets would find a design sooner, or one at all."""
        if result.gave_up:
            return True
        return result.complete and not self.session.is_proved and self.session.best is None and bool(result.over)

    def _stop(self, result: Result, *, proves: bool) -> Stop:
        if not result.complete:
            return Stop.TIME
        if self.session.best is None and not self.session.is_proved:
            return Stop.FAILED if result.over else Stop.INFEASIBLE
        return Stop.PROVED if self.session.is_proved or not proves else Stop.UNPROVED

    def _polish(self, costs: CostModel) -> None:
        """Improves the best design a little, so that there is more to beat."""
        session = self.session
        if session.best is None or session.judge is None:
            return
        until = clock.now() + EFFORT.polish_s
        deadline = until if session.deadline is None else min(until, session.deadline)
        point = refine(costs, session.best.point, self._cost, deadline)
        session.offer(point, self.solver)

    def _cost(self, point: DesignPoint) -> float:
        """Infinite where a design does not fit."""
        judged = self.session.judged(point)
        over = self.session.space.target.budget.exceeded_by(judged.usage)
        return float("inf") if over or judged.cycles is None else judged.cycles


def exact(hunt: Hunt) -> SolveOutcome:
    """The whole turn, from where time ended the hunt; Ctrl-C ends it with what was found."""
    try:
        stop = hunt.run_tightening(hunt.session.costs)
    except KeyboardInterrupt:
        stop = Stop.INTERRUPTED
    if stop is Stop.UNPROVED and hunt.session.is_proved:
        stop = Stop.PROVED
    message = "no design fits when memory is counted in whole words" if stop is Stop.FAILED else ""
    return _outcome(hunt, stop, message)


def look_around(hunt: Hunt) -> SolveOutcome:
    """Designs with other partitions around the one that the session knows; Ctrl-C ends it with what was found."""
    try:
        hunt.look_around(hunt.session.costs)
    except KeyboardInterrupt:
        return _outcome(hunt, Stop.INTERRUPTED, "")
    return _outcome(hunt, Stop.TIME, "")


def _outcome(hunt: Hunt, stop: Stop, message: str) -> SolveOutcome:
    session = hunt.session
    return SolveOutcome(
        stop=stop,
        values=None,
        objective=None if session.best is None else session.best.cost,
        bound=session.bound,
        solver=EXACT,
        version=version("sisyphus-hls"),
        seconds=session.seconds,
        message=message,
    )
