"""Other forms of a kernel that are proved to be the same program: other orders of its instances."""

from sisyphus.forms.blocks import in_blocks
from sisyphus.forms.latches import latched
from sisyphus.forms.proposals import SHORTER, Proposal, proposals, steps_of
from sisyphus.forms.rewrites import (
    BLOCKS,
    INSIDE,
    LATCH,
    PRIVATE,
    SCHEDULE,
    STRIPS,
    ScheduleError,
    rewritten,
    scheduled,
)
from sisyphus.forms.strips import Strips, steps_of_rows

__all__ = [
    "BLOCKS",
    "INSIDE",
    "LATCH",
    "PRIVATE",
    "SCHEDULE",
    "SHORTER",
    "STRIPS",
    "Proposal",
    "ScheduleError",
    "Strips",
    "in_blocks",
    "latched",
    "proposals",
    "rewritten",
    "scheduled",
    "steps_of",
    "steps_of_rows",
]
