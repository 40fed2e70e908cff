"""Choosing a design, and where none fits, finding out which budget is too small; writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sisyphus import clock
from sisyphus.budgets import BUDGETS, PARTITION, Amounts, given, of_device, with_amounts
from sisyphus.choice import find
from sisyphus.errors import NoDesignError, NothingFits, TimeUp
from sisyphus.part_search import Choice, Listen, cost_of, silent, taken_by
from sisyphus.parts import Known
from sisyphus.request import Kernel, Request, estimate_of, space_of_point
from sisyphus.saved import fitted
from sisyphus.search.infeasible import nothing_is_measured, nothing_would_fit, one_is_too_small, several_are_too_small
from sisyphus.search.smallest import needs_alone, needs_together
from sisyphus.solve import Limits, Stop
from sisyphus.too_large import large_locals

#: Seconds for finding out which budget is too small, and at most for one search on the way.
EXPLAIN_S, PROBE_S = 20.0, 2.0
#: A gap within which every design is good enough.
ANY_GAP = 1.0
#: Budgets that the paper's model has.
PAPER_BUDGETS = ("dsp", "onchip_bytes", PARTITION)
#: Larger amounts stand for no limit.
MOST_SHOWN = 1 << 32
NOT_KNOWN = "what `--trust measured` costs is not known: "


def choose(kernels: Sequence[Kernel], request: Request, listen: Listen = silent) -> Choice:
    """The given point, or the best one of a search; where none fits, `NothingFits` tells what is too small.

    Not yet where large local arrays may lie in memory, with which it is to be asked for first.
    """
    if request.design is not None:
        kernel, point = fitted(kernels, request.source, request.design)
        choice = Choice(kernel, space_of_point(kernel, request, point), point, None)
        over = _excess(choice, request)
        if over and request.binding:
            raise NothingFits(f"{request.design}: this design takes {over}", hint="raise the budget, or search anew")
        return replace(choice, notes=(f"this design takes {over}",) if over else ())
    start = None if request.start is None else Known(*fitted(kernels, request.source, request.start))
    begun = clock.now()
    try:
        found = find(kernels, request, listen, start=start)
        if request.options.trust == "any" or found.was_interrupted:
            return found
        return _with_cost_of_trust(kernels, request, listen, found, clock.now() - begun)
    except NothingFits as failure:
        if request.model != "paper" and large_locals(kernels[0], request.target):
            raise  # what is too small is found out where they are in memory
        probes = _Probes(kernels, request, listen)
        try:
            reason = probes.is_not_measured() or probes.reason()
        except KeyboardInterrupt:
            raise failure from None
        if probes.lucky is not None:
            return probes.lucky
        raise reason from failure


def _with_cost_of_trust(
    kernels: Sequence[Kernel], request: Request, listen: Listen, found: Choice, spent: float
) -> Choice:
    """The choice, with a note of what a search without distrust finds in the time that is left.

    It begins anew: a design without inferred constructs does not show whether several ports would pay.
    """
    limit, cycles = request.limits.seconds, cost_of(found, request)
    unknown = replace(found, notes=(*found.notes, NOT_KNOWN + "no time was left"))
    if limit is not None and limit <= spent:
        return unknown
    listen("search: what would it take without `--trust measured`?")
    limits = replace(request.limits, seconds=None if limit is None else limit - spent)
    free = replace(request, options=replace(request.options, trust="any"), top=1, limits=limits)
    try:
        other = find(kernels, free, listen)
    except (KeyboardInterrupt, TimeUp):
        return unknown
    least = min(cycles, cost_of(other, request))
    is_known = other.outcome is not None and other.outcome.stop is Stop.PROVED
    if least == cycles and not is_known:
        return replace(found, notes=(*found.notes, NOT_KNOWN + "nothing better was found without it in the time left"))
    costs = f"{'' if is_known else 'at least '}{cycles - least:,.0f} of {cycles:,.0f} cycles"
    note = f"`--trust measured` costs {costs}: {least:,.0f} were found without it"
    return replace(found, notes=(*found.notes, note))


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

    def is_not_measured(self) -> NothingFits | None:
        """What to tell where a design is found once constructs need not be measured; None where that is not asked."""
        if self.request.options.trust == "any":
            return None
        self.listen("no design fits; would one without `--trust measured`?")
        free = replace(self.request, options=replace(self.request.options, trust="any"), limits=self._short)
        try:
            other = find(self.kernels, free, improve=False)
        except (NoDesignError, TimeUp):
            return None
        constructs = estimate_of(other.kernel, other.point, self.request.target).evidence.constructs
        inferred = [c.entry.id for c in constructs if c.owners and not c.entry.is_trusted]
        return nothing_is_measured(self.kernels[0].scop.name, inferred)

    def reason(self) -> NothingFits:
        """What to tell the user."""
        name, device = self.kernels[0].scop.name, of_device(self.request.target)
        sizes = {kind: self.given[kind.name] for kind in BUDGETS if kind.name in self.given}
        needs = needs_alone(sizes, self.fits, self.seconds)
        if needs:
            return one_is_too_small(name, needs, device)
        needs = needs_together(sizes, self.fits, self.seconds)
        return several_are_too_small(name, needs, device) if needs else nothing_would_fit(name)

    def fits(self, amounts: Amounts) -> dict[str, int] | None:
        """What any design within other budgets takes of each; None where a short search finds none."""
        more = [f"{b.option} {amounts[b.name]}" for b in BUDGETS if self._is_more(b.name, amounts)]
        self.listen(f"no design fits; would one with {' '.join(more) or 'more'}?")
        asked = replace(self.request, target=with_amounts(self.request.target, amounts), limits=self._short)
        try:
            choice = find(self.kernels, asked, improve=False)
        except (NoDesignError, TimeUp):
            return None
        used = taken_by(choice, asked)
        if all(used[name] <= amount for name, amount in self.given.items()):
            self.lucky = choice
        return used

    @property
    def _short(self) -> Limits:
        """Those of one search on the way."""
        return replace(self.request.limits, seconds=min(PROBE_S, self.seconds), gap=ANY_GAP)

    def _is_more(self, name: str, amounts: Amounts) -> bool:
        return name in self.given and self.given[name] < amounts[name] <= MOST_SHOWN


def _excess(choice: Choice, request: Request) -> str:
    """What a design takes beyond the budgets, in words; empty where it fits."""
    used, limits = taken_by(choice, request), given(request.target)
    over = [b for b in BUDGETS if b.name in limits and used.get(b.name, 0) > limits[b.name]]
    return ", ".join(f"{used[b.name]:,} of {limits[b.name]:,} {b.unit}" for b in over)
