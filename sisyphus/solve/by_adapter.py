"""A session's turn with an adapter, in a child process; nothing that it answers is believed unchecked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sisyphus.errors import InternalError
from sisyphus.nlp import decode
from sisyphus.nlp.convex import is_convex
from sisyphus.nlp.encode import encode
from sisyphus.solve.budgets import with_smaller_budgets
from sisyphus.solve.by_exact import Hunt
from sisyphus.solve.contract import Form, Progress, SolveOutcome, SolveRequest, Stop, failure, form_of
from sisyphus.solve.linear import linear
from sisyphus.solve.registry import load_adapter
from sisyphus.solve.repair import logarithms, near, repair
from sisyphus.solve.run import solve
from sisyphus.solve.session import ROUGHLY_EQUAL, Session
from sisyphus.space import DesignPoint, Space

#: How often a design that is larger than the formulation thought is answered by a tighter budget.
MAX_ROUNDS = 8
#: Share of the time left that a solver gets where what it finds is then rounded.
ASKING = 0.5
#: How far the trip counts of a rounded design may lie from those found, as factors; one after another, as time allows.
RADII = (4.0, 8.0)


def by_adapter(session: Session, name: str) -> SolveOutcome:
    """The whole turn, in the form of the problem that the adapter takes."""
    form = form_of(load_adapter(name))
    if form is Form.LINEAR:
        return linear(session, name)
    if form is Form.RELAXED:
        return repair(session, name, _ask(session, name, session.space))
    return _nonlinear(session, name)


def _nonlinear(session: Session, name: str) -> SolveOutcome:
    """Every point that the solver tells of is judged. Where its best one exceeds a budget by what the formulation does
    not count (banks are whole words, logic), that budget is tightened by the difference and the problem solved again.

    What is not proved then makes way for the best design near to the one that was found.
    """
    space = session.space
    for round_ in range(MAX_ROUNDS):
        outcome = _ask(session, name, space)
        if round_ == 0 and outcome.stop is not Stop.FAILED:
            session.raise_bound(_believable(session, outcome))
        if outcome.values is None:
            return outcome if round_ == 0 or session.best is None else _rounded(session, name, outcome)
        point, wrong = _decoded(session, space, outcome.values)
        if point is None:
            return replace(outcome, stop=Stop.FAILED, values=None, message=f"returned an infeasible point: {wrong}")
        claimed = float("inf") if outcome.objective is None else outcome.objective
        cost, over = session.offer(point, claimed, name)
        if not over:
            outcome = _judged(session, replace(outcome, objective=cost), rounds=round_ + 1)
            return _rounded(session, name, outcome)
        if session.is_over or outcome.stop is Stop.INTERRUPTED:
            return replace(outcome, values=None, stop=Stop.TIME)
        space = with_smaller_budgets(space, over, by_banks=session.judge is not None)
    if session.best is not None:
        return _rounded(session, name, replace(outcome, values=None, stop=Stop.UNPROVED))
    return failure(name, "found no design whose banks fit the on-chip memory", session.seconds, outcome.version)


def _rounded(session: Session, name: str, outcome: SolveOutcome) -> SolveOutcome:
    """The outcome after a look at the designs near to the best one, where the full model has the last word."""
    best = session.best
    if session.judge is None or best is None or outcome.stop not in (Stop.TIME, Stop.UNPROVED) or session.is_proved:
        return outcome
    relaxed = [outcome.relaxed] if outcome.relaxed is not None else []
    for radius in RADII:
        for trips in (*relaxed, logarithms(best.point)):
            costs = session.costs_of(near(session.space, trips, radius))
            if costs is None or session.is_over:
                break
            Hunt(session, solver=name).run_tightening(costs, proves=False)
            best = session.best or best
    return replace(outcome, objective=best.cost)


def _ask(session: Session, name: str, space: Space) -> SolveOutcome:
    """The solver's answer; what it tells of on the way is judged at once, while it runs."""
    knobs = session.formulate(space)
    start = None
    if session.best is not None:
        try:
            start = encode(space, session.best.point)
        except InternalError:
            start = None  # a point of the full space need not lie in a narrower one
    limits = session.left
    if session.judge is not None and limits.seconds is not None:
        limits = replace(limits, seconds=limits.seconds * ASKING)
    request = SolveRequest(knobs.model, limits, start, is_convex=is_convex(knobs.model))

    def hear(word: Progress) -> None:
        if session.judge is None:
            session.tell(word.objective, word.bound)
            return
        point = None if word.values is None else _decoded(session, space, word.values)[0]
        if point is not None:
            session.offer(point, float("inf"), name)
        session.tell(None, word.bound if space is session.space else None)

    return solve(name, request, hear)


def _decoded(session: Session, space: Space, values: Mapping[str, int]) -> tuple[DesignPoint | None, str]:
    """The point that the values say, or what is wrong with it."""
    try:
        point = decode(space, values)
    except (InternalError, KeyError, StopIteration) as broken:
        return None, f"it makes no design ({type(broken).__name__}: {broken})"
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
