"""The exact search: the best design of a space by its structure, and the proof that there is none better.

It works off tasks, lowest bound first: one placement of the arrays, in which every nest offers its choices within a
window above its cheapest. A combination found is the best of all as soon as everything else that waits costs no less.
Knows no formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from sisyphus.search.agenda import Agenda, Task, with_ports
from sisyphus.search.costs import CostModel, Placement, Step
from sisyphus.search.deadline import Deadline
from sisyphus.search.effort import EFFORT
from sisyphus.search.events import Bound, Combine, Event, Failed, Incumbent, LeftOut, Whole
from sisyphus.search.lower_bounds import LowerBounds, Offers
from sisyphus.search.neighbourhood import Neighbourhood
from sisyphus.search.nodes import Problem
from sisyphus.search.partitioned_anew import PartitionedAnew
from sisyphus.search.solution import Solution, problem_of, solution_of
from sisyphus.search.start import first_designs, try_placement
from sisyphus.search.tables import Table
from sisyphus.search.transfer_limits import TransferLimit, transfer_limits
from sisyphus.space import DesignPoint
from sisyphus.values import dataclass, field, replace

#: Share of a cost below which two of them are equal.
EQUAL = 1e-9


@dataclass(frozen=True)
class Terms:
    """How long and how far to search.

    `deadline` is of the search's clock; only costs below `upper` count, and a proof within `gap` is enough.
    More than `most_refused` solutions that exceed a budget when they are built stop it. `near` is a design of a like
    space that costs `upper`, to look for better ones around it.
    """

    deadline: float | None = None
    gap: float = 0.0
    upper: float = float("inf")
    most_refused: float = float("inf")
    near: DesignPoint | None = None


@dataclass(frozen=True)
class Verdict:
    """What a solution is when it is built.

    Others are of interest below `incumbent`. `over` has the budgets that it exceeds, as ratios; `is_too_large`: it
    exceeds one with the widest beats that its partitions leave, whatever narrower ones do.
    """

    incumbent: float
    cycles: float
    over: Mapping[str, float] = field(default_factory=dict)
    is_too_large: bool = False


@dataclass(frozen=True)
class Judged:
    """A solution with what it is when it is built, and whether it is better than the best before."""

    solution: Solution
    verdict: Verdict
    is_better: bool

    @property
    def is_as_counted(self) -> bool:
        return not self.verdict.over and self.verdict.cycles <= self.solution.cycles * (1 + EQUAL)


@dataclass(frozen=True)
class Result:
    """The best accepted solution with a proven lower bound of every accepted one.

    `complete`: the search ran to its end, so that no solution means that nothing fits. `over` says by how little
    refused solutions exceeded each budget; `gave_up`: there were too many of them.
    """

    solution: Solution | None
    bound: float
    complete: bool
    over: Mapping[str, float]
    gave_up: bool


#: Builds a solution that may be better, and says what it is.
Accept = Callable[[Solution], Verdict]
#: Told of every higher bound.
HearBound = Callable[[float], None]


class Search:
    """The state of a search: the best solution, the bound, and what is known of the space.

    `over` is what the result says; `exceeded` are the budgets that designs exceeded, those of short searches too.
    """

    def __init__(self, costs: CostModel, terms: Terms, accept: Accept, hear_bound: HearBound, combine: Combine) -> None:
        self.costs, self.terms, self.accept, self.hear_bound, self.combine = costs, terms, accept, hear_bound, combine
        self.lower_bounds = LowerBounds(costs, Deadline(terms.deadline))
        self.incumbent, self.best, self.bound = Incumbent(terms.upper), None, 0.0
        self.over, self.refused, self.exceeded = dict[str, float](), 0, set[str]()
        self.is_stopped = False
        self._limits: dict[tuple[LowerBounds, Placement], list[TransferLimit]] = {}
        self._has_looked = bool(np.isfinite(terms.upper))
        self._work, self._may_begin, self._has_begun, self._begun_below = 0, True, False, 0.0
        self._easy_until = self.lower_bounds.deadline.after(EFFORT.easy_share)
        self._others: list[Placement] = []
        self._agenda: Agenda | None = None
        self._patience = 0
        self._looked_around: Solution | DesignPoint | None = None
        self._neighbourhood: Neighbourhood | None = None

    best: Solution | None

    def run(self) -> Result:
        """Searches to the end, or as far as its terms allow; the steps are in "The exact search" of architecture.md."""
        if not self.costs.may_fit():
            return self.result(has_ended=True)
        agenda = self._agenda or self._prepared()
        if agenda is None:
            return self.result(has_ended=not self.is_stopped)
        if len(self.costs.space.nests) >= EFFORT.several_nests or not agenda.begins_on_chip:
            self.begin()
        while agenda.bound < self.cutoff and self.goes_on():
            self.raise_bound(agenda.bound)
            self.try_others()
            self._improve()
            task = agenda.pop()
            if task is None:  # time is up, or the parts that were left have no placement
                continue
            rest = list(self.look_at(task, agenda.bound))
            for left in [task] if self.is_stopped else rest:
                agenda.push(left)
            self._patience -= 1
        return self.result(has_ended=not self.is_stopped)

    def go_on(self, terms: Terms) -> Result:
        """Goes on where the terms that it had ended it, under others; what was counted stays counted.

        Short searches begin anew where more is known than they found, as other choices are of interest below that.
        """
        self._renew(terms)
        self._looked_around = None
        self._may_begin = self._may_begin or self.incumbent.cycles < self._begun_below
        return self.run()

    def look_around(self, terms: Terms) -> Result:
        """Looks only for designs with other partitions than that which these terms are `near`; proves nothing."""
        self._renew(terms)
        if terms.near is not None and self.costs.may_fit() and (self._agenda or self._prepared()) is not None:
            PartitionedAnew(self, terms.near).look()
        return self.result(has_ended=False)

    def _renew(self, terms: Terms) -> None:
        self.terms, self.is_stopped = terms, False
        self.incumbent.cycles = min(self.incumbent.cycles, terms.upper)
        self.lower_bounds.deadline.at = terms.deadline

    def _prepared(self) -> Agenda | None:
        """What waits at first; nothing where nothing can be of interest, or where time is over."""
        if not self.lower_bounds.prepare():
            self.is_stopped = True
            return None
        self.raise_bound(self.lower_bounds.least())
        if self.bound >= self.cutoff:
            return None
        if np.isfinite(self.cutoff):
            self.lower_bounds.leave_out(self.cutoff)
        self._agenda = Agenda(self.lower_bounds, self.costs.always_resident())
        self._patience = EFFORT.patience_with_placements if self._agenda.begins_on_chip else 0
        return self._agenda

    @property
    def cutoff(self) -> float:
        """What a solution has to cost less than to be of interest."""
        upper = self.incumbent.cycles
        return upper * (1 - self.terms.gap) if np.isfinite(upper) else upper

    @property
    def has_enough(self) -> bool:
        """Whether it has to stop, and there is a design, its own or one of another search."""
        return self.is_stopped and bool(np.isfinite(self.incumbent.cycles))

    def goes_on(self) -> bool:
        """Whether there is time for more, and no other reason to stop."""
        self.is_stopped = self.is_stopped or self.lower_bounds.deadline.is_over
        return not self.is_stopped

    def try_others(self) -> None:
        """Short searches with other placements than that of the first design, once there was patience enough."""
        if self._patience <= 0:
            for placement in self._others:
                try_placement(self, placement)
            self._others = []

    def _work_on(self, work: int) -> None:
        """Short searches for a first design, where so much work more, or time, is too much to find one by the way."""
        self._work += work
        if self._work > EFFORT.easy_work or self._easy_until.is_over:
            self.begin()

    def begin(self) -> None:
        """Short searches for a first design, once in a run; for a better one where not all arrays fit on chip.

        Windows of such a space are so large that what is found in them comes late, and so they are where what is known
        is far above the bound.
        """
        is_near = self.incumbent.cycles <= EFFORT.far_from_bound * self.bound
        is_known = is_near and (self._agenda is None or self._agenda.begins_on_chip)
        if self._may_begin and not is_known:
            self._may_begin, self._has_begun = False, True
            self._improve()
            self._others = first_designs(self)
            self._improve()
            self._begun_below = self.incumbent.cycles

    def _improve(self) -> None:
        """Looks around the best design known where short searches had to find one; once in a run around each."""
        is_own = self.best is not None and self.incumbent.cycles <= self.terms.upper
        known = self.best if is_own else self.terms.near
        if not self._has_begun or known is None or known is self._looked_around:
            return
        if self._neighbourhood is None or known is not self._neighbourhood.known:
            self._neighbourhood = Neighbourhood(self, known)
        self._neighbourhood.look()
        self._looked_around = known if self.best is None else self.best

    def raise_bound(self, bound: float) -> None:
        """Everything that is acceptable costs at least so much, or as much as the incumbent."""
        bound = min(bound, self.incumbent.cycles)
        if bound > self.bound:
            self.bound = bound
            self.hear_bound(bound)

    def result(self, *, has_ended: bool) -> Result:
        """What was found; a search that was stopped is complete where its bound says so."""
        complete = has_ended or (self.best is not None and self.bound >= self.cutoff)
        if complete:
            self.raise_bound(self.cutoff)
        return Result(self.best, self.bound, complete, self.over, self.refused > self.terms.most_refused)

    def look_at(self, task: Task, others: float) -> Iterator[Task]:
        """Judges what a window offers, and says what is left; `others` bounds everything beside the task."""
        bounds, offers = task.bounds, task.bounds.offers(task.placement)
        floors, total = offers.floors(), bounds.total(offers)
        if total >= self.cutoff and task.left_out >= self.cutoff:
            return
        is_open = bounds.costs.leaves_ports_open(task.placement.residents)
        if is_open and not np.isfinite(self.cutoff):
            yield from with_ports(task, floors, lambda _: total, self.cutoff)
            return
        caps = bounds.caps(offers.steps, floors, self.cutoff)
        window = EFFORT.windows[min(task.window, len(EFFORT.windows) - 1)]
        is_near = self._has_looked and self.cutoff <= (1 + EFFORT.near) * max(total, task.bound)
        is_whole = not any(options.uses for options in offers.options.values())
        most = EFFORT.choices_without_windows if is_near else EFFORT.choices_on_chip * is_whole
        if task.is_recheck or sum(o.breadth(caps[nest]) for nest, o in offers.options.items()) <= most:
            window = float("inf")
        limits = {nest: min(floor + max(total, 1.0) * window, caps[nest]) for nest, floor in floors.items()}
        self._work_on(EFFORT.work_of_a_look + sum(o.breadth(limits[nest]) for nest, o in offers.options.items()))
        alike = EFFORT.rechecked_choices << task.window if task.is_recheck else 0
        tables = bounds.tables(offers, limits, alike)
        outside = bounds.outside(offers, tables, caps)
        left_out = task.left_out
        if all(table.count for table in tables.values()):
            upper = min(self.cutoff, outside)
            rest = min(others, outside, left_out)
            if is_open:
                left_out = min(left_out, self._least_open(offers, tables, upper))
            else:
                left_out = min(left_out, self._combined(offers, tables, upper, rest, may_leave_out=not task.is_recheck))
            self._has_looked = self._has_looked or bool(np.isfinite(self.incumbent.cycles))
        if is_open and left_out < self.cutoff:
            rest = max(task.bound, min(outside, task.left_out))

            def least(steps: Sequence[Step]) -> float:
                return min(rest, self._least_open(replace(offers, steps=steps), tables, min(rest, self.cutoff)))

            yield from with_ports(task, offers.floors(), least, self.cutoff)
        elif outside < self.cutoff:
            is_done = task.is_recheck or all(table.complete_to >= limits[nest] for nest, table in tables.items())
            bound = max(task.bound, min(outside, left_out))
            yield replace(task, bound=bound, window=task.window + is_done, left_out=left_out)
        elif left_out < self.cutoff and not task.is_recheck:
            yield replace(task, bound=left_out, window=0, left_out=float("inf"), is_recheck=True)

    def _least_open(self, offers: Offers, tables: Mapping[str, Table], upper: float) -> float:
        """What combinations below `upper` cost at least whose nests do not pay for ports; infinite where there is none.

        None of them is a design: where there is one, nests have to pay. Nor does it matter which one, so that the bound
        is taken as it is where that takes long to find, or where time is over.
        """
        if not all(table.count for table in tables.values()):
            return float("inf")
        problem, rest = problem_of(offers, list(tables.values()), coupled=True), offers.bounds.total(offers)
        for parts, event in enumerate(self.combine(problem, upper, self.incumbent, may_leave_out=True)):
            if parts > EFFORT.parts_without_ports or self.lower_bounds.deadline.is_over:
                return rest
            if isinstance(event, Bound):
                rest = max(rest, event.cycles)
            elif isinstance(event, LeftOut):
                return min(rest, event.cycles)
            else:
                return rest
        return float("inf")

    def _combined(
        self, offers: Offers, tables: Mapping[str, Table], upper: float, others: float, *, may_leave_out: bool
    ) -> float:
        """Judges every combination below `upper`; returns what was left out, at least, because of something alike.

        Where the widest beats that partitions leave do not fit, every limit of the transfers is looked at in its turn.
        """
        problem, place = problem_of(offers, list(tables.values()), coupled=True), (offers.bounds, offers.placement)
        if place not in self._limits:
            left_out, is_too_large = self._heard(problem, offers, None, upper, others, may_leave_out=may_leave_out)
            if not is_too_large:
                return left_out
            self._limits[place] = list(
                transfer_limits(offers.bounds.costs, offers.placement, offers.steps, offers.budgets)
            )
        least = {table.nest: float(table.cycles.min()) for table in problem.tables}
        parts = sorted(
            (offers.bounds.total_of(transfer_limit.steps, least), at, transfer_limit)
            for at, transfer_limit in enumerate(self._limits[place])
        )
        left_out = float("inf")
        for at, (lowest, _, transfer_limit) in enumerate(parts):
            if lowest >= min(upper, self.cutoff) or self.is_stopped:
                break
            after = parts[at + 1][0] if at + 1 < len(parts) else float("inf")
            part = replace(problem, steps=transfer_limit.steps, moves=transfer_limit.moves)
            part = replace(part, residents=transfer_limit.residents, beats=transfer_limit.allowed)
            rest = min(others, after, left_out)
            left_out = min(
                left_out, self._heard(part, offers, transfer_limit, upper, rest, may_leave_out=may_leave_out)[0]
            )
        return left_out

    def _heard(
        self,
        problem: Problem,
        offers: Offers,
        transfer_limit: TransferLimit | None,
        upper: float,
        others: float,
        *,
        may_leave_out: bool,
    ) -> tuple[float, bool]:
        """Judges the combinations of one problem; what was left out, and whether the widest beats were too large."""
        left_out, rest = float("inf"), offers.bounds.total(offers)
        for event in self.judged(problem, offers, transfer_limit, upper, self.combine, may_leave_out=may_leave_out):
            if isinstance(event, Bound):
                rest = max(rest, event.cycles)
                self.raise_bound(min(event.cycles, others, left_out))
                self._work_on(EFFORT.work_of_a_part)
            elif isinstance(event, LeftOut):
                left_out = min(left_out, event.cycles)
            elif isinstance(event, Judged):
                if transfer_limit is None and event.verdict.is_too_large:
                    return float("inf"), True
                if not event.is_as_counted and may_leave_out:
                    left_out = min(left_out, event.solution.cycles)
                self._refuse(event.verdict.over)
                self._work_on(EFFORT.easy_work if event.verdict.over else 0)
        return left_out, False

    def judged(
        self,
        problem: Problem,
        offers: Offers,
        transfer_limit: TransferLimit | None,
        upper: float,
        combine: Combine,
        *,
        may_leave_out: bool,
    ) -> Iterator[Event | Judged]:
        """What is told of a problem, with combinations built and judged; no more once the search has to stop."""
        for event in combine(problem, upper, self.incumbent, may_leave_out=may_leave_out):
            if isinstance(event, Whole):
                solution = solution_of(offers, problem.tables, event, transfer_limit)
                verdict = self.accept(solution)
                self.exceeded |= verdict.over.keys()
                is_better = verdict.incumbent < self.incumbent.cycles
                if is_better:
                    self.best, self.incumbent.cycles = solution, verdict.incumbent
                yield Judged(solution, verdict, is_better)
            else:
                yield event
            if self._must_stop(event):
                self.is_stopped = True
                return

    def _must_stop(self, event: Event) -> bool:
        is_enough = self.refused > self.terms.most_refused
        return is_enough or isinstance(event, Failed) or self.lower_bounds.deadline.is_over

    def _refuse(self, over: Mapping[str, float]) -> None:
        """Counts solutions that do not fit, and remembers by how little they exceed each budget."""
        self.refused += bool(over)
        self.over |= {name: min(ratio, self.over.get(name, ratio)) for name, ratio in over.items()}
