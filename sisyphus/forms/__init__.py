"""Other forms of a kernel that are proved to be the same program: other orders of its instances."""

from sisyphus.forms.batches import in_batches, independent, shared_windows, to_be_batched
from sisyphus.forms.blocks import in_blocks
from sisyphus.forms.finished import finished_apart
from sisyphus.forms.forwarding import forwarded
from sisyphus.forms.fused import fused
from sisyphus.forms.gathered import gathered
from sisyphus.forms.in_place import in_place
from sisyphus.forms.inlined import inlined
from sisyphus.forms.inner_orders import proposals_inside
from sisyphus.forms.interiors import interiors_apart
from sisyphus.forms.latches import elsewhere, latched
from sisyphus.forms.line_blocks import in_line_blocks, making_lines
from sisyphus.forms.lines import elements_of, size_of_blocks
from sisyphus.forms.local_blocks import rows_passed_on
from sisyphus.forms.long_rows import in_long_rows, worth_long_rows
from sisyphus.forms.ordered_strips import order_in_strips
from sisyphus.forms.panels import in_panels, sizes_of_panels
from sisyphus.forms.pivots import sizes_of_blocks, with_pivots
from sisyphus.forms.proposals import INNER, SHORTER, proposals, schedule_text, steps_of
from sisyphus.forms.rewrites import (
    BATCHES,
    BLOCKS,
    BY_CASES,
    CASES,
    COALESCED,
    FINISHED,
    FORWARD,
    FORWARD_ELEMENTS,
    FUSED,
    GATHERED,
    HISTORY,
    IN_PLACE,
    INLINED,
    INSIDE,
    INSIDE_OF,
    INTERIORS,
    LATCH,
    LINE_BLOCKS,
    LOCAL_BLOCKS,
    LONG_ROWS,
    MARGINS,
    PANELS,
    PIVOT_BLOCKS,
    PIVOTS,
    PRIVATE,
    REWRITES,
    ROUNDS,
    ROW_HISTORY,
    SCHEDULE,
    SHADOW,
    SHIFTED,
    SHIFTED_STRIPS,
    STRIPED,
    STRIPS,
    SUCCESSIVE,
    SUMS_APART,
    SUMS_WRITTEN_OUT,
    TABLE_TILES,
    TOGETHER,
    TURNS,
    UNTILED,
    WEBS_APART,
    WRITTEN_OUT,
    ScheduleError,
    rewritten,
    scheduled,
)
from sisyphus.forms.shadows import shadowed
from sisyphus.forms.shifted import ROWS_BETWEEN, shifted
from sisyphus.forms.sinking import free_loops, sunk
from sisyphus.forms.strips import Steps, Strips, steps_of_rows
from sisyphus.forms.successive import successive
from sisyphus.forms.sums_apart import sums_apart
from sisyphus.forms.table_tiles import in_table_tiles, sizes_of_tiles
from sisyphus.forms.together import computed_together
from sisyphus.forms.untiled import in_tiles, untiled
from sisyphus.forms.webs_apart import arrays_with_webs
from sisyphus.forms.written_out import cases_apart, sums_written_out, turns_apart, written_out

__all__ = [
    "BATCHES",
    "BLOCKS",
    "BY_CASES",
    "CASES",
    "COALESCED",
    "FINISHED",
    "FORWARD",
    "FORWARD_ELEMENTS",
    "FUSED",
    "GATHERED",
    "HISTORY",
    "INLINED",
    "INNER",
    "INSIDE",
    "INSIDE_OF",
    "INTERIORS",
    "IN_PLACE",
    "LATCH",
    "LINE_BLOCKS",
    "LOCAL_BLOCKS",
    "LONG_ROWS",
    "MARGINS",
    "PANELS",
    "PIVOTS",
    "PIVOT_BLOCKS",
    "PRIVATE",
    "REWRITES",
    "ROUNDS",
    "ROWS_BETWEEN",
    "ROW_HISTORY",
    "SCHEDULE",
    "SHADOW",
    "SHIFTED",
    "SHIFTED_STRIPS",
    "SHORTER",
    "STRIPED",
    "STRIPS",
    "SUCCESSIVE",
    "SUMS_APART",
    "SUMS_WRITTEN_OUT",
    "TABLE_TILES",
    "TOGETHER",
    "TURNS",
    "UNTILED",
    "WEBS_APART",
    "WRITTEN_OUT",
    "ScheduleError",
    "Steps",
    "Strips",
    "arrays_with_webs",
    "cases_apart",
    "computed_together",
    "elements_of",
    "elsewhere",
    "finished_apart",
    "forwarded",
    "free_loops",
    "fused",
    "gathered",
    "in_batches",
    "in_blocks",
    "in_line_blocks",
    "in_long_rows",
    "in_panels",
    "in_place",
    "in_table_tiles",
    "in_tiles",
    "independent",
    "inlined",
    "interiors_apart",
    "latched",
    "making_lines",
    "order_in_strips",
    "proposals",
    "proposals_inside",
    "rewritten",
    "rows_passed_on",
    "schedule_text",
    "scheduled",
    "shadowed",
    "shared_windows",
    "shifted",
    "size_of_blocks",
    "sizes_of_blocks",
    "sizes_of_panels",
    "sizes_of_tiles",
    "steps_of",
    "steps_of_rows",
    "successive",
    "sums_apart",
    "sums_written_out",
    "sunk",
    "to_be_batched",
    "turns_apart",
    "untiled",
    "with_pivots",
    "worth_long_rows",
    "written_out",
]
