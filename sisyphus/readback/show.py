"""A comparison as text for people and as data for machines; compares nothing."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sisyphus.readback.deviations import Comparison, Row, Violation


def comparison_text(found: Comparison) -> str:
    """A table of figures, then what could not be met."""
    told = found.synthesis
    clock = "" if told.clock_ns is None else f", {told.clock_ns:g} ns asked"
    reached = "" if told.estimated_ns is None else f", {told.estimated_ns:g} ns estimated"
    lines = [f"{told.top} on {told.part or 'an unknown part'}: Vitis HLS {told.version or '?'}{clock}{reached}", ""]
    width = max(len(row.what) for row in found.rows)
    lines.append(f"{'':{width}s}  {'predicted':>12s}  {'reported':>12s}  {'reported / predicted':>20s}")
    lines += [_line(row, width) for row in found.rows]
    if found.implementation is not None:
        lines += ["", "implemented (Vivado)"]
        lines += [f"  {name:8s} {amount:,}" for name, amount in found.implementation.resources.items()]
        if found.implementation.slack_ns is not None:
            lines.append(f"  worst slack {found.implementation.slack_ns:g} ns")
    for violation in found.violations:
        lines += ["", *_violation_lines(violation)]
    lines += ["", *(f"note: {note}" for note in found.notes)] if found.notes else []
    return "\n".join(lines)


def _line(row: Row, width: int) -> str:
    ratio = "" if row.ratio is None else f"{row.ratio:.3f}"
    mark = "  <-" if row.ratio is not None and abs(row.ratio - 1) > 0.1 else ""
    return f"{row.what:{width}s}  {_number(row.predicted):>12s}  {_number(row.reported):>12s}  {ratio:>20s}{mark}"


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
    lines.append(f"  hint: {violation.hint}")
    return lines


def comparison_data(found: Comparison) -> dict[str, Any]:
    """The same for machines."""
    told = found.synthesis
    return {
        "report": str(told.path),
        "version": told.version,
        "top": told.top,
        "part": told.part,
        "clock_ns": told.clock_ns,
        "estimated_ns": told.estimated_ns,
        "figures": [asdict(row) | {"ratio": row.ratio} for row in found.rows],
        "violations": [asdict(violation) for violation in found.violations],
        "implementation": None
        if found.implementation is None
        else {"resources": found.implementation.resources, "slack_ns": found.implementation.slack_ns},
        "notes": list(found.notes),
    }
