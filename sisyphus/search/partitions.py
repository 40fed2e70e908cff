"""What nests together ask of the partition of one array, and which beats that leaves; knows no cost.

A nest asks that the factor of a dimension serves every unroll factor that indexes it. What several nests ask together
is the least common multiple per dimension, or a bank for every element where only that serves: a state. All states that
some legal partition serves are numbered, so that joining the demands of thousands of candidates with those of other
nests is one look-up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from math import lcm, prod
from typing import TypeAlias

import numpy as np

from sisyphus.algebra import distinct
from sisyphus.ir import ArrayId
from sisyphus.search.costs import Floats, Ints, Mask
from sisyphus.search.effort import EFFORT
from sisyphus.space import Factors, Space

#: Stands for demands that no legal partition serves.
IMPOSSIBLE = -1


class Lattice:
    """What one dimension may be asked for: least common multiples, and a bank for every element.

    `index` has the place of each number of copies, `values` one number for each place (the extent for a bank for every
    element), `covers` the smallest legal factor that serves it.
    """

    @staticmethod
    @lru_cache(maxsize=256)
    def of(seeds: frozenset[int], factors: Factors) -> Lattice:
        """The lattice of equal dimensions, of which a kernel has many, is made once."""
        return Lattice(seeds, factors)

    def __init__(self, seeds: Iterable[int], factors: Factors) -> None:
        self.factors = factors
        found: dict[int, int] = {}
        complete: set[int] = set()
        waiting = {1, *seeds}
        while waiting:
            value = waiting.pop()
            cover = factors.smallest(copies=value)
            if value in found or value in complete or cover is None:
                continue
            if factors.is_complete(cover):
                complete.add(value)
                continue
            waiting |= {lcm(value, other) for other in found}
            found[value] = cover
        if complete:
            found[factors.extent] = factors.extent
        self.values = tuple(sorted(found))
        self.covers = np.array([found[v] for v in self.values], np.int64)
        self.index = {v: at for at, v in enumerate(self.values)} | {v: len(self.values) - 1 for v in complete}

    @cached_property
    def joins(self) -> Ints:
        """Place of what two places ask together, or IMPOSSIBLE."""
        every = range(len(self.values))
        table = [[self._together(one, other) for other in every] for one in every]
        return np.array(table, np.int64).reshape(len(self.values), len(self.values))

    def _together(self, one: int, other: int) -> int:
        last = max(one, other)
        if self.factors.is_complete(int(self.covers[last])):
            return last
        return self.index.get(lcm(self.values[one], self.values[other]), IMPOSSIBLE)

    def with_beat(self, width: int) -> Ints:
        """Per place the smallest legal factor that also serves a beat, or IMPOSSIBLE."""
        found = (self.factors.smallest(copies=value, width=width) for value in self.values)
        return np.array([IMPOSSIBLE if factor is None else factor for factor in found], np.int64)


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
        self._lookahead: dict[bytes, Floats] = {}
        #: The state of an array of which nothing was asked yet.
        self.start = int(self.number([np.full(1, la.index[1], np.int64) for la in lattices], 1)[0])

    def _widest(self, every: Ints, banks: Ints, max_partition: int) -> Ints:
        """Widest legal beat that some last factor serves; 0 where there is none."""
        found = np.zeros(len(every), np.int64)
        for width in self.widths:
            fits = np.full(len(every), width == 1) if width == 1 else self._allows(every, banks, width, max_partition)
            found = np.where((found == 0) & fits, width, found)
        return found

    def _allows(self, every: Ints, banks: Ints, width: int, max_partition: int) -> Ints:
        last, place = self.lattices[-1], every[:, -1]
        factors = last.with_beat(width)[place]
        others = banks // last.covers[place]
        return np.asarray((factors > 0) & (others * factors <= max_partition), np.int64)

    @property
    def count(self) -> int:
        return len(self.places)

    @cached_property
    def bare(self) -> Ints:
        """Smallest legal factors [state, dimension] of each state, whatever the beat."""
        columns = [lattice.covers[self.places[:, at]] for at, lattice in enumerate(self.lattices)]
        return np.stack(columns, axis=1) if columns else np.zeros((self.count, 0), np.int64)

    @cached_property
    def served(self) -> Ints:
        """The same with which the widest beat that a state leaves takes one cycle."""
        found = self.bare.copy()
        for width in distinct(self.width) if self.lattices else ():
            rows = self.width == width
            found[rows] = self.serving(int(width))[0][rows]
        return found

    def serving(self, width: int) -> tuple[Ints, Mask]:
        """Smallest legal factors of each state with which a beat takes one cycle, and whether the state leaves it."""
        found = self.bare.copy()
        if self.lattices:
            last = self.lattices[-1].with_beat(width)[self.places[:, -1]]
            found[:, -1] = np.where(last > 0, last, found[:, -1])
        return found, np.asarray(self.width >= width)

    @cached_property
    def complete(self) -> Mask:
        """States in which every element has a bank of its own, so that the array lies in registers."""
        extents = np.array([lattice.factors.extent for lattice in self.lattices], np.int64)
        return np.asarray((self.served >= extents).all(axis=1))

    @cached_property
    def registers(self) -> int | None:
        """The state that asks for that whatever the nests ask, if there is one."""
        ends = [np.array([len(lattice.values) - 1], np.int64) for lattice in self.lattices]
        state = int(self.number(ends, 1)[0])
        return state if state != IMPOSSIBLE and self.complete[state] else None

    def least_ahead(self, amounts: Floats) -> Floats:
        """Per state the least of its own amount and those of all states that further demands may turn it into."""
        key = amounts.tobytes()
        if key not in self._lookahead:
            self._lookahead[key] = self._least_ahead(amounts)
        return self._lookahead[key]

    def _least_ahead(self, amounts: Floats) -> Floats:
        sizes = [len(lattice.values) for lattice in self.lattices]
        grid = np.full(len(self._number), np.inf)
        grid[self._number >= 0] = amounts
        grid = grid.reshape(sizes)
        for axis, lattice in enumerate(self.lattices):
            later = lattice.joins == np.arange(sizes[axis])
            rows = np.moveaxis(grid, axis, 0)
            least = np.stack([rows[later[place]].min(axis=0, initial=np.inf) for place in range(sizes[axis])])
            grid = np.moveaxis(least, 0, axis)
        return np.asarray(grid.reshape(-1)[self._number >= 0], np.float64)

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
            if (len(self._rows) + 1) * self.count > EFFORT.remembered_joins:
                self._rows.clear()
            self._rows[state] = self._joined(state, self.places)
        return self._rows[state]

    def joined(self, state: int, others: Ints) -> Ints:
        """What each of some other states becomes together with `state`: known already, or cheap where they are few."""
        if state in self._rows or 2 * len(others) > self.count:
            return self.joined_with(state)[others]
        return self._joined(state, self.places[others])

    def _joined(self, state: int, places: Ints) -> Ints:
        own = self.places[state]
        return self.number([la.joins[own[at], places[:, at]] for at, la in enumerate(self.lattices)], len(places))

    def allowed_by(self, state: int) -> Mask:
        """The states that ask for no more than `state` does."""
        return np.asarray(self.joined_with(state) == state)


#: What may be asked of an array that may have these beats.
KnownStates: TypeAlias = dict[tuple[ArrayId, tuple[int, ...]], States]


def states_of(space: Space, known: KnownStates | None = None) -> Mapping[ArrayId, States]:
    """Per array that some nest uses; `known` are those of the same space with other beats, to which it adds its own."""
    known, found = {} if known is None else known, dict[ArrayId, States]()
    for array in space.used_arrays:
        key = (array, space.widths[array])
        found[array] = known[key] = known.get(key) or _states(space, array)
    return found


def _states(space: Space, array: ArrayId) -> States:
    lattices = []
    for at in range(len(space.partitions[array])):
        seeds = set[int]()
        for nest in space.users(array):
            use = nest.use(array)
            for name in use.dims[at].banked if use else ():
                seeds |= {tile.level2 for tile in nest.loop(name).tiles}
        lattices.append(Lattice.of(frozenset(seeds), space.factors(array, at)))
    return States(lattices, space.widths[array], space.target.max_partition)
