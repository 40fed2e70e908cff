"""When a search has to end; knows nothing else."""

from __future__ import annotations

from sisyphus import clock
from sisyphus.values import dataclass


@dataclass
class Deadline:
    """A time of the search's clock, if there is one; all that ends by it is put off with it."""

    at: float | None = None

    @property
    def is_over(self) -> bool:
        return self.at is not None and clock.now() > self.at

    def after(self, share: float) -> Deadline:
        """Of such a share of the time that is left now."""
        return self if self.at is None else Deadline(clock.now() + share * (self.at - clock.now()))
