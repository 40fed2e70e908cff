"""Amounts of everything a design takes and a chip has, as one vector over kinds; knows no device and no design."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import floor

from sisyphus.values import dataclass, fields, replace

BRAM18K_BYTES = 18 * 1024 // 8
URAM_BYTES = 288 * 1024 // 8


@dataclass(frozen=True)
class Kind:
    """One axis of the vector: its field, the option that orders it, its unit and its title in tables."""

    name: str
    option: str
    unit: str
    title: str


KINDS = (
    Kind("dsp", "--dsp", "DSPs", "DSP"),
    Kind("onchip_bytes", "--mem", "bytes on chip", "on-chip bytes"),
    Kind("bram18k", "--bram", "BRAM18 blocks", "BRAM18"),
    Kind("uram", "--uram", "URAM blocks", "URAM"),
    Kind("lut", "--lut", "LUTs", "LUT"),
    Kind("ff", "--ff", "flip-flops", "FF"),
)


@dataclass(frozen=True)
class Resources:
    """How much there is, may be used or is used of each kind; `onchip_bytes` is the sum over all on-chip buffers.

    One value stands for one place: a chip, a user region, an SLR, or all calls of a step.
    """

    dsp: int
    bram18k: int
    uram: int
    lut: int
    ff: int
    onchip_bytes: int

    @staticmethod
    def of_blocks(*, dsp: int, bram18k: int, uram: int, lut: int, ff: int) -> Resources:
        """Of a place: all bytes of its block RAMs and UltraRAMs, parity bits included, are its bytes on chip."""
        return Resources(dsp, bram18k, uram, lut, ff, bram18k * BRAM18K_BYTES + uram * URAM_BYTES)

    @staticmethod
    def total(places: Iterable[Resources]) -> Resources:
        """What several places have together."""
        rows = [place.amounts() for place in places]
        return Resources(**{f.name: sum(row[f.name] for row in rows) for f in fields(Resources)})

    @staticmethod
    def least(places: Iterable[Resources]) -> Resources:
        """What each of several places has."""
        rows = [place.amounts() for place in places]
        return Resources(**{f.name: min(row[f.name] for row in rows) for f in fields(Resources)})

    def amounts(self) -> dict[str, int]:
        """By the names of the fields."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def with_amounts(self, amounts: Mapping[str, int]) -> Resources:
        """The same with other amounts of some kinds."""
        return replace(self, **amounts)

    def within(self, shares: Mapping[str, Fraction]) -> Resources:
        """At most these shares of each kind, rounded down; bytes follow from the blocks."""
        return Resources.of_blocks(
            **{
                name: floor(amount * shares.get(name, 1))
                for name, amount in self.amounts().items()
                if name != "onchip_bytes"
            }
        )

    def exceeded_by(self, used: Mapping[str, int]) -> dict[str, float]:
        """By how much each exceeded kind is exceeded, as a ratio above 1."""
        over = {}
        for name, amount in used.items():
            limit = getattr(self, name)
            if amount > limit:
                over[name] = amount / max(limit, 1)
        return over

    def left_by(self, used: Mapping[str, int]) -> dict[str, int]:
        """What is left of each kind that is used, less than nothing where it is exceeded."""
        return {name: getattr(self, name) - amount for name, amount in used.items()}

    def fullest(self, used: Mapping[str, int]) -> float:
        """The largest share of a kind that is used."""
        limits = {name: getattr(self, name) for name in used}
        return max((used[name] / limit for name, limit in limits.items() if limit), default=0.0)


@dataclass(frozen=True)
class Budget:
    """The limit of one amount over steps: nests of a group, by name, hold what they use at the same time.

    What is used has several kinds, as DSP slices go into multipliers and adders: the sum over kinds of the largest
    group counts, where a group takes the sum of its nests. The last kind is what nests never share: of that, all groups
    together count. What arrays take for the whole kernel comes on top, and for each kind `sharing` times what two
    groups share at least, and `lone` times what one of them has more.
    """

    name: str
    limit: float
    groups: tuple[tuple[str, ...], ...]
    sharing: tuple[float, ...] = ()
    lone: tuple[float, ...] = ()
