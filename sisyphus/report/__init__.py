"""What was chosen and why, as data and as text; decides and prints nothing."""

from sisyphus.report.data import design_data, run_data, verdict_data
from sisyphus.report.facts import Facts
from sisyphus.report.kernel import kernel_text
from sisyphus.report.text import estimate_text, progress_text, report_markdown, summary_text, verdict_text

__all__ = [
    "Facts",
    "design_data",
    "estimate_text",
    "kernel_text",
    "progress_text",
    "report_markdown",
    "run_data",
    "summary_text",
    "verdict_data",
    "verdict_text",
]
