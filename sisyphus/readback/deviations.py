"""Predicted against reported: cycles, loops, resources, and what could not be met and why; reads no file.

A function of the emitted code is a task or a transfer of the plan, called the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sisyphus.ir import Statement
from sisyphus.model import Estimate, estimate
from sisyphus.model.study import Study
from sisyphus.plan import Call, Copy, Node, Plan
from sisyphus.readback.csynth import Module, ReportedLoop, Synthesis
from sisyphus.readback.vivado import Implementation
from sisyphus.shown import Shown
from sisyphus.target import Target

RESOURCES = ("dsp", "bram18k", "uram", "lut", "ff")


@dataclass(frozen=True)
class Expected:
    """What was predicted of one function: cycles of a call, and of its pipelined loop II, depth and starts."""

    cycles: int
    interval: int | None = None
    depth: int | None = None
    trip: int | None = None


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
class Violation:
    """A loop that the tool could not pipeline as asked, in words of the kernel.

    `statements` are those of the loop, as `S1 (gemm.c:20)`; `arrays` those that may be the cause, with their ports.
    """

    function: str
    loop: ReportedLoop
    statements: tuple[str, ...] = ()
    arrays: tuple[str, ...] = ()
    hint: str = ""


@dataclass(frozen=True)
class Comparison(Shown):
    """Everything that a report says beside what was predicted."""

    synthesis: Synthesis
    rows: tuple[Row, ...]
    violations: tuple[Violation, ...]
    implementation: Implementation | None = None
    notes: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        from sisyphus.readback.show import comparison_text

        return comparison_text(self)


def predicted_of(plan: Plan, target: Target) -> Predicted:
    """Cycles of every call of the plan. Those under outer loops are left out where their calls differ."""
    study, found = Study(plan, target), dict[str, Expected]()
    for node in _executed(plan.body):
        if isinstance(node, Copy):
            found[node.transfer] = Expected(int(study.move(plan.transfer(node.transfer)).cycles.value))
        else:
            task = study.task(node)
            pipes = [pipe for pipe in task.pipes if pipe.pipe.pipelined and pipe.pipe.loop is not None]
            if len(pipes) == 1:
                [pipe] = pipes
                depth, starts = int(pipe.body.depth), int(pipe.pipe.starts)
                found[node.task] = Expected(int(task.cycles.value), int(pipe.interval.value), depth, starts)
            else:
                found[node.task] = Expected(int(task.cycles.value))
    return Predicted(plan, estimate(plan, target), found)


def _executed(nodes: Sequence[Node]) -> Iterator[Copy | Call]:
    """Calls and transfers of the top function that no loop is around."""
    for node in nodes:
        if isinstance(node, Copy | Call):
            yield node


def compare(
    synthesis: Synthesis, predicted: Predicted | None, implementation: Implementation | None = None
) -> Comparison:
    """The report beside the prediction, where there is one."""
    rows = [Row("cycles", None if predicted is None else float(predicted.estimate.cycles), synthesis.latency)]
    for name in RESOURCES:
        if name in synthesis.resources or predicted is not None:
            told = None if predicted is None else float(getattr(predicted.estimate, name))
            rows.append(Row(name, told, synthesis.resources.get(name)))
    functions = {} if predicted is None else predicted.functions
    by_function: dict[str, list[Module]] = {}
    for module in synthesis.modules:
        if module.function != synthesis.top:
            by_function.setdefault(module.function, []).append(module)
    for function, modules in by_function.items():
        rows += _function_rows(function, modules, functions.get(function))
    violations = [
        _violation(function, loop, predicted)
        for function, modules in by_function.items()
        for module in modules
        for loop in module.loops
        if loop.issue is not None
    ]
    return Comparison(synthesis, tuple(rows), tuple(violations), implementation, _notes(synthesis, predicted))


def _function_rows(function: str, modules: Sequence[Module], expected: Expected | None) -> Iterator[Row]:
    whole = next((module.latency for module in modules if module.name == function), None)
    yield Row(f"{function}: cycles", None if expected is None else float(expected.cycles), whole)
    pipelined = [loop for module in modules for loop in module.loops if loop.pipelined]
    told = expected if expected is not None and len(pipelined) == 1 else Expected(0)
    for loop in pipelined:
        yield Row(f"{function}: {loop.name}: II", told.interval, loop.interval)
        yield Row(f"{function}: {loop.name}: iteration latency", told.depth, loop.depth)
        yield Row(f"{function}: {loop.name}: trip count", told.trip, loop.trip)


def _violation(function: str, loop: ReportedLoop, predicted: Predicted | None) -> Violation:
    hint = _hint(loop)
    if predicted is None or function not in {task.name for task in predicted.plan.tasks}:
        return Violation(function, loop, hint=hint)
    plan = predicted.plan
    statements = [plan.scop.statement(s) for s in plan.task(function).running]
    is_dependence = "depend" in (loop.cause or "").lower()
    arrays: dict[str, None] = {}
    for statement in statements:
        for name in _suspects(statement, is_dependence=is_dependence):
            port = next((p.bundle for p in plan.ports if p.name == name and p.bundle), None)
            arrays[f"{name} ({port})" if port else name] = None
    origin = plan.scop.origin
    places = tuple(f"{s.id} ({origin.path}:{s.span.line})" if s.span else str(s.id) for s in statements)
    return Violation(function, loop, places, tuple(arrays), hint)


def _suspects(statement: Statement, *, is_dependence: bool) -> list[str]:
    """The array that a statement updates for a dependence, all that it touches for a lack of ports."""
    touched = [str(ref.array) for ref in (statement.write, *statement.reads)]
    return [name for name in dict.fromkeys(touched) if not is_dependence or name == statement.write.array]


def _hint(loop: ReportedLoop) -> str:
    cause = (loop.cause or "").lower()
    if "depend" in cause:
        return (
            "let more starts pass between updates of an element: another pipelined loop, or longer tiles inside of it"
        )
    if "port" in cause or "resource" in cause or "memory" in cause:
        return "give the array more banks (`--fix A.partition=…`), or unroll less"
    return "see the schedule viewer for what the loop waits for"


def _notes(synthesis: Synthesis, predicted: Predicted | None) -> tuple[str, ...]:
    """What keeps figures from being compared one to one."""
    found: list[str] = []
    if predicted is None:
        found.append("no design.json with its kernel beside the reports: nothing was predicted")
        return tuple(found)
    if predicted.plan.scop.name != synthesis.top:
        found.append(f"the report is of `{synthesis.top}`, the design of `{predicted.plan.scop.name}`")
    if synthesis.latency is None:
        found.append("the report has no latency: a loop's trip count is unknown to the tool")
    return tuple(found)
