"""Explaining a design: what it takes, where its cycles go, what more would buy, how its neighbours compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sisyphus import allowance, clock
from sisyphus.budgets import BUDGETS, given, of_device, taken, with_amounts
from sisyphus.choice import find
from sisyphus.errors import KernelError, NoDesignError, TimeUp
from sisyphus.model import Estimate, Term
from sisyphus.model.formulas.kernel_cycles import kernel_cycles
from sisyphus.model.study import Study
from sisyphus.neighbours import Change, neighbours
from sisyphus.part_search import Choice, Listen, cost_of
from sisyphus.parts import Known
from sisyphus.plan import Plan, dump_schedule
from sisyphus.report import Explanation
from sisyphus.report.explanation import Neighbour, Pace, Part, Share, Step
from sisyphus.request import Kernel, Request, estimate_of, plan_of
from sisyphus.solve import Stop
from sisyphus.target import Target

#: By how much each budget is raised, in percent.
RAISE = 10
#: Share of the time limit for the neighbours; the rest is for searches within larger budgets.
NEIGHBOURS_SHARE = 0.25


def explain(kernels: Sequence[Kernel], request: Request, choice: Choice, listen: Listen) -> Explanation:
    """Everything that is told of a design, with at most `--time-limit` for the searches and neighbours together."""
    target, seconds = request.target, request.limits.seconds
    plan, cost = plan_of(choice.kernel, choice.point), estimate_of(choice.kernel, choice.point, target)
    started = clock.now()
    listen("explain: neighbours")
    parts = tuple(_largest(cost.terms["cycles"], {task.name: task.nest for task in plan.tasks}))
    changes, steps, complete = list[Neighbour](), list[Step](), False
    try:
        until = None if seconds is None else started + NEIGHBOURS_SHARE * seconds
        all_seen = _neighbours(changes, choice, target, until)
        until = None if seconds is None else started + seconds
        complete = _steps(steps, kernels, request, choice, cost, listen, until) and all_seen
    except KeyboardInterrupt:
        pass  # what there is by then is told, as not complete
    with allowance.held():
        return Explanation(
            cycles=cost.by(request.options.objective),
            shares=_shares(cost, choice, target),
            parts=parts,
            paces=tuple(paces_of(plan, target, {part.nest for part in parts})),
            steps=tuple(steps),
            neighbours=tuple(changes),
            complete=complete,
        )


def _shares(cost: Estimate, choice: Choice, target: Target) -> tuple[Share, ...]:
    used, limits = taken(cost, choice.point), given(target)
    return tuple(Share(b.option, b.unit, used[b.name], limits[b.name]) for b in BUDGETS if b.name in limits)


def _largest(term: Term, nests: Mapping[str, str]) -> Iterator[Part]:
    """From the sum down to a leaf, the largest term at each level; `nests` has those that are tasks."""
    while term.children:
        term = max(term.children, key=lambda child: child.value)
        yield Part(term.name, int(term.value), term.rule, nests.get(term.name))


def paces_of(plan: Plan, target: Target, nests: set[str | None]) -> Iterator[Pace]:
    """Initiation intervals of the pipelined loops of some nests, what asks for them, and their schedules."""
    study = Study(plan, target)
    kernel_cycles(study)
    for task in plan.tasks:
        for pipe in study.tasks[task.name].pipes if task.nest in nests else ():
            if pipe.pipe.pipelined:
                causes = sorted(((int(cycles), why) for cycles, why, _ in pipe.interval.causes), reverse=True)
                yield Pace(task.nest, int(pipe.interval.value), tuple(causes), tuple(dump_schedule(pipe.schedule)))


def _steps(
    found: list[Step],
    kernels: Sequence[Kernel],
    request: Request,
    choice: Choice,
    cost: Estimate,
    listen: Listen,
    deadline: float | None,
) -> bool:
    """Searches within one larger budget each, from the design at hand; whether all of them were made."""
    limits, has, start = given(request.target), of_device(request.target), Known(choice.kernel, choice.point)
    options = [b for b in BUDGETS if b.name in limits]
    for left, budget in zip(range(len(options), 0, -1), options, strict=True):
        seconds = None if deadline is None else (deadline - clock.now()) / left
        if seconds is not None and seconds <= 0:
            return False
        amount = limits[budget.name] + max(1, limits[budget.name] * RAISE // 100)
        listen(f"explain: {budget.option} {amount}")
        asked = replace(
            request,
            target=with_amounts(request.target, {budget.name: amount}),
            limits=replace(request.limits, seconds=seconds),
            top=1,
        )
        cycles, stop = _fewest(kernels, asked, start)
        cycles = min(cycles, cost.by(request.options.objective))
        beyond = has.get(budget.name)
        beyond = beyond if beyond is not None and beyond < amount else None
        found.append(Step(budget.option, budget.unit, amount, cycles, stop is not Stop.TIME, beyond))
        if stop is Stop.INTERRUPTED:
            return False
    return True


def _fewest(kernels: Sequence[Kernel], request: Request, start: Known) -> tuple[int, Stop]:
    """Cycles of the best design that a search finds, and how that ended."""
    try:
        found = find(kernels, request, start=start)
    except (NoDesignError, TimeUp):
        return round(cost_of(start, request)), Stop.TIME
    stop = Stop.UNPROVED if found.outcome is None else found.outcome.stop
    return round(cost_of(found, request)), stop


def _neighbours(found: list[Neighbour], choice: Choice, target: Target, deadline: float | None) -> bool:
    """All of them by the full model; whether there was time for all."""
    for change in neighbours(choice.space, choice.point):
        if deadline is not None and clock.now() >= deadline:
            return False
        found.append(_compared(choice, target, change))
    return True


def _compared(choice: Choice, target: Target, change: Change) -> Neighbour:
    if change.point is None:
        return Neighbour(change.nest, change.kind, change.words, refused=change.refused)
    try:
        cost = estimate_of(choice.kernel, change.point, target)
    except KernelError as wrong:
        return Neighbour(change.nest, change.kind, change.words, refused=wrong.message)
    used, limits = taken(cost, change.point), given(target)
    over = tuple(
        Share(b.option, b.unit, used[b.name], limits[b.name])
        for b in BUDGETS
        if b.name in limits and used[b.name] > limits[b.name]
    )
    return Neighbour(change.nest, change.kind, change.words, cost.by(choice.space.options.objective), over)
