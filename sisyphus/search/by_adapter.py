"""A session's turn with an adapter, in a child process; nothing that it answers is believed unchecked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sisyphus.nlp.convex import is_convex
from sisyphus.nlp.paper_problem import formulate
from sisyphus.nlp.values import chosen, values_of
from sisyphus.search.by_exact import Hunt
from sisyphus.search.effort import EFFORT
from sisyphus.search.excess import with_smaller_budgets
from sisyphus.search.linear import linear
from sisyphus.search.repair import logarithms, near, repair
from sisyphus.search.session import ROUGHLY_EQUAL, Session
from sisyphus.solve.contract import Form, Limits, Progress, SolveOutcome, SolveRequest, Stop, forms_of
from sisyphus.solve.registry import load_adapter
from sisyphus.solve.solving import solve
from sisyphus.space import DesignPoint, NotADesign, Space, decode


def by_adapter(session: Session, name: str) -> SolveOutcome:
    """The whole turn: formulas where the problem has them and the adapter takes them, else counted choices."""
    forms = forms_of(load_adapter(name))
    if session.make_costs.has_formulas and Form.NONLINEAR in forms:
        return _nonlinear(session, name)
    if Form.LINEAR in forms:
        return linear(session, name)
    return repair(session, name, _ask(session, name, session.space))


def _nonlinear(session: Session, name: str) -> SolveOutcome:
    """What the solver finds, and where it is not proved, the best design near to that."""
    first = _ask(session, name, session.space)
    if first.stop is not Stop.FAILED:
        session.raise_bound(_believable(session, first))
    outcome = _fitting(session, name, first)
    if session.judge is None or session.is_proved or outcome.stop not in (Stop.TIME, Stop.UNPROVED):
        return outcome
    return _rounded(session, name, replace(outcome, relaxed=first.relaxed))


def _fitting(session: Session, name: str, first: SolveOutcome) -> SolveOutcome:
    """Every point that the solver tells of is judged. Where its best one exceeds a budget by what the formulation does
    not count (banks are whole words, logic), that budget is tightened by the difference and the problem solved again,
    as long as there is time to ask.
    """
    space, outcome = session.space, first
    for round_ in range(EFFORT.tightenings):
        if outcome.values is None:
            return first if round_ == 0 else replace(first, values=None, stop=Stop.UNPROVED)
        point, wrong = _decoded(session, space, outcome.values)
        if point is None:
            return replace(outcome, stop=Stop.FAILED, values=None, message=f"returned an infeasible point: {wrong}")
        offered = session.offer(point, name)
        if not offered.over:
            return _judged(session, replace(outcome, objective=offered.cost), rounds=round_ + 1)
        if outcome.stop is Stop.INTERRUPTED:
            return replace(outcome, values=None)
        if _asking(session).seconds == 0:
            break
        space = with_smaller_budgets(space, offered.over, by_banks=session.judge is not None)
        outcome = _ask(session, name, space)
    return replace(first, values=None, stop=Stop.UNPROVED)


def _rounded(session: Session, name: str, outcome: SolveOutcome) -> SolveOutcome:
    """The outcome after a look at the designs near to what was found, where the full model has the last word.

    Around every better one again, and further away as long as there is time.
    """
    hunt, relaxed = Hunt(session, solver=name), outcome.relaxed
    try:
        for radius in EFFORT.rounding_radii:
            if relaxed is not None:
                _look(session, hunt, near(session.space, relaxed, radius))
            best = None
            while session.best is not None and session.best is not best and not session.is_over:
                best = session.best
                _look(session, hunt, near(session.space, logarithms(best.point), radius))
    except KeyboardInterrupt:
        outcome = replace(outcome, stop=Stop.INTERRUPTED)
    if session.best is None:
        message = "found no design whose banks fit the on-chip memory"
        return replace(outcome, stop=Stop.TIME if session.is_over else Stop.FAILED, message=message)
    return replace(outcome, objective=session.best.cost)


def _look(session: Session, hunt: Hunt, space: Space) -> None:
    """The best designs of a part of the space are offered, as far as time allows."""
    if not session.is_over:
        hunt.run_tightening(session.make_costs(space), proves=False)


def _asking(session: Session) -> Limits:
    """What a solver may take: where its answer is rounded, so much of the whole time that the rest is left for that."""
    limits, whole = session.left, session.limits.seconds
    if session.judge is None or limits.seconds is None or whole is None:
        return limits
    return replace(limits, seconds=max(0.0, limits.seconds - (1 - EFFORT.asked_share) * whole))


def _ask(session: Session, name: str, space: Space) -> SolveOutcome:
    """The solver's answer; what it tells of on the way is judged at once, while it runs."""
    knobs = formulate(space)
    start = None
    if session.best is not None:
        try:
            start = values_of(space, knobs.model, session.best.point)
        except NotADesign:
            start = None  # a point of the full space need not lie in a narrower one
    request = SolveRequest(knobs.model, _asking(session), start, is_convex=is_convex(knobs.model))

    def hear(word: Progress) -> None:
        if session.judge is None:
            session.tell(word.objective, word.bound)
            return
        point = None if word.values is None else _decoded(session, space, word.values)[0]
        if point is not None:
            session.offer(point, name)
        session.tell(None, word.bound if space is session.space else None)

    return solve(name, request, hear)


def _decoded(session: Session, space: Space, values: Mapping[str, int]) -> tuple[DesignPoint | None, str]:
    """The point that the values say, or what is wrong with it."""
    try:
        point = decode(space, chosen(space, values))
    except NotADesign as broken:
        return None, f"it makes no design ({broken})"
    wrong = session.faults(point)
    return (None, "; ".join(wrong)) if wrong else (point, "")


def _believable(session: Session, outcome: SolveOutcome) -> float | None:
    """The bound, unless a known design costs less than it claims possible."""
    bound = outcome.bound
    if bound is not None and session.best is not None and bound > session.best.cost * (1 + ROUGHLY_EQUAL):
        session.skip(outcome.solver, f"claims that nothing costs less than {bound:g}, which is not so")
        return None
    return bound


def _judged(session: Session, outcome: SolveOutcome, *, rounds: int) -> SolveOutcome:
    """A proof is one if the bound of the whole problem meets the cost; solvers compute with tolerances."""
    if outcome.stop is not Stop.PROVED or outcome.objective is None:
        return outcome
    reached = outcome.objective * (1 - session.limits.gap) - ROUGHLY_EQUAL * abs(outcome.objective)
    if session.bound is None or session.bound < reached:
        has_last_word = session.judge is not None and session.bound is not None
        return replace(outcome, stop=Stop.UNPROVED) if rounds > 1 or has_last_word else outcome
    return outcome
