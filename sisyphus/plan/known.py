"""What the plans of one kernel share: nests built before, and what depends on the kernel alone; builds nothing."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from sisyphus.analysis import Nest
from sisyphus.ir import ArrayId, Scop
from sisyphus.plan.loop_bounds import Range, Visited
from sisyphus.plan.plan import Buffer, Direction, Task, Transfer
from sisyphus.poly import Set
from sisyphus.values import dataclass, field

#: Nests that are kept; all are forgotten when there are so many.
MOST_KNOWN = 10_000


@dataclass(frozen=True)
class Built:
    """What building a nest adds to the parts: its task (None where nothing runs), tile buffers, their transfers."""

    task: Task | None
    buffers: Mapping[str, Buffer]
    transfers: Mapping[tuple[str, Direction], Transfer]


@dataclass(frozen=True)
class ArrayUse:
    """What a nest does with an array."""

    reads: bool
    writes: bool


@dataclass(eq=False)
class KnownPlans:
    """What earlier plans of a kernel have found out, by all that it depends on beside the kernel.

    `nests` are those built; `loops` the values of outer loops and their bounds (None: no iteration); `visited` what of
    a nest that fills a box depends on the outer loops alone. Both are few: they depend on no tile.
    """

    nests: dict[Hashable, Built] = field(default_factory=dict)
    loops: dict[Hashable, tuple[Set, Range] | None] = field(default_factory=dict)
    visited: dict[Hashable, Visited] = field(default_factory=dict)
    _uses: dict[str, Mapping[ArrayId, ArrayUse]] = field(default_factory=dict)

    def uses(self, scop: Scop, nest: Nest) -> Mapping[ArrayId, ArrayUse]:
        """The arrays that a nest touches, in the order of their declaration."""
        if nest.id not in self._uses:
            statements = [scop.statement(s) for s in nest.statements]
            read = {ref.array for s in statements for ref in s.reads} | scop.looked_up
            written = {s.write.array for s in statements}
            touched = {array for s in statements for array in s.touched}
            arrays = (a.id for a in scop.arrays if a.id in touched)
            self._uses[nest.id] = {array: ArrayUse(array in read, array in written) for array in arrays}
        return self._uses[nest.id]

    def add(self, key: Hashable, built: Built) -> Built:
        """Keeps a nest."""
        if len(self.nests) >= MOST_KNOWN:
            self.nests.clear()
        self.nests[key] = built
        return built
