"""When the calls of the top function run, as the steps of the kernel say; adds up no cycles of its own."""

from __future__ import annotations

from sisyphus.model.estimate import Estimate
from sisyphus.plan import Call, Copy, Direction
from sisyphus.plan.conflicts import steps_of
from sisyphus.values import dataclass


@dataclass(frozen=True)
class TimelineEntry:
    """A call, or an outer loop with all that is in it, from cycle `start` on; `kind` is load, store, task or loop."""

    name: str
    kind: str
    step: int
    start: int
    cycles: int


def timeline(estimate: Estimate) -> tuple[TimelineEntry, ...]:
    """Every call in the order of execution; those of one step start together, the next step waits for the longest."""
    study, plan = estimate.study, estimate.study.plan
    spans: list[TimelineEntry] = []
    start = 0
    for number, (step, term) in enumerate(
        zip(steps_of(plan, plan.body), estimate.sums["cycles"].children, strict=False), start=1
    ):
        loops = {child.name: round(child.value) for child in term.children}
        for node in step:
            if isinstance(node, Copy):
                transfer = plan.transfer(node.transfer)
                kind = "load" if transfer.direction is Direction.LOAD else "store"
                spans.append(TimelineEntry(transfer.id, kind, number, start, int(study.move(transfer).cycles.value)))
            elif isinstance(node, Call):
                spans.append(TimelineEntry(node.task, "task", number, start, int(study.task(node).cycles.value)))
            else:
                name = next(name for name in loops if name.startswith("loop "))
                spans.append(TimelineEntry(name, "loop", number, start, loops[name]))
        start += round(term.value)
    return tuple(spans)
