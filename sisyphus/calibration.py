"""What reports of Vitis said of designs that were predicted, kept for the user: searches heed it.

Where a report has more of a resource than was predicted, by some ratio, designs for the same part are searched within
the budget divided by that ratio: what is then predicted to fit does fit, as far as the ratio holds. A ratio below 1
loosens nothing. Where a loop of a kernel starts less often than was predicted, the rule for that kernel, those
statements and that pipelined loop is corrected: it starts no more often, whatever its tile.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sisyphus.errors import UsageError
from sisyphus.files import write_file
from sisyphus.settings import user_calibration
from sisyphus.target import KINDS, MeasuredInterval, Target
from sisyphus.values import asdict, dataclass, replace

if TYPE_CHECKING:
    from sisyphus.readback import Comparison

#: Kinds of which a report says how much there is.
REPORTED = ("dsp", "bram18k", "uram", "lut", "ff")
#: Less than this share of a budget says nothing about larger designs: what every design has weighs too much in it.
LEAST_SHARE = 0.02


@dataclass(frozen=True)
class Measured:
    """Of one kernel: reported over predicted amounts by kind, of its last design, and intervals of all its designs."""

    kernel: str
    part: str
    version: str
    ratios: dict[str, float]
    intervals: tuple[MeasuredInterval, ...] = ()

    @staticmethod
    def of(told: Mapping[str, Any]) -> Measured:
        """As it was saved; `ValueError`, `TypeError` or `KeyError` where it is none."""
        intervals = tuple(MeasuredInterval.of(interval) for interval in told.get("intervals", ()))
        found = Measured(**{**told, "intervals": intervals})
        if not all(isinstance(ratio, float | int) and ratio > 0 for ratio in found.ratios.values()):
            raise ValueError("a ratio is no positive number")
        return found

    def after(self, before: Measured) -> Measured:
        """With what was measured before of loops of which nothing is said now."""
        known = {(i.statements, i.loop): i for i in (*before.intervals, *self.intervals)}
        return replace(self, intervals=tuple(known.values()))


@dataclass(frozen=True)
class Calibration:
    """Everything measured so far, in a file."""

    path: Path
    rows: tuple[Measured, ...] = ()

    @staticmethod
    def of_user() -> Calibration:
        """The user's file; `UsageError` where it is not as it was written."""
        path = user_calibration()
        if not path.is_file():
            return Calibration(path)
        try:
            rows = tuple(Measured.of(row) for row in json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as wrong:
            raise UsageError(
                f"{path}: no calibration: {wrong}", hint="remove it, and read reports back again"
            ) from wrong
        return Calibration(path, rows)

    def with_row(self, row: Measured) -> Calibration:
        """With a kernel measured again where it was before."""
        others = []
        for known in self.rows:
            if (known.kernel, known.part, known.version) == (row.kernel, row.part, row.version):
                row = row.after(known)
            else:
                others.append(known)
        return replace(self, rows=(*others, row))

    def save(self) -> None:
        """Writes the file whole."""
        write_file(self.path, json.dumps([asdict(row) for row in self.rows], indent=2) + "\n")

    def corrected(self, target: Target, kernel: str) -> tuple[Target, tuple[str, ...]]:
        """The target with what reports for its part said of loops of the kernel, and notes on them."""
        rows = [row for row in self.rows if (row.kernel, row.part) == (kernel, target.device.part)]
        found = tuple(interval for row in rows for interval in row.intervals)
        notes = (
            f"calibration: with `{i.loop}` pipelined, {', '.join(i.statements)} cannot start before {i.cycles} cycles "
            f"have passed, as Vitis {i.version} reported"
            for i in found
        )
        return replace(target, measured=found), tuple(notes)

    def tightened(self, target: Target) -> tuple[Target, tuple[str, ...]]:
        """The target with smaller budgets where its part was predicted to take less than it took, and notes on them."""
        rows = [row for row in self.rows if row.part == target.device.part]
        amounts, notes = dict[str, int](), list[str]()
        for kind in KINDS:
            worst = max(rows, key=lambda row: row.ratios.get(kind.name, 0.0), default=None)
            ratio = 0.0 if worst is None else worst.ratios.get(kind.name, 0.0)
            if worst is not None and ratio > 1:
                budget = getattr(target.budget, kind.name)
                amounts[kind.name] = int(budget / ratio)
                notes.append(
                    f"calibration: {kind.title} within {amounts[kind.name]:,}, not {budget:,}: `{worst.kernel}` took "
                    f"{ratio:.2f}x what was predicted (Vitis {worst.version})"
                )
        return replace(target, budget=target.budget.with_amounts(amounts)), tuple(notes)


def measured_of(found: Comparison, target: Target) -> Measured:
    """What a report says beside the prediction: kinds that the design takes a fair share of, loops that start later.

    Loops of which a report was known already are kept as they are now.
    """
    ratios = {
        row.what: round(row.ratio, 4)
        for row in found.rows
        if row.what in REPORTED and row.ratio and (row.predicted or 0) >= LEAST_SHARE * getattr(target.budget, row.what)
    }
    known = {(interval.statements, interval.loop) for interval in target.measured}
    intervals = tuple(
        pace.measured
        for pace in found.paces
        if pace.measured.cycles > pace.predicted or (pace.measured.statements, pace.measured.loop) in known
    )
    if found.synthesis is None or (not ratios and not intervals):
        raise UsageError(
            "the report has no resource and no loop to compare", hint="run `make csynth` in the folder first"
        )
    return Measured(found.synthesis.top, target.device.part, found.synthesis.version or "?", ratios, intervals)


def missed(found: Comparison) -> Sequence[str]:
    """The loops whose initiation interval was missed and of which no rule is corrected."""
    fed_back = {(pace.function, pace.name) for pace in found.paces}
    return [
        f"{v.function}, loop {v.loop.name}: II {v.loop.interval}"
        for v in found.violations
        if (v.function, v.loop.name) not in fed_back
    ]
