"""A design as text for people: the summary on stdout and report.md; holds no figure of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sisyphus.backends.hls import FLUSHED, one_line
from sisyphus.evidence import entry
from sisyphus.model import Estimate, Term
from sisyphus.plan import Buffer, Plan, Transfer, layout_extents
from sisyphus.report.board import board_told, budgets_told
from sisyphus.report.designs import FRONT_HEADER, TOP_HEADER, front_rows, front_told, top_rows
from sisyphus.report.ending import EXACTLY, ending_told
from sisyphus.report.evidence import (
    CONSTRUCTS_HEADER,
    SHARES_HEADER,
    TITLES_HEADER,
    construct_rows,
    share_rows,
    title_rows,
    told,
)
from sisyphus.report.explanation import explanation_text
from sisyphus.report.facts import Facts, Rated
from sisyphus.report.limits import limit_lines
from sisyphus.report.tables import Rows, indent, markdown, shortened, table
from sisyphus.shown import counted
from sisyphus.solve import SolveOutcome, Stop
from sisyphus.space import COLUMNS, PACKED, PADDED, DesignPoint, NestPoint
from sisyphus.target import KINDS, Target

if TYPE_CHECKING:  # a stage that many runs do without
    from sisyphus.verification import Check, Verdict


def summary_text(facts: Facts) -> str:
    """The chosen design, its predicted cost, how it was found and whether it was verified."""
    plan, target, outcome = facts.plan, facts.target, facts.outcome
    parts = [
        f"{plan.scop.name} on {target.device.name} ({target.device.part}, {target.clock_mhz:g} MHz)",
        "nests\n" + indent("\n".join([table(NEST_HEADER, _nest_rows(facts.point)), *_adders(facts.point)])),
        "buffers\n" + indent(table(BUFFER_HEADER, _buffer_rows(plan))),
        *("views\n" + indent(table(VIEW_HEADER, rows)) for rows in [_view_rows(plan)] if rows),
        f"predicted ({_basis(facts)})\n" + indent("\n".join([table((), cost_rows(facts)), *_board(facts)])),
    ]
    if outcome is not None:
        parts.append(f"search: {found_text(outcome, facts)}, {_search_time(facts)}")
    parts += [f"{title}\n{indent(table(header, rows))}" for title, header, rows in _several(facts)]
    if facts.explanation is not None:
        parts.append(explanation_text(facts.explanation))
    parts.append("verification: " + verdict_text(facts.verdict))
    parts += [f"note: {note}" for note in facts.notes]
    return "\n\n".join(parts)


def _search_time(facts: Facts) -> str:
    """Of all forms of the kernel together, where the stages were timed; and when, where it was not now."""
    if facts.remembered is not None:
        when = datetime.fromtimestamp(facts.remembered.at, UTC).strftime("%Y-%m-%d %H:%M UTC")
        return f"in {facts.remembered.seconds:.1f} s on {when}: taken from the cache (`--no-cache` searches again)"
    seconds = facts.seconds.get("search", 0.0 if facts.outcome is None else facts.outcome.seconds)
    return f"in {seconds:.1f} s"


def _several(facts: Facts) -> Iterator[tuple[str, tuple[str, ...], Rows]]:
    """Tables of more designs than one, where these were asked for: title, header, rows."""
    if facts.others:
        designs = (Rated(facts.point, facts.estimate), *facts.others)
        yield f"the best {len(designs)} designs that the search found", TOP_HEADER, top_rows(designs)
    if facts.front is not None:
        yield f"latency and area: {front_told(facts.front)}", FRONT_HEADER, front_rows(facts.front, facts.target)


def _board(facts: Facts) -> list[str]:
    """Whose budgets bind, and what of the design exceeds the board."""
    beyond = board_told(facts.estimate, facts.target)
    told = [f"budgets: {budgets_told(facts.target)}", *([] if beyond is None else [f"board: {beyond}"])]
    return [*told, *limit_lines(facts)]


def _basis(facts: Facts) -> str:
    return f"by rules measured on Vitis HLS {facts.estimate.rules}{told(facts.estimate.evidence)}"


def found_text(outcome: SolveOutcome, facts: Facts) -> str:
    """How the solver stopped, in one line; without times, which differ from run to run."""
    who, is_effort = f"{outcome.solver} {outcome.version}".strip(), "effort" in facts.search
    end = ending_told(outcome.stop, outcome.gap, is_effort=is_effort)
    if facts.paper is None:
        return f"{who}: {end}"
    objective = "?" if outcome.objective is None else f"{outcome.objective:,.0f}"
    if outcome.stop is Stop.PROVED:
        is_near = (outcome.gap or 0.0) > EXACTLY
        end = f"proved within {100 * (outcome.gap or 0.0):.2f} % of the least" if is_near else "proved minimal"
    return f"{who}: the paper's latency {objective}, {end}"


def progress_text(cost: float | None, bound: float | None, seconds: float) -> str:
    """Incumbent, bound, gap and elapsed time of a search that still runs."""
    if cost is None:
        return f"no design yet, {seconds:.0f} s"
    proven = "" if bound is None else f", bound {bound:,.0f}, gap {100 * max(0.0, cost - bound) / max(cost, 1):.1f} %"
    return f"best {cost:,.0f}{proven}, {seconds:.0f} s"


def verdict_text(verdict: Verdict | None) -> str:
    """Passed or not: how many checks of each kind, and each that failed with its witness."""
    if verdict is None:
        return "not done (--no-verify)"
    kinds: dict[str, list[Check]] = {}
    for check in verdict.checks:
        kinds.setdefault(check.name.split()[0], []).append(check)
    lines = [_headline(verdict)]
    for kind, checks in kinds.items():
        failed = [c for c in checks if not c.passed]
        lines.append(f"  {kind}: {len(checks) - len(failed)} of {len(checks)} checks passed, e.g. {_told(checks[0])}")
        lines += [f"    {'' if c.gave_up else 'FAILED '}{_told(c)}" for c in failed]
        lines += [f"    {_told(c)}" for c in checks if c.name.startswith(f"run {FLUSHED}")]
    return "\n".join(lines)


def _headline(verdict: Verdict) -> str:
    if not verdict.passed:
        return "FAILED"
    return (
        f"passed by its runs; {counted(len(verdict.failures), 'checks')} NOT PROVEN" if verdict.failures else "passed"
    )


def _told(check: Check) -> str:
    return f"{check.name}: {check.detail}"


def report_markdown(facts: Facts) -> str:
    """report.md: the same facts as the summary, as tables."""
    scop, outcome = facts.plan.scop, facts.outcome
    verdict = verdict_text(facts.verdict).splitlines()
    lines = [
        f"# {scop.name} on {one_line(facts.target.device.name)}",
        "",
        f"Source `{one_line(scop.origin.path)}`, function `{scop.origin.function}`; {facts.target.device.part} at "
        f"{facts.target.clock_mhz:g} MHz. Cycles and resources are predicted {_basis(facts)}.",
        "",
        "## Nests",
        *markdown(NEST_HEADER, _nest_rows(facts.point)),
        "",
        *(line for told in _adders(facts.point) for line in (told, "")),
        "## Buffers",
        *markdown(BUFFER_HEADER, _buffer_rows(facts.plan)),
        "",
        *(line for rows in [_view_rows(facts.plan)] if rows for line in ("## Views", *markdown(VIEW_HEADER, rows), "")),
        "## Prediction",
        *markdown(("figure", "value", ""), cost_rows(facts)),
        "",
        *_board(facts),
        "",
        "### Terms of the cycle count",
        *markdown(("term", "cycles", "rule"), _term_rows(facts.estimate.terms["cycles"])),
        "",
        "## Evidence",
        *markdown(SHARES_HEADER, share_rows(facts.estimate.evidence)),
        "",
        *markdown(CONSTRUCTS_HEADER, construct_rows(facts.estimate.evidence)),
        "",
        *markdown(TITLES_HEADER, title_rows(facts.estimate.evidence)),
        "",
        "## Search",
        found_text(outcome, facts) if outcome else "The design point was given, nothing was searched.",
        "",
        "## Verification",
        verdict[0],
        *(f"- {line.strip()}" for line in verdict[1:]),
    ]
    for title, header, rows in _several(facts):
        lines += ["", f"## {title[0].upper()}{title[1:]}", *markdown(header, rows)]
    if facts.explanation is not None:
        lines += ["", "## Why", "```text", *explanation_text(facts.explanation).splitlines(), "```"]
    notes = [f"- {note}" for note in (*scop.notes, *facts.notes)]
    if notes:
        lines += ["", "## Notes", *notes]
    return "\n".join(lines) + "\n"


NEST_HEADER = ("nest", "level-0 order", "tiles (level 0 x 1 x 2)", "pipelined")
BUFFER_HEADER = ("buffer", "place", "extents", "partition", "elements per beat", "bytes")
VIEW_HEADER = ("view", "stands for", "in")


def _nest_rows(point: DesignPoint) -> Rows:
    return [(shortened(n.id), " ".join(n.order) or "-", _tiles(n), n.pipeline or "-") for n in point.nests]


def _adders(point: DesignPoint) -> list[str]:
    """Which adders the tool is asked for, if it is."""
    return ["additions run in fabric, without DSPs (`adders=fabric`)"] if point.adders == "fabric" else []


def _tiles(nest: NestPoint) -> str:
    unroll = dict(nest.unroll)
    copies = {loop: f" ({unroll[loop]} copies)" if loop in unroll else "" for loop, _ in nest.tiles}
    tiles = ", ".join(f"{loop}={tile}{copies[loop]}" for loop, tile in nest.tiles) or "-"
    return tiles + "; full ones apart" * nest.split + "; listed" * nest.listed


def _buffer_rows(plan: Plan) -> Rows:
    rows = []
    for buffer in plan.buffers:
        moved = next((t for t in plan.transfers if t.buffer == buffer.id), None)
        rows.append(
            (
                buffer.id,
                buffer.place,
                _extents(buffer),
                "x".join(map(str, buffer.partition)) or "-",
                _beats(plan, moved) if moved is not None else "-",
                f"{buffer.bytes}{'' if buffer.storage == 'auto' else f' in {buffer.storage.upper()}'}",
            )
        )
    return rows


def _extents(buffer: Buffer) -> str:
    shape = "x".join(map(str, buffer.extents)) or "scalar"
    return shape if buffer.memories == 1 else f"{buffer.memories} of {shape}"


def _view_rows(plan: Plan) -> Rows:
    """What each view stands for, in terms of the source."""
    rows = []
    for array in (a for a in plan.scop.arrays if a.view_of is not None):
        using = [s for s in plan.scop.statements if array.id in {ref.array for ref in (s.write, *s.reads)}]
        refs = (ref for s in using for ref in (s.write, *s.reads) if ref.array == array.id)
        told = dict.fromkeys(str(replace(ref, array=array.home)) for ref in refs)
        rows.append((array.id, ", ".join(told), ", ".join(s.id for s in using)))
    return rows


def _beats(plan: Plan, moved: Transfer) -> str:
    """Elements per beat, and what that makes of the rows in memory."""
    [port] = [p for p in plan.ports if p.name == moved.array]
    dealt = f" over {port.stripes} ports" if port.stripes > 1 else ""
    padded = f", rows padded to {layout_extents(port)[-1]}"
    lies = {PADDED: padded, PACKED: ", packed", COLUMNS: ", in columns of beats"}.get(port.layout, "")
    return f"{moved.width}{dealt}{lies}"


def cost_rows(facts: Facts) -> Rows:
    """Figures with their budgets."""
    rows = [*figure_rows(facts.estimate, facts.target)]
    if facts.paper is not None:
        rows.append(("cycles by the paper's model", f"{facts.paper.objective:,.0f}", "not measured"))
        rows.append(("DSP by the paper's model", f"{facts.paper.dsp:,.0f}", f"of {facts.target.budget.dsp:,}"))
    return rows


def figure_rows(cost: Estimate, target: Target) -> Rows:
    """Cycles, time and resources, each beside its budget."""
    budget, clock = target.budget, target.clock_mhz
    kinds = sorted(KINDS, key=lambda kind: kind.name == "onchip_bytes")
    return [
        ("cycles", f"{cost.cycles:,}", f"{cost.cycles / clock:,.1f} us at {clock:g} MHz, by the synthesis report"),
        ("cycles in RTL", *_in_rtl(cost, target)),
        *((kind.title, f"{getattr(cost, kind.name):,}", f"of {getattr(budget, kind.name):,}") for kind in kinds),
        ("bytes moved", f"{cost.bytes_moved:,}", ""),
    ]


def _in_rtl(cost: Estimate, target: Target) -> tuple[str, str]:
    """One figure, or the range where it was not measured for the memory of the board."""
    (least, most), clock, memory = cost.rtl, target.clock_mhz, target.device.bank_kind
    if least == most:
        return f"{most:,}", f"{most / clock:,.1f} us, by hardware emulation with {memory}"
    return f"{least:,} to {most:,}", f"up to {most / clock:,.1f} us; not measured with {memory}"


def estimate_text(cost: Estimate, target: Target, operations: int | None) -> str:
    """The figures, the throughput, and the cycles as a tree of terms."""
    rows = [*figure_rows(cost, target)]
    if operations is not None:
        rate = operations / (cost.cycles / target.clock_mhz) / 1e3
        rows.append(("operations", f"{operations:,}", f"{rate:,.2f} GF/s"))
    tree = table(("term", "cycles", "rule"), _term_rows(cost.terms["cycles"]))
    return "\n\n".join([table((), rows), tree, *_evidence(cost)])


def _evidence(cost: Estimate) -> Iterator[str]:
    """Shares per class of evidence, and the constructs of the design."""
    yield "what the figures rest on\n" + indent(table(SHARES_HEADER, share_rows(cost.evidence)))
    yield "constructs, the worst first\n" + indent(table(CONSTRUCTS_HEADER, construct_rows(cost.evidence)))


def _term_rows(term: Term, depth: int = 0) -> list[tuple[str, str, str]]:
    """The sum as a tree, indented by dots."""
    mark = f" ({entry(term.construct).evidence})" if term.construct else ""
    rows = [("· " * depth + term.name, f"{term.value:,}", term.rule + mark)]
    return rows + [row for child in term.children for row in _term_rows(child, depth + 1)]
