"""What was chosen and why, as data and as text; decides and prints nothing."""

from sisyphus.report.board import device_data, device_text, devices_text, solvers_text
from sisyphus.report.data import built_data, design_data, interface_data, point_data, run_data, verdict_data
from sisyphus.report.design_difference import DesignDifference, difference_of
from sisyphus.report.designs import front_data, top_data
from sisyphus.report.evidence import register_markdown
from sisyphus.report.explanation import Explanation, explanation_data, explanation_text
from sisyphus.report.facts import Facts, Front, Moment, Rated, Remembered
from sisyphus.report.kernel_text import kernel_text
from sisyphus.report.page import fragment, front_picture, page
from sisyphus.report.text import estimate_text, progress_text, report_markdown, summary_text, verdict_text
from sisyphus.report.units import designs_of_units, slowest_unit, units_page

__all__ = [
    "DesignDifference",
    "Explanation",
    "Facts",
    "Front",
    "Moment",
    "Rated",
    "Remembered",
    "built_data",
    "design_data",
    "designs_of_units",
    "device_data",
    "device_text",
    "devices_text",
    "difference_of",
    "estimate_text",
    "explanation_data",
    "explanation_text",
    "fragment",
    "front_data",
    "front_picture",
    "interface_data",
    "kernel_text",
    "page",
    "point_data",
    "progress_text",
    "register_markdown",
    "report_markdown",
    "run_data",
    "slowest_unit",
    "solvers_text",
    "summary_text",
    "top_data",
    "units_page",
    "verdict_data",
    "verdict_text",
]
