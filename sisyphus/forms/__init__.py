"""Other forms of a kernel that are proved to be the same program: other orders of its instances."""

from sisyphus.forms.blocks import in_blocks
from sisyphus.forms.latches import latched
from sisyphus.forms.proposals import SHORTER, Proposal, proposals, steps_of
from sisyphus.forms.rewrites import BLOCKS, INSIDE, LATCH, PRIVATE, SCHEDULE, ScheduleError, rewritten, scheduled

__all__ = [
    "BLOCKS",
    "INSIDE",
    "LATCH",
    "PRIVATE",
    "SCHEDULE",
    "SHORTER",
    "Proposal",
    "ScheduleError",
    "in_blocks",
    "latched",
    "proposals",
    "rewritten",
    "scheduled",
    "steps_of",
]
