"""How outputs are divided: in slabs of a dimension, whole, or as parts of a sum; knows no statement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sisyphus.analysis.sums import Sum
from sisyphus.ir import ArrayId
from sisyphus.values import dataclass


@dataclass(frozen=True)
class Slab:
    """How an output is delivered: in slabs of dimension `dim`; None: whole, by one unit.

    It has `extent` places, which begin with element `low` of that dimension: those that are written.
    """

    array: ArrayId
    dim: int | None
    extent: int = 1
    low: int = 0

    def range(self, low: int, high: int, of: int) -> range:
        """The elements of places `low..high` out of `of`, in proportion."""
        return range(self.low + low * self.extent // of, self.low + high * self.extent // of)

    def __str__(self) -> str:
        return f"{self.array} whole" if self.dim is None else f"{self.array} by dimension {self.dim}"


@dataclass(frozen=True)
class Dealing:
    """A way to deal all outputs. Shares are counted in places of the first one, of which every output has its part.

    `apart`: the places of one output follow those of the one before, so that units deliver one output each, or a slab
    of one, where the bounds of shares are those of outputs. `added`: the first output is whole in every unit, and the
    places are those of a loop of which each runs a part; results are added.
    """

    slabs: tuple[Slab, ...]
    apart: bool = False
    added: Sum | None = None

    @property
    def name(self) -> str:
        """As people say it: the first output and its dimension, or those of all; the loop that adds to it."""
        if self.added is not None:
            return f"{self.added.array} over {self.added.loop}"
        named = self.slabs if self.apart else self.slabs[:1]
        return " | ".join(f"{slab.array}.{slab.dim}" for slab in named)

    def __str__(self) -> str:
        first, *others = map(str, self.slabs)
        if self.added is not None:
            first = f"{self.added.array} added up over {self.added.loop} of {self.added.statement}"
        return (" | " if self.apart else ", ").join([first, *others])

    @staticmethod
    def of_json(told: Mapping[str, Any]) -> Dealing:
        """From what `asdict` makes of one."""
        slabs = (Slab(ArrayId(s["array"]), s["dim"], int(s["extent"]), int(s.get("low", 0))) for s in told["slabs"])
        added = None if told["added"] is None else Sum.of_json(told["added"])
        return Dealing(tuple(slabs), apart=bool(told["apart"]), added=added)

    @property
    def extent(self) -> int:
        return sum(self.stretches)

    @property
    def stretches(self) -> tuple[int, ...]:
        """The places of outputs that are dealt apart, or those of all outputs together."""
        return tuple(slab.extent for slab in self.slabs) if self.apart else (self.slabs[0].extent,)

    def places(self, low: int, high: int) -> Iterator[tuple[Slab, range]]:
        """The elements of each output that belong to places `low` to `high`: in its dimension; of one that is whole,
        one, at the first place.
        """
        begin = 0
        for slab in self.slabs:
            if self.added is not None and slab is self.slabs[0]:
                found = range(low, high)
            elif self.apart:
                own = (min(max(place - begin, 0), slab.extent) for place in (low, high))
                found = range(*(slab.low + place for place in own))
                begin += slab.extent
            else:
                found = range(low == 0) if slab.dim is None else slab.range(low, high, self.extent)
            yield slab, found

    def widened(self, low: int, high: int, width: int) -> Iterator[tuple[Slab, range]]:
        """The same with as much of each output as so many places may have, by places beside its own.

        Of what is added up no place is run twice, and what is whole is delivered by one unit.
        """
        for slab, own in self.places(low, high):
            most = width if self.apart else -(-width * slab.extent // self.extent)
            start = max(min(own.start, own.stop - most), slab.low)
            fixed = not own or slab.dim is None or self.added is not None
            yield slab, own if fixed else range(start, max(own.stop, min(start + most, slab.low + slab.extent)))
