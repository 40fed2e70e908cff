"""The front between latency, DSPs and block RAM: the fastest design within ever smaller budgets; writes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from sisyphus import allowance, clock
from sisyphus.budgets import with_amounts
from sisyphus.choice import find
from sisyphus.errors import NoDesignError, NothingFits, TimeUp
from sisyphus.model import Estimate
from sisyphus.part_search import Choice, Listen
from sisyphus.parts import Known
from sisyphus.report import Front, Rated
from sisyphus.request import Kernel, Request, estimate_of
from sisyphus.solve import Stop
from sisyphus.values import dataclass, replace

#: The budgets that are made smaller.
AXES = ("dsp", "bram18k")
#: Searches that narrow down the smallest amount of an axis, and amounts per axis of which all pairs are tried.
HALVINGS, LEVELS = 6, 6
#: Share of the time limit for the fastest design; share of what is left, and seconds at least, for each other one.
FIRST_SHARE, SHARE, LEAST_S = 0.4, 0.1, 0.5


class _Over(Exception):  # noqa: N818 - a signal to whoever asked
    """Time is up."""


@dataclass(frozen=True, eq=False)
class _Answer:
    """The fastest design found within two budgets, None where none was."""

    dsp: int
    bram18k: int
    design: _Design | None


@dataclass(frozen=True, eq=False)
class _Design:
    choice: Choice
    cost: Estimate
    cycles: int

    @property
    def figures(self) -> tuple[int, int, int]:
        """What is traded against each other."""
        return self.cycles, self.cost.dsp, self.cost.bram18k

    def beats(self, other: _Design) -> bool:
        """Is it no worse in anything and better in something, or the same and chosen by the sorted JSON?"""
        mine, others = self.figures, other.figures
        if mine == others:
            return self.choice.point.sort_key() < other.choice.point.sort_key()
        return all(a <= b for a, b in zip(mine, others, strict=True))


def first_limits(request: Request) -> Request:
    """The request for the fastest design, with its part of the time."""
    seconds = request.limits.seconds
    limits = request.limits if seconds is None else replace(request.limits, seconds=FIRST_SHARE * seconds)
    return replace(request, limits=limits)


def front_of(
    kernels: Sequence[Kernel], request: Request, first: Choice, listen: Listen, deadline: float | None
) -> tuple[Choice, Front]:
    """The designs that none other beats in cycles, DSPs and BRAM18 blocks, and the fastest of them.

    `first` is the fastest within the budgets of the request; `deadline` is of the search's clock. From it, each axis is
    halved down to its smallest amount, and then pairs of amounts are tried (the method of epsilon-constraints). Every
    search starts from the fastest design that is known to fit.
    """
    searches = _Searches(kernels, request, first, listen, deadline)
    interrupted = False
    complete = first.outcome is None or first.outcome.stop is not Stop.TIME
    try:
        if first.was_interrupted:
            raise KeyboardInterrupt
        dsps, blocks = (searches.levels(axis) for axis in AXES)
        for dsp, bram18k in _pairs(dsps, blocks):
            searches.within(dsp, bram18k)
    except _Over:
        complete = False
    except KeyboardInterrupt:
        complete, interrupted = False, True
    with allowance.held():
        return _front(searches, request, first, complete=complete, interrupted=interrupted)


def _front(
    searches: _Searches, request: Request, first: Choice, *, complete: bool, interrupted: bool
) -> tuple[Choice, Front]:
    """What the searches found, as far as nothing of it beats it."""
    designs = [a.design for a in searches.answers if a.design is not None]
    best = sorted((d for d in designs if not any(o.beats(d) for o in designs)), key=lambda d: d.figures)
    best = [d for at, d in enumerate(best) if all(d.choice.point != o.choice.point for o in best[:at])]
    rated = tuple(Rated(d.choice.point, d.cost) for d in best)
    known = [Known(first.kernel, first.point), *first.others]
    others = tuple(k for k in known if k.point != best[0].choice.point)[: request.top - 1]
    return replace(best[0].choice, others=others), Front(
        rated, searches.count, complete and not searches.any_cut, interrupted
    )


def _pairs(dsps: Sequence[int], blocks: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs of the amounts, from large to small."""
    places = product(enumerate(_spread(dsps)), enumerate(_spread(blocks)))
    for (_, dsp), (_, bram18k) in sorted(places, key=lambda p: (p[0][0] + p[1][0], p[0][0])):
        yield dsp, bram18k


def _spread(amounts: Sequence[int]) -> list[int]:
    """The first, the last and evenly chosen ones between them."""
    last, most = len(amounts) - 1, min(LEVELS, len(amounts))
    return [amounts[round(k * last / max(most - 1, 1))] for k in range(most)]


class _Searches:
    """Searches within two budgets, each once; an answer within larger budgets that fits smaller ones serves again."""

    def __init__(
        self, kernels: Sequence[Kernel], request: Request, first: Choice, listen: Listen, deadline: float | None
    ) -> None:
        self.kernels, self.request, self.listen, self.deadline = kernels, request, listen, deadline
        budget = request.target.budget
        self.answers = [_Answer(budget.dsp, budget.bram18k, self._rated(first))]
        self.count, self.any_cut = 1, False

    def levels(self, axis: str) -> list[int]:
        """Amounts of a budget that designs take, from what the fastest one takes to the smallest."""
        other = next(name for name in AXES if name != axis)
        rest = getattr(self.request.target.budget, other)
        first = self.answers[0].design
        found, low = [getattr(first.cost, axis) if first is not None else 0], -1
        amount = found[0] // 2
        while found[-1] > 0 and amount > low:
            design = self.within(**{axis: amount, other: rest})
            if design is None:
                low = amount
            else:
                found.append(getattr(design.cost, axis))
                amount = found[-1] // 2
        for _ in range(HALVINGS):
            if found[-1] - low <= 1:
                break
            middle = (low + found[-1]) // 2
            design = self.within(**{axis: middle, other: rest})
            if design is None:
                low = middle
            else:
                found.append(getattr(design.cost, axis))
        return found

    def within(self, dsp: int, bram18k: int) -> _Design | None:
        """The fastest design within two budgets, as far as it can be told in the time there is."""
        known = self._known(dsp, bram18k)
        if known is not None:
            return known.design
        fitting = [a.design for a in self.answers if a.design is not None and _fits(a.design, dsp, bram18k)]
        start = min(fitting, key=lambda d: (d.cycles, d.choice.point.sort_key()), default=None)
        found = self._search(dsp, bram18k, start)
        if found is not None and not _fits(found, dsp, bram18k):
            found = None
        if found is None or (start is not None and start.cycles <= found.cycles):
            found = start
        self.answers.append(_Answer(dsp, bram18k, found))
        return found

    def _known(self, dsp: int, bram18k: int) -> _Answer | None:
        for answer in self.answers:
            larger = answer.dsp >= dsp and answer.bram18k >= bram18k
            if larger and (answer.design is None or _fits(answer.design, dsp, bram18k)):
                return answer
        return None

    def _search(self, dsp: int, bram18k: int, start: _Design | None) -> _Design | None:
        limits = self.request.limits
        if self.deadline is not None:
            left = self.deadline - clock.now()
            if left <= 0:
                raise _Over
            limits = replace(limits, seconds=min(left, max(LEAST_S, SHARE * left)))
        told = "1 search" if self.count == 1 else f"{self.count} searches"
        self.listen(f"front: within {dsp:,} DSPs and {bram18k:,} BRAM18 blocks, {told} so far")
        self.count += 1
        target = with_amounts(self.request.target, {"dsp": dsp, "bram18k": bram18k})
        asked = replace(self.request, target=target, limits=limits, top=1)
        known = None if start is None else Known(start.choice.kernel, start.choice.point)
        try:
            choice = find(self.kernels, asked, start=known)
        except NothingFits:
            return None
        except (NoDesignError, TimeUp):  # no proof that nothing fits
            self.any_cut = True
            return None
        found = self._rated(choice)
        self.any_cut = self.any_cut or (choice.outcome is not None and choice.outcome.stop is Stop.TIME)
        if choice.was_interrupted:
            self.answers.append(_Answer(dsp, bram18k, found))
            raise KeyboardInterrupt
        return found

    def _rated(self, choice: Choice) -> _Design:
        cost = estimate_of(choice.kernel, choice.point, self.request.target)
        return _Design(choice, cost, cost.by(self.request.options.objective))


def _fits(design: _Design, dsp: int, bram18k: int) -> bool:
    return design.cost.dsp <= dsp and design.cost.bram18k <= bram18k
