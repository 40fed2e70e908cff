"""Which cyclic factors of a dimension serve what nests unroll and what a port moves; knows no cost.

Two rules, by `whole_beats`: the paper's (a factor is a multiple of every unroll factor and of the beat, equations 13 to
15), and the measured one (a beat need only find a free port for each of its elements; a bank for every element serves
whatever is asked).
"""

from __future__ import annotations

from functools import cache

from sisyphus.space.ports import MAX_BEAT_BITS, beats_up_to
from sisyphus.values import dataclass

#: Elements of one bank that may be moved in one cycle (docs/model.md).
PORTS_PER_BANK = 2


@dataclass(frozen=True)
class Factors:
    """The legal factors of one dimension of an array, smallest first, and its extent.

    `port` are the elements in the widest beat of one port: wider ones are dealt over several.
    """

    legal: tuple[int, ...]
    extent: int
    whole_beats: bool = False
    port: int = MAX_BEAT_BITS

    def serves(self, factor: int, *, copies: int = 1, width: int = 1) -> bool:
        """Whether `copies` unrolled accesses, and the `width` elements of a beat, each get a port in every cycle.

        Beats run along the last dimension: in any other, `width` is 1. What several ports move goes to as many groups
        of banks.
        """
        if self.whole_beats:
            return factor % copies == 0 and factor % width == 0
        lanes, ports = min(width, self.extent), -(-width // self.port)
        in_turn = factor % copies == 0 and factor % ports == 0
        return self.is_complete(factor) or (in_turn and lanes <= PORTS_PER_BANK * factor)

    def is_complete(self, factor: int) -> bool:
        """A bank for every element, which serves everything."""
        return factor >= self.extent and not self.whole_beats

    def serving(self, *, copies: int = 1, width: int = 1) -> tuple[int, ...]:
        """The legal factors that serve."""
        return tuple(f for f in self.legal if self.serves(f, copies=copies, width=width))

    def smallest(self, *, copies: int = 1, width: int = 1) -> int | None:
        """The smallest legal factor that serves, if any does."""
        return _smallest(self, copies, width)


@cache
def _smallest(factors: Factors, copies: int, width: int) -> int | None:
    return next((f for f in factors.legal if factors.serves(f, copies=copies, width=width)), None)


def other_factors(extent: int, limit: int, *, beat: int, whole_beats: bool) -> frozenset[int]:
    """Legal factors for beats of up to so many elements, and a bank for every element if `limit` are enough."""
    powers = frozenset(beats_up_to(beat))
    if whole_beats:
        return frozenset(w for w in powers if extent % w == 0)
    return frozenset(f for f in (*powers, extent) if f <= limit)
