"""What was chosen and why, as data and as text; decides and prints nothing."""

from sisyphus.report.data import design_data, estimate_data, run_data
from sisyphus.report.kernel import kernel_text
from sisyphus.report.text import report_markdown, summary_text

__all__ = ["design_data", "estimate_data", "kernel_text", "report_markdown", "run_data", "summary_text"]
