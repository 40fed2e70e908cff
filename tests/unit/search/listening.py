"""What a way of combining entries tells of, for tests."""

from __future__ import annotations

from math import inf

from sisyphus.search import Bound, Combine, Incumbent, LeftOut, Problem, Whole


def wholes(combine: Combine, problem: Problem, bounds: list[float] | None = None) -> list[Whole]:
    """Every combination told of, each of which becomes the incumbent; `bounds` are filled with the others' words."""
    incumbent, found = Incumbent(), list[Whole]()
    for event in combine(problem, inf, incumbent, may_leave_out=bounds is not None):
        if isinstance(event, Whole):
            found.append(event)
            incumbent.cycles = min(incumbent.cycles, event.cycles)
        elif bounds is not None and isinstance(event, Bound | LeftOut):
            bounds.append(event.cycles)
    return found


def least(combine: Combine, problem: Problem) -> float:
    """Cycles of the best combination; infinite where there is none."""
    return min((whole.cycles for whole in wholes(combine, problem)), default=inf)
