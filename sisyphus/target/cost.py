"""The figures that tables answer with; knows no table."""

from __future__ import annotations

from sisyphus.values import dataclass


@dataclass(frozen=True, slots=True)
class OpCost:
    """One operator: cycles from its start to the start of what depends on it (0: combinational), cycles between
    starts, area as the synthesis report counts it, whether a report had exactly this, and where it comes from.

    `bram18k`: only a large table has block memories.
    """

    latency: int
    ii: int
    dsp: int
    ff: int
    lut: int
    measured: bool
    source: str
    bram18k: int = 0


@dataclass(frozen=True, slots=True)
class BankCost:
    """One memory, FIFO or adapter as the synthesis report counts it, and whether a report had exactly this."""

    bram18k: int
    uram: int
    lut: int
    ff: int
    measured: bool

    def times(self, count: int) -> BankCost:
        """So many of them."""
        return BankCost(self.bram18k * count, self.uram * count, self.lut * count, self.ff * count, self.measured)
