"""A chosen design with all that is known of it: its text, its data, its files; chooses nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sisyphus import report
from sisyphus.backends.hls import DESIGN, Project, write_failed, write_folder
from sisyphus.cpu import CpuTime
from sisyphus.errors import VerifyError
from sisyphus.model import Estimate, paper
from sisyphus.model.limit import Limit
from sisyphus.plan import Plan
from sisyphus.request import Kernel, Request
from sisyphus.solve import SolveOutcome, Stop
from sisyphus.space import DesignPoint, Space
from sisyphus.values import asdict, dataclass

if TYPE_CHECKING:  # a stage that many runs do without
    from sisyphus.verification import Verdict

RUN, FRONT, PAGE = "run.json", "pareto.json", "report.html"
UNVERIFIED = "interrupted while it was verified: this design is NOT VERIFIED (`sisy verify DIR`)"
LATE = "time ran out while it was verified: this design is NOT VERIFIED (`sisy verify DIR` has no limit)"


@dataclass(frozen=True, eq=False, repr=False)
class Design:
    """What a run chose and what came of it.

    `others` are the next best designs, `front` and `explanation` None where they were not asked for. `outcome` is None
    where the point was given, `verdict` where verification was turned off, `paper` (what the paper's model says) unless
    that model was asked for. `seconds` is the time of each stage, `trace` how the search went,
    `remembered` when, where its answer comes from the cache.
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
    trace: tuple[report.Moment, ...] = ()
    remembered: report.Remembered | None = None

    @property
    def name(self) -> str:
        """Of the kernel's function."""
        return self.plan.scop.name

    @property
    def cycles(self) -> int:
        """Predicted, by the synthesis report."""
        return self.estimate.cycles

    @property
    def was_interrupted(self) -> bool:
        """The search was ended by Ctrl-C, and what it had found was taken."""
        return self.outcome is not None and self.outcome.stop is Stop.INTERRUPTED

    @property
    def is_unverified(self) -> bool:
        """Ctrl-C ended its verification."""
        return UNVERIFIED in self.notes

    @property
    def is_late(self) -> bool:
        """Time ended its verification."""
        return LATE in self.notes

    @cached_property
    def facts(self) -> report.Facts:
        """The same as reports read it."""
        request = self.request
        return report.Facts(
            plan=self.plan,
            point=self.point,
            estimate=self.estimate,
            paper=self.paper,
            target=request.target,
            outcome=self.outcome,
            verdict=self.verdict,
            seconds=self.seconds,
            digest=self.project.digest,
            interface=self.project.interface,
            temporaries=request.source.temporaries,
            search={
                "model": request.model,
                "fixes": list(request.fixes),
                "options": asdict(request.options),
                **({} if request.limits.effort is None else {"effort": request.limits.effort}),
            },
            others=self.others,
            front=self.front,
            explanation=self.explanation,
            limit=self.limit,
            cpu=self.cpu,
            trace=self.trace,
            remembered=self.remembered,
            notes=self.notes,
        )

    @property
    def text(self) -> str:
        """What a person reads on standard output."""
        return report.summary_text(self.facts)

    @property
    def data(self) -> dict[str, Any]:
        """What a machine reads: design.json and run.json together."""
        data = report.design_data(self.facts) | {"run": report.run_data(self.facts)}
        if self.others:
            data["designs"] = report.top_data((report.Rated(self.point, self.estimate), *self.others))
        if self.front is not None:
            data["pareto"] = report.front_data(self.front)
        if self.explanation is not None:
            data["explanation"] = report.explanation_data(self.explanation)
        return data

    @property
    def files(self) -> dict[str, str]:
        """The texts of its folder by name; the page only where it was asked for."""
        design, run = report.design_data(self.facts), report.run_data(self.facts)
        files = {
            **self.project.files,
            DESIGN: json_text(design),
            RUN: json_text(run),
            "report.md": report.report_markdown(self.facts),
            **self._more_files(design),
        }
        if self.request.html:
            files[PAGE] = report.page(design, json.loads(files[RUN]), _parsed(files.get(FRONT)))
        return files

    def _more_files(self, design: dict[str, Any]) -> dict[str, str]:
        """Of the designs beside the chosen one; the number in a name is that of the row in the table."""
        files = dict[str, str]()
        for number, other in enumerate(self.others, start=2):
            files[f"design-{number}.json"] = json_text(report.point_data(self.facts, other))
        if self.front is not None:
            front = {"kernel": self.name} | report.front_data(self.front)
            files[FRONT] = json_text(front)
            files["pareto.svg"] = report.front_picture(design, front)
            for number, other in enumerate(self.front.designs[1:], start=2):
                files[f"pareto-{number}.json"] = json_text(report.point_data(self.facts, other))
        if self.explanation is not None:
            files["explain.json"] = json_text(report.explanation_data(self.explanation))
        return files

    def save(self, out: str | Path) -> Path:
        """Writes the project whole to `out`, or beside it where it failed verification; returns where."""
        return save_files(self.files, self.verdict, out)

    def check(self) -> None:
        """`VerifyError` where it was verified and failed."""
        raise_failed(self.verdict)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        device = self.request.target.device.name
        return f"<design of {self.name} on {device}: {self.cycles:,} cycles, {self._verified}>"

    @property
    def _verified(self) -> str:
        if self.verdict is None:
            return "not verified"
        return "verified" if self.verdict.passed else "WRONG"

    def _repr_html_(self) -> str:
        """What a notebook shows: the report without its frame."""
        return report.fragment(report.design_data(self.facts), report.run_data(self.facts), self.data.get("pareto"))


def _parsed(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def save_files(files: Mapping[str, str], verdict: Verdict | None, out: str | Path) -> Path:
    """Writes a folder whole to `out`, or beside it where it failed verification; returns where."""
    place = Path(out)
    if verdict is not None and not verdict.passed:
        return write_failed(files, place)
    write_folder(files, place)
    return place


def raise_failed(verdict: Verdict | None) -> None:
    """Raises VerifyError where a design was verified and failed."""
    if verdict is not None and not verdict.passed:
        failed = verdict.failures[0]
        raise VerifyError(f"verification failed: {failed.name}: {failed.detail}")


def json_text(data: Mapping[str, Any]) -> str:
    """The text of a JSON file of a design's folder."""
    return json.dumps(data, indent=2) + "\n"
