"""A kernel as a design of several units: chosen, printed, verified, told and written; owns no rule of any of these."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from sisyphus import pipeline, report
from sisyphus.analysis import Cut, Dependences, dependences
from sisyphus.backends.hls import (
    DESIGN,
    Project,
    unit_project,
    whole_of,
)
from sisyphus.cache import Cache
from sisyphus.design import LATE, PAGE, RUN, json_text, raise_failed, save_files
from sisyphus.errors import UsageError
from sisyphus.ir import Scop
from sisyphus.part_search import Choice, Listen, silent
from sisyphus.report.data import FORMAT_VERSION, parameters_data, source_data, target_data
from sisyphus.report.tables import indent, table
from sisyphus.request import Kernel, Request, read_kernel
from sisyphus.shown import Shown
from sisyphus.target import KINDS, Target
from sisyphus.units.explained import explained
from sisyphus.units.joined import joined
from sisyphus.units.phases import Placed, placed
from sisyphus.units.places import AUTO, Count
from sisyphus.units.programs import program
from sisyphus.units.shares import Split, Unit
from sisyphus.values import asdict, dataclass
from sisyphus.verification import Verdict
from sisyphus.verification.units import UnitParts, verify_units

#: What only one design of the whole kernel can be asked for.
WHOLE_ONLY = {
    "design": "--design",
    "start": "--start",
    "front": "--pareto",
    "fixes": "--fix",
    "compare_cpu": "--compare-cpu",
}


@dataclass(frozen=True, eq=False)
class UnitsDesign(Shown):
    """A verified design of several units; complete in memory, as a `Design` is."""

    request: Request
    placed: Placed
    project: Project
    verdict: Verdict | None
    explanation: report.Explanation | None = None

    @property
    def name(self) -> str:
        return self.placed.scop.name

    @property
    def is_late(self) -> bool:
        """Time ended its verification."""
        return self.request.verify and self.verdict is None

    @property
    def cycles(self) -> int:
        """Predicted; of the slowest unit of each phase, and what handing over takes."""
        return self.placed.cycles

    def __str__(self) -> str:
        placed, target = self.placed, self.request.target
        budget = [f"{k.title}" for k in KINDS if k.name != "onchip_bytes"]
        header = ("unit", "SLR", "banks", "share", "cycles", *budget)
        several = len(placed.splits) > 1
        rows = [_row(unit) if not several else (str(unit.phase), *_row(unit)) for unit in placed.units]
        return "\n\n".join(
            [
                f"{self.name} on {target.device.name} ({target.device.part}, {target.clock_mhz:g} MHz), "
                + _several(len(placed.units), "unit")
                + f" in {len(placed.splits)} phases" * several,
                "\n".join(_dealt(at, split, several=several) for at, split in enumerate(placed.splits)),
                "units (share of the budget of the SLR)\n" + indent(table((*["phase"] * several, *header), rows)),
                f"predicted: {self.cycles:,} cycles, {_sum_of(placed)}, without the transfers of the host",
                *([] if self.explanation is None else [str(self.explanation)]),
                "verification: " + (LATE if self.is_late else report.verdict_text(self.verdict)),
            ]
        )

    @cached_property
    def design_data(self) -> dict[str, Any]:
        """design.json: the same for the same inputs."""
        request, placed = self.request, self.placed
        return {
            "version": FORMAT_VERSION,
            "kernel": self.name,
            "source": source_data(placed.scop.origin)
            | {"parameters": parameters_data(placed.scop), "temporaries": sorted(request.source.temporaries)},
            "target": target_data(request.target),
            "search": {"model": request.model, "fixes": [], "options": asdict(request.options)},
            "phases": [_phase_data(placed, at) for at in range(len(placed.splits))],
            "handing_over": {**asdict(placed.handed), "cycles": placed.handing_cycles},
            "streams": [asdict(stream) for stream in placed.streams],
            "cycles": self.cycles,
            "units": [unit_data(unit) for unit in placed.units],
        }

    @property
    def data(self) -> dict[str, Any]:
        """What a machine reads: design.json and run.json together, and what explains the slowest unit."""
        found = self.explanation
        more = {} if found is None else {"explanation": report.explanation_data(found)}
        return self.design_data | {"run": self.run_data} | more

    @property
    def run_data(self) -> dict[str, Any]:
        return {
            "version": FORMAT_VERSION,
            "verdict": None if self.verdict is None else report.verdict_data(self.verdict),
            "project_sha256": self.project.digest,
        }

    @property
    def files(self) -> dict[str, str]:
        """The texts of its folder by name."""
        told = {DESIGN: json_text(self.design_data), RUN: json_text(self.run_data)}
        page = {PAGE: report.units_page(self.design_data, self.run_data)} if self.request.html else {}
        if self.explanation is not None:
            told["explain.json"] = json_text(report.explanation_data(self.explanation))
        return {**self.project.files, **told, **page, "report.md": f"# {self.name}\n\n```\n{self}\n```\n"}

    def save(self, out: str | Path) -> Path:
        """Writes the project whole to `out`, or beside it where it failed verification; returns where."""
        return save_files(self.files, self.verdict, out)

    def check(self) -> None:
        """`VerifyError` where it was verified and failed."""
        raise_failed(self.verdict)


def optimize_units(
    request: Request,
    count: Count,
    listen: Listen = silent,
    cache: Cache | None = None,
    phases: Count = AUTO,
    *,
    streams: bool = False,
) -> UnitsDesign:
    """The best split over units, in so many phases, or units that streams join; printed and verified."""
    _check_asked(request)
    if streams:
        _check_streams(request, count, phases)
    scop = read_kernel(request.source)

    def find(kernels: Sequence[Kernel], asked: Request) -> Choice:
        return pipeline.search(kernels, asked, listen, cache)

    if streams:
        found = joined(scop, request, count, find, listen)
    else:
        found = placed(scop, request, count, find, listen, phases)
    explanation = explained(scop, found.cut, found.units, request, listen) if request.explain else None
    project = project_of(found.scop, found.units, request.target, request.source.temporaries)
    verdict = None
    if request.verify:
        names, full = request.source.temporaries, request.verify_full
        known, cut = dependences(scop), found.cut

        def work() -> Verdict:
            return verdict_of(known, found.units, project, names, cut=cut, full=full, listen=listen)

        verdict = pipeline.verified(work, request, listen)
    return UnitsDesign(request, found, project, verdict, explanation)


def _check_asked(request: Request) -> None:
    """`UsageError` for what says something of one design of the whole kernel."""
    if request.model == "paper":
        raise UsageError("`--units` needs the measured model", hint="leave out `--model paper`")
    if request.top > 1:
        raise UsageError("`--units` and `--top` cannot go together", hint="leave out one of them")
    for name, option in WHOLE_ONLY.items():
        if getattr(request, name):
            raise UsageError(f"`--units` and `{option}` cannot go together", hint="leave out one of them")


def _check_streams(request: Request, count: Count, phases: Count) -> None:
    """`UsageError` where there is one unit, phases are asked for, or no design may have what no report has."""
    if count == 1:
        raise UsageError("`--streams` needs several units", hint="for example `--units 2 --streams`")
    if phases != AUTO:
        raise UsageError("`--streams` and `--phases` cannot go together", hint="each unit is a phase of its own")
    if request.options.trust == "measured":
        raise UsageError("`--streams` and `--trust measured` cannot go together", hint="no report has such streams")


def project_of(scop: Scop, units: Sequence[Unit], target: Target | None, temporaries: Sequence[str]) -> Project:
    return unit_project(scop, [program(unit) for unit in units], target, temporaries=temporaries)


def verdict_of(
    found: Dependences,
    units: Sequence[Unit],
    project: Project,
    temporaries: Sequence[str],
    *,
    cut: Cut = (),
    full: bool,
    listen: Listen,
) -> Verdict:
    parts = [
        UnitParts(u.part, u.share.delivers, u.plan, u.kernel.dependences, u.kernel.live, u.share.adds, u.phase)
        for u in units
    ]
    whole = whole_of(found.scop, [program(unit) for unit in units])
    return verify_units(found, whole, parts, project, cut=cut, temporaries=temporaries, full=full, listen=listen)


def unit_data(unit: Unit) -> dict[str, Any]:
    """A unit as design.json has it."""
    return {
        "phase": unit.phase,
        "slr": unit.place.slr,
        "banks": list(unit.place.banks),
        "share": [unit.share.low, unit.share.high],
        "width": unit.share.width,
        "delivers": {name: [list(side) for side in box] for name, box in sorted(unit.share.delivers.items())},
        "budget": unit.place.target.budget.amounts(),
        "proved": unit.proved,
        "design": unit.point.to_json(),
        "estimate": unit.estimate.to_json(),
        **report.built_data(unit.plan, unit.estimate),
        "interface": report.interface_data(program(unit).ports),
    }


def _phase_data(placed: Placed, at: int) -> dict[str, Any]:
    split = placed.splits[at]
    return {
        "statements": [statement.id for statement in split.scop.statements],
        "dealing": asdict(split.dealing),
        "cycles": split.cycles,
    }


def _several(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def _dealt(at: int, split: Split, *, several: bool) -> str:
    """How the outputs of a phase are dealt."""
    phase = f"phase {at} ({', '.join(s.id for s in split.scop.statements)}), " if several else ""
    sizes = "+".join(map(str, split.sizes))
    return f"{phase}dealt: {split.dealing}, {_several(split.dealing.extent, 'place')} as {sizes}"


def _sum_of(placed: Placed) -> str:
    """What the cycles are those of."""
    if len(placed.splits) == 1:
        return "those of the slowest unit"
    if placed.streams:
        told = ", ".join(
            f"`{s.array}` from {s.source} to {s.sink} ({s.beats:,} beats, FIFO of {s.depth:,})" for s in placed.streams
        )
        slowest = max(unit.cycles for unit in placed.units)
        return (
            f"until the last unit ends, with streams of {told}, inferred and in no report; of executions in flight one "
            f"ends every {slowest:,} cycles"
        )
    cycles, handed = " + ".join(f"{split.cycles:,}" for split in placed.splits), placed.handed
    copies = f"{handed.copies:,} copies of {handed.bytes:,} bytes in all, started {handed.starts} times more"
    return (
        f"{cycles} of the slowest units of phases and {placed.handing_cycles:,} for what these hand over on the board "
        f"({copies}; assumed, never measured)"
    )


def _row(unit: Unit) -> tuple[str, ...]:
    used, budget = unit.estimate, unit.place.target.budget.amounts()
    shares = [
        f"{getattr(used, kind.name):,} ({getattr(used, kind.name) / max(budget[kind.name], 1):.0%})"
        for kind in KINDS
        if kind.name != "onchip_bytes"
    ]
    banks = ",".join(map(str, unit.place.banks))
    share = f"{unit.share.low}..{unit.share.high - 1}"
    return str(unit.number), str(unit.place.slr), banks, share, f"{unit.cycles:,}", *shares
