"""What waits to be searched, in the order of lower bounds: placements of arrays, with how many ports; no formula."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence

from sisyphus.search.costs import Arrays, Placement, Step
from sisyphus.search.effort import EFFORT
from sisyphus.search.lower_bounds import LowerBounds
from sisyphus.search.placements import assignments, first_placements
from sisyphus.values import dataclass, field, replace


@dataclass(frozen=True, order=True)
class Task:
    """All designs of a placement within a window that cost at least `bound`; those of `rank` 0 come first.

    They are counted by `bounds`, with the ports that these know. `left_out` bounds what earlier windows left out
    because of something alike; a recheck leaves nothing out.
    """

    rank: int
    bound: float
    number: int
    placement: Placement = field(compare=False)
    bounds: LowerBounds = field(compare=False)
    window: int = field(default=0, compare=False)
    left_out: float = field(default=float("inf"), compare=False)
    is_recheck: bool = field(default=False, compare=False)


def with_ports(
    task: Task, floors: Mapping[str, float], least: Callable[[Sequence[Step]], float], cutoff: float
) -> Iterator[Task]:
    """The placement of a task whose nests do not pay for ports, where they pay for each number of them.

    Nests take as many cycles as their `floors` at least, and everything as many as `least` says of the steps.
    """
    for ports in task.bounds.costs.ports_of_use(task.placement):
        bound = task.bounds.total_of(ports.steps, floors)
        bound = bound if bound >= cutoff else max(bound, least(ports.steps))
        if bound < cutoff:
            yield Task(task.rank, bound, 0, task.placement, task.bounds.paying(ports.numbers))


class Agenda:
    """What waits to be looked at, lowest bound first; all arrays on chip come before everything else.

    Nests pay for the ports of arrays: with the partitions that wide beats ask for, which take more of the budgets, and
    with tiles that keep to stripes. So where there may be several ports, a placement waits with nests that do not pay
    for any; what this leaves open is searched where they do, with each number of ports that is of use.
    """

    def __init__(self, lower_bounds: LowerBounds, always_resident: Arrays) -> None:
        space, in_registers = lower_bounds.space, lower_bounds.in_registers
        starts, self._bounds = first_placements(space, in_registers), lower_bounds
        whole = [placement for placement in starts if len(placement.residents) == len(space.used_arrays)]
        self._first = [placement for placement in whole if lower_bounds.has_room(placement)]
        self._waiting: list[Task] = []
        self._count = 0
        for placement in self._first:
            self.push(Task(0, 0.0, 0, placement, lower_bounds))
        placements = assignments(space, lower_bounds.floor, always_resident, in_registers)
        self._placements = ((bound, placement) for bound, placement in placements if placement not in self._first)
        self._next = next(self._placements, None)
        parts = 0
        while self._next is not None and self._next[1] is None and parts < EFFORT.parts_of_placements:
            self._next, parts = next(self._placements, None), parts + 1

    @property
    def begins_on_chip(self) -> bool:
        """Whether all arrays may be on chip."""
        return bool(self._first)

    @property
    def bound(self) -> float:
        """Everything that waits costs at least so much."""
        placed = float("inf") if self._next is None else self._next[0]
        return min(placed, min((task.bound for task in self._waiting), default=float("inf")))

    def push(self, task: Task) -> None:
        self._count += 1
        heapq.heappush(self._waiting, replace(task, number=self._count))

    def pop(self) -> Task | None:
        """The next one, if there is one; a placement becomes a task when its turn has come."""
        while self._next is not None and not self._bounds.deadline.is_over:
            bound, placement = self._next
            if self._waiting and (self._waiting[0].rank, self._waiting[0].bound) <= (1, bound):
                break
            if placement is not None:
                self.push(Task(1, bound, 0, placement, self._bounds))
            self._next = next(self._placements, None)
        return heapq.heappop(self._waiting) if self._waiting else None
