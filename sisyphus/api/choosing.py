"""Choosing a design: the words that steer a search, and what follows from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from sisyphus import pipeline
from sisyphus.api.inputs import DEFAULT_DEVICE, KernelLike, TargetLike, as_source, as_target, seconds_of, share_of
from sisyphus.cache import Cache
from sisyphus.calibration import Calibration
from sisyphus.design import Design
from sisyphus.errors import UsageError
from sisyphus.model import natural_objective
from sisyphus.part_search import silent
from sisyphus.request import FIX_FORM, GIVEN_FORM, Model, Request
from sisyphus.solve import AUTO as ANY_SOLVER
from sisyphus.solve import DEFAULT_SOLVER, EXACT, Limits
from sisyphus.source import read_bytes
from sisyphus.space import Options

if TYPE_CHECKING:  # what few runs need is imported when they do
    from sisyphus.units import UnitsDesign

#: How many units are wanted, or `"auto"`.
Count = int | Literal["auto"]
AUTO: Literal["auto"] = "auto"
Listen = Callable[[str], None]
DEFAULT_LIMIT_S = 60


class Wanted(TypedDict, total=False):
    """What `optimize` may be told beside kernel and target; the command line calls each of these the same."""

    model: Model
    reuse: Literal["optimistic", "pessimistic"]
    #: May additions be reassociated?
    tree_reduction: bool
    tiles: Literal["auto", "divisors", "ragged"]
    padding: bool
    #: Which cycles are minimised; None: in RTL where they were measured.
    objective: Literal["rtl", "report"] | None
    trust: Literal["any", "measured"]
    #: Knobs as `"S1.order=k,i,j"`.
    fix: Sequence[str]
    #: A file with times of all instances in isl's notation: the only order that is searched.
    schedule: str | Path | None
    solver: str
    #: Seconds of each search, or a text such as `"2m"`; None: no limit.
    time_limit: float | str | None
    #: A limit of the search in counted work: what is found with it is the same on every machine.
    effort: float | None
    seed: int
    #: Percent: a design proved this near to the best is enough.
    gap: float | str
    #: A saved design to be built, without a search.
    design: str | Path | None
    #: A saved design to begin the search with.
    start: str | Path | None
    #: How many designs are wanted.
    top: int
    #: Look for designs of less area, too.
    pareto: bool
    #: Look at what is near the design.
    explain: bool
    #: Prove and run the emitted code; `"full"`: at its own sizes however large.
    verify: bool | Literal["full"]
    #: Seconds of the verification, `"10m"` or `"none"`; None: as many as the search, at least 3 minutes.
    verify_limit: float | str | None
    #: Time the source on this machine, too.
    compare_cpu: bool
    #: Write report.html, too.
    html: bool


def optimize(
    kernel: KernelLike,
    target: TargetLike = DEFAULT_DEVICE,
    *,
    output: str | Path | None = None,
    listen: Listen = silent,
    cache: bool = True,
    calibration: bool = False,
    **wanted: Unpack[Wanted],
) -> Design:
    """Chooses a design for a kernel, prints it as HLS C++ and verifies it.

    The design is complete in memory; with `output` it is written to that folder, too. `listen` is told each stage as it
    begins. What was searched before is not searched again, unless `cache` is False; the design says so
    (`design.remembered`). With `calibration`, budgets and intervals are as reports corrected them (`resolve`).
    A design that fails its verification is returned, and says so (`design.verdict`, `design.check()`). `NothingFits`
    where no design fits the budgets, `TimeUp` where time ran out with none.
    """
    request = request_of(kernel, target, **wanted)
    place = None if output is None else Path(output)
    pipeline.prepare(request, place)
    design = pipeline.optimize(
        request, listen, Cache.of_user() if cache else None, Calibration.of_user() if calibration else None
    )
    if place is not None:
        design.save(place)
    return design


def optimize_units(
    kernel: KernelLike,
    target: TargetLike = DEFAULT_DEVICE,
    *,
    units: Count = AUTO,
    phases: Count = AUTO,
    streams: bool = False,
    output: str | Path | None = None,
    listen: Listen = silent,
    cache: bool = True,
    **wanted: Unpack[Wanted],
) -> UnitsDesign:
    """Deals a kernel over units, each on an SLR with a design of its own, prints and verifies them together.

    With `units` "auto" over as many as help, with `phases` "auto" in several phases where these are predicted to be
    faster; with `streams` each phase is one unit, and all run at the same time. Budgets are those of each SLR;
    `time_limit` is that of all searches.
    `KernelError` where the outputs cannot be dealt; otherwise as `optimize`.
    """
    from sisyphus.units import optimize_units

    request = request_of(kernel, target, **wanted)
    place = None if output is None else Path(output)
    pipeline.prepare(request, place)
    design = optimize_units(request, units, listen, Cache.of_user() if cache else None, phases, streams=streams)
    if place is not None:
        design.save(place)
    return design


def request_of(
    kernel: KernelLike, target: TargetLike = DEFAULT_DEVICE, *, binding: bool = True, **wanted: Unpack[Wanted]
) -> Request:
    """The same as a value; `binding`: a design that is given must fit the budgets.

    `TypeError` for what is none of `Wanted`, as for any other argument that a function does not have.
    """
    for name in wanted.keys() - Wanted.__annotations__.keys():
        raise TypeError(f"got an unexpected keyword argument `{name}`")
    goal, model = as_target(target), wanted.get("model", "measured")
    _check_together(wanted, model)
    verify, design, start = wanted.get("verify", True), wanted.get("design"), wanted.get("start")
    solver, effort = wanted.get("solver", DEFAULT_SOLVER), wanted.get("effort")
    source, fixes = as_source(kernel), tuple(wanted.get("fix", ()))
    if (order := wanted.get("schedule")) is not None:
        source = replace(source, schedule=_read_order(Path(order)))
        fixes = (*fixes, FIX_FORM + GIVEN_FORM)
    return Request(
        source=source,
        target=goal,
        options=Options(
            tree_reduction=wanted.get("tree_reduction", False),
            reuse=wanted.get("reuse", "optimistic"),
            tiles=wanted.get("tiles", "auto"),
            padding=wanted.get("padding", True),
            objective=wanted.get("objective") or natural_objective(goal.device),
            trust=wanted.get("trust", "any"),
        ),
        solver=solver if effort is None else EXACT,
        limits=Limits(
            seconds=seconds_of(wanted.get("time_limit", DEFAULT_LIMIT_S if effort is None else None)),
            effort=effort,
            gap=share_of(wanted.get("gap", 0)),
            seed=wanted.get("seed", 0),
        ),
        fixes=fixes,
        model=model,
        design=None if design is None else Path(design),
        binding=binding,
        start=None if start is None else Path(start),
        top=wanted.get("top", 1),
        front=wanted.get("pareto", False),
        explain=wanted.get("explain", False),
        verify=verify is not False,
        verify_full=verify == "full",
        verify_limit=_seconds_of_verification(wanted.get("verify_limit")),
        compare_cpu=wanted.get("compare_cpu", False),
        html=wanted.get("html", False),
    )


def _seconds_of_verification(given: float | str | None) -> float | None:
    if given is None:
        return None
    found = seconds_of(given, option="--verify-limit")
    return inf if found is None else found


def _check_together(wanted: Wanted, model: Model) -> None:
    """`UsageError` for an effort that is none, or of another solver, and for what the paper's model cannot do."""
    effort, solver = wanted.get("effort"), wanted.get("solver", DEFAULT_SOLVER)
    if effort is not None and not effort > 0:
        raise UsageError(f"`--effort {effort:g}` is nothing", hint="about what one second does is 1")
    if effort is not None and solver not in (ANY_SOLVER, EXACT):
        raise UsageError(
            f"`--effort` counts the work of our own search, and `--solver {solver}` is another",
            hint="give it a `--time-limit`",
        )
    if model != "paper":
        return
    for name in ("objective", "pareto", "explain"):
        if wanted.get(name):
            raise UsageError(f"`--{name}` needs the measured model", hint="leave out `--model paper`")


def _read_order(path: Path) -> str:
    """A schedule on one line; lines that begin with `#` are comments."""
    try:
        lines = read_bytes(path).decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as failure:
        raise UsageError(f"`--schedule {path}`: no file of text", hint="give a schedule in isl's notation") from failure
    return " ".join(line.strip() for line in lines if not line.lstrip().startswith("#")).strip()
