"""The order of stages from a C file to a verified project; owns no stage, prints nothing."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from jinja2 import UndefinedError

from sisyphus import allowance, report
from sisyphus.analysis import total_operations
from sisyphus.backends.hls import Project, check_folder, project, write_failed, write_file, write_folder
from sisyphus.choice import Choice, Listen, choose, silent
from sisyphus.cpu import CpuTime, time_on_cpu
from sisyphus.errors import KernelError, MemoryUp, TimeUp, VerifyError
from sisyphus.front import first_limits, front_of
from sisyphus.model import Estimate, estimate, paper
from sisyphus.model.limit import Limit, limit_of
from sisyphus.plan import Plan
from sisyphus.poly import CountError
from sisyphus.readback import Comparison, compare, find_reports, predicted_of
from sisyphus.record import DESIGN, Record
from sisyphus.request import Kernel, Model, Request, Source, estimate_of, load_kernels, plan_of, read_kernel, space_of
from sisyphus.saved import fitted, read_data, read_point
from sisyphus.sensitivity import explain
from sisyphus.solve import Limits, SolveOutcome, Stop
from sisyphus.space import DesignPoint, Space
from sisyphus.target import Target
from sisyphus.verification import Verdict, reduced, require_compiler, verify

__all__ = [
    "Costed",
    "Design",
    "Kernel",
    "Model",
    "Request",
    "Source",
    "as_data",
    "as_text",
    "check",
    "cost_of",
    "explain_saved",
    "load_kernels",
    "optimize",
    "prepare",
    "read_back",
    "read_kernel",
    "read_point",
    "save",
    "write_page",
]

T = TypeVar("T")
#: Seconds beyond its limit after which a stage that watches no clock is ended.
SLACK_S = 1.0
UNVERIFIED = "interrupted while it was verified: this design is NOT VERIFIED (`sisy verify DIR`)"


@dataclass(frozen=True, eq=False)
class Design:
    """What a run chose and what came of it.

    `others` are the next best designs, `front` and `explanation` None where they were not asked for. `outcome` is None
    where the point was given, `verdict` where verification was turned off, `paper` (what the paper's model says) unless
    that model was asked for.
    """

    request: Request
    kernel: Kernel
    space: Space
    point: DesignPoint
    outcome: SolveOutcome | None
    plan: Plan
    estimate: Estimate
    paper: paper.PaperEstimate | None
    project: Project
    verdict: Verdict | None
    seconds: Mapping[str, float]
    others: tuple[report.Rated, ...] = ()
    front: report.Front | None = None
    explanation: report.Explanation | None = None
    notes: tuple[str, ...] = ()
    limit: Limit | None = None
    cpu: CpuTime | None = None

    @property
    def was_interrupted(self) -> bool:
        """The search was ended by Ctrl-C, and what it had found was taken."""
        return self.outcome is not None and self.outcome.stop is Stop.INTERRUPTED

    @property
    def is_unverified(self) -> bool:
        """Ctrl-C ended its verification."""
        return UNVERIFIED in self.notes


def optimize(request: Request, listen: Listen = silent) -> Design:
    """The whole way from a C file to a verified project, in memory."""
    clock, most = _Clock(listen), request.limits.seconds
    kernels = clock.run("analysis", lambda: load_kernels(request.source), most)
    searching = replace(request, limits=_left(request.limits, clock.seconds["analysis"]))
    choice, front = _choice(clock, kernels, searching)
    explanation = None
    if request.explain:
        explanation = clock.run("explain", lambda: explain(kernels, request, choice, listen), most)
    kernel, space, point, outcome = choice.kernel, choice.space, choice.point, choice.outcome
    plan = clock.run("plan", lambda: plan_of(kernel, point))
    emitted = clock.run("codegen", lambda: project(plan, request.target, temporaries=request.source.temporaries))
    verdict, notes = None, choice.notes
    if request.verify:
        try:
            verdict = clock.run("verify", lambda: _verify(choice, plan, emitted, request))
        except KeyboardInterrupt:
            notes = (*notes, UNVERIFIED)
    tree, source = point.tree_reduction, kernels[0]  # of the form as it is written: temporaries are no limit
    limit = limit_of(source.scop, source.dependences, source.live, request.target, tree=tree)
    cpu = clock.run("cpu", lambda: time_on_cpu(source.scop, fast_math=tree)) if request.compare_cpu else None
    return Design(
        request=request,
        kernel=kernel,
        space=space,
        point=point,
        outcome=outcome,
        plan=plan,
        estimate=estimate(plan, request.target),
        paper=paper.evaluate(space, point) if request.model == "paper" else None,
        project=emitted,
        verdict=verdict,
        seconds=clock.seconds,
        others=tuple(report.Rated(k.point, estimate_of(k.kernel, k.point, request.target)) for k in choice.others),
        front=front,
        explanation=explanation,
        notes=notes,
        limit=limit if request.model == "measured" else None,
        cpu=cpu,
    )


def _left(limits: Limits, spent: float) -> Limits:
    """The time for a search after what came before it; at least a second of it."""
    if limits.seconds is None:
        return limits
    return replace(limits, seconds=max(limits.seconds - spent, min(1.0, limits.seconds)))


def _choice(clock: _Clock, kernels: Sequence[Kernel], request: Request) -> tuple[Choice, report.Front | None]:
    """The design to be built, and the front of those that take less area where that is asked for."""
    seconds = request.limits.seconds
    if not request.front:
        return clock.search("search", lambda: choose(kernels, request, clock.listen), seconds), None
    deadline = None if seconds is None else time.monotonic() + seconds
    first = clock.search("search", lambda: choose(kernels, first_limits(request), clock.listen), seconds)
    return clock.run("front", lambda: front_of(kernels, request, first, clock.listen, deadline))


def explain_saved(
    path: Path, *, source: Path | None, device: str | None, limits: Limits, listen: Listen = silent
) -> report.Explanation:
    """Why a design that sisy wrote is as it is; `path` is its folder or one of its JSON files.

    `source` is the kernel file where it is no longer at its recorded place, `device` the board where its name is not
    one that sisy knows.
    """
    record = Record.of(path / DESIGN if path.is_dir() else path)
    found = record.source_at(source)
    request = replace(record.request(record.whole_target(device), Path(found.path)), limits=limits)
    clock = _Clock(listen)
    kernels = clock.run("analysis", lambda: load_kernels(request.source), limits.seconds)
    kernel, point = fitted(kernels, request.source, record.path)
    request = replace(request, limits=_left(limits, clock.seconds["analysis"]))
    choice = Choice(kernel, space_of(kernel, request), point, None)
    return clock.run("explanation", lambda: explain(kernels, request, choice, listen), request.limits.seconds)


def read_back(folder: Path, *, source: Path | None, device: str | None) -> Comparison:
    """What the vendor's reports below a folder say, beside what its design.json predicts, where there is one."""
    saved = folder / DESIGN
    if not saved.is_file():
        found = find_reports(folder)
        return compare(found.synthesis, None, found.implementation)
    record = Record.of(saved)
    kernel, point = fitted(load_kernels(record.source_at(source)), record.source, saved)
    found = find_reports(folder, kernel.scop.name)
    predicted = predicted_of(plan_of(kernel, point), record.whole_target(device))
    return compare(found.synthesis, predicted, found.implementation)


class _Clock:
    """Runs stages one after another, says which, and keeps how long each took."""

    def __init__(self, listen: Listen) -> None:
        self.listen = listen
        self.seconds: dict[str, float] = {}

    def run(self, stage: str, work: Callable[[], T], most: float | None = None) -> T:
        """A stage; `TimeUp` or `MemoryUp` where it takes more than `most` seconds, or than the memory there is."""
        return self._timed(stage, work, most)[0]

    def search(self, stage: str, work: Callable[[], Choice], most: float | None) -> Choice:
        """A stage that time ends with what it has by then."""
        choice, rang = self._timed(stage, work, most)
        if rang and choice.outcome is not None and choice.was_interrupted:
            return replace(choice, outcome=replace(choice.outcome, stop=Stop.TIME))
        return choice

    def _timed(self, stage: str, work: Callable[[], T], most: float | None) -> tuple[T, bool]:
        self.listen(stage)
        started = time.monotonic()
        try:
            with allowance.seconds(None if most is None else most + SLACK_S) as alarm:
                return work(), alarm.rang
        except KeyboardInterrupt as over:
            if alarm.rang:
                raise TimeUp(f"time ran out in the {stage}", hint="raise --time-limit") from over
            raise
        except MemoryError as full:
            raise MemoryUp(f"memory ran out in the {stage}", hint="raise --memory-limit") from full
        finally:
            self.seconds[stage] = time.monotonic() - started


@dataclass(frozen=True)
class Costed:
    """What a saved design costs; `operations` of the source over its true domain, None where they cannot be counted."""

    estimate: Estimate
    target: Target
    operations: int | None


def cost_of(source: Source, target: Target, path: Path) -> Costed:
    """The estimate of a saved design; `KernelError` where it does not fit the kernel."""
    kernel, point = fitted(load_kernels(source), source, path)
    scop = kernel.scop
    try:
        operations = sum(count for (op, kind), count in total_operations(scop).items() if kind.is_float)
    except CountError:
        operations = None
    return Costed(estimate(plan_of(kernel, point), target), target, operations)


def _verify(choice: Choice, plan: Plan, emitted: Project, request: Request) -> Verdict:
    kernel, source = choice.kernel, request.source
    return verify(
        plan,
        emitted,
        kernel.dependences,
        live=kernel.live,
        full=request.verify_full,
        smaller=lambda: reduced(kernel.scop, choice.point, params=source.params, temporaries=source.temporaries),
    )


def prepare(request: Request, out: Path | None) -> None:
    """Finds before a search what would keep its design from being verified or written."""
    if out is not None:
        check_folder(out)
    if request.verify:
        require_compiler()


def save(design: Design, out: Path) -> Path:
    """Writes the project whole to `out`, or beside it where it failed verification; returns where."""
    files = dict(design.project.files)
    files["design.json"] = _json(report.design_data(_told(design)))
    files["run.json"] = _json(report.run_data(_told(design)))
    files["report.md"] = report.report_markdown(_told(design))
    files |= _more_files(design)
    if design.request.html:
        files["report.html"] = report.page(json.loads(files["design.json"]), json.loads(files["run.json"]))
    if design.verdict is None or design.verdict.passed:
        write_folder(files, out)
        return out
    return write_failed(files, out)


def _more_files(design: Design) -> dict[str, str]:
    """Of the designs beside the chosen one; the number in a name is that of the row in the table."""
    told, files = _told(design), dict[str, str]()
    for number, other in enumerate(design.others, start=2):
        files[f"design-{number}.json"] = _json(report.point_data(told, other))
    if design.front is not None:
        files["pareto.json"] = _json({"kernel": design.plan.scop.name} | report.front_data(design.front))
        files["pareto.svg"] = _front_picture(design)
        for number, other in enumerate(design.front.designs[1:], start=2):
            files[f"pareto-{number}.json"] = _json(report.point_data(told, other))
    if design.explanation is not None:
        files["explain.json"] = _json(report.explanation_data(design.explanation))
    return files


def _front_picture(design: Design) -> str:
    front, name = design.front, design.plan.scop.name
    return "" if front is None else report.front_svg(front, design.request.target.budget, f"{name}: latency and area")


def write_page(folder: Path) -> Path:
    """Makes report.html of a folder from its JSON files, which is all that it needs; returns where it is."""
    data = read_data(folder / DESIGN)
    run = folder / "run.json"
    try:
        text = report.page(data, json.loads(run.read_text(encoding="utf-8")) if run.is_file() else None)
    except (KeyError, ValueError, TypeError, UndefinedError) as fault:
        raise KernelError(
            f"{folder}: design.json or run.json is not as this version writes it ({fault!r})",
            hint="write the folder again with `sisy optimize --design`",
        ) from fault
    write_file(folder / "report.html", text)
    return folder / "report.html"


def check(design: Design) -> None:
    """`VerifyError` where a design was verified and failed."""
    if design.verdict is not None and not design.verdict.passed:
        failed = design.verdict.failures[0]
        raise VerifyError(f"verification failed: {failed.name}: {failed.detail}")


def as_text(design: Design) -> str:
    """What a person reads on standard output."""
    return report.summary_text(_told(design))


def as_data(design: Design) -> dict[str, Any]:
    """What a machine reads: design.json and run.json together."""
    data = report.design_data(_told(design)) | {"run": report.run_data(_told(design))}
    if design.others:
        data["designs"] = report.top_data((report.Rated(design.point, design.estimate), *design.others))
    if design.front is not None:
        data["pareto"] = report.front_data(design.front)
    if design.explanation is not None:
        data["explanation"] = report.explanation_data(design.explanation)
    return data


def _told(design: Design) -> report.Facts:
    return report.Facts(
        plan=design.plan,
        point=design.point,
        estimate=design.estimate,
        paper=design.paper,
        target=design.request.target,
        outcome=design.outcome,
        verdict=design.verdict,
        seconds=design.seconds,
        digest=design.project.digest,
        interface=design.project.interface,
        temporaries=design.request.source.temporaries,
        search={
            "model": design.request.model,
            "fixes": list(design.request.fixes),
            "options": asdict(design.request.options),
        },
        others=design.others,
        front=design.front,
        explanation=design.explanation,
        limit=design.limit,
        cpu=design.cpu,
        notes=design.notes,
    )


def _json(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=2) + "\n"
