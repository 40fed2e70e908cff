"""Predicted against reported: cycles, loops, resources, and what could not be met and why; reads no file.

A function of the emitted code is a task or a transfer of the plan, called the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sisyphus.model import Estimate, estimate
from sisyphus.model.alone import TaskStudy
from sisyphus.model.formulas.recurrence import source_loop
from sisyphus.plan import Copy, Plan
from sisyphus.readback.causes import Violation, violation
from sisyphus.readback.csynth import Module, ReportedLoop, Synthesis
from sisyphus.readback.hls_log import Warned
from sisyphus.readback.vivado import Implementation
from sisyphus.shown import Shown
from sisyphus.target import MeasuredInterval, Target
from sisyphus.values import dataclass, replace

RESOURCES = ("dsp", "bram18k", "uram", "lut", "ff")


@dataclass(frozen=True)
class Expected:
    """What was predicted of one function: cycles of a call, and of its pipelined loop II, depth and starts.

    `statements` are those of that loop, `loop` is the source's that it is a part of. `cycles` is None under an outer
    loop, whose iterations may differ.
    """

    cycles: int | None = None
    interval: int | None = None
    depth: int | None = None
    trip: int | None = None
    statements: tuple[str, ...] = ()
    loop: str | None = None


@dataclass(frozen=True, eq=False)
class Predicted:
    """What was predicted of a design, by function of the emitted code."""

    plan: Plan
    estimate: Estimate
    functions: Mapping[str, Expected]


@dataclass(frozen=True)
class Row:
    """One figure: `predicted` is None where nothing was, `reported` where the report has none."""

    what: str
    predicted: float | None
    reported: float | None

    @property
    def ratio(self) -> float | None:
        """Reported over predicted."""
        if not self.predicted or self.reported is None:
            return None
        return self.reported / self.predicted


@dataclass(frozen=True)
class Pace:
    """The interval of a function's pipelined loop: as it was predicted, and as it was `measured`."""

    function: str
    name: str
    predicted: int
    measured: MeasuredInterval


@dataclass(frozen=True)
class Comparison(Shown):
    """Everything that reports say beside what was predicted: `rows` of synthesis, `implemented` of Vivado."""

    synthesis: Synthesis | None
    rows: tuple[Row, ...]
    violations: tuple[Violation, ...]
    implementation: Implementation | None = None
    implemented: tuple[Row, ...] = ()
    notes: tuple[str, ...] = ()
    paces: tuple[Pace, ...] = ()

    def __str__(self) -> str:
        from sisyphus.readback.show import comparison_text

        return comparison_text(self)


def predicted_of(plan: Plan, target: Target) -> Predicted:
    """What is known of every call of the plan; of one transfer under outer loops nothing is, since they may differ."""
    cost = estimate(plan, target)
    found = {name: _expected(task) for name, task in cost.study.tasks.items()}
    for node in plan.body:
        if isinstance(node, Copy):
            found[node.transfer] = Expected(int(cost.study.move(plan.transfer(node.transfer)).cycles.value))
    return Predicted(plan, cost, found)


def _expected(task: TaskStudy) -> Expected:
    """Of a task, whose one pipelined loop has the same interval wherever it is called."""
    cycles = int(task.cycles.value) if task.outside is None else None
    pipes = [study for study in task.pipes if study.pipe.pipelined and study.pipe.loop is not None]
    if len(pipes) != 1:
        return Expected(cycles)
    [study] = pipes
    return Expected(
        cycles,
        int(study.interval.value),
        int(study.body.depth),
        int(study.pipe.starts) if task.outside is None else None,
        tuple(dict.fromkeys(str(work.statement) for work in study.pipe.works)),
        source_loop(study.pipe),
    )


def compare(
    synthesis: Synthesis | None,
    predicted: Predicted | None,
    implementation: Implementation | None = None,
    logged: Sequence[Warned] = (),
) -> Comparison:
    """The reports beside the prediction, where there is one; `logged` is what the log of the synthesis warned of."""
    placed = () if implementation is None else tuple(_resources(implementation.resources, predicted))
    if synthesis is None:
        return Comparison(None, (), (), implementation, placed, (*_notes(None, predicted), *_shell(implementation)))
    rows = [Row("cycles", None if predicted is None else float(predicted.estimate.cycles), synthesis.latency)]
    rows += _resources(synthesis.resources, predicted)
    functions = {} if predicted is None else predicted.functions
    by_function: dict[str, list[Module]] = {}
    for module in synthesis.modules:
        if module.function != synthesis.top:
            by_function.setdefault(module.function, []).append(module)
    for function, modules in by_function.items():
        rows += _function_rows(function, modules, functions.get(function))
    version = synthesis.version or "?"
    paces = [pace for f, modules in by_function.items() for pace in _intervals(f, modules, functions.get(f), version)]
    violations = _violations(by_function, predicted, logged)
    notes = (*_notes(synthesis, predicted), *_shell(implementation))
    return Comparison(synthesis, tuple(rows), tuple(violations), implementation, placed, notes, tuple(paces))


def _resources(reported: Mapping[str, int], predicted: Predicted | None) -> Iterator[Row]:
    for name in RESOURCES:
        if name in reported or predicted is not None:
            told = None if predicted is None else float(getattr(predicted.estimate, name))
            yield Row(name, told, reported.get(name))


def _function_rows(function: str, modules: Sequence[Module], expected: Expected | None) -> Iterator[Row]:
    whole = next((module.latency for module in modules if module.name == function), None)
    yield Row(f"{function}: cycles", None if expected is None else expected.cycles, whole)
    pipelined = _pipelined(modules)
    told = expected if expected is not None and len(pipelined) == 1 else Expected()
    for loop in pipelined:
        yield Row(f"{function}: {loop.name}: II", told.interval, loop.interval)
        yield Row(f"{function}: {loop.name}: iteration latency", told.depth, loop.depth)
        yield Row(f"{function}: {loop.name}: trip count", told.trip, loop.trip)


def _pipelined(modules: Sequence[Module]) -> list[ReportedLoop]:
    return [loop for module in modules for loop in module.loops if loop.pipelined]


def _intervals(function: str, modules: Sequence[Module], expected: Expected | None, version: str) -> Iterator[Pace]:
    """Of the one pipelined loop of a function, where its interval was predicted."""
    pipelined = _pipelined(modules)
    if expected is None or expected.interval is None or expected.loop is None or len(pipelined) != 1:
        return
    [loop] = pipelined
    if loop.interval is not None:
        told = MeasuredInterval(expected.statements, expected.loop, loop.interval, version)
        yield Pace(function, loop.name, expected.interval, told)


def _violations(
    by_function: Mapping[str, Sequence[Module]], predicted: Predicted | None, logged: Sequence[Warned]
) -> Iterator[Violation]:
    """Of every loop that a report, or the log alone, says was not pipelined as asked."""
    for function, modules in by_function.items():
        told = None if predicted is None else predicted.functions.get(function)
        for module in modules:
            for loop in module.loops:
                warned = next((w for w in logged if w.module == module.name and w.loop in (None, loop.name)), None)
                found = _with_log(loop, warned)
                if found.issue is not None:
                    plan = None if predicted is None else predicted.plan
                    yield violation(function, found, warned, plan, None if told is None else told.loop)


def _with_log(loop: ReportedLoop, warned: Warned | None) -> ReportedLoop:
    """What the log knows better: some versions leave the causes of csynth.xml empty."""
    if warned is None or (loop.issue is None and (loop.interval or 1) <= 1):
        return loop
    issue, cause = loop.issue or "II Violation", loop.cause or warned.cause
    return replace(loop, issue=issue, cause=cause, distance=warned.distance if loop.distance is None else loop.distance)


def _shell(implementation: Implementation | None) -> list[str]:
    has_shell = implementation is not None and implementation.has_shell
    return ["the utilisation report is one of the whole device, so that the shell of the board is in it"] * has_shell


def _notes(synthesis: Synthesis | None, predicted: Predicted | None) -> tuple[str, ...]:
    """What keeps figures from being compared one to one."""
    found: list[str] = []
    if predicted is None:
        found.append("no design.json with its kernel beside the reports: nothing was predicted")
        return tuple(found)
    if synthesis is None:
        return ("no csynth report below: what loops take is not known; `make csynth` in the folder writes one",)
    if predicted.plan.scop.name != synthesis.top:
        found.append(f"the report is of `{synthesis.top}`, the design of `{predicted.plan.scop.name}`")
    if synthesis.latency is None:
        found.append("the report has no latency: a loop's trip count is unknown to the tool")
    return tuple(found)
