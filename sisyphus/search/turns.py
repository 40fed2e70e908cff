"""From a design space to a proven design point with solvers of the user's choice; knows no formula and no code."""

from __future__ import annotations

from math import inf, isfinite

from sisyphus import clock
from sisyphus.errors import EffortUp, NoDesignError, TimeUp
from sisyphus.search.by_exact import Hunt, exact, look_around
from sisyphus.search.costs import MakeCosts
from sisyphus.search.effort import EFFORT
from sisyphus.search.infeasible import explain_infeasible
from sisyphus.search.packing import fit_together
from sisyphus.search.session import Judge, OnProgress, Session
from sisyphus.solve.contract import Form, Limits, SolveOutcome, Stop, failure, forms_of
from sisyphus.solve.registry import AUTO, EXACT, in_turn, load_adapter, solver_list
from sisyphus.space import DesignPoint, Space, plain_points
from sisyphus.values import dataclass, replace


@dataclass(frozen=True)
class Found:
    """A design point and how it was found; `skipped` says which solvers were of no use, and why.

    There is no point where none was found that costs less than the upper bound that was given. `others` are the next
    best designs, best first, where more than one was asked for.
    """

    point: DesignPoint | None
    outcome: SolveOutcome
    skipped: tuple[str, ...] = ()
    others: tuple[DesignPoint, ...] = ()


def search(
    space: Space,
    make_costs: MakeCosts,
    solver: str,
    limits: Limits,
    judge: Judge | None = None,
    *,
    start: DesignPoint | None = None,
    upper: float = inf,
    top: int = 1,
    on_progress: OnProgress | None = None,
) -> Found:
    """The best point of a space by the solvers in `solver`: see `Turns`."""
    turns = Turns(space, make_costs, solver, judge, start=start, top=top, on_progress=on_progress)
    return turns.run(limits, upper=upper)


class Turns:
    """A search of a space by the solvers in `solver` (see registry), tried until one of them is done.

    `judge` has the last word on what a design costs and whether it fits; without it the cost model that the search
    makes has it. A `start` that is a legal design is the first incumbent. The `top` best designs are kept.
    """

    def __init__(
        self,
        space: Space,
        make_costs: MakeCosts,
        solver: str,
        judge: Judge | None,
        *,
        start: DesignPoint | None,
        top: int,
        on_progress: OnProgress | None,
    ) -> None:
        self.names = solver_list(solver)
        for name in self.names:
            _require_form(name, make_costs)
        self._start = start
        self._session = Session(space, make_costs, Limits(), judge, on_progress=on_progress, top=top)
        self._hunt = Hunt(self._session)
        self._has_begun = False

    def run(self, limits: Limits, *, upper: float = inf, near: DesignPoint | None = None) -> Found:
        """The best point of those that cost less than `upper`, as does `near`, a design of another space of the form.

        A limit of time and Ctrl-C end it with the best design so far; run again, our own search goes on where time
        ended it. Raises `NoDesignError` where nothing fits or no solver is of use, `TimeUp` where time ran out first.
        """
        session = self._session
        session.go_on(limits, upper, near)
        if not self._has_begun:
            self._begin()
        outcomes = []
        for name in in_turn(self.names):
            outcome = _turn(self._hunt, name)
            outcomes.append(outcome)
            if _is_done(session, outcome):
                break
        if session.best is None and outcomes[-1].stop is Stop.TIME and _fits_on_chip(session.space):
            _begin_plainly(session)  # a search that ends without a design has one that needs none
        return _answer(session, outcomes)

    def look_around(self, limits: Limits, upper: float, near: DesignPoint) -> Found:
        """A point with other partitions than `near`, which costs `upper`, if one is found that costs less.

        Needs no solver and proves nothing.
        """
        session = self._session
        session.go_on(limits, upper, near)
        outcome = session.finish(look_around(self._hunt))
        return Found(None if session.best is None else session.best.point, outcome)

    def _begin(self) -> None:
        """What comes before any solver."""
        self._has_begun, session, nests = True, self._session, self._session.space.nests
        if self._start is not None:
            _begin_with(session, self._start)
        elif len(nests) >= EFFORT.many_nests or any(len(n.loops) >= EFFORT.many_loops for n in nests):
            _begin_plainly(session)


def _require_form(name: str, make_costs: MakeCosts) -> None:
    """A solver of formulas is of no use where there are only counted choices."""
    if name not in (AUTO, EXACT) and not make_costs.has_formulas and Form.LINEAR not in forms_of(load_adapter(name)):
        raise NoDesignError(
            f"solver `{name}` solves problems given by formulas, and the measured model is not one of them",
            hint=f"take --solver {EXACT}, scip or highs; or --model paper, which `{name}` can be given",
        )


def _begin_with(session: Session, start: DesignPoint) -> None:
    wrong = session.faults(start)
    if wrong:
        session.skip("start", f"is no design of this space: {wrong[0]}")
    elif session.offer(start, "start").over:
        session.skip("start", "exceeds the budgets")


def _begin_plainly(session: Session) -> None:
    """Of so many nests or loops, tables alone take longer than most limits: a design that needs none comes first."""
    for point in plain_points(session.space):
        if session.offer(point, "start").over or session.is_over:
            return


def _fits_on_chip(space: Space) -> bool:
    """Whether block memories may hold all arrays at once."""
    target = space.target
    blocks = target.budget.bram18k, target.budget.uram
    return fit_together(target.memories, space.scop.arrays, target.max_partition, blocks)


def _turn(hunt: Hunt, name: str) -> SolveOutcome:
    """One solver. What fails in its own process is an outcome; what fails in ours is our fault, and nobody hides it."""
    session = hunt.session
    session.begin_turn()
    try:
        if name == EXACT:
            return exact(hunt)
        from sisyphus.search.by_adapter import by_adapter  # which needs Pyomo

        return by_adapter(session, name)
    except MemoryError:
        if session.best is None:
            raise
        session.skip(name, "ran out of memory (raise --memory-limit)")
        return replace(failure(name, "memory ran out", session.seconds), stop=Stop.UNPROVED)
    except KeyboardInterrupt:
        return replace(failure(name, "interrupted", session.seconds), stop=Stop.INTERRUPTED)


def _is_done(session: Session, outcome: SolveOutcome) -> bool:
    """Is there nothing left that another solver could add?"""
    if outcome.stop is Stop.FAILED:
        session.skip(outcome.solver, outcome.message or "failed without a reason")
        return session.is_proved
    if outcome.stop is Stop.INFEASIBLE and session.best is not None:
        session.skip(outcome.solver, "said that nothing fits, though there is a design")
        return False
    if outcome.stop in (Stop.TIME, Stop.UNPROVED):
        return session.is_over or session.is_proved
    return True


def _answer(session: Session, outcomes: list[SolveOutcome]) -> Found:
    """The best design with the outcome that tells most about it."""
    last = next((o for o in reversed(outcomes) if o.stop is not Stop.FAILED), outcomes[-1])
    best = session.best
    if best is None:
        if isfinite(session.upper) and last.stop is not Stop.FAILED:
            return Found(None, session.finish(last), tuple(session.skipped))
        raise _no_design(session, last)
    owner = next((o for o in outcomes if o.solver == best.solver), last)
    stop = Stop.PROVED if session.is_proved else last.stop
    outcome = session.finish(replace(owner, stop=stop, values=owner.values))
    return Found(best.point, outcome, tuple(session.skipped), tuple(other.point for other in session.found[1:]))


def _no_design(session: Session, last: SolveOutcome) -> BaseException:
    if last.stop is Stop.INTERRUPTED:
        return KeyboardInterrupt()
    if last.stop is Stop.INFEASIBLE:
        return explain_infeasible(session)
    if last.stop is Stop.TIME:
        ran_out = EffortUp if clock.is_counted() else TimeUp
        hint = f"raise {clock.raised()}"
        return ran_out(f"{clock.what()} ran out before `{last.solver}` found a design", hint=hint)
    return NoDesignError(f"no solver found a design: {'; '.join(session.skipped) or 'no reason given'}")
