"""A plan read once for all figures, with what is known from other plans of its kernel; adds nothing up."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cached_property

from sisyphus.algebra import EXACT
from sisyphus.model.alone import MoveStudy, TaskStudy
from sisyphus.model.counting.iterations import Ints, Visits, survey
from sisyphus.model.facts.moves import move_of
from sisyphus.model.facts.plan_facts import task_facts
from sisyphus.model.formulas.iteration_latency import Setting
from sisyphus.model.formulas.rules import VITIS_2023_2, GuardForm, Rules
from sisyphus.plan import Bound, Call, For, Plan, Transfer, banks_of
from sisyphus.target import ADDERS, Target
from sisyphus.values import dataclass

#: Numbers that are kept in all, and about how many there are in a task beside those of each outer iteration.
MOST_KEPT, IN_A_TASK, PER_ITERATION = 1 << 25, 4000, 8


@dataclass(frozen=True, eq=False)
class Outside:
    """The outer loops around a place, outermost first, by iterator, bounds and whether anything inside asks for it.

    `points` are their iterations, those that are alike in what is asked for taken together.
    """

    loops: tuple[tuple[str, Bound, Bound, bool], ...]
    points: Visits

    @property
    def owners(self) -> int:
        """Different iterations."""
        return self.points.owners

    @property
    def weight(self) -> Ints:
        """How many iterations each of the different ones stands for."""
        return self.points.weight

    @property
    def iterations(self) -> int:
        return int(self.weight.sum())

    @cached_property
    def visits(self) -> Visits:
        """One visit of each different iteration."""
        return Visits.each(self.points.values, self.owners)


class Known:
    """Studies by all that they depend on, for the plans of one kernel on one target.

    Designs next to each other differ in a nest or two, so that most of their tasks are known. When the studies become
    too many, all are forgotten.
    """

    def __init__(self, target: Target, rules: Rules = VITIS_2023_2, guards: GuardForm = GuardForm.INLINE) -> None:
        self.target = target
        self._settings = {
            adders: Setting(EXACT, rules, target.adding_in(adders).operators, guards, target.measured)
            for adders in ADDERS
        }
        self._tasks: dict[Hashable, TaskStudy] = {}
        self._moves: dict[Hashable, MoveStudy] = {}
        self._outside: dict[Hashable, Outside] = {}
        self._kept = 0

    def setting(self, plan: Plan) -> Setting:
        """What all formulas share, with the adders that a plan has."""
        return self._settings[plan.adders]

    def task(self, plan: Plan, name: str, outside: Outside | None) -> TaskStudy:
        """A task as called in one place."""
        task = plan.task(name)
        moved = plan.transfers_of(task)
        ports = tuple(plan.port_of(t) for t in moved)
        loops = outside.loops if outside else ()
        buffers = tuple(plan.buffer(b) for b in task.buffers)
        key = (task, buffers, moved, ports, loops, plan.tree_reduction, plan.adders)
        if key not in self._tasks:
            self._make_room(IN_A_TASK + (PER_ITERATION * outside.owners if outside else 0))
            facts = task_facts(plan, task, outside.visits if outside else None)
            self._tasks[key] = TaskStudy(self.setting(plan), facts, outside.weight if outside else None)
        return self._tasks[key]

    def move(self, plan: Plan, transfer: Transfer) -> MoveStudy:
        key = (transfer, plan.buffer(transfer.buffer), plan.port_of(transfer))
        if key not in self._moves:
            self._moves[key] = MoveStudy(self.setting(plan), move_of(plan, transfer))
        return self._moves[key]

    def inside(self, plan: Plan, loop: For, outside: Outside | None) -> Outside:
        """The place inside an outer loop."""
        needed = survey(loop.body, plan.below).needed
        before = outside.loops if outside else ()
        own = (loop.iterator, loop.lower, loop.upper, loop.iterator in needed)
        loops = (*((name, low, high, name in needed) for name, low, high, _ in before), own)
        key = (before, loops)
        if key not in self._outside:
            points = outside.points if outside else Visits.once()
            self._outside[key] = Outside(loops, points.into_outer(loop, needed))
        return self._outside[key]

    def _make_room(self, numbers: int) -> None:
        self._kept += numbers
        if self._kept > MOST_KEPT:
            self._tasks.clear()
            self._moves.clear()
            self._kept = numbers


class Study:
    """A plan `on` a target, or with what is known from other plans of its kernel there."""

    def __init__(self, plan: Plan, on: Target | Known) -> None:
        self.plan = plan
        self.known = on if isinstance(on, Known) else Known(on)
        self.tasks: dict[str, TaskStudy] = {}

    @property
    def target(self) -> Target:
        return self.known.target

    @property
    def setting(self) -> Setting:
        return self.known.setting(self.plan)

    @property
    def rules(self) -> Rules:
        return self.setting.rules

    @cached_property
    def memory_banks(self) -> Mapping[str, tuple[int, ...]]:
        """The bank of each stripe of the arrays in memory by name."""
        return banks_of([port for port in self.plan.ports if port.kind == "array"], self.target.device)

    def task(self, call: Call, outside: Outside | None = None) -> TaskStudy:
        """The study of a called task, kept in `tasks`; the first call decides how often its loops run."""
        if call.task not in self.tasks:
            self.tasks[call.task] = self.known.task(self.plan, call.task, outside)
        return self.tasks[call.task]

    def move(self, transfer: Transfer) -> MoveStudy:
        return self.known.move(self.plan, transfer)
