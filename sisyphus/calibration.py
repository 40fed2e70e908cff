"""What reports of Vitis said of designs that were predicted, kept for the user: budgets are tightened by it.

Where a report has more of a resource than was predicted, by some ratio, designs for the same part are searched within
the budget divided by that ratio: what is then predicted to fit does fit, as far as the ratio holds. A ratio below 1
loosens nothing. Initiation intervals that were missed are not fed back: no rule is known that would say where else.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sisyphus.errors import UsageError
from sisyphus.files import write_file
from sisyphus.settings import user_calibration
from sisyphus.target import KINDS, Target

if TYPE_CHECKING:
    from sisyphus.readback import Comparison

#: Kinds of which a report says how much there is.
REPORTED = ("dsp", "bram18k", "uram", "lut", "ff")
#: Less than this share of a budget says nothing about larger designs: what every design has weighs too much in it.
LEAST_SHARE = 0.02


@dataclass(frozen=True)
class Measured:
    """Of one design: reported over predicted amounts, by kind."""

    kernel: str
    part: str
    version: str
    ratios: dict[str, float]


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
            rows = tuple(Measured(**row) for row in json.loads(path.read_text(encoding="utf-8")))
            if not all(isinstance(ratio, float | int) and ratio > 0 for row in rows for ratio in row.ratios.values()):
                raise ValueError("a ratio is no positive number")
        except (OSError, ValueError, TypeError, AttributeError) as wrong:
            raise UsageError(
                f"{path}: no calibration: {wrong}", hint="remove it, and read reports back again"
            ) from wrong
        return Calibration(path, rows)

    def with_row(self, row: Measured) -> Calibration:
        """With a design measured again where it was before."""
        others = (r for r in self.rows if (r.kernel, r.part, r.version) != (row.kernel, row.part, row.version))
        return replace(self, rows=(*others, row))

    def save(self) -> None:
        """Writes the file whole."""
        write_file(self.path, json.dumps([asdict(row) for row in self.rows], indent=2) + "\n")

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
    """What a report says beside the prediction, of the kinds that the design takes a fair share of."""
    ratios = {
        row.what: round(row.ratio, 4)
        for row in found.rows
        if row.what in REPORTED and row.ratio and (row.predicted or 0) >= LEAST_SHARE * getattr(target.budget, row.what)
    }
    if not ratios:
        raise UsageError("the report has no resource to compare", hint="run `make csynth` in the folder first")
    return Measured(found.synthesis.top, target.device.part, found.synthesis.version or "?", ratios)


def missed(found: Comparison) -> Sequence[str]:
    """The loops whose initiation interval was missed, which calibration does not know how to use."""
    return [f"{v.function}, loop {v.loop.name}: II {v.loop.interval}" for v in found.violations]
