"""The tree of a nest for all candidates of a shape, built as that of one point is; counts nothing and knows no cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from sisyphus.algebra import Algebra, Condition, Value, product
from sisyphus.analysis import Nest, refs_to
from sisyphus.ir import ArrayId, Scop
from sisyphus.plan.conflicts import side_by_side
from sisyphus.plan.levels import BESIDE, Copies, Levels
from sisyphus.plan.loop_bounds import Range, Scan, starts_anew
from sisyphus.plan.nest import Accumulators, Copying, Moving, tree_of
from sisyphus.plan.plan import Buffer, Direction, Plan, Port, Task, Transfer
from sisyphus.plan.tiles import along_rows, grown, tile_of
from sisyphus.plan.tree import Call, Copy
from sisyphus.poly import Affine, var
from sisyphus.space import PACKED, PLAIN, NestSpace, Tile, level2_order
from sisyphus.values import dataclass, field, replace

Trips = tuple[Value, Value, Value]

#: A condition of which only that there is one is known.
SOME = var("?")


@dataclass(frozen=True)
class Shape:
    """What the candidates share: the order of all level-0 loops, outermost first, and the pipelined loop, if any turns.

    `skips`: a guard on outer loops alone stands around the nest. `guarded`: its statements stand under conditions.
    `depth` level-0 loops are outside of coarse-grained copies, 0 where there are none. `interval` is what the tool is
    asked for, 0 for nothing. `listed`: tiles stand in a table. Under `ahead`, a loop that has several tiles, those that
    may be are loaded ahead, and `late` stored late; then no candidate has a level-0 copy of the loops `absent`.
    """

    order: tuple[str, ...]
    pipelined: str | None
    skips: bool = False
    guarded: bool = False
    depth: int = 0
    interval: int = 0
    ahead: str | None = None
    late: tuple[ArrayId, ...] = ()
    absent: tuple[str, ...] = ()
    listed: bool = False


@dataclass(frozen=True, eq=False)
class Numbers:
    """The candidates: trip counts of the three copies of each loop, partition factors and beat widths of arrays.

    `places` has, per array that is not resident and loop, whether it is transferred under that loop, `around` whether
    it is around the nest, `loads` whether its tiles are loaded, `streams` whether through a FIFO. `visits[n]` counts
    the iterations of the n outermost level-0 loops that hold work, those of coarse-grained copies one by one, and
    `starts` those of the copies of levels 0 and 1 together; `unroll` has the coarse-grained factors per loop, where
    there are any.
    """

    tiles: Mapping[str, Trips]
    factors: Mapping[ArrayId, tuple[Value, ...]]
    widths: Mapping[ArrayId, Value]
    places: Mapping[ArrayId, Mapping[str, Condition]]
    around: Mapping[ArrayId, Condition]
    loads: Mapping[ArrayId, Condition]
    visits: Sequence[Value] = ()
    streams: Mapping[ArrayId, Condition] = field(default_factory=dict)
    unroll: Mapping[str, Value] = field(default_factory=dict)
    starts: Value = 0

    def each(self, function: Callable[[Value], Value]) -> Numbers:
        """The same with a function of every column."""
        return Numbers(
            tiles={loop: (function(t[0]), function(t[1]), function(t[2])) for loop, t in self.tiles.items()},
            factors={a: tuple(function(f) for f in factors) for a, factors in self.factors.items()},
            widths={a: function(w) for a, w in self.widths.items()},
            places={a: {loop: function(on) for loop, on in found.items()} for a, found in self.places.items()},
            around={a: function(on) for a, on in self.around.items()},
            loads={a: function(on) for a, on in self.loads.items()},
            streams={a: function(on) for a, on in self.streams.items()},
            visits=[function(visits) for visits in self.visits],
            starts=function(self.starts) if self.visits else 0,
            unroll={loop: function(copies) for loop, copies in self.unroll.items()},
        )

    def at(self, row: int) -> Numbers:
        """Those of one candidate, as plain numbers."""
        return self.each(lambda column: column[row].item())

    def moving(self) -> Numbers:
        """The same without arrays that no candidate transfers, nor places around the nest that none has."""
        around = {a: on for a, on in self.around.items() if on.any()}
        tiled = {a: at for a, at in self.places.items() if a in around or any(on.any() for on in at.values())}
        loads, streams = ({a: on for a, on in part.items() if a in tiled} for part in (self.loads, self.streams))
        return replace(self, places=tiled, around=around, loads=loads, streams=streams)

    def without_constants(self) -> Numbers:
        """Constants in place of conditions that all candidates agree in, and of level-1 loops that turn in none."""
        plain = self.each(lambda column: _constant(column) if column.dtype == np.bool_ else column)
        return replace(plain, tiles={loop: (t[0], _one(t[1]), t[2]) for loop, t in plain.tiles.items()})

    def hosts(self, alg: Algebra, loop: str) -> Condition:
        """Whether any array is transferred under a loop."""
        return alg.either(*(places[loop] for places in self.places.values()))

    def exists(self, alg: Algebra, loop: str) -> Condition:
        """Whether a loop has a level-0 copy."""
        return alg.either(alg.exceeds(self.tiles[loop][0], self.unroll.get(loop, 1)), self.hosts(alg, loop))

    def stands_alone(self, alg: Algebra, order: Sequence[str]) -> Condition:
        """Whether the pipelined loop starts anew in each iteration of the tile loops."""
        apart = (alg.either(self.hosts(alg, loop), self._moves(alg, at, loop)) for at, loop in enumerate(order))
        found = starts_anew(alg, zip((self.exists(alg, loop) for loop in order), apart, strict=True))
        return alg.both(found, *(alg.negation(alg.exceeds(copies, 1)) for copies in self.unroll.values()))

    def _moves(self, alg: Algebra, at: int, loop: str) -> Condition:
        """Whether the bounds of the level-0 loop at a depth leave some tiles out."""
        return alg.exceeds(self.visits[at] * self.tiles[loop][0], self.visits[at + 1])

    def rows(self, alg: Algebra, order: Sequence[str]) -> Value:
        """Rows of a table of the tiles, in all runs: iterations of the innermost of the loops whose bounds move."""
        found: Value = 0
        for at, loop in enumerate(order):
            found = alg.select(self._moves(alg, at, loop), self.visits[at + 1], found)
        return found

    def fixed(self, alg: Algebra, order: Sequence[str], array: ArrayId, loop: str) -> Condition:
        """Whether the tile of a loop stands still while the array's buffer lives: its place is that loop or inside."""
        places = self.places.get(array, {})
        return alg.either(*(places.get(place, False) for place in order[order.index(loop) :]))

    def placed(self, alg: Algebra, array: ArrayId) -> Condition:
        """Whether an array is transferred under some loop of the nest, or around all of them."""
        return alg.either(self.around.get(array, False), *self.places.get(array, {}).values())

    def levels(self, alg: Algebra, nest: Nest, shape: Shape, *, tree: bool) -> Levels:
        """The copies of all loops; those of which no candidate has more than one iteration have no name."""
        copies: list[Copies] = []
        for loop in nest.band:
            name, trips = loop.iterator, self.tiles[loop.iterator]
            first, second = (None if _is_one(trips[level]) else f"{name}{level}" for level in (1, 2))
            starts = name == shape.pipelined or alg.exceeds(trips[1], 1)
            exists = (self.exists(alg, name), starts, alg.exceeds(trips[2], 1))
            beside = f"{name}{BESIDE}" if name in self.unroll else None
            names = (None if name in shape.absent else f"{name}0", first, second)
            copies.append(Copies(loop, Tile(*trips), names, self.unroll.get(name, 1), beside, exists))
        innermost = level2_order(nest, tree_reduction=tree)
        found = Levels(nest, nest.outer, tuple(copies), shape.order, shape.pipelined, innermost)
        return replace(found, interval=shape.interval, depth=shape.depth, listed=shape.listed)

    def scan(self, alg: Algebra, levels: Levels, shape: Shape) -> Scan:
        """How the loops visit the statements, as far as all candidates agree."""
        ranges = {name: Range.upto(c.groups) for name, c in levels.level0}
        for at, loop in enumerate(shape.order):
            if loop not in shape.absent:
                regular = alg.negation(self._moves(alg, at, loop))
                ranges[f"{loop}0"] = replace(ranges[f"{loop}0"], regular=regular)
        ranges |= {name: Range.upto(c.unroll) for name, c in levels.beside}
        all_starts = product(c.tile.level1 for _, c in levels.level1) * self.visits[-1] if self.visits else self.starts
        still = alg.negation(alg.exceeds(all_starts, self.starts))
        ranges |= {name: replace(Range.upto(c.tile.level1), regular=still) for name, c in levels.level1}
        ranges |= {name: Range.upto(c.tile.level2) for name, c in levels.level2}
        guards = [[SOME]] if shape.guarded else [[]]
        return Scan(ranges, (SOME,) if shape.skips else (), dict.fromkeys(levels.nest.statements, guards))


@dataclass(frozen=True, eq=False)
class ShapeBuilder:
    """The plan of one nest by itself, for all candidates of a shape: its numbers are symbols of an algebra."""

    alg: Algebra
    scop: Scop
    space: NestSpace
    tree: bool
    shape: Shape
    numbers: Numbers

    def plan(self) -> Plan:
        """The task of the nest between the transfers around it; its tree is that of every candidate."""
        nest = self.space.nest
        levels = self.numbers.levels(self.alg, nest, self.shape, tree=self.tree)
        scan = self.numbers.scan(self.alg, levels, self.shape)
        buffers = {use.array: self._buffer(levels, use.array) for use in self.space.arrays}
        accumulators = Accumulators(buffers, "", self.alg)
        statements = tuple(map(self.scop.statement, nest.statements))
        body = tree_of(levels, scan, statements, self._copying(), accumulators)
        task = Task(nest.id, nest.id, nest.statements, body, tuple(b.id for b in buffers.values()), (), nest.outer)
        around = (self._moving(direction, self.numbers.around) for direction in Direction)
        loads, stores = (side_by_side(self.alg, moving) for moving in around)
        return Plan(
            scop=self.scop,
            ports=tuple(self._port(array) for array in dict.fromkeys(self.scop.array(a).port for a in buffers)),
            buffers=tuple(buffers.values()),
            transfers=tuple(self._transfer(a, d) for a in self.numbers.places for d in Direction),
            tasks=(task,),
            body=(*loads, Call(task.name), *stores),
            tree_reduction=self.tree,
        )

    def _buffer(self, levels: Levels, array: ArrayId) -> Buffer:
        """What the nest touches while the tiles outside of its place stand still; all of it where it has no place."""
        alg, declared = self.alg, self.scop.array(array)
        refs, placed = refs_to(self.scop, self.space.nest, array), self.numbers.placed(alg, array)
        fixed = partial(self.numbers.fixed, alg, self.shape.order, array)
        width = 1 if self._layout(declared.port) == PACKED else self.numbers.widths[array]
        outer = {name: name for name in levels.outer}
        rows = along_rows(alg, refs, outer, lambda name: f"{name}_by", width)
        box, beside = tile_of(alg, levels, refs, declared.extents, fixed, rows)
        box = grown(alg, box, declared.extents, width)
        extents = tuple(alg.select(placed, e, full) for e, full in zip(box.extents, declared.extents, strict=True))
        partition = tuple(alg.minimum(f, e) for f, e in zip(self.numbers.factors[array], extents, strict=True))
        moves = ([(name, alg.select(placed, step, 0)) for name, step in first.terms] for first in box.origin)
        origin = tuple(Affine.of(own, first.constant) for own, first in zip(moves, box.origin, strict=True))
        return Buffer(array, array, declared.type, extents, origin, partition, "", beside=beside)

    def _copying(self) -> dict[str, Copying]:
        """What each level-0 loop moves; transfers that no candidate has there are left out."""
        found: dict[str, Copying] = {}
        for loop in self.shape.order:
            at = {array: places[loop] for array, places in self.numbers.places.items() if places[loop] is not False}
            loaded = {array: self.alg.both(here, self.numbers.loads[array]) for array, here in at.items()}
            early = self.space.early if loop == self.shape.ahead else {}
            late = {array: here for array, here in at.items() if array in self.shape.late and array in early}
            later = {array for array in early if loop in early[array]}
            now = {array: here for array, here in loaded.items() if array not in later}
            then = {array: here for array, here in loaded.items() if array in later}
            stored = {array: here for array, here in at.items() if array not in late}
            moving = (self._moving(Direction.LOAD, now), self._moving(Direction.STORE, stored))
            found[loop] = Copying(
                *moving, *(self._moving(*m) for m in ((Direction.LOAD, then), (Direction.STORE, late)))
            )
        return found

    def _moving(self, direction: Direction, active: Mapping[ArrayId, Condition]) -> tuple[Moving, ...]:
        """Loads, or stores of what is written, of some arrays."""
        uses = [u for u in self.space.arrays if u.array in active and (u.writes or direction is Direction.LOAD)]
        return tuple((Copy(_id(u.array, direction), active[u.array]), self.scop.array(u.array).port) for u in uses)

    def _transfer(self, array: ArrayId, direction: Direction) -> Transfer:
        home, port = self.scop.home(array), self.scop.array(array).port
        stream = self.numbers.streams.get(array, False) if direction is Direction.LOAD else False
        return Transfer(_id(array, direction), direction, home, array, self.numbers.widths[array], port, stream)

    def _port(self, array: ArrayId) -> Port:
        declared = self.scop.array(array)
        uses = [use for use in self.space.arrays if self.scop.array(use.array).port == array]
        direction = "inout" if any(use.writes for use in uses) else "in"
        layout = self._layout(array)
        kind, extents = declared.type.stored, declared.extents
        stripes = max(use.stripes for use in uses)
        return Port(array, "array", kind, extents, bundle=array, direction=direction, layout=layout, stripes=stripes)

    def _layout(self, port: ArrayId) -> str:
        lying = (use.layout for use in self.space.arrays if self.scop.array(use.array).port == port)
        return next((layout for layout in lying if layout != PLAIN), PLAIN)


def _id(array: ArrayId, direction: Direction) -> str:
    return f"{direction.value}_{array}"


def _is_one(trips: Value) -> bool:
    return type(trips) is int and trips == 1


def _constant(column: Value) -> Value:
    return bool(column[0]) if (column == column[0]).all() else column


def _one(column: Value) -> Value:
    return 1 if (column == 1).all() else column
