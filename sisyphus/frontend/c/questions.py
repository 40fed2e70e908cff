"""Questions to isl on a leash: ranges of loops, witnesses for faults; knows no syntax."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager

from sisyphus.frontend.c.bound import Condition, TooManyCases, conjoin
from sisyphus.frontend.c.context import Context, Question
from sisyphus.frontend.c.diagnostics import Collector
from sisyphus.poly import IslError, Set, dim_range, empty_set, leash, make_set, sample
from sisyphus.source import Span

# Far above what real kernels need (a few thousand steps per question), far below a second.
OPERATIONS = 2_000_000
TOO_COMPLEX = "isl gave up on the bounds of this place"


def leashed(times: int = 1) -> AbstractContextManager[None]:
    """Within, isl raises `IslError` when it has worked for too long."""
    return leash(times * OPERATIONS)


def points(name: str, dims: tuple[str, ...], condition: Condition) -> Set:
    """The integer points where the condition holds."""
    result: Set = empty_set(name, dims)
    for conjunction in condition:
        result = result.union(make_set(name, dims, at_least_zero=conjunction))
    return result.coalesce()


def is_empty(context: Context) -> bool:
    """Whether a place is never reached; no, where isl gives up."""
    try:
        with leashed():
            return bool(points("", context.names, context.condition).is_empty())
    except (IslError, TooManyCases):
        return False


def extent_of(context: Context, name: str, collector: Collector, span: Span) -> tuple[int, int] | None:
    """Smallest and largest value of a normalised iterator; (0, 0) if the loop never runs."""
    try:
        with leashed():
            everything = points("", context.names, context.condition)
            return (0, 0) if everything.is_empty() else dim_range(everything, name)
    except IslError:
        raise collector.fault("too-complex", TOO_COMPLEX, span) from None


def ask(questions: list[Question], collector: Collector) -> None:
    """Report every question that has a point."""
    for question in questions:
        if not question.context.known:
            continue
        try:
            witness = _witness(question)
        except (IslError, TooManyCases):
            collector.report("too-complex", TOO_COMPLEX, question.span)
            continue
        if witness is not None:
            collector.add(question.fault(witness))


def _witness(question: Question) -> Mapping[str, int] | None:
    """The first point, in the order of the loops, that is bad."""
    with leashed():
        bad = points("", question.context.names, conjoin(question.context.condition, question.bad))
        return None if bad.is_empty() else sample(bad.lexmin())
