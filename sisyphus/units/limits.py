"""The limit of time or of work of many searches, handed out in parts of what is left; knows no search."""

from __future__ import annotations

import time

from sisyphus.solve import Limits
from sisyphus.values import replace

#: Seconds that a search has at least.
LEAST_S = 1.0
#: The share of a limit that is worth another search.
WORTH_IT = 0.03


class Purse:
    """What several searches may take together: seconds of the wall or, where that is limited, work.

    Of work each search is taken to do all that it may, however soon it ended or was remembered: what it finds shall be
    the same then.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits, self._begun, self._spent = limits, time.monotonic(), 0.0

    @property
    def _whole(self) -> float | None:
        return self.limits.seconds if self.limits.effort is None else self.limits.effort

    @property
    def _left(self) -> float | None:
        if self._whole is None:
            return None
        spent = self._spent if self.limits.effort is not None else time.monotonic() - self._begun
        return max(self._whole - spent, 0.0)

    @property
    def is_empty(self) -> bool:
        """Whether what was found has to do."""
        return self._left is not None and self._whole is not None and self._left < WORTH_IT * self._whole

    def part(self, share: float) -> Limits:
        """The limits of the next search, or of the next searches: a share of what is left, from 0 to 1."""
        left = self._left
        if left is None:
            return self.limits
        if self.limits.effort is None:
            return replace(self.limits, seconds=max(share * left, LEAST_S))
        self._spent += share * left
        return replace(self.limits, effort=max(share * left, WORTH_IT * self.limits.effort))
