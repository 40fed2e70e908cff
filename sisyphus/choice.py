"""One search after another over all forms of a kernel and their spaces, and what they say together; writes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from math import inf

from sisyphus import allowance
from sisyphus.beside import Slow, around, dealt, is_beyond, ragged, waiting_for_ragged
from sisyphus.course import Asked, Course
from sisyphus.errors import TimeUp
from sisyphus.part_search import Answer, Choice, Listen, cost_of, silent
from sisyphus.parts import BEGIN, Known, Parts
from sisyphus.report import Moment
from sisyphus.request import Kernel, Request
from sisyphus.search import OnProgress, varied
from sisyphus.solve import SolveOutcome, Stop
from sisyphus.values import replace

#: Share of a cost below which two of them are equal.
EQUAL = 1e-9
#: Moments of all searches that are kept.
MOMENTS = 200


def find(
    kernels: Sequence[Kernel],
    request: Request,
    listen: Listen = silent,
    *,
    start: Known | None = None,
    improve: bool = True,
    on_progress: OnProgress | None = None,
) -> Choice:
    """The best of the points of all forms of the kernel, and the next best ones up to `request.top` in all.

    One search follows another, and each looks only for what costs less than what is known. Forms with copies of arrays
    come first where all arrays fit on chip, else last. Arrays have views where one of them does not fit on chip, or
    where nothing fits without. The search of the form that `start` belongs to begins with it. `improve` what was found
    by the full model. A form of which a fixed knob is not one is left out.
    """
    course = Course(request, listen, on_progress, improve=improve)
    parts = Parts(kernels, request, start, best=lambda: course.known, cost=course.cost_of)
    try:
        slow = Slow.of(kernels[0], request)
        for is_first in course.rounds():
            for asked in chain(_begins(parts, course) if is_first else (), _every(parts, course, slow)):
                course.search(asked)
                if course.was_interrupted:
                    if parts.left > 1 or asked.part.options.striped:
                        course.leave(asked.part, Stop.INTERRUPTED)
                    break
            else:
                course.use_time_left()
        course.look_around_best()
    except KeyboardInterrupt:  # between two searches, as the next form or its space was made
        if not course.found:
            raise
        course.leave(course.found[-1].part, Stop.INTERRUPTED)
    except MemoryError:  # in the search of a form without a design; others may have one
        if not course.choices:
            raise
        course.leave(course.found[-1].part, Stop.UNPROVED)
    if not course.choices:
        raise _nothing_found(course.found)
    with allowance.held():
        return _with_course(_best_of(course), course)


def _begins(parts: Parts, course: Course) -> Iterator[Asked]:
    """Forms as far as they have first designs in a share of the time; without a limit each is searched to its end."""
    until = course.share(BEGIN)
    if until == inf or course.request.model == "paper":
        return
    for part in parts.begins():
        if course.spent >= until:
            return
        yield Asked(part, parts.left, (until - course.spent) / parts.left)


def _every(parts: Parts, course: Course, slow: Slow) -> Iterator[Asked]:
    """All parts, each with what is beside it, once more with arrays over several ports, and the best with any tiles."""
    last = waiting_for_ragged(course.request)
    for part in parts:
        yield from around(part, course, parts.left + last, slow)
    yield from dealt(course)
    yield from ragged(course)


def _best_of(course: Course) -> Choice:
    """The best design of all searches, and the next best ones that are not alike."""
    request, choices = course.request, course.choices
    best = min(choices, key=lambda c: (cost_of(c, request), c.point.sort_key()))
    known = {k.point: k for c in choices for k in (Known(c.kernel, c.point), *c.others)}
    first = known.pop(best.point)
    ranked = sorted(known.values(), key=lambda k: (cost_of(k, request), k.point.sort_key())) if request.top > 1 else []
    others = varied([first, *ranked], lambda k: k.point, request.top)[1:]
    said = (note for a in course.found if a.choice and not a.part.is_seed for note in a.choice.notes)
    notes = tuple(dict.fromkeys(said))
    met = 1 + len(others)
    if met < request.top:
        notes += (f"`--top {request.top}`: the search met no more than {met} that are unlike in more than one tile",)
    return replace(best, outcome=_together(best, course), others=tuple(others), notes=notes)


def _with_course(choice: Choice, course: Course) -> Choice:
    """The choice with the course of all searches, no more than so many moments of it, and their time."""
    if choice.outcome is None:
        return choice
    heard, seconds = course.heard, course.seconds
    outcome = replace(choice.outcome, seconds=seconds)
    every = max(1, -(-len(heard) // MOMENTS))
    last = heard[-1:] if (len(heard) - 1) % every else []
    ended = Moment(round(seconds, 3), outcome.objective, outcome.bound)
    return replace(choice, outcome=outcome, trace=(*heard[::every], *last, ended))


def _nothing_found(found: Sequence[Answer]) -> BaseException:
    """Why there is no design."""
    failures = [answer.failure for answer in found if answer.failure is not None]
    for kind in (KeyboardInterrupt, TimeUp):
        for failure in failures:
            if isinstance(failure, kind):
                return failure
    if any(answer.stop is Stop.INTERRUPTED for answer in found):
        return KeyboardInterrupt()
    return failures[0]


def _together(best: Choice, course: Course) -> SolveOutcome | None:
    """The outcome of the best design, with the bound of all searches, and a proof where all of them have one.

    A design that costs less than the bound is none of those that were searched: it was made better afterwards, and so
    may be others. Then nothing is proved, and there is no bound; nor where it is of a space that none of these has.
    """
    outcome = best.outcome
    if outcome is None or outcome.objective is None:
        return outcome
    whole = course.whole()
    ended = [answer for answer in course.found if answer.stop is Stop.INTERRUPTED] + whole
    stops = sorted((a.stop for a in ended), key=lambda stop: stop not in (Stop.INTERRUPTED, Stop.TIME))
    stop = next((stop for stop in stops if stop not in (Stop.PROVED, Stop.INFEASIBLE)), Stop.PROVED)
    bounds = [answer.bound for answer in whole]
    known = [bound for bound in bounds if bound is not None]
    bound = min(known) if known and len(known) == len(bounds) else None
    is_below = bound is not None and bound > outcome.objective * (1 + EQUAL)
    if is_below or (course.best is not None and is_beyond(course.best.part)):
        stop, bound = Stop.UNPROVED if stop is Stop.PROVED else stop, None
    return replace(outcome, stop=stop, bound=bound)
