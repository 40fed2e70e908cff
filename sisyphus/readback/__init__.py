"""What vendor tools reported of a design, beside what was predicted of it."""

from sisyphus.readback.csynth import read_csynth
from sisyphus.readback.deviations import Comparison, compare, predicted_of
from sisyphus.readback.find import find_reports
from sisyphus.readback.show import comparison_data, comparison_text

__all__ = [
    "Comparison",
    "compare",
    "comparison_data",
    "comparison_text",
    "find_reports",
    "predicted_of",
    "read_csynth",
]
