"""Other forms of a kernel that are proved to be the same program: other orders of its instances."""

from sisyphus.forms.latches import latched
from sisyphus.forms.proposals import SHORTER, Proposal, proposals, steps_of
from sisyphus.forms.rewrites import INSIDE, LATCH, PRIVATE, SCHEDULE, ScheduleError, rewritten, scheduled

__all__ = [
    "INSIDE",
    "LATCH",
    "PRIVATE",
    "SCHEDULE",
    "SHORTER",
    "Proposal",
    "ScheduleError",
    "latched",
    "proposals",
    "rewritten",
    "scheduled",
    "steps_of",
]
