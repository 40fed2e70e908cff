"""What vendor tools reported of a design, beside what was predicted of it."""

from sisyphus.readback.csynth import Synthesis, read_csynth
from sisyphus.readback.deviations import Comparison, Row, Violation, compare, predicted_of
from sisyphus.readback.find import Reports, find_reports
from sisyphus.readback.show import comparison_data, comparison_text

__all__ = [
    "Comparison",
    "Reports",
    "Row",
    "Synthesis",
    "Violation",
    "compare",
    "comparison_data",
    "comparison_text",
    "find_reports",
    "predicted_of",
    "read_csynth",
]
