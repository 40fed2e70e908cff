"""What nests together ask of the partition of one array, and which beats that leaves; knows no cost.

A nest asks that the factor of a dimension is a multiple of every unroll factor that indexes it. What several nests ask
together is the least common multiple per dimension: a state. All states that some legal partition serves are numbered,
so that joining the demands of thousands of candidates with those of other nests is one look-up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import lcm, prod

import numpy as np

from sisyphus.ir import ArrayId
from sisyphus.solve.exact.costs import Ints
from sisyphus.space import Space

#: Stands for demands that no legal partition serves.
IMPOSSIBLE = -1


class Lattice:
    """The least common multiples that one dimension may be asked for; `covers` is the smallest legal factor of each."""

    def __init__(self, seeds: Iterable[int], legal: Sequence[int]) -> None:
        self.legal = legal
        found = {1: self._cover(1)}
        waiting = set(seeds)
        while waiting:
            value = waiting.pop()
            cover = self._cover(value)
            if value in found or cover is None:
                continue
            waiting |= {lcm(value, other) for other in found}
            found[value] = cover
        self.values = tuple(sorted(v for v, cover in found.items() if cover is not None))
        self.covers = np.array([found[v] for v in self.values], np.int64)
        self.index = {v: at for at, v in enumerate(self.values)}

    def _cover(self, value: int) -> int | None:
        return min((factor for factor in self.legal if factor % value == 0), default=None)

    @cached_property
    def joins(self) -> Ints:
        """Place of the least common multiple of two values, or IMPOSSIBLE."""
        table = [[self.index.get(lcm(a, b), IMPOSSIBLE) for b in self.values] for a in self.values]
        return np.array(table, np.int64).reshape(len(self.values), len(self.values))


class States:
    """Everything that nests may ask of the partition of one array."""

    def __init__(self, lattices: Sequence[Lattice], widths: Sequence[int], max_partition: int) -> None:
        self.lattices = tuple(lattices)
        self.widths = tuple(sorted(widths, reverse=True))
        sizes = [len(lattice.values) for lattice in lattices]
        every = np.indices(sizes, np.int64).reshape(len(sizes), prod(sizes)).T
        banks = np.ones(len(every), np.int64)
        for at, lattice in enumerate(lattices):
            banks *= lattice.covers[every[:, at]]
        kept = banks <= max_partition
        widest = self._widest(every, banks, max_partition)
        kept &= widest > 0
        self.places = every[kept]
        #: The widest beat that each state leaves.
        self.width = widest[kept]
        self._number = np.full(len(every), IMPOSSIBLE, np.int64)
        self._number[kept] = np.arange(int(kept.sum()))
        self._rows: dict[int, Ints] = {}
        #: The state of an array of which nothing was asked yet.
        self.start = int(self.number([np.full(1, la.index[1], np.int64) for la in lattices], 1)[0])

    def _widest(self, every: Ints, banks: Ints, max_partition: int) -> Ints:
        """Widest legal beat that divides some last factor; 0 where there is none."""
        found = np.zeros(len(every), np.int64)
        for width in self.widths:
            fits = np.full(len(every), width == 1) if width == 1 else self._allows(every, banks, width, max_partition)
            found = np.where((found == 0) & fits, width, found)
        return found

    def _allows(self, every: Ints, banks: Ints, width: int, max_partition: int) -> Ints:
        last = self.lattices[-1]
        if width not in last.index:
            return np.zeros(len(every), np.bool_).astype(np.int64)
        joined = last.joins[every[:, -1], last.index[width]]
        others = banks // last.covers[every[:, -1]]
        return np.asarray((joined >= 0) & (others * last.covers[joined] <= max_partition), np.int64)

    @property
    def count(self) -> int:
        return len(self.places)

    def number(self, places: Sequence[Ints], count: int) -> Ints:
        """States from places in the lattice of each dimension; IMPOSSIBLE where one is or where banks run out."""
        code = np.zeros(count, np.int64)
        impossible = np.zeros(count, np.bool_)
        for lattice, at in zip(self.lattices, places, strict=True):
            code = code * len(lattice.values) + at
            impossible |= at < 0
        return np.where(impossible, IMPOSSIBLE, self._number[np.where(impossible, 0, code)])

    def joined_with(self, state: int) -> Ints:
        """For every state, what it becomes together with `state`."""
        if state not in self._rows:
            own = self.places[state]
            parts = [la.joins[own[at], self.places[:, at]] for at, la in enumerate(self.lattices)]
            self._rows[state] = self.number(parts, self.count)
        return self._rows[state]


def states_of(space: Space) -> Mapping[ArrayId, States]:
    """Per array that some nest uses."""
    return {array: _states(space, array) for array in space.used_arrays}


def _states(space: Space, array: ArrayId) -> States:
    widths, lattices = space.widths[array], []
    dims = space.partitions[array]
    for at, legal in enumerate(dims):
        seeds = set(widths) if at == len(dims) - 1 else set()
        for nest in space.users(array):
            use = nest.use(array)
            for name in use.dims[at].loops if use else ():
                seeds |= {tile.level2 for tile in nest.loop(name).tiles}
        lattices.append(Lattice(seeds, legal))
    return States(lattices, widths, space.target.max_partition)
