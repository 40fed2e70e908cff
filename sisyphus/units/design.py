"""A kernel as a design of several units: chosen, printed, verified, told and written; owns no rule of any of these."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from sisyphus import pipeline, report
from sisyphus.analysis import Dependences, dependences
from sisyphus.backends.hls import (
    DESIGN,
    Project,
    UnitProgram,
    plan_names,
    unit_project,
    whole_of,
)
from sisyphus.cache import Cache
from sisyphus.choice import Choice, Listen, silent
from sisyphus.design import PAGE, RUN, json_text, raise_failed, save_files
from sisyphus.errors import UsageError
from sisyphus.ir import Scop
from sisyphus.report.data import FORMAT_VERSION, parameters_data, source_data, target_data
from sisyphus.report.tables import indent, table
from sisyphus.request import Kernel, Request, read_kernel
from sisyphus.shown import Shown
from sisyphus.target import KINDS, Target
from sisyphus.units.places import Count
from sisyphus.units.shares import Split, Unit, split
from sisyphus.values import asdict, dataclass
from sisyphus.verification import Verdict
from sisyphus.verification.units import UnitParts, verify_units

#: What only one design of the whole kernel can be asked for.
WHOLE_ONLY = {
    "design": "--design",
    "start": "--start",
    "front": "--pareto",
    "explain": "--explain",
    "fixes": "--fix",
    "compare_cpu": "--compare-cpu",
}


@dataclass(frozen=True, eq=False)
class UnitsDesign(Shown):
    """A verified design of several units; complete in memory, as a `Design` is."""

    request: Request
    split: Split
    project: Project
    verdict: Verdict | None

    @property
    def name(self) -> str:
        return self.split.scop.name

    @property
    def cycles(self) -> int:
        """Predicted; of the slowest unit."""
        return self.split.cycles

    def __str__(self) -> str:
        split, target = self.split, self.request.target
        budget = [f"{k.title}" for k in KINDS if k.name != "onchip_bytes"]
        header = ("unit", "SLR", "banks", "share", "cycles", *budget)
        rows = [_row(unit) for unit in split.units]
        return "\n\n".join(
            [
                f"{self.name} on {target.device.name} ({target.device.part}, {target.clock_mhz:g} MHz), "
                f"{len(split.units)} units",
                f"dealt: {split.dealing}, {split.dealing.extent} places as {'+'.join(map(str, split.sizes))}",
                "units (share of the budget of the SLR)\n" + indent(table(header, rows)),
                f"predicted: {self.cycles:,} cycles, those of the slowest unit, without the transfers of the host",
                "verification: " + report.verdict_text(self.verdict),
            ]
        )

    @cached_property
    def design_data(self) -> dict[str, Any]:
        """design.json: the same for the same inputs."""
        request, split = self.request, self.split
        return {
            "version": FORMAT_VERSION,
            "kernel": self.name,
            "source": source_data(split.scop.origin)
            | {"parameters": parameters_data(split.scop), "temporaries": sorted(request.source.temporaries)},
            "target": target_data(request.target),
            "search": {"model": request.model, "fixes": [], "options": asdict(request.options)},
            "dealing": asdict(split.dealing),
            "cycles": self.cycles,
            "units": [unit_data(unit) for unit in split.units],
        }

    @property
    def data(self) -> dict[str, Any]:
        """What a machine reads: design.json and run.json together."""
        return self.design_data | {"run": self.run_data}

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
        return {**self.project.files, **told, **page, "report.md": f"# {self.name}\n\n```\n{self}\n```\n"}

    def save(self, out: str | Path) -> Path:
        """Writes the project whole to `out`, or beside it where it failed verification; returns where."""
        return save_files(self.files, self.verdict, out)

    def check(self) -> None:
        """`VerifyError` where it was verified and failed."""
        raise_failed(self.verdict)


def optimize_units(request: Request, count: Count, listen: Listen = silent, cache: Cache | None = None) -> UnitsDesign:
    """The best split over units, printed and verified."""
    _check_asked(request)
    scop = read_kernel(request.source)

    def find(kernels: Sequence[Kernel], asked: Request) -> Choice:
        return pipeline.search(kernels, asked, listen, cache)

    found = split(scop, request, count, find, listen)
    project = project_of(found.scop, found.units, request.target, request.source.temporaries)
    verdict = None
    if request.verify:
        verdict = verdict_of(
            dependences(scop), found.units, project, request.source.temporaries, full=request.verify_full, listen=listen
        )
    return UnitsDesign(request, found, project, verdict)


def _check_asked(request: Request) -> None:
    """`UsageError` for what says something of one design of the whole kernel."""
    if request.model == "paper":
        raise UsageError("`--units` needs the measured model", hint="leave out `--model paper`")
    if request.top > 1:
        raise UsageError("`--units` and `--top` cannot go together", hint="leave out one of them")
    for name, option in WHOLE_ONLY.items():
        if getattr(request, name):
            raise UsageError(f"`--units` and `{option}` cannot go together", hint="leave out one of them")


def project_of(scop: Scop, units: Sequence[Unit], target: Target | None, temporaries: Sequence[str]) -> Project:
    return unit_project(scop, [_program(unit) for unit in units], target, temporaries=temporaries)


def _program(unit: Unit) -> UnitProgram:
    place, share = unit.place, unit.share
    names = plan_names(unit.plan)
    return UnitProgram(unit.plan, names, unit.part.elements, share.delivers, place.slr, place.banks, share.adds)


def verdict_of(
    found: Dependences,
    units: Sequence[Unit],
    project: Project,
    temporaries: Sequence[str],
    *,
    full: bool,
    listen: Listen,
) -> Verdict:
    parts = [
        UnitParts(u.part, u.share.delivers, u.plan, u.kernel.dependences, u.kernel.live, u.share.adds) for u in units
    ]
    whole = whole_of(found.scop, [_program(unit) for unit in units])
    return verify_units(found, whole, parts, project, temporaries=temporaries, full=full, listen=listen)


def unit_data(unit: Unit) -> dict[str, Any]:
    """A unit as design.json has it."""
    return {
        "slr": unit.place.slr,
        "banks": list(unit.place.banks),
        "share": [unit.share.low, unit.share.high],
        "delivers": {name: [list(side) for side in box] for name, box in sorted(unit.share.delivers.items())},
        "budget": unit.place.target.budget.amounts(),
        "proved": unit.proved,
        "design": unit.point.to_json(),
        "estimate": unit.estimate.to_json(),
        "interface": report.interface_data(_program(unit).ports),
    }


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
