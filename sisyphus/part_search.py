"""One search, of one space of one form of a kernel: what it finds, judged by the full model; writes nothing."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from sisyphus import allowance, clock, report
from sisyphus.budgets import taken
from sisyphus.errors import InternalError, KernelError, NoDesignError, NothingFits, TimeUp, UsageError
from sisyphus.model import Estimator, paper
from sisyphus.parts import Known, Part
from sisyphus.request import Kernel, Request, estimate_of, space_of
from sisyphus.search import Found, Judged, MeasuredCosts, OnProgress, PaperCosts, SearchWithin, as_fixed, polished
from sisyphus.solve import Limits, SolveOutcome, Stop
from sisyphus.space import DesignPoint, Space, illegal
from sisyphus.target import KINDS
from sisyphus.values import dataclass, replace

Listen = Callable[[str], None]


def silent(stage: str) -> None:
    """The listener of a run that nobody watches."""


@dataclass(frozen=True, eq=False)
class Choice:
    """A point, the form of the kernel that it is a point of, and how it was found.

    `others` are the next best ones, best first; `notes` are for the user; `trace` is how all searches went, one after
    another, and where they ended: a bound on the way is that of the space being searched.
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


@dataclass(frozen=True, eq=False)
class Answer:
    """What came of one search: a design, or a failure, or neither where nothing beats what was known.

    `counted` are the costs of its designs before what the search does not count made them better. What time ended may
    go on, as long as it is kept.
    """

    part: Part
    stop: Stop
    bound: float | None
    choice: Choice | None = None
    counted: tuple[float, ...] = ()
    failure: BaseException | None = None
    unended: PartSearch | None = None


#: Share of the time limit that a design is polished for in any case.
POLISHING = 1 / 60


class PartSearch:
    """One search, of one space of one form of the kernel."""

    def __init__(
        self, part: Part, request: Request, listen: Listen, on_progress: OnProgress | None, *, improve: bool
    ) -> None:
        self.part, self.request, self.listen, self.on_progress = part, request, listen, on_progress
        kernel = part.kernel
        self._estimator = Estimator(kernel.scop, kernel.distribution, kernel.live, request.target)
        self._measured = request.model == "measured"
        self._seen, self._bound = 0, None
        self._improves = self._measured and improve
        self._within: SearchWithin | None = None

    _bound: float | None

    def answer(self, limits: Limits, upper: float, near: DesignPoint | None = None) -> Answer:
        """What is found below the upper bound, and what is known of the rest; asked again, it goes on.

        `near` is the best design so far, if that is one of this form of the kernel.
        """
        return self._answered(limits, lambda within: within.run(limits, upper=upper, near=near))

    def look_around(self, limits: Limits, upper: float, near: DesignPoint) -> Answer:
        """What is found with other partitions than the best design, which is one of this form; nothing of the rest."""
        return self._answered(limits, lambda within: within.look_around(limits, upper, near))

    def _answered(self, limits: Limits, run: Callable[[SearchWithin], Found]) -> Answer:
        deadline = None if limits.seconds is None else clock.now() + limits.seconds
        try:
            self._within = self._within or self._prepared()
            answer = self._found(run(self._within), deadline)
        except (NoDesignError, KernelError, TimeUp, UsageError, KeyboardInterrupt) as failure:
            answer = self._failed(failure)
        return replace(answer, unended=self) if answer.stop is Stop.TIME else answer

    def _prepared(self) -> SearchWithin:
        self.space = space_of(self.part.kernel, self.request)
        return SearchWithin(
            self.space,
            MeasuredCosts if self._measured else PaperCosts,
            self.request.solver,
            self._judged,
            improve=self._improves,
            start=self.part.start,
            top=self.request.top,
            on_progress=self._hear,
        )

    def _found(self, found: Found, deadline: float | None) -> Answer:
        if found.point is None:
            return Answer(self.part, found.outcome.stop, found.outcome.bound)
        with allowance.held():
            kernel = self.part.kernel
            violation = illegal(kernel.dependences, kernel.distribution, found.point)
            if violation is not None:
                raise InternalError(f"the chosen design is not legal: {violation}")
            choice = self._chosen(found, found.point, deadline)
            costs = (cost_of(other, self.request) for other in choice.others)
            counted = tuple(cost for cost in (found.outcome.objective, *costs) if cost is not None)
            stop = Stop.INTERRUPTED if choice.was_interrupted else found.outcome.stop
            return Answer(self.part, stop, found.outcome.bound, choice, counted)

    def _failed(self, failure: BaseException) -> Answer:
        if isinstance(failure, KeyboardInterrupt):
            return Answer(self.part, Stop.INTERRUPTED, self._bound, failure=failure)
        if isinstance(failure, KernelError):  # tiles of this form cannot be counted; others are searched
            return Answer(self.part, Stop.FAILED, self._bound, failure=failure)
        if not isinstance(failure, NoDesignError):
            return Answer(self.part, Stop.TIME, self._bound, failure=failure)
        if not isinstance(failure, NothingFits) and not self._seen:
            return Answer(self.part, Stop.FAILED, self._bound, failure=failure)
        if not isinstance(failure, NothingFits):  # designs were found, and none of them fits
            failure = NothingFits(failure.message, hint=failure.hint)
        return Answer(self.part, Stop.INFEASIBLE, inf, failure=failure)

    def _judged(self, point: DesignPoint) -> Judged:
        """The full model's word about a design."""
        self._seen += 1
        if not self._measured:
            return Judged(None, {"onchip_bytes": self._estimator.plan(point).onchip_bytes})
        try:
            cost = self._estimator.estimate(as_fixed(self.space, point))
        except KernelError:  # a width that this point's tiles do not allow
            return Judged(inf, {})
        if self.space.options.trust == "measured" and not cost.is_trusted:
            return Judged(inf, {})
        return Judged(cost.by(self.request.options.objective), {k.name: getattr(cost, k.name) for k in KINDS})

    def _hear(self, cost: float | None, bound: float | None, seconds: float) -> None:
        self._bound = bound if bound is not None else self._bound
        self.listen(f"search: {report.progress_text(cost, bound, seconds)}")
        if self.on_progress is not None:
            self.on_progress(cost, bound, seconds)

    def _chosen(self, found: Found, chosen: DesignPoint, deadline: float | None) -> Choice:
        """What was found as points of this form of the kernel, with nests split where that is better."""
        space, kernel, outcome = self.space, self.part.kernel, found.outcome
        point = as_fixed(space, chosen)
        if self._measured and outcome.stop is not Stop.INTERRUPTED:
            try:
                point, cycles = polished(space, point, self._judged, self._with_a_little(deadline))
            except KeyboardInterrupt:
                cycles, outcome = None, replace(outcome, stop=Stop.INTERRUPTED)
            outcome = outcome if cycles is None else replace(outcome, objective=cycles)
        best, *others = (kernel.point(p) for p in (point, *(as_fixed(space, o) for o in found.others)))
        known = tuple(Known(kernel, other) for other in others if other != best)
        notes = tuple(dict.fromkeys(note.replace("`start` ", "`--start` ", 1) for note in found.skipped))
        return Choice(kernel, space, best, outcome, known, notes)

    def _with_a_little(self, deadline: float | None) -> float | None:
        """The deadline, but some time from now: what is found in a short share of the time is no different for it."""
        limit = self.request.limits.seconds
        if deadline is None or limit is None:
            return deadline
        return max(deadline, clock.now() + POLISHING * limit)


def taken_by(choice: Choice, request: Request) -> dict[str, int]:
    """What a design takes of each budget, by the model asked for."""
    if request.model == "paper":
        return taken(paper.evaluate(choice.space, choice.point), choice.point)
    return taken(estimate_of(choice.kernel, choice.point, request.target), choice.point)


def cost_of(known: Known | Choice, request: Request) -> float:
    """What is minimised: cycles, by the model asked for."""
    if request.model == "paper":
        return paper.evaluate(space_of(known.kernel, request), known.point).objective
    if isinstance(known, Choice) and known.outcome is not None and known.outcome.objective is not None:
        return known.outcome.objective  # a search has said it of what it found
    return estimate_of(known.kernel, known.point, request.target).by(request.options.objective)
