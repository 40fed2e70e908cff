"""Choosing a design: a search over every form of a kernel, or a saved point; writes nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import inf

from sisyphus import allowance, report
from sisyphus.budgets import BUDGETS, PARTITION, Amounts, given, of_device, taken, with_amounts
from sisyphus.errors import InternalError, KernelError, NoDesignError, NothingFits, TimeUp, UsageError
from sisyphus.model import Estimator, paper
from sisyphus.request import Form, Kernel, Model, Request, estimate_of, space_of, with_copies, with_views
from sisyphus.saved import fitted
from sisyphus.search import (
    Found,
    Judge,
    Judged,
    MeasuredCosts,
    PaperCosts,
    as_fixed,
    polished,
    search_within,
)
from sisyphus.search.infeasible import nothing_would_fit, one_is_too_small, several_are_too_small
from sisyphus.search.smallest import Size, needs_alone, needs_together
from sisyphus.solve import Limits, SolveOutcome, Stop
from sisyphus.space import DesignPoint, Space, illegal
from sisyphus.target import KINDS, Target

#: Seconds for finding out which budget is too small, and at most for one search on the way.
EXPLAIN_S, PROBE_S = 20.0, 2.0
#: Budgets that the paper's model has.
PAPER_BUDGETS = ("dsp", "onchip_bytes", PARTITION)
#: A gap within which every design is good enough.
ANY = 1.0
#: Larger amounts stand for no limit.
MOST_SHOWN = 1 << 32

#: Moments of a search that are kept.
MOMENTS = 200

Listen = Callable[[str], None]


def silent(stage: str) -> None:
    """The listener of a run that nobody watches."""


@dataclass(frozen=True, eq=False)
class Known:
    """A known design: a point and the form of the kernel that it is a point of."""

    kernel: Kernel
    point: DesignPoint


@dataclass(frozen=True, eq=False)
class Choice:
    """A point, the form of the kernel that it is a point of, and how it was found.

    `others` are the next best ones, best first; `notes` are for the user; `trace` is how the search of this form went.
    """

    kernel: Kernel
    space: Space
    point: DesignPoint
    outcome: SolveOutcome | None
    others: tuple[Known, ...] = ()
    notes: tuple[str, ...] = ()
    trace: tuple[report.Moment, ...] = ()

    @property
    def was_interrupted(self) -> bool:
        """The search was ended by Ctrl-C, and what it had found was taken."""
        return self.outcome is not None and self.outcome.stop is Stop.INTERRUPTED


def choose(kernels: Sequence[Kernel], request: Request, listen: Listen = silent) -> Choice:
    """The given point, or the best one of a search; where none fits, `NothingFits` tells what is too small."""
    if request.design is not None:
        kernel, point = fitted(kernels, request.source, request.design)
        choice = Choice(kernel, space_of(kernel, request), point, None)
        over = _excess(choice, request)
        if over and request.binding:
            raise NothingFits(f"{request.design}: this design takes {over}", hint="raise the budget, or search anew")
        return replace(choice, notes=(f"this design takes {over}",) if over else ())
    start = None if request.start is None else Known(*fitted(kernels, request.source, request.start))
    begun = time.monotonic()
    try:
        found = find(kernels, request, listen, start=start)
        if request.options.trust == "any" or found.was_interrupted:
            return found
        return _with_cost_of_trust(kernels, request, listen, found, time.monotonic() - begun)
    except NothingFits as failure:
        probes = _Probes(kernels, request, listen)
        try:
            reason = probes.reason()
        except KeyboardInterrupt:
            raise failure from None
        if probes.lucky is not None:
            return probes.lucky
        raise reason from failure


def _with_cost_of_trust(
    kernels: Sequence[Kernel], request: Request, listen: Listen, found: Choice, spent: float
) -> Choice:
    """The choice, with a note of what a search without distrust finds from there in the time that is left."""
    limit, cycles = request.limits.seconds, cost_of(found, request)
    unknown = replace(found, notes=(*found.notes, "what `--trust measured` costs is not known: no time was left"))
    if limit is not None and limit <= spent:
        return unknown
    listen("search: what would it take without `--trust measured`?")
    limits = replace(request.limits, seconds=None if limit is None else limit - spent)
    free = replace(request, options=replace(request.options, trust="any"), top=1, limits=limits)
    try:
        least = min(cycles, cost_of(find(kernels, free, listen, start=Known(found.kernel, found.point)), request))
    except (KeyboardInterrupt, TimeUp):
        return unknown
    note = f"`--trust measured` costs {cycles - least:,.0f} of {cycles:,.0f} cycles: {least:,.0f} were found without it"
    return replace(found, notes=(*found.notes, note))


def find(
    kernels: Sequence[Kernel],
    request: Request,
    listen: Listen = silent,
    *,
    start: Known | None = None,
    improve: bool = True,
) -> Choice:
    """The best of the points of all forms of the kernel, and the next best ones up to `request.top` in all.

    Forms with copies of arrays come first. Arrays have views where one of them does not fit on chip, or where nothing
    fits without. The search of the form that `start` belongs to begins with it. `improve` what was found by the full
    model. A form of which a fixed knob is not one is left out.
    """
    choices: list[Choice] = []
    failures: list[NoDesignError | TimeUp | UsageError] = []
    kernels = (
        kernels
        if request.model == "paper"
        else (*filter(None, map(with_copies, (k for k in kernels if not k.views))), *kernels)
    )
    asked = forms(kernels, request.target, request.model, nothing_yet=lambda: not choices)
    seen, begun = set[Form](), time.monotonic()
    for kernel in chain(asked, () if start is None else (start.kernel,)):
        if kernel.form in seen:
            continue
        limits = share_of(request.limits, time.monotonic() - begun, len(kernels) - len(seen))
        seen.add(kernel.form)
        try:
            choices.append(_search(kernel, replace(request, limits=limits), listen, start=start, improve=improve))
        except (NoDesignError, TimeUp, UsageError) as failure:
            failures.append(failure)
        except KeyboardInterrupt:
            if not choices:
                raise
            break
        if choices and choices[-1].was_interrupted:
            break
    if not choices:
        raise next((f for f in failures if isinstance(f, TimeUp)), failures[0])
    with allowance.held():
        return _best_of(choices, failures, request)


def _best_of(choices: Sequence[Choice], failures: Sequence[Exception], request: Request) -> Choice:
    """The best design of all forms, and the next best ones."""
    best = min(choices, key=lambda c: (cost_of(c, request), c.point.sort_key()))
    best = replace(best, outcome=_of_all_forms(best.outcome, choices, failures))
    if request.top == 1:
        return best
    known = {k.point: k for c in choices for k in (Known(c.kernel, c.point), *c.others)}
    known.pop(best.point)
    ranked = sorted(known.values(), key=lambda k: (cost_of(k, request), k.point.sort_key()))
    return replace(best, others=tuple(ranked[: request.top - 1]))


def _of_all_forms(
    outcome: SolveOutcome | None, choices: Sequence[Choice], failures: Sequence[Exception]
) -> SolveOutcome | None:
    """The outcome of the best design with the bound of all forms; it is proved where none of them ran out of time."""
    others = [choice.outcome for choice in choices if choice.outcome is not None]
    if outcome is None or outcome.objective is None:
        return outcome
    cut = any(isinstance(failure, TimeUp) for failure in failures)
    bounds = [outcome.objective, *(other.bound for other in others)]
    known = [bound for bound in bounds if bound is not None]
    stops = [other.stop for other in others if other.stop is not Stop.PROVED] + [Stop.TIME] * cut
    stop = next(iter(stops), Stop.PROVED) if outcome.stop is Stop.PROVED else outcome.stop
    return replace(outcome, stop=stop, bound=None if cut or len(known) < len(bounds) else min(known))


def share_of(limits: Limits, spent: float, left: int) -> Limits:
    """What the next of the `left` forms to come may take of the time that is left, or a second where that is over."""
    if limits.seconds is None:
        return limits
    return replace(limits, seconds=max((limits.seconds - spent) / max(left, 1), min(1.0, limits.seconds)))


def forms(
    kernels: Sequence[Kernel], target: Target, model: Model, *, nothing_yet: Callable[[], bool]
) -> Iterator[Kernel]:
    """The forms that are worth a search: also with views of arrays that do not fit, or of all as a last resort.

    A form may come twice.
    """
    yield from kernels
    if model == "paper":
        return
    plain = [kernel for kernel in kernels if not kernel.views]
    small = (_with_views_of_large(kernel, target) for kernel in plain)
    yield from (kernel for kernel in small if kernel is not None)
    if nothing_yet():
        every = (with_views(kernel) for kernel in plain)
        yield from (kernel for kernel in every if kernel is not None)


def _with_views_of_large(kernel: Kernel, target: Target) -> Kernel | None:
    """The kernel with views of arrays that alone are larger than the memory on chip."""
    most = target.budget.onchip_bytes
    large = [a.id for a in kernel.scop.arrays if a.elements * a.type.bytes > most]
    return with_views(kernel, large) if large else None


def cost_of(known: Known | Choice, request: Request) -> float:
    """What is minimised: cycles, by the model asked for."""
    if request.model == "paper":
        return paper.evaluate(space_of(known.kernel, request), known.point).objective
    return estimate_of(known.kernel, known.point, request.target).by(request.options.objective)


def _search(kernel: Kernel, request: Request, listen: Listen, *, start: Known | None, improve: bool) -> Choice:
    measured = request.model == "measured"
    space = space_of(kernel, request)

    estimator = Estimator(kernel.scop, kernel.distribution, kernel.live, request.target)
    seen = 0

    def judge(point: DesignPoint) -> Judged:
        nonlocal seen
        seen += 1
        if not measured:
            return Judged(None, {"onchip_bytes": estimator.plan(point).onchip_bytes})
        try:
            cost = estimator.estimate(as_fixed(space, point))
        except KernelError:  # a width that this point's tiles do not allow
            return Judged(inf, {})
        if space.options.trust == "measured" and not cost.is_trusted:
            return Judged(inf, {})
        return Judged(cost.by(request.options.objective), {kind.name: getattr(cost, kind.name) for kind in KINDS})

    trace: list[report.Moment] = []

    def hear(cost: float | None, bound: float | None, seconds: float) -> None:
        trace.append(report.Moment(round(seconds, 3), cost, bound))
        listen(f"search: {report.progress_text(cost, bound, seconds)}")

    try:
        found = search_within(
            space,
            MeasuredCosts if measured else PaperCosts,
            request.solver,
            request.limits,
            judge,
            improve=measured and improve,
            start=start.point if start is not None and start.kernel.form == kernel.form else None,
            top=request.top,
            on_progress=hear,
        )
    except NoDesignError as failure:
        if seen and not isinstance(failure, NothingFits):  # designs were found, and none of them fits
            raise NothingFits(failure.message, hint=failure.hint) from failure
        raise
    with allowance.held():
        violation = illegal(kernel.dependences, kernel.distribution, found.point)
        if violation is not None:
            raise InternalError(f"the chosen design is not legal: {violation}")
        is_over = found.outcome.stop is Stop.INTERRUPTED
        return _with_trace(_chosen(kernel, space, found, judge if measured and not is_over else None), trace)


def _with_trace(choice: Choice, trace: list[report.Moment]) -> Choice:
    """The choice with no more than so many moments of its search, and where it ended."""
    every = max(1, -(-len(trace) // MOMENTS))
    kept = [*trace[::every], *(trace[-1:] if (len(trace) - 1) % every else [])]
    if choice.outcome is not None:
        kept.append(report.Moment(round(choice.outcome.seconds, 3), choice.outcome.objective, choice.outcome.bound))
    return replace(choice, trace=tuple(kept))


def _chosen(kernel: Kernel, space: Space, found: Found, judge: Judge | None) -> Choice:
    """What a search found as points of this form of the kernel, with nests split where that is better."""
    point, outcome = as_fixed(space, found.point), found.outcome
    if judge is not None:
        try:
            point, cycles = polished(space, point, judge)
        except KeyboardInterrupt:
            cycles, outcome = None, replace(outcome, stop=Stop.INTERRUPTED)
        outcome = outcome if cycles is None else _improved(outcome, cycles)
    best, *others = (kernel.point(p) for p in (point, *(as_fixed(space, o) for o in found.others)))
    known = tuple(Known(kernel, other) for other in others if other != best)
    notes = tuple(dict.fromkeys(note.replace("`start` ", "`--start` ", 1) for note in found.skipped))
    return Choice(kernel, space, best, outcome, known, notes)


def _improved(outcome: SolveOutcome, cycles: float) -> SolveOutcome:
    """An outcome that speaks of a design better than what the search knew of."""
    bound = None if outcome.bound is None else min(outcome.bound, cycles)
    return replace(outcome, objective=cycles, bound=bound)


class _Probes:
    """Short searches within other budgets, to find out which of them is too small and how much of it would do.

    `lucky` is a design that fits the budgets as they were, if one turns up on the way.
    """

    def __init__(self, kernels: Sequence[Kernel], request: Request, listen: Listen) -> None:
        self.kernels, self.request, self.listen = kernels, request, listen
        self.given = given(request.target)
        if request.model == "paper":
            self.given = {name: self.given[name] for name in PAPER_BUDGETS if name in self.given}
        limit = request.limits.seconds
        self.seconds = EXPLAIN_S if limit is None else min(EXPLAIN_S, limit)
        self.lucky: Choice | None = None

    def reason(self) -> NothingFits:
        """What to tell the user."""
        name, device = self.kernels[0].scop.name, of_device(self.request.target)
        sizes = [Size(b.name, b.option, b.unit, self.given[b.name]) for b in BUDGETS if b.name in self.given]
        needs = needs_alone(sizes, self.fits, self.seconds)
        if needs:
            return one_is_too_small(name, needs, device)
        needs = needs_together(sizes, self.fits, self.seconds)
        return several_are_too_small(name, needs, device) if needs else nothing_would_fit(name)

    def fits(self, amounts: Amounts) -> dict[str, int] | None:
        """What any design within other budgets takes of each; None where a short search finds none."""
        more = [f"{b.option} {amounts[b.name]}" for b in BUDGETS if self._is_more(b.name, amounts)]
        self.listen(f"no design fits; would one with {' '.join(more) or 'more'}?")
        limits = replace(self.request.limits, seconds=min(PROBE_S, self.seconds), gap=ANY)
        asked = replace(self.request, target=with_amounts(self.request.target, amounts), limits=limits)
        try:
            choice = find(self.kernels, asked, improve=False)
        except (NoDesignError, TimeUp):
            return None
        used = taken_by(choice, asked)
        if all(used[name] <= amount for name, amount in self.given.items()):
            self.lucky = choice
        return used

    def _is_more(self, name: str, amounts: Amounts) -> bool:
        return name in self.given and self.given[name] < amounts[name] <= MOST_SHOWN


def _excess(choice: Choice, request: Request) -> str:
    """What a design takes beyond the budgets, in words; empty where it fits."""
    used, limits = taken_by(choice, request), given(request.target)
    over = [b for b in BUDGETS if b.name in limits and used.get(b.name, 0) > limits[b.name]]
    return ", ".join(f"{used[b.name]:,} of {limits[b.name]:,} {b.unit}" for b in over)


def taken_by(choice: Choice, request: Request) -> dict[str, int]:
    """What a design takes of each budget, by the model asked for."""
    if request.model == "paper":
        return taken(paper.evaluate(choice.space, choice.point), choice.point)
    return taken(estimate_of(choice.kernel, choice.point, request.target), choice.point)
