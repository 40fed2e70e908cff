"""Synthesis reports of Vitis HLS (csynth.xml, or the table of csynth.rpt) as values; knows no design.

What a report leaves out, or gives as `undef`, `?` or `-`, is None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from sisyphus.errors import KernelError
from sisyphus.values import dataclass, field, replace

#: Resources by their names in the reports of all versions.
RESOURCES = {"DSP": "dsp", "DSP48E": "dsp", "BRAM_18K": "bram18k", "URAM": "uram", "LUT": "lut", "FF": "ff"}
#: A pipelined loop is a module of its own, called after the function that it stands in.
PIPELINE = "_Pipeline_"


@dataclass(frozen=True)
class ReportedLoop:
    """A loop of a report. `issue`, `cause` and `distance` are the tool's words where it could not do as asked."""

    name: str
    trip: int | None = None
    latency: int | None = None
    interval: int | None = None
    depth: int | None = None
    pipelined: bool = False
    issue: str | None = None
    cause: str | None = None
    distance: int | None = None
    place: str | None = None


@dataclass(frozen=True)
class Module:
    """A function of a report with the loops in it; latency in cycles, the worst case."""

    name: str
    latency: int | None = None
    loops: tuple[ReportedLoop, ...] = ()
    resources: Mapping[str, int] = field(default_factory=dict)

    @property
    def function(self) -> str:
        """The function of the source."""
        return self.name.partition(PIPELINE)[0]


@dataclass(frozen=True)
class Synthesis:
    """A synthesis report: of the top function, and of every module below it."""

    path: Path
    version: str | None
    top: str
    part: str | None
    clock_ns: float | None
    estimated_ns: float | None
    latency: int | None
    resources: Mapping[str, int]
    modules: tuple[Module, ...] = ()


def read_csynth(path: Path) -> Synthesis:
    """A csynth.xml or csynth.rpt; `KernelError` where it is neither."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
        found = _of_xml(path, text) if path.suffix == ".xml" else _of_table(path, text)
    except (OSError, ElementTree.ParseError) as failure:
        raise KernelError(f"{path}: no synthesis report can be read: {failure}") from failure
    if found is None:
        raise KernelError(f"{path}: not a synthesis report of Vitis HLS")
    return found


def _of_xml(path: Path, text: str) -> Synthesis | None:
    root = ElementTree.fromstring(text)
    assigned = root.find("UserAssignments")
    if root.tag != "profile" or assigned is None:
        return None
    top = assigned.findtext("TopModelName", default="")
    modules = [_module(found) for found in root.iterfind("ModuleInformation/Module")]
    whole = _module_of(top, root)
    return Synthesis(
        path=path,
        version=root.findtext("ReportVersion/Version"),
        top=top,
        part=assigned.findtext("Part"),
        clock_ns=_real(assigned.findtext("TargetClockPeriod")),
        estimated_ns=_real(root.findtext("PerformanceEstimates/SummaryOfTimingAnalysis/EstimatedClockPeriod")),
        latency=whole.latency,
        resources=whole.resources,
        modules=tuple(modules) or (whole,),
    )


def _module(found: Element) -> Module:
    return _module_of(found.findtext("Name", default=""), found)


def _module_of(name: str, found: Element) -> Module:
    resources = {
        RESOURCES[part.tag]: amount
        for part in found.iterfind("AreaEstimates/Resources/*")
        if part.tag in RESOURCES and (amount := _whole(part.text)) is not None
    }
    latency = _whole(found.findtext("PerformanceEstimates/SummaryOfOverallLatency/Worst-caseLatency"))
    return Module(name, latency, tuple(_loops(found)), resources)


def _loops(found: Element) -> Iterator[ReportedLoop]:
    """Loops with what could not be met in them; in some versions loops stand inside of loops.

    A loop is called by its `Name`, or by its element where a version gives it none; one without a `PipelineType` is
    pipelined where it has an interval.
    """
    wrong = {
        part.findtext("Name", default=part.tag): part
        for part in found.iterfind("PerformanceEstimates/SummaryOfViolations/SummaryOfLoopViolations/*")
    }
    for part in found.iterfind("PerformanceEstimates/SummaryOfLoopLatency//"):
        if part.find("TripCount") is None and part.find("Latency") is None:
            continue
        name, interval = part.findtext("Name", default=part.tag), _amount(part, "PipelineII")
        kind = part.findtext("PipelineType")
        loop = ReportedLoop(
            name=name,
            trip=_amount(part, "TripCount"),
            latency=_amount(part, "Latency"),
            interval=interval,
            depth=_amount(part, "PipelineDepth") or _amount(part, "IterationLatency"),
            pipelined=interval is not None if kind is None else kind not in ("no", "none"),
        )
        yield _with_violation(loop, wrong.get(name, wrong.get(part.tag)))


def _amount(part: Element, name: str) -> int | None:
    """A figure, or the largest one of a range."""
    return _whole(part.findtext(f"{name}/range/max") or part.findtext(f"{name}/max") or part.findtext(name))


def with_issues(found: Synthesis, table: Synthesis) -> Synthesis:
    """A csynth.xml with the violations that the table of the same run has and it has not."""
    known = {(m.name, loop.name): loop for m in table.modules for loop in m.loops if loop.issue is not None}

    def better(module: Module, loop: ReportedLoop) -> ReportedLoop:
        other = known.get((module.name, loop.name))
        if loop.issue is not None or other is None:
            return loop
        return replace(loop, issue=other.issue, cause=other.cause, distance=other.distance)

    modules = (replace(m, loops=tuple(better(m, loop) for loop in m.loops)) for m in found.modules)
    return replace(found, modules=tuple(modules))


def _with_violation(loop: ReportedLoop, wrong: Element | None) -> ReportedLoop:
    issue = None if wrong is None else _word(wrong.findtext("IssueType"))
    if wrong is None or issue is None:
        return loop
    return replace(
        loop,
        issue=issue,
        cause=_word(wrong.findtext("ViolationType")),
        distance=_whole(wrong.findtext("IterationDistance")),
        place=_word(wrong.findtext("SourceLocation")),
    )


def _of_table(path: Path, text: str) -> Synthesis | None:
    """The table of modules and loops of csynth.rpt, which names violations, in later versions with their causes."""
    if "Synthesis Summary Report of" not in text:
        return None
    modules: list[Module] = []
    for name, is_loop, cells in _rows(text):
        latency, interval = _whole(cells.get("Latency(cycles)")), _whole(cells.get("Interval"))
        issue = _word(cells.get("IssueType"))
        if is_loop and modules:
            loop = ReportedLoop(
                name=name,
                trip=_whole(cells.get("TripCount")),
                latency=latency,
                interval=interval,
                depth=_whole(cells.get("IterationLatency")),
                pipelined=cells.get("Pipelined") == "yes",
                issue=None if issue is None else f"{issue} Violation",
                cause=_word(cells.get("ViolationType")),
                distance=_whole(cells.get("Distance")),
            )
            modules[-1] = replace(modules[-1], loops=(*modules[-1].loops, loop))
        elif not is_loop:
            amounts = {RESOURCES[n]: a for n in RESOURCES if (a := _whole(cells.get(n))) is not None}
            if (blocks := _whole(cells.get("BRAM"))) is not None:
                amounts["bram18k"] = blocks
            modules.append(Module(name, latency, (), amounts))
    if not modules:
        return None
    version, part = (re.search(rf"\* {what}:\s+(\S+)", text) for what in ("Version", "Target device"))
    return Synthesis(
        path=path,
        version=None if version is None else version[1],
        top=modules[0].name,
        part=None if part is None else part[1],
        clock_ns=None,
        estimated_ns=None,
        latency=modules[0].latency,
        resources=modules[0].resources,
        modules=tuple({module.name: module for module in modules}.values()),
    )


def _rows(text: str) -> Iterator[tuple[str, bool, dict[str, str]]]:
    """Rows of the first table: name, whether it is a loop, and cells by their headings, which take two lines."""
    header: list[str] | None = None
    above: list[str] | None = None
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped.startswith("|"):
            if header is not None and not stripped.startswith("+"):
                return
            continue
        cells = [cell.strip() for cell in stripped.strip("|").split("|")]
        if header is None:
            if above is None:
                above = cells
            else:
                header = [f"{one}{two}".replace(" ", "") for one, two in zip(above, cells, strict=True)]
            continue
        kind, _, name = cells[0].partition(" ")
        if kind in ("+", "o"):
            yield name.strip().rstrip("*"), kind == "o", dict(zip(header, cells, strict=False))


def _whole(text: str | None) -> int | None:
    """The number of `12`, `~0` or `12 (3%)`; the larger one of `2 ~ 10`."""
    match = re.match(r"\s*~?(\d+)(?:\s*~\s*(\d+))?", text or "")
    return None if match is None else int(match[2] or match[1])


def _real(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _word(text: str | None) -> str | None:
    """A text that says something."""
    stripped = (text or "").strip()
    return None if stripped in ("", "-", "?", "undef", "none") else stripped
