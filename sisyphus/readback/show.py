"""A comparison as text for people and as data for machines; compares nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sisyphus.readback.causes import Violation
from sisyphus.readback.csynth import Synthesis
from sisyphus.readback.deviations import Comparison, Row
from sisyphus.target import KINDS

#: Resources by the names that people know.
TITLES = {kind.name: kind.title for kind in KINDS}


def comparison_text(found: Comparison) -> str:
    """A table of figures, then what could not be met."""
    blocks = []
    if found.synthesis is not None:
        blocks += [[_title(found.synthesis), "", *_table(found.rows)]]
    if found.implementation is not None:
        slack = found.implementation.slack_ns
        met = "" if slack is None else f", worst slack {slack:g} ns: the clock is {'not ' * (slack < 0)}met"
        blocks += [[f"implemented by Vivado{met}", "", *_table(found.implemented)]]
    lines = [line for at, block in enumerate(blocks) for line in ([""] * (at > 0) + block)]
    for violation in found.violations:
        lines += ["", *_violation_lines(violation)]
    lines += ["", *(f"note: {note}" for note in found.notes)] if found.notes else []
    return "\n".join(lines)


def _title(told: Synthesis) -> str:
    clock = "" if told.clock_ns is None else f", {told.clock_ns:g} ns asked"
    reached = "" if told.estimated_ns is None else f", {told.estimated_ns:g} ns estimated"
    return f"{told.top} on {told.part or 'an unknown part'}: Vitis HLS {told.version or '?'}{clock}{reached}"


def _table(rows: Sequence[Row]) -> list[str]:
    width = max((len(TITLES.get(row.what, row.what)) for row in rows), default=0)
    head = f"{'':{width}s}  {'predicted':>12s}  {'reported':>12s}  {'reported / predicted':>20s}"
    return [head, *(_line(row, width) for row in rows)]


def _line(row: Row, width: int) -> str:
    ratio = "" if row.ratio is None else f"{row.ratio:.3f}"
    mark = "  <-" if row.ratio is not None and abs(row.ratio - 1) > 0.1 else ""
    what = TITLES.get(row.what, row.what)
    return f"{what:{width}s}  {_number(row.predicted):>12s}  {_number(row.reported):>12s}  {ratio:>20s}{mark}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def _violation_lines(violation: Violation) -> list[str]:
    loop = violation.loop
    cause = f": {loop.cause}" if loop.cause else ""
    distance = f", distance {loop.distance}" if loop.distance is not None else ""
    place = f" at {loop.place}" if loop.place else ""
    lines = [
        f"{loop.issue} in {violation.function}, loop {loop.name}{place}{cause}{distance}, II {_number(loop.interval)}"
    ]
    if violation.statements:
        lines.append(f"  statements: {', '.join(violation.statements)}")
    if violation.arrays:
        lines.append(f"  arrays: {', '.join(violation.arrays)}")
    if violation.said:
        lines.append(f"  log: {violation.said}")
    lines.append(f"  hint: {violation.hint}")
    return lines


def comparison_data(found: Comparison) -> dict[str, Any]:
    """The same for machines."""
    told = found.synthesis
    return {
        "report": None if told is None else str(told.path),
        **{name: getattr(told, name, None) for name in ("version", "top", "part", "clock_ns", "estimated_ns")},
        "figures": _figures(found.rows),
        "violations": [asdict(violation) for violation in found.violations],
        "implementation": None
        if found.implementation is None
        else {
            "resources": found.implementation.resources,
            "slack_ns": found.implementation.slack_ns,
            "figures": _figures(found.implemented),
        },
        "notes": list(found.notes),
    }


def _figures(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [asdict(row) | {"ratio": row.ratio} for row in rows]
