"""Prints our designs beside the published ones, under the whole chip and under what routed designs support.

Of the whole chip designs may take 80 % of the LUTs.

The published figures lie beside a checkout, in ../shared/oracle/targets.csv; where they do not, nothing is scored.

python scripts/score.py [--only gemm,2mm] [--budget chip] [--trust measured] [--device u55c] [--tree-reduction]
    [--time-limit 60] [--lines scores.jsonl] [--json]

With `--lines` each score is a line of that file as soon as it is there, and what has a line is not scored again: a run
that was ended goes on where it was, and runs of a few kernels each add up to one table. Where the file has a kernel
with and without `--trust measured`, the table has the better of the designs of which little is inferred, too.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import geometric_mean
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import searches

from sisyphus.errors import SisyphusError
from sisyphus.evidence import Evidence
from sisyphus.model import Estimate, natural_objective
from sisyphus.pipeline import Request, Source, optimize
from sisyphus.report.tables import table
from sisyphus.solve import Limits
from sisyphus.space import Options
from sisyphus.target import KINDS, Resources, Target, load_device, make_target

ROOT = Path(__file__).parents[1]
TARGETS = ROOT.parent / "shared" / "oracle" / "targets.csv"
#: Published synthesis reports of designs that keep the order of additions, and of those that need not.
ORDERED = ("sisyphus_no_tree",)
PUBLISHED = (*ORDERED, "sisyphus_tree", "prometheus_u55c", "scalehls", "allo_u55c", "nlp_dse", "autodse")
SAID_IN_RTL = "prometheus_rtl"
#: Of the cycles of a prediction so much may rest on rules without a report; so far from a limit designs may be.
LITTLE, NEAR = 0.2, 2.0
#: Share of the LUTs of the whole chip that a design may take: no tool places and routes a fuller one.
CHIP_LUT = 0.8
PLACES = ("chip", "region", "slr")
CLASSES: tuple[Evidence, ...] = ("measured", "documented", "inferred")


@dataclass(frozen=True)
class Score:
    """A kernel under a budget: what we predict, what others published, and no design can beat.

    `limit` is of any order of additions, `limit_exact` of the source's, None where ours need not keep it. `rests` are
    the constructs that no report shows, with the share of the cycles that rests on each, the largest first. `used` has
    the share of the fullest kind of each place; `refused` says why there is no design. `asked` is what else the search
    was told, so that a line is taken for an answer to the same question only.
    """

    kernel: str
    budget: str
    published: Mapping[str, int]
    limit: int
    limit_exact: int | None = None
    report: int | None = None
    rtl: tuple[int, int] | None = None
    search: str = ""
    evidence: Mapping[str, float] | None = None
    rests: tuple[tuple[str, float], ...] = ()
    used: Mapping[str, tuple[str, float]] | None = None
    refused: str = ""
    asked: str = ""

    @property
    def is_backed(self) -> bool:
        """Whether little of the prediction rests on rules without a report."""
        return self.evidence is not None and self.evidence["inferred"] <= LITTLE

    def best(self, tools: Iterable[str] = PUBLISHED) -> tuple[int, str] | None:
        """The fewest cycles that some of the tools published."""
        return min(((self.published[tool], tool) for tool in tools if tool in self.published), default=None)


def main() -> int:
    chosen = _arguments()
    if not TARGETS.exists():
        print(f"skipped: the published figures are not there ({TARGETS})", file=sys.stderr)
        return 0
    wanted = targets(chosen.only)
    if not wanted:
        return 2
    known = _known(chosen.lines)
    found: list[Score] = []
    for budget in chosen.budget or ("chip", "routable"):
        for row in wanted:
            score = known.get((row["kernel"], budget, _asked(chosen)))
            if score is None:
                print(f"{budget}: {row['kernel']}", file=sys.stderr, flush=True)
                score = _score(row, budget, chosen)
                searches.keep(score, chosen.lines)
            found.append(score)
        if not chosen.json:
            print(_told([score for score in found if score.budget == budget], known) + "\n", flush=True)
    if chosen.json:
        print(json.dumps([asdict(score) for score in found], indent=2))
    return int(any(score.refused for score in found))


def targets(only: str) -> list[dict[str, str]]:
    """The published figures of these kernels (comma-separated), or of all; none where one of them has none."""
    names = set(filter(None, only.split(",")))
    with TARGETS.open(encoding="utf-8", newline="") as lines:
        wanted = [row for row in csv.DictReader(lines) if not names or row["kernel"] in names]
    unknown = names - {row["kernel"] for row in wanted}
    if unknown:
        print(f"no published figures of {', '.join(sorted(unknown))}", file=sys.stderr)
    return [] if unknown else wanted


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="comma-separated kernel names")
    parser.add_argument("--budget", action="append", choices=["chip", "platform", "routable"], help="may be repeated")
    parser.add_argument("--trust", default="any", choices=["any", "measured"])
    parser.add_argument("--device", default="u200")
    parser.add_argument("--tree-reduction", action="store_true", help="let additions be reassociated")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds per search")
    parser.add_argument("--lines", type=Path, help="a file of scores, one a line, to go on from and to add to")
    parser.add_argument("--json", action="store_true", help="a list of all scores")
    return parser.parse_args()


def _asked(chosen: argparse.Namespace) -> str:
    """The rest of the question, in words."""
    tree = ", tree reduction" if chosen.tree_reduction else ""
    return f"{chosen.device}, trust {chosen.trust}{tree}, {chosen.time_limit:g} s"


def _known(lines: Path | None) -> dict[tuple[str, str, str], Score]:
    """The scores that have a line already."""
    if lines is None or not lines.exists():
        return {}
    return {(score.kernel, score.budget, score.asked): score for score in read_lines(lines)}


def read_lines(path: Path) -> list[Score]:
    """The scores of a file, one a line."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rtl = (tuple(row.pop("rtl") or ()) or None for row in rows)
    return [
        Score(**{**row, "rests": tuple(map(tuple, row.get("rests", ())))}, rtl=cycles)
        for row, cycles in zip(rows, rtl, strict=True)
    ]


def _score(row: Mapping[str, str], budget: Any, chosen: argparse.Namespace) -> Score:
    name = row["kernel"]
    published = {tool: int(row[tool]) for tool in (*PUBLISHED, SAID_IN_RTL) if row[tool]}
    limits = int(row["limit"]), None if chosen.tree_reduction else int(row["limit_exact"])
    asked = _asked(chosen)
    device = load_device(chosen.device)
    target = make_target(device, budget=budget, lut=int(CHIP_LUT * device.chip().lut) if budget == "chip" else None)
    request = Request(
        source=Source(str(next(ROOT.glob(f"kernels/*/{name}.c")))),
        target=target,
        options=Options(
            tree_reduction=chosen.tree_reduction, objective=natural_objective(target.device), trust=chosen.trust
        ),
        limits=Limits(seconds=chosen.time_limit),
        verify=False,
    )
    try:
        design = optimize(request)
    except SisyphusError as fault:
        refused = f"{type(fault).__name__}: {fault.message}"
        return Score(name, budget, published, *limits, refused=refused, asked=asked)
    cost, outcome = design.estimate, design.outcome
    return Score(
        kernel=name,
        budget=budget,
        published=published,
        limit=limits[0],
        limit_exact=limits[1],
        report=cost.cycles,
        rtl=cost.rtl,
        search=outcome.stop.value if outcome else "",
        evidence=dict(cost.evidence.shares["cycles"]),
        rests=_rests(cost),
        used=_used(cost, target),
        asked=asked,
    )


def _rests(cost: Estimate) -> tuple[tuple[str, float], ...]:
    found = [(rested.cycles, rested.entry.id) for rested in cost.evidence.constructs if not rested.entry.is_trusted]
    return tuple((name, round(share, 4)) for share, name in sorted(found, reverse=True) if share)


def _used(cost: Estimate, target: Target) -> dict[str, tuple[str, float]]:
    """The fullest kind of the chip, of the user region of its shell, and of the largest SLR of that."""
    device, platform = target.device, target.device.platform()
    places = {"chip": device.chip(), "slr": device.chip_slr()}
    if platform is not None:
        places |= {"region": platform.user_region, "slr": max(platform.slrs, key=lambda slr: slr.dsp)}
    return {place: _fullest(cost, has) for place, has in places.items()}


def _fullest(cost: Estimate, has: Resources) -> tuple[str, float]:
    kinds = (kind for kind in KINDS if kind.name != "onchip_bytes")
    share, title = max((getattr(cost, k.name) / max(getattr(has, k.name), 1), k.title) for k in kinds)
    return title, round(share, 4)


def _told(scores: list[Score], known: Mapping[tuple[str, str, str], Score]) -> str:
    """The table of a budget and its geometric means."""
    header = (
        *(f"budget {scores[0].budget}", "report", "RTL", "best published", "of", "best/ours", "ours/limit", "/exact"),
        *("chip", "user region", "one SLR", *CLASSES, "most of it", "little inferred", "search"),
    )
    return "\n".join([table(header, [_row(score, backed(score, known)) for score in scores]), *_means(scores)])


def backed(score: Score, known: Mapping[tuple[str, str, str], Score]) -> int | None:
    """Cycles of the better one of a design and of that of `--trust measured`, if little of them is inferred."""
    other = known.get((score.kernel, score.budget, score.asked.replace("trust any", "trust measured")))
    return min((one.report for one in (score, other) if one and one.report and one.is_backed), default=None)


def _row(score: Score, little_inferred: int | None) -> tuple[str, ...]:
    if score.report is None or score.rtl is None or score.evidence is None or score.used is None:
        return (score.kernel, *("-",) * 15, score.refused)
    cycles, tool = score.best() or (0, "-")
    least, most = score.rtl
    places = (score.used.get(place) for place in PLACES)
    return (
        score.kernel,
        f"{score.report:,}",
        f"{most:,}" if least == most else f"{least:,} to {most:,}",
        f"{cycles:,}",
        tool,
        f"{cycles / score.report:.2f}x",
        f"{score.report / score.limit:.2f}x",
        f"{score.report / score.limit_exact:.2f}x" if score.limit_exact else "-",
        *("-" if used is None else f"{used[0]} {100 * used[1]:.0f} %" for used in places),
        *(f"{100 * score.evidence.get(kind, 0.0):.0f} %" for kind in CLASSES),
        next((f"{name} {100 * share:.0f} %" for name, share in score.rests), "-"),
        "-" if little_inferred is None else f"{little_inferred:,}",
        score.search,
    )


def _means(scores: list[Score]) -> list[str]:
    """Geometric means over the kernels that have a design and a figure to compare with."""
    done = [(score, score.report, score.rtl) for score in scores if score.report is not None and score.rtl is not None]
    ratios = {
        "best published report / our report": [best[0] / ours for s, ours, _ in done if (best := s.best())],
        "best published report / our RTL (most)": [best[0] / rtl[1] for s, _, rtl in done if (best := s.best())],
        "report of sisyphus_no_tree / our report": [best[0] / ours for s, ours, _ in done if (best := s.best(ORDERED))],
        "RTL of Prometheus / our RTL (most)": [b[0] / rtl[1] for s, _, rtl in done if (b := s.best((SAID_IN_RTL,)))],
        "our report / limit": [ours / s.limit for s, ours, _ in done],
        "our report / limit with additions in order": [ours / s.limit_exact for s, ours, _ in done if s.limit_exact],
    }
    far = [s.kernel for s, ours, _ in done if ours > NEAR * (s.limit_exact or s.limit)]
    shaky = [s.kernel for s, _, _ in done if not s.is_backed]
    return [
        *(
            f"geometric mean over {len(found):2d}: {name:42s} {geometric_mean(found):6.2f}x"
            for name, found in ratios.items()
            if found
        ),
        f"more than {NEAR}x the limit of their order: {len(far)} of {len(done)}: {', '.join(far) or 'none'}",
        f"more than {100 * LITTLE:.0f} % inferred: {len(shaky)} of {len(done)}: {', '.join(shaky) or 'none'}",
    ]


if __name__ == "__main__":
    sys.exit(main())
