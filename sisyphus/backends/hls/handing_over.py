"""What units of one phase hand over to those of later ones, on the board: boxes of arrays, and how they are copied.

The host only says which bytes go where (`xrt::bo::copy`); it never holds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from sisyphus.algebra import EXACT
from sisyphus.analysis import Box
from sisyphus.backends.hls.testbench import pitch
from sisyphus.backends.hls.unit_programs import UnitProgram
from sisyphus.ir import ArrayId
from sisyphus.plan import Port, bursts_of
from sisyphus.values import dataclass

HAND_OVER = r"""
#include <vector>

namespace {

// Where an array of the board lies: over how many buffers its elements are dealt in turn, elements of a row and from
// one row to the next.
struct Placed {
    std::vector<xrt::bo *> buffers;
    std::size_t last, padded;
    std::size_t buffer(std::size_t at) const { return at % buffers.size(); }
    std::size_t inside(std::size_t at) const { return at / buffers.size(); }
};

// Copies a box of an array to a box of another one, on the board, in as few runs as lie together in both. Where rows
// are whole in both, the padding between them goes along.
void hand_over(const Placed &from, const Slab &taken, const Placed &to, const Slab &given, std::size_t bytes) {
    struct Run {
        std::size_t from = 0, to = 0, count = 0;
    };
    const std::size_t inner = taken.dimensions ? taken.extents[taken.dimensions - 1] : 1;
    const bool rows = inner == from.last && inner == to.last && from.padded == to.padded;
    const std::size_t gap = rows ? from.padded - from.last : 0;
    std::vector<Run> open(from.buffers.size() * to.buffers.size());
    const auto copy = [&](std::size_t pair) {
        const Run &run = open[pair];
        if (run.count == 0) return;
        to.buffers[pair % to.buffers.size()]->copy(*from.buffers[pair / to.buffers.size()], run.count * bytes,
                                                    run.from * bytes, run.to * bytes);
    };
    for (std::size_t n = 0; n < taken.count(); ++n) {
        const std::size_t source = place(taken.at(n), from.last, from.padded);
        const std::size_t sink = place(given.at(n), to.last, to.padded);
        const std::size_t pair = from.buffer(source) * to.buffers.size() + to.buffer(sink);
        const std::size_t here = from.inside(source), there = to.inside(sink);
        Run &run = open[pair];
        const std::size_t next = here - run.from;
        if (run.count && next == there - run.to && next <= run.count + gap) {
            run.count = next + 1;
            continue;
        }
        copy(pair);
        run.from = here, run.to = there, run.count = 1;
    }
    for (std::size_t pair = 0; pair < open.size(); ++pair) copy(pair);
}

}  // namespace
""".strip()


@dataclass(frozen=True, eq=False)
class Handing:
    """A box of an array, in the places of the source, that unit `source` delivers to unit `sink` of a later phase."""

    source: int
    sink: int
    taken: Port
    given: Port
    box: Box

    @property
    def name(self) -> str:
        return f"{self.source}_{self.sink}_{self.given.name}"

    @property
    def bytes(self) -> int:
        return prod(high - low + 1 for low, high in self.box) * self.taken.type.bytes

    @property
    def runs(self) -> int:
        """How many copies it takes: runs of memory that lie together on both sides, in each stripe.

        Where stripes are others, each element is taken for one.
        """
        extents = [high - low + 1 for low, high in self.box]
        if self.taken.stripes != self.given.stripes:
            return prod(extents)
        pairs = list(zip(self.taken.extents, self.given.extents, strict=True))
        never = 1 + prod(extents)
        whole = [one if one == other else never for one, other in pairs]
        if whole and pitch(self.taken) != pitch(self.given):
            whole[-1] = never
        return int(bursts_of(EXACT, extents, whole)) * self.taken.stripes


def handings(units: Sequence[UnitProgram]) -> tuple[Handing, ...]:
    """All of them, sinks in the order of their phases.

    A unit that begins with zeros, since its results are added, gets nothing of that array.
    """
    found = list[Handing]()
    for sink, unit in enumerate(units):
        for given in (p for p in unit.filled if (p.copies or p.name) not in unit.adds):
            array = ArrayId(given.copies or given.name)
            for source, other in enumerate(units):
                taken = next((p for p in other.delivered if p.name == array), None)
                if other.phase < unit.phase and taken is not None:
                    box = _meet(other.delivers[array], unit.box(given))
                    found += [] if box is None else [Handing(source, sink, taken, given, box)]
    return tuple(found)


def is_handed_whole(number: int, port: Port, known: Sequence[Handing]) -> bool:
    """Whether others hand over all that a unit has of an array, so that the host has nothing to send."""
    got = sum(h.bytes for h in known if h.sink == number and h.given is port)
    return got == prod(port.extents) * port.type.bytes


def _meet(one: Box, other: Box) -> Box | None:
    both = tuple((max(a, c), min(b, d)) for (a, b), (c, d) in zip(one, other, strict=True))
    return both if all(low <= high for low, high in both) else None
