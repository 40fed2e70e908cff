"""A session's turn with our own exact search, in this process."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version

from sisyphus.solve.contract import SolveOutcome, Stop
from sisyphus.solve.exact import Combine, CostModel, Engine, Solution, Terms, branch_and_bound, point_of, values_of
from sisyphus.solve.registry import EXACT
from sisyphus.solve.session import Session
from sisyphus.space import Space

#: Designs that turn out larger than the model thought before the search gives up on refusing them one by one.
MAX_REFUSED = 200
#: How often the on-chip budget is tightened after that.
MAX_ROUNDS = 8


class _TooLarge(Exception):  # noqa: N818 - a signal to the session
    """Too many designs exceed the on-chip memory by rounding to whole words."""


class Hunt:
    """Runs the exact search over a space and offers what it finds to the session."""

    def __init__(self, session: Session, *, solver: str = EXACT, combine: Combine = branch_and_bound) -> None:
        self.session, self.solver, self.combine = session, solver, combine
        self.found: Solution | None = None
        self._over: list[int] = []
        self._refused = float("inf")

    def run(self, costs: CostModel, *, proves: bool = True) -> Stop:
        """Searches to the end or to a limit. `proves`: the space is the whole one, so that its bound is a bound.

        Designs of equal shape and cost are looked at only once. So where one was refused, another one that costs as
        much might have been acceptable: nothing more than its cost is a bound then.
        """
        session = self.session
        best = session.best
        engine = Engine(
            costs,
            Terms(session.deadline, session.limits.gap, float("inf") if best is None else best.cost),
            accept=lambda solution: self._accept(costs.space, solution),
            hear_bound=(lambda bound: session.raise_bound(min(bound, self._refused))) if proves else lambda _: None,
            combine=self.combine,
        )
        self._over.clear()
        result = engine.run()
        if not result.complete:
            return Stop.TIME
        if session.best is None:
            return Stop.INFEASIBLE if not self._over else Stop.FAILED
        return Stop.PROVED if session.is_proved or not proves else Stop.UNPROVED

    def _accept(self, space: Space, solution: Solution) -> bool:
        point = point_of(space, solution)
        over = self.session.excess(point)
        if over > 0:
            self._over.append(over)
            self._refused = min(self._refused, solution.cycles)
            if len(self._over) > MAX_REFUSED:
                raise _TooLarge
            return False
        self.found = solution
        self.session.offer(point, solution.cycles, self.solver)
        return True

    def values(self) -> dict[str, int] | None:
        """The knobs of the best design found here."""
        return None if self.found is None else values_of(self.session.space, self.found)

    def run_tightening(self, costs: CostModel) -> Stop:
        """As `run`, and where rounding to whole words of memory gets in the way, again with less of it."""
        try:
            return self.run(costs)
        except _TooLarge:
            space, over = costs.space, min(self._over)
        for _ in range(MAX_ROUNDS):
            space = _tightened(space, over)
            tighter = self.session.costs_of(space)
            if tighter is None:
                break
            try:
                stop = self.run(tighter, proves=False)
            except _TooLarge:
                over = min(self._over)
                continue
            return Stop.UNPROVED if stop is Stop.PROVED else stop
        return Stop.FAILED


def exact(session: Session) -> SolveOutcome:
    """The whole turn; Ctrl-C ends it with what was found."""
    costs, hunt = session.costs_of(session.space), Hunt(session)
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
        objective=None if hunt.found is None else hunt.found.cycles,
        bound=session.bound,
        solver=EXACT,
        version=version("sisyphus-hls"),
        seconds=session.seconds,
        message=message,
    )


def _tightened(space: Space, over: int) -> Space:
    budget = space.target.budget
    left = None if budget.onchip_bytes is None else max(0, budget.onchip_bytes - over)
    return replace(space, target=replace(space.target, budget=replace(budget, onchip_bytes=left)))
