"""When a search has to end; knows nothing else."""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Deadline:
    """A time of time.monotonic, if there is one."""

    at: float | None = None

    @property
    def is_over(self) -> bool:
        return self.at is not None and time.monotonic() > self.at
