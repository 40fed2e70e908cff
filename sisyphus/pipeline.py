"""The order of stages from a C file to a verified project; owns no stage, prints nothing."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sisyphus import report
from sisyphus.analysis import float_operations
from sisyphus.backends.hls import DESIGN, Project, check_folder, project
from sisyphus.cache import Answer, Cache
from sisyphus.calibration import Calibration, measured_of, missed
from sisyphus.choose import choose
from sisyphus.clock import counting, now
from sisyphus.cpu import time_on_cpu
from sisyphus.design import FRONT, LATE, PAGE, RUN, UNVERIFIED, Design
from sisyphus.errors import KernelError, NothingFits, UsageError
from sisyphus.files import write_file
from sisyphus.kernel_forms import load_kernels
from sisyphus.model import Estimate, estimate, paper
from sisyphus.model.limit import limit_of
from sisyphus.part_search import Choice, Listen, silent
from sisyphus.plan import Plan
from sisyphus.record import Record
from sisyphus.request import Kernel, Model, Request, Source, estimate_of, plan_of, read_kernel, space_of_point
from sisyphus.saved import check_units, design_file, fitted, has_units, read_data, read_point, source_of
from sisyphus.shown import Shown
from sisyphus.solve import Limits
from sisyphus.space import DesignPoint
from sisyphus.stages import StageClock
from sisyphus.target import Target
from sisyphus.too_large import large_locals
from sisyphus.values import dataclass, replace

if TYPE_CHECKING:  # stages that many runs do without import theirs when they run
    from sisyphus.readback import Comparison
    from sisyphus.verification import Verdict

__all__ = [
    "Costed",
    "Design",
    "Kernel",
    "Model",
    "Request",
    "Source",
    "compare_designs",
    "cost_of",
    "emit",
    "explain_design",
    "explain_saved",
    "load_kernels",
    "optimize",
    "prepare",
    "read_back",
    "read_kernel",
    "read_point",
    "resolve",
    "search",
    "verify_design",
    "write_page",
]

T = TypeVar("T")
#: Seconds of the processor for each statement that plan, code, costs and files take after the search.
CLOSING_S = 2e-3


def optimize(
    request: Request, listen: Listen = silent, cache: Cache | None = None, calibration: Calibration | None = None
) -> Design:
    """The whole way from a C file to a verified project, in memory.

    `cache` may know what the search would find, `calibration` what reports said of designs that were predicted.
    """
    clock, most = StageClock(listen), request.limits.seconds
    request = replace(request, source=source_of(request.source, request.design or request.start))
    request, kernels, told = clock.forms(request)
    tight, of_reports = request.target, tuple[str, ...]()
    if calibration is not None:
        corrected, of_loops = calibration.corrected(request.target, kernels[0].scop.name)
        request = replace(request, target=corrected)
        tight, of_budgets = calibration.tightened(corrected)
        of_reports = (*of_loops, *of_budgets)
    try:
        answer = _answer(clock, kernels, replace(request, target=tight), cache)
    except NothingFits:
        is_searched = request.design is None and request.model != "paper"
        large = large_locals(kernels[0], tight) if is_searched else ()
        if not large:
            raise
        request, kernels, told = clock.in_memory(request, large)  # blocks of them have room, but no design fits
        answer = _answer(clock, kernels, replace(request, target=tight), cache)
    choice, front = answer.choice, answer.front
    explanation = None
    if request.explain:
        from sisyphus.sensitivity import explain

        with _by_its_clock(request) as asked:
            explanation = clock.run("explain", lambda: explain(kernels, asked, choice, listen), most)
    kernel, space, point, outcome = choice.kernel, choice.space, choice.point, choice.outcome
    plan = clock.run("plan", lambda: plan_of(kernel, point))
    emitted = clock.run("codegen", lambda: project(plan, request.target, temporaries=request.source.temporaries))
    verdict, notes = None, (*choice.notes, *told, *of_reports)
    if request.verify:
        try:
            verdict = clock.within(
                "verify", lambda: _verify(choice, plan, emitted, request, listen), request.verification_s
            )
            notes = notes if verdict is not None else (*notes, LATE)
        except KeyboardInterrupt:
            notes = (*notes, UNVERIFIED)
    tree, source = point.tree_reduction, kernels[0]  # of the form as it is written: temporaries are no limit
    limit = limit_of(source.scop, source.dependences, source.live, request.target, tree=tree, any_adders=True)
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
        trace=choice.trace,
        remembered=answer.remembered,
    )


def _answer(clock: StageClock, kernels: Sequence[Kernel], request: Request, cache: Cache | None) -> Answer:
    """What a search comes to, or came to when the same was asked before."""
    if request.design is not None:
        cache = None
    known = None if cache is None else clock.run("cache", lambda: cache.find(kernels, request))
    if known is not None:
        return known
    closing = CLOSING_S * len(kernels[0].scop.statements)
    began, searching = time.monotonic(), replace(request, limits=clock.left(request.limits, closing))
    answer = Answer(*_choice(clock, kernels, searching))
    if cache is not None:
        cache.keep(kernels, request, answer, time.monotonic() - began)
    return answer


def _choice(clock: StageClock, kernels: Sequence[Kernel], request: Request) -> tuple[Choice, report.Front | None]:
    """The design to be built, and the front of those that take less area where that is asked for."""
    most, began = request.limits.seconds, time.monotonic()
    with _by_its_clock(request) as asked:
        if not request.front:
            return clock.search("search", lambda: choose(kernels, asked, clock.listen), most), None
        from sisyphus.front import first_limits, front_of

        deadline = None if asked.limits.seconds is None else now() + asked.limits.seconds
        first = clock.search("search", lambda: choose(kernels, first_limits(asked), clock.listen), most)
        left = None if most is None else max(began + most - time.monotonic(), 0.0)
        (best, front), rang = clock.timed(
            "front", lambda: front_of(kernels, asked, first, clock.listen, deadline), left
        )
        return best, replace(front, interrupted=front.interrupted and not rang)


def search(kernels: Sequence[Kernel], request: Request, listen: Listen = silent, cache: Cache | None = None) -> Choice:
    """The search of `optimize` alone, with all of its time limit from now on."""
    clock = StageClock(listen)
    clock.begun = time.monotonic()
    return _answer(clock, kernels, request, cache).choice


@contextmanager
def _by_its_clock(request: Request) -> Iterator[Request]:
    """The request with its limit in units of the clock that its searches look at: of work where it has an effort."""
    limits = request.limits
    with counting(work=limits.effort is not None):
        yield request if limits.effort is None else replace(request, limits=replace(limits, seconds=limits.effort))


def limited(stage: str, work: Callable[[], T], seconds: float | None) -> T:
    """One stage by itself; `TimeUp` where it takes longer."""
    clock = StageClock(silent)
    return clock.run(stage, work, clock.left(Limits(seconds=seconds)).seconds)


def verified(work: Callable[[], Verdict], request: Request, listen: Listen) -> Verdict | None:
    """What a verification of any kind comes to in its time; None where that ends it."""
    return StageClock(listen).within("verify", work, request.verification_s)


def explained(kernels: Sequence[Kernel], request: Request, choice: Choice, listen: Listen) -> report.Explanation:
    """What is told of a chosen design, with the limit of the request once more; `TimeUp` where that ends it."""
    from sisyphus.sensitivity import explain

    with _by_its_clock(request) as asked:
        return limited("explain", lambda: explain(kernels, asked, choice, listen), request.limits.seconds)


def explain_saved(
    path: Path,
    *,
    source: Path | None,
    device: str | None,
    limits: Limits,
    sandboxed: bool = False,
    listen: Listen = silent,
) -> report.Explanation:
    """Why a design that sisy wrote is as it is; `path` is its folder or one of its JSON files.

    `source` is the kernel file where it is no longer at its recorded place, `device` the board where its name is not
    one that sisy knows. `sandboxed`: the source may include nothing outside of its folder and those of `-I`.
    """
    from sisyphus.sensitivity import explain

    record = Record.of(path, sandboxed=sandboxed)
    found = record.source_at(source)
    request = replace(record.request(record.whole_target(device), found), limits=limits)
    clock = StageClock(listen)
    kernels = clock.run("analysis", lambda: load_kernels(request.source), clock.left(limits).seconds)
    kernel, point = fitted(kernels, request.source, record.path)
    request = replace(request, limits=clock.left(limits))
    choice = Choice(kernel, space_of_point(kernel, request, point), point, None)
    return clock.run("explanation", lambda: explain(kernels, request, choice, listen), request.limits.seconds)


def explain_design(design: Design, limits: Limits, listen: Listen = silent) -> report.Explanation:
    """The same for a design at hand."""
    from sisyphus.sensitivity import explain

    request = replace(design.request, limits=limits)
    choice = Choice(design.kernel, design.space, design.point, None)
    return explain(load_kernels(request.source), request, choice, listen)


def read_back(folder: Path, *, source: Path | None, device: str | None) -> Comparison:
    """What the vendor's reports below a folder say, beside what its design.json predicts, where there is one."""
    from sisyphus.readback import compare, find_reports, predicted_of

    saved = folder / DESIGN
    if not saved.is_file():
        found = find_reports(folder)
        return compare(found.synthesis, None, found.implementation, found.logged)
    record = Record.of(saved)
    kernel, point = fitted(load_kernels(record.source_at(source)), record.source, saved)
    found = find_reports(folder, kernel.scop.name)
    predicted = predicted_of(plan_of(kernel, point), record.whole_target(device))
    return compare(found.synthesis, predicted, found.implementation, found.logged)


def resolve(
    folder: Path, *, source: Path | None, device: str | None, limits: Limits, listen: Listen = silent
) -> tuple[Design, Calibration]:
    """The design of a folder searched again with what its reports say: they are kept in the user's calibration first.

    `UsageError` where there is no design, or where the reports have nothing to compare.
    """
    saved = folder / DESIGN
    if not saved.is_file():
        raise UsageError(
            f"{folder}: no {DESIGN}, so that nothing is known to search again", hint="name a folder of sisy's"
        )
    record, found = Record.of(saved), read_back(folder, source=source, device=device)
    target = record.whole_target(device)
    known = Calibration.of_user().with_row(measured_of(found, target))
    known.save()
    request = replace(record.request(target, record.source_at(source)), limits=limits)
    design = optimize(request, listen, calibration=known)
    lost = tuple(f"not fed back: {loop}, more than was predicted (`sisy readback` says why)" for loop in missed(found))
    return replace(design, notes=(*design.notes, *lost)), known


@dataclass(frozen=True)
class Costed(Shown):
    """What a saved design costs; `operations` of the source over its true domain, None where they cannot be counted."""

    estimate: Estimate
    target: Target
    operations: int | None

    def __str__(self) -> str:
        return report.estimate_text(self.estimate, self.target, self.operations)


def cost_of(source: Source, target: Target, saved: Path | DesignPoint) -> Costed:
    """The estimate of a design, saved or at hand; `KernelError` where it does not fit the kernel."""
    source = source_of(source, saved)
    kernel, point = fitted(load_kernels(source), source, saved)
    return Costed(estimate(plan_of(kernel, point), target), target, float_operations(kernel.scop))


def emit(source: Source, target: Target, saved: Path | DesignPoint) -> Project:
    """The files of a design, saved or at hand, without its records."""
    source = source_of(source, saved)
    kernel, point = fitted(load_kernels(source), source, saved)
    return project(plan_of(kernel, point), target, temporaries=source.temporaries)


def verify_design(design: Design, *, full: bool = False, listen: Listen = silent) -> Verdict:
    """Proof and run of a design at hand."""
    from sisyphus.verification import require_compiler

    require_compiler()
    choice = Choice(design.kernel, design.space, design.point, None)
    return _verify(choice, design.plan, design.project, replace(design.request, verify_full=full), listen)


def _verify(choice: Choice, plan: Plan, emitted: Project, request: Request, listen: Listen) -> Verdict:
    from sisyphus.verification import reduced, verify

    kernel, source = choice.kernel, request.source
    return verify(
        plan,
        emitted,
        kernel.dependences,
        live=kernel.live,
        full=request.verify_full,
        smaller=lambda: reduced(kernel.scop, choice.point, params=source.params, temporaries=source.temporaries),
        listen=listen,
    )


def prepare(request: Request, out: Path | None) -> None:
    """Finds before a search what would keep its design from being verified or written."""
    if out is not None:
        check_folder(out)
    if request.verify:
        from sisyphus.verification import require_compiler

        require_compiler()


def compare_designs(first: Path, second: Path) -> report.DesignDifference:
    """How two designs of a kernel differ that sisy wrote: folders, or JSON files; of several units the slowest."""
    found, names = [read_data(path) for path in (first, second)], [str(first), str(second)]
    kernels = [data.get("kernel") for data in found]
    if kernels[0] != kernels[1]:
        raise UsageError(
            f"{first} is a design of `{kernels[0]}`, {second} of `{kernels[1]}`", hint="compare designs of one kernel"
        )
    for at, (path, data) in enumerate(zip((first, second), found, strict=True)):
        if has_units(data):
            check_units(design_file(path), data)
            slowest = report.slowest_unit(data)
            found[at], names[at] = report.designs_of_units(data)[slowest], f"{path}, unit {slowest}"
    try:
        return report.difference_of((names[0], names[1]), *found)
    except (KeyError, ValueError, TypeError, AttributeError) as fault:
        raise KernelError(f"{first} or {second} is not as this version writes it ({fault!r})") from fault


def write_page(folder: Path) -> Path:
    """Makes report.html of a folder from its JSON files, which is all that it needs; returns where it is."""
    data, run = read_data(folder / DESIGN), folder / RUN
    try:
        found = [json.loads(p.read_text(encoding="utf-8")) if p.is_file() else None for p in (run, folder / FRONT)]
        if has_units(data):
            check_units(folder / DESIGN, data)
        text = report.units_page(data, found[0]) if has_units(data) else report.page(data, *found)
    except (KeyError, ValueError, TypeError) as fault:
        raise KernelError(
            f"{folder}: design.json or run.json is not as this version writes it ({fault!r})",
            hint="write the folder again with `sisy optimize --design`",
        ) from fault
    write_file(folder / PAGE, text)
    return folder / PAGE
