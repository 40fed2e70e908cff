"""A design as text for people: the summary on stdout and report.md; holds no figure of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sisyphus.plan import Plan
from sisyphus.report.tables import Rows, indent, markdown, table
from sisyphus.solve import SolveOutcome, Stop
from sisyphus.space import DesignPoint, NestPoint

if TYPE_CHECKING:
    from sisyphus.model.paper import PaperEstimate
    from sisyphus.target import Target
    from sisyphus.verify import Check, Verdict


def summary_text(
    plan: Plan,
    point: DesignPoint,
    estimate: PaperEstimate,
    target: Target,
    outcome: SolveOutcome | None,
    verdict: Verdict | None,
) -> str:
    """The chosen design, its predicted cost, how it was found and whether it was verified."""
    parts = [
        f"{plan.scop.name} on {target.device.name} ({target.device.part}, {target.clock_mhz:g} MHz)",
        "nests\n" + indent(table(_nest_header(), _nest_rows(point))),
        "buffers\n" + indent(table(_BUFFER_HEADER, _buffer_rows(plan, point))),
        "predicted (the paper's model, not measured)\n" + indent(table((), _cost_rows(plan, estimate, target))),
    ]
    if outcome is not None:
        parts.append(f"search: {found_text(outcome)}, in {outcome.seconds:.1f} s")
    parts.append("verification: " + verdict_text(verdict))
    return "\n\n".join(parts)


def found_text(outcome: SolveOutcome) -> str:
    """How the solver stopped, in one line; without times, which differ from run to run."""
    who = f"{outcome.solver} {outcome.version}"
    if outcome.stop is Stop.PROVED:
        return f"optimal, proved by {who}"
    gap = "unknown" if outcome.gap is None else f"{100 * outcome.gap:.2f} %"
    return f"best found by {who}; stopped by {outcome.stop.value}, gap {gap}"


def verdict_text(verdict: Verdict | None) -> str:
    """Passed or not: how many checks of each kind, and each that failed with its witness."""
    if verdict is None:
        return "not done (--no-verify)"
    kinds: dict[str, list[Check]] = {}
    for check in verdict.checks:
        kinds.setdefault(check.name.split()[0], []).append(check)
    lines = ["passed" if verdict.passed else "FAILED"]
    for kind, checks in kinds.items():
        failed = [c for c in checks if not c.passed]
        lines.append(f"  {kind}: {len(checks) - len(failed)} of {len(checks)} checks passed, e.g. {_told(checks[0])}")
        lines += [f"    FAILED {_told(c)}" for c in failed]
    return "\n".join(lines)


def _told(check: Check) -> str:
    return f"{check.name}: {check.detail}"


def report_markdown(
    plan: Plan,
    point: DesignPoint,
    estimate: PaperEstimate,
    target: Target,
    outcome: SolveOutcome | None,
    verdict: Verdict | None,
) -> str:
    """report.md: the same facts as the summary, as tables."""
    scop = plan.scop
    lines = [
        f"# {scop.name} on {target.device.name}",
        "",
        f"Source `{scop.origin.path}`, function `{scop.origin.function}`; {target.device.part} at "
        f"{target.clock_mhz:g} MHz. Cycles and resources are predictions of the paper's model, not measurements.",
        "",
        "## Nests",
        *markdown(_nest_header(), _nest_rows(point)),
        "",
        "## Buffers",
        *markdown(_BUFFER_HEADER, _buffer_rows(plan, point)),
        "",
        "## Prediction",
        *markdown(("figure", "value", "of"), _cost_rows(plan, estimate, target)),
        "",
        "### Terms of the cycle count",
        *markdown(("term", "cycles"), _term_rows(estimate)),
        "",
        "## Search",
        found_text(outcome) if outcome else "The design point was given, nothing was searched.",
        "",
        "## Verification",
        *(line if at == 0 else f"- {line.strip()}" for at, line in enumerate(verdict_text(verdict).splitlines())),
    ]
    notes = [f"- {note}" for note in scop.notes]
    if notes:
        lines += ["", "## Notes", *notes]
    return "\n".join(lines) + "\n"


def _nest_header() -> tuple[str, ...]:
    return ("nest", "level-0 order", "tiles (level 0 x 1 x 2)", "pipelined")


def _nest_rows(point: DesignPoint) -> Rows:
    return [(n.id, " ".join(n.order) or "-", _tiles(n), n.pipeline or "-") for n in point.nests]


def _tiles(nest: NestPoint) -> str:
    return ", ".join(f"{loop}={tile}" for loop, tile in nest.tiles) or "-"


_BUFFER_HEADER = ("buffer", "place", "extents", "partition", "elements per beat", "bytes")


def _buffer_rows(plan: Plan, point: DesignPoint) -> Rows:
    rows = []
    for buffer in plan.buffers:
        widths = sorted({t.width for t in plan.transfers if t.buffer == buffer.id})
        rows.append(
            (
                buffer.id,
                buffer.place,
                "x".join(map(str, buffer.extents)) or "scalar",
                "x".join(map(str, buffer.partition)) or "-",
                ", ".join(map(str, widths)) or "-",
                str(buffer.bytes),
            )
        )
    return rows


def _cost_rows(plan: Plan, estimate: PaperEstimate, target: Target) -> Rows:
    seconds = estimate.objective / (target.clock_mhz * 1e6)
    return [
        ("cycles", f"{estimate.objective:,.0f}", f"{seconds * 1e3:.3f} ms at {target.clock_mhz:g} MHz"),
        ("DSP", f"{estimate.dsp:,.0f}", f"of {target.budget.dsp:,}"),
        ("on-chip bytes", f"{plan.onchip_bytes:,}", f"of {target.budget.onchip_bytes or 0:,}"),
    ]


def _term_rows(estimate: PaperEstimate) -> Rows:
    rows = [(f"computation of {nest}", f"{cycles:,.0f}") for nest, cycles in estimate.computation]
    rows += [(f"loads for {nest}", f"{cycles:,.0f}") for nest, cycles in estimate.loads if cycles]
    return [*rows, ("stores", f"{estimate.stores:,.0f}"), ("total", f"{estimate.objective:,.0f}")]
