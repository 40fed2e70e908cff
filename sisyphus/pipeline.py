"""The order of stages from a C file to a verified project; owns no stage, prints nothing."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Any, Literal, TypeVar

from sisyphus import report
from sisyphus.analysis import (
    Dependences,
    Distribution,
    Live,
    dependences,
    distribute,
    expand,
    liveness,
    total_operations,
)
from sisyphus.codegen import Project, project, write_failed, write_folder
from sisyphus.errors import InternalError, KernelError, VerifyError
from sisyphus.frontend import read
from sisyphus.ir import ArrayId, Scop
from sisyphus.model import Estimate, estimate, paper
from sisyphus.plan import Plan, build_plan, check_point
from sisyphus.poly import CountError
from sisyphus.solve import DEFAULT_SOLVER, Judged, Limits, SolveOutcome, Stop, search_within
from sisyphus.space import DesignPoint, Options, Space, apply_fixes, build_space, illegal
from sisyphus.target import Target
from sisyphus.verify import Verdict, verify

T = TypeVar("T")

Model = Literal["measured", "paper"]

#: Budgets that the measured model judges.
BUDGETS = ("dsp", "bram18k", "uram", "lut", "ff", "onchip_bytes")


def _silent(stage: str) -> None:
    """The listener of a run that nobody watches."""


@dataclass(frozen=True)
class Source:
    """A kernel as the user names it on the command line."""

    path: str
    function: str | None = None
    defines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    params: Mapping[str, int] = field(default_factory=dict)
    temporaries: tuple[str, ...] = ()


@dataclass(frozen=True)
class Request:
    """What one `optimize` run is asked for; `design` is a saved point that replaces the search."""

    source: Source
    target: Target
    options: Options = field(default_factory=Options)
    solver: str = DEFAULT_SOLVER
    limits: Limits = field(default_factory=Limits)
    model: Model = "measured"
    fixes: tuple[str, ...] = ()
    design: Path | None = None
    verify: bool = True
    verify_full: bool = False


@dataclass(frozen=True, eq=False)
class Kernel:
    """A kernel with everything that is known of it before any choice.

    `expanded` are its arrays that stand for a temporary of the source with a place for every iteration.
    """

    scop: Scop
    dependences: Dependences
    distribution: Distribution
    live: Mapping[ArrayId, Live]
    expanded: tuple[ArrayId, ...] = ()


@dataclass(frozen=True, eq=False)
class Design:
    """What a run chose and what came of it.

    `outcome` is None where the point was given, `verdict` where verification was turned off, `paper` (what the paper's
    model says) unless that model was asked for.
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

    @property
    def was_interrupted(self) -> bool:
        """The search was ended by Ctrl-C, and what it had found was taken."""
        return self.outcome is not None and self.outcome.stop is Stop.INTERRUPTED


def read_kernel(source: Source) -> Scop:
    """The front end alone; `KernelError` where the kernel is refused."""
    return read(
        source.path,
        function=source.function,
        defines=source.defines,
        include_dirs=source.include_dirs,
        params=source.params,
    )


def load_kernels(source: Source) -> tuple[Kernel, ...]:
    """Front end and analysis: the kernel as it is, and with expanded temporaries where that frees its nests."""
    scop = read_kernel(source)
    found = dependences(scop)
    kernels = [_analysed(scop, found, source)]
    expansion = expand(scop, found)
    if expansion is not None:
        names = tuple(ArrayId(e.name) for e in expansion.expanded)
        kernels.append(_analysed(expansion.scop, dependences(expansion.scop), source, names))
    return tuple(kernels)


def _analysed(scop: Scop, found: Dependences, source: Source, expanded: tuple[ArrayId, ...] = ()) -> Kernel:
    return Kernel(scop, found, distribute(scop, found), liveness(scop, source.temporaries), expanded)


def optimize(request: Request, listen: Callable[[str], None] = _silent) -> Design:
    """The whole way from a C file to a verified project, in memory."""
    clock = _Clock(listen)
    kernels = clock.run("analysis", lambda: load_kernels(request.source))
    choice = clock.run("search", lambda: _choose(kernels, request, listen))
    kernel, space, point, outcome = choice.kernel, choice.space, choice.point, choice.outcome
    plan = clock.run("plan", lambda: _plan(kernel, point))
    emitted = clock.run("codegen", lambda: project(plan, request.target, temporaries=request.source.temporaries))
    verdict = clock.run("verify", lambda: _verify(kernel, plan, emitted, request)) if request.verify else None
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
    )


class _Clock:
    """Runs stages one after another, says which, and keeps how long each took."""

    def __init__(self, listen: Callable[[str], None]) -> None:
        self.listen = listen
        self.seconds: dict[str, float] = {}

    def run(self, stage: str, work: Callable[[], T]) -> T:
        self.listen(stage)
        started = time.monotonic()
        try:
            return work()
        finally:
            self.seconds[stage] = time.monotonic() - started


def _space(kernel: Kernel, request: Request) -> Space:
    space = build_space(
        kernel.scop, kernel.dependences, kernel.distribution, kernel.live, request.target, request.options
    )
    return apply_fixes(space, request.fixes)


@dataclass(frozen=True, eq=False)
class _Choice:
    """A point and the form of the kernel that it is a point of."""

    kernel: Kernel
    space: Space
    point: DesignPoint
    outcome: SolveOutcome | None


def _choose(kernels: Sequence[Kernel], request: Request, listen: Callable[[str], None]) -> _Choice:
    """The given point, or the better of the best points of each form of the kernel."""
    if request.design is not None:
        return _given(kernels, request, request.design)
    choices = [_search(kernel, request, listen) for kernel in kernels]
    return min(choices, key=lambda c: (_cost(c, request), c.point.sort_key()))


def _cost(choice: _Choice, request: Request) -> float:
    if request.model == "paper":
        return paper.evaluate(choice.space, choice.point).objective
    return _estimate(choice.kernel, choice.point, request).cycles


def _search(kernel: Kernel, request: Request, listen: Callable[[str], None]) -> _Choice:
    from sisyphus.nlp import measured as nlp_measured
    from sisyphus.nlp import paper as nlp_paper

    formulate = nlp_paper.formulate if request.model == "paper" else nlp_measured.formulate
    space = _space(kernel, request)

    measured = request.model == "measured"

    def judge(point: DesignPoint) -> Judged:
        if not measured:
            return Judged(0.0, {"onchip_bytes": _plan(kernel, point).onchip_bytes})
        try:
            cost = _estimate(kernel, point, request)
        except KernelError:  # a width that this point's tiles do not allow
            return Judged(inf, {})
        return Judged(cost.cycles, {name: getattr(cost, name) for name in BUDGETS})

    def hear(cost: float | None, bound: float | None, seconds: float) -> None:
        listen(f"search: {report.progress_text(cost, bound, seconds)}")

    found = search_within(space, formulate, request.solver, request.limits, judge, improve=measured, on_progress=hear)
    violation = illegal(kernel.dependences, kernel.distribution, found.point)
    if violation is not None:
        raise InternalError(f"the chosen design is not legal: {violation}")
    return _Choice(kernel, space, replace(found.point, expanded=kernel.expanded), found.outcome)


def _estimate(kernel: Kernel, point: DesignPoint, request: Request) -> Estimate:
    return estimate(_plan(kernel, point), request.target)


def _given(kernels: Sequence[Kernel], request: Request, path: Path) -> _Choice:
    """A saved point: the `design` part of a design.json, or the whole of a file that is just a point."""
    point = read_point(path)
    kernel = next((k for k in kernels if k.expanded == point.expanded), None)
    if kernel is None or point.kernel != kernel.scop.name:
        raise KernelError(
            f"{path}: a design of `{point.kernel}`, not of `{kernels[0].scop.name}` as it is here",
            hint="give the kernel file that it was made from",
        )
    check_point(kernel.scop, kernel.distribution, point)
    violation = illegal(kernel.dependences, kernel.distribution, point)
    if violation is not None:
        raise KernelError(f"{path}: this order is not legal: {violation}", hint="`sisy analyze` lists legal orders")
    return _Choice(kernel, _space(kernel, request), point, None)


@dataclass(frozen=True)
class Costed:
    """What a saved design costs; `operations` of the source over its true domain, None where they cannot be counted."""

    estimate: Estimate
    target: Target
    operations: int | None


def cost_of(source: Source, target: Target, path: Path) -> Costed:
    """The estimate of a saved design; `KernelError` where it does not fit the kernel."""
    choice = _given(load_kernels(source), Request(source, target), path)
    scop = choice.kernel.scop
    try:
        operations = sum(count for (op, kind), count in total_operations(scop).items() if kind.is_float)
    except CountError:
        operations = None
    return Costed(estimate(_plan(choice.kernel, choice.point), target), target, operations)


def read_point(path: Path) -> DesignPoint:
    """A design point from a file; `KernelError` says what is wrong with it."""
    try:
        data = json.loads(path.read_text())
    except (OSError, UnicodeDecodeError) as failure:
        raise KernelError(f"{path}: cannot be read: {failure}", hint="give a design.json that sisy wrote") from failure
    except json.JSONDecodeError as failure:
        raise KernelError(f"{path}:{failure.lineno}:{failure.colno}: not JSON: {failure.msg}") from failure
    if not isinstance(data, dict):
        raise KernelError(f"{path}: a design point is a JSON object")
    return DesignPoint.from_json(data.get("design", data), path=str(path))


def _plan(kernel: Kernel, point: DesignPoint) -> Plan:
    return build_plan(kernel.scop, kernel.distribution, kernel.live, point)


def _verify(kernel: Kernel, plan: Plan, emitted: Project, request: Request) -> Verdict:
    return verify(plan, emitted, kernel.dependences, live=kernel.live, full=request.verify_full)


def save(design: Design, out: Path) -> None:
    """Writes the project whole to `out`; a design that failed verification goes to `out`.failed instead."""
    files = dict(design.project.files)
    files["design.json"] = _json(report.design_data(_told(design)))
    files["run.json"] = _json(report.run_data(_told(design)))
    files["report.md"] = report.report_markdown(_told(design))
    if design.verdict is None or design.verdict.passed:
        write_folder(files, out)
    else:
        write_failed(files, out)


def check(design: Design) -> None:
    """`VerifyError` where a design was verified and failed."""
    if design.verdict is not None and not design.verdict.passed:
        failed = next(c for c in design.verdict.checks if not c.passed)
        raise VerifyError(f"verification failed: {failed.name}: {failed.detail}")


def as_text(design: Design) -> str:
    """What a person reads on standard output."""
    return report.summary_text(_told(design))


def as_data(design: Design) -> dict[str, Any]:
    """What a machine reads: design.json and run.json together."""
    return report.design_data(_told(design)) | {"run": report.run_data(_told(design))}


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
    )


def _json(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=2) + "\n"
