"""The three copies of the loops of a nest, as names, values and trip counts; knows no statement and no transfer.

for i in lower..: S(i)   with tile 4x1x50 becomes
for i0 in 0..3: for i2 in 0..49: S(lower + 50*i0 + i2)
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property

from sisyphus.algebra import Algebra, Condition, Value
from sisyphus.analysis import LoopKind, Nest
from sisyphus.analysis.distribution import Loop
from sisyphus.plan.names import Names
from sisyphus.poly import Affine, const, var
from sisyphus.space import NestPoint, Tile, copies_depth, level2_order
from sisyphus.values import dataclass

#: What follows the name of a loop in that of the loop over its coarse-grained copies.
BESIDE = "c"


@dataclass(frozen=True)
class Copies:
    """One loop of a band strip-mined twice; a copy that needs no loop has no name and the value 0.

    `unroll` tiles of level 0 run side by side; their loop, if there are several, has the name `beside`. Numbers are
    values of an algebra: where they are not known yet, `exists` says of copies with a name whether they are there.
    """

    loop: Loop
    tile: Tile
    names: tuple[str | None, str | None, str | None]
    unroll: Value = 1
    beside: str | None = None
    exists: tuple[Condition, Condition, Condition] = (True, True, True)

    def turns(self, alg: Algebra, name: str) -> Condition:
        """Whether a copy with this name is there."""
        if name == self.beside:
            return alg.exceeds(self.unroll, 1)
        return self.exists[self.names.index(name)]

    @property
    def fits(self) -> bool:
        """No iteration of the copies falls outside the loop's own range."""
        return self.tile.level0 * self.tile.size == self.loop.trip_count

    @property
    def last(self) -> int:
        """The last value of the iterator."""
        return self.loop.lower + self.loop.trip_count - 1

    @property
    def groups(self) -> Value:
        """Iterations of the level-0 loop."""
        return self.tile.level0 // self.unroll

    @property
    def start(self) -> Affine:
        """The first value of the iterator in a tile."""
        tile = self._copy(0) * self.unroll
        first: Affine = (tile if self.beside is None else tile + var(self.beside)) * self.tile.size
        return first + self.loop.lower

    @property
    def value(self) -> Affine:
        return self.start + self._copy(1) * self.tile.level2 + self._copy(2)

    def _copy(self, level: int) -> Affine:
        name = self.names[level]
        return const(0) if name is None else var(name)


@dataclass(frozen=True, eq=False)
class Levels:
    """All loops of a nest in the order in which they will stand.

    `split`: tiles that are full run apart from those that are not.
    `listed`: those that bounds leave are run by one loop over a table of them.
    `depth` level-0 loops of `order` are outside of the coarse-grained copies, 0 where there are none.
    """

    nest: Nest
    outer: tuple[str, ...]
    copies: tuple[Copies, ...]
    order: tuple[str, ...]
    pipeline: str | None
    innermost: tuple[str, ...]
    split: bool = False
    depth: int = 0
    interval: int = 0
    listed: bool = False

    @cached_property
    def listed_at(self) -> range:
        """Which of the loops `outside` are one loop over a table: those inside of the sequential one."""
        if not self.listed:
            return range(0)
        last = (at for at, (_, c) in enumerate(self.outside, 1) if c.loop.kind is LoopKind.SEQUENTIAL)
        return range(max(last, default=0), len(self.outside))

    @cached_property
    def by_loop(self) -> dict[str, Copies]:
        return {c.loop.iterator: c for c in self.copies}

    @cached_property
    def level0(self) -> tuple[tuple[str, Copies], ...]:
        """Named level-0 copies, outermost first."""
        return self._named(0, self.order)

    @cached_property
    def outside(self) -> tuple[tuple[str, Copies], ...]:
        """Those of `level0` outside of the coarse-grained copies, all where there are none."""
        return self._named(0, self.order[: self.depth] if self.depth else self.order)

    @cached_property
    def inside(self) -> tuple[tuple[str, Copies], ...]:
        """The other ones of `level0`."""
        return self._named(0, self.order[self.depth :] if self.depth else ())

    @cached_property
    def beside(self) -> tuple[tuple[str, Copies], ...]:
        """The loops over coarse-grained copies."""
        return tuple((copies.beside, copies) for _, copies in self._ordered if copies.beside is not None)

    @cached_property
    def _ordered(self) -> tuple[tuple[str, Copies], ...]:
        return tuple((loop, self.by_loop[loop]) for loop in self.order)

    @cached_property
    def level1(self) -> tuple[tuple[str, Copies], ...]:
        return self._named(1, tuple(self.by_loop))

    @cached_property
    def level2(self) -> tuple[tuple[str, Copies], ...]:
        return self._named(2, self.innermost)

    def _named(self, level: int, loops: tuple[str, ...]) -> tuple[tuple[str, Copies], ...]:
        found = ((self.by_loop[loop].names[level], self.by_loop[loop]) for loop in loops)
        return tuple((name, copies) for name, copies in found if name is not None)

    @cached_property
    def dims(self) -> tuple[str, ...]:
        """Every loop around a statement, outermost first."""
        levels = (self.outside, self.beside, self.inside, self.level1, self.level2)
        return (*self.outer, *(name for level in levels for name, _ in level))

    @cached_property
    def values(self) -> tuple[Affine, ...]:
        """What each iterator of a statement is, outermost first."""
        return (*(var(name) for name in self.outer), *(c.value for c in self.copies))

    @cached_property
    def box(self) -> tuple[Affine, ...]:
        """The conditions (each >= 0) that all copies stay in their trip counts."""
        tiles = ((var(name), c.groups - 1 - var(name)) for name, c in self.level0)
        beside = ((var(name), c.unroll - 1 - var(name)) for name, c in self.beside)
        return (*(condition for pair in (*tiles, *beside) for condition in pair), *self.inner_box)

    @cached_property
    def inner_box(self) -> tuple[Affine, ...]:
        """The same for the copies of levels 1 and 2, which always run in full."""
        pipelined = ((var(name), c.tile.level1 - 1 - var(name)) for name, c in self.level1)
        unrolled = ((var(name), c.tile.level2 - 1 - var(name)) for name, c in self.level2)
        return tuple(condition for pair in (*pipelined, *unrolled) for condition in pair)

    def fixed_under(self, place: str) -> frozenset[str]:
        """Iterators of the band whose tile does not change inside the level-0 loop `place`."""
        return frozenset(self.order[: self.order.index(place) + 1])

    def copies_under(self, place: str) -> tuple[tuple[str, Copies], ...]:
        """The loops over copies, each of which has tiles of its own under the level-0 loop `place`."""
        fixed = self.fixed_under(place)
        return tuple((name, copies) for name, copies in self.beside if copies.loop.iterator in fixed)


def levels_of(
    nest: Nest,
    point: NestPoint,
    *,
    outer: Mapping[str, str],
    places: Collection[str],
    tree_reduction: bool,
    names: Names,
) -> Levels:
    """The copies of a nest's loops; a level-0 copy of one iteration is kept only where a transfer stands in it.

    `outer` renames the iterators of the outer loops.
    """
    copies, unroll = [], dict(point.unroll)
    for loop in nest.band:
        tile, factor = point.tile(loop.iterator), unroll.get(loop.iterator, 1)
        wanted = (tile.level0 > factor or loop.iterator in places, tile.level1 > 1, tile.level2 > 1)
        first, second, third = (
            names.take(f"{loop.iterator}{level}") if needed else None for level, needed in enumerate(wanted)
        )
        beside = names.take(f"{loop.iterator}{BESIDE}") if factor > 1 else None
        copies.append(Copies(loop, tile, (first, second, third), factor, beside))
    return Levels(
        nest=nest,
        outer=tuple(outer[name] for name in nest.outer),
        copies=tuple(copies),
        order=point.order,
        pipeline=point.pipeline,
        innermost=level2_order(nest, tree_reduction=tree_reduction),
        split=point.split and not unroll,
        interval=point.interval,
        listed=point.listed and any(tile.level1 > 1 for _, tile in point.tiles),
        depth=copies_depth(point.order, unroll, places),
    )
