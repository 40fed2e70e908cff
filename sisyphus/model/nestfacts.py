"""A nest of a design space with arrays of candidates as the facts that the formulas ask for; knows no formula.

All candidates of one call agree in everything that shapes the loop tree: which level-0 loops there are and in which
order, which loop is pipelined, where each array is transferred. Only numbers differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sisyphus.ir import ArrayId, Ref, Scop, Statement, index_names, reads
from sisyphus.model.algebra import Algebra, Condition, Value, at_least
from sisyphus.model.cores import narrowed
from sisyphus.model.facts import Access, Burst, Dim, Guarded, Move, Part, Pipe, TaskFacts, Tile, Work
from sisyphus.model.flows import flows_of
from sisyphus.poly import Affine
from sisyphus.space import DimUse, NestSpace

Trips = tuple[Value, Value, Value]


@dataclass(frozen=True, eq=False)
class Shape:
    """What the candidates share: level-0 loops outermost first, level-1 loops, and the place of each tiled array.

    `pipelined` says whether the (then single) level-1 loop is; `moving` are level-0 loops whose bounds depend on
    others, `guarded` statements that need a condition.
    """

    level0: tuple[str, ...]
    level1: tuple[str, ...]
    pipelined: bool
    order: tuple[str, ...]
    places: Mapping[ArrayId, str]
    skips: bool = False
    moving: frozenset[str] = frozenset()
    guarded: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Numbers:
    """The candidates: trip counts of the three copies of each loop, partition factors and beat widths of arrays.

    `visits[n]` counts the tiles of the first n level-0 loops that hold work.
    """

    tiles: Mapping[str, Trips]
    factors: Mapping[ArrayId, tuple[Value, ...]]
    widths: Mapping[ArrayId, Value]
    visits: Sequence[Value]


@dataclass(frozen=True, eq=False)
class NestReader:
    """Builds the facts of one shape of a nest."""

    alg: Algebra
    scop: Scop
    space: NestSpace
    tree: bool
    unloaded: frozenset[ArrayId]
    shape: Shape
    numbers: Numbers

    def facts(self) -> TaskFacts:
        """The nest as a task."""
        parts = self._inner()
        for at in reversed(range(len(self.shape.level0))):
            loop = self.shape.level0[at]
            parts = self._with_moves(loop, parts)
            fixed = not self.shape.moving & set(self.shape.level0[at:])
            parts = (Tile(f"{loop}0", self.numbers.visits[at + 1], parts, fixed),)
        if self.shape.skips:
            parts = (Guarded(self.numbers.visits[0], parts),)
        return TaskFacts(self.space.id, parts)

    def _inner(self) -> tuple[Part, ...]:
        """The pipelined loop, or the sequential loops with their innermost body."""
        starts = self.numbers.visits[-1]
        around: list[tuple[str, Value]] = []
        for loop in self.shape.level1:
            starts = starts * self.numbers.tiles[loop][1]
            around.append((f"{loop}1", starts))
        own = around.pop() if around else None
        outer = (*(f"{loop}0" for loop in self.shape.level0), *(name for name, _ in around))
        part: Part = self._pipe(outer, own[0] if own else None, starts)
        for name, iterations in reversed(around):
            part = Tile(name, iterations, (part,))
        return (part,)

    def _pipe(self, outer: tuple[str, ...], loop: str | None, starts: Value) -> Pipe:
        works = tuple(self._work(self.scop.statement(s)) for s in self.space.nest.statements)
        return Pipe(
            outer=outer,
            loop=loop,
            pipelined=loop is not None and self.shape.pipelined,
            works=works,
            trips=self._trips,
            tree=self.tree,
            starts=starts,
            copies=self._copies,
            flows=flows_of(self.scop, works, self._copies),
        )

    @cached_property
    def _trips(self) -> dict[str, Value]:
        """Trip counts by the name of the copy."""
        return {f"{loop}{level}": trips[level] for loop, trips in self.numbers.tiles.items() for level in range(3)}

    @cached_property
    def _copies(self) -> dict[str, tuple[tuple[str, Value], ...]]:
        """The loops that each loop of the band became, outermost first, with their steps."""
        found = {}
        for loop, (_, level1, level2) in self.numbers.tiles.items():
            steps: list[tuple[str, Value]] = [(f"{loop}2", 1)]
            if loop in self.shape.level1:
                steps.insert(0, (f"{loop}1", level2))
            if loop in self.shape.level0:
                steps.insert(0, (f"{loop}0", level1 * level2))
            found[loop] = tuple(steps)
        return found

    def _work(self, statement: Statement) -> Work:
        expr, band = narrowed(statement.rhs), self._band(statement)
        written = {band[name] for name in index_names(statement.write) if name in band}
        copies = [(loop, name) for loop, steps in self._copies.items() for name, _ in steps]
        return Work(
            statement=statement.id,
            write=self._access(statement, statement.write),
            target=statement.write,
            expr=expr,
            reads={ref: self._access(statement, ref) for ref in dict.fromkeys(reads(expr))},
            unrolled=tuple(f"{loop}2" for loop in self.numbers.tiles),
            reductions=frozenset(name for loop, name in copies if loop not in written),
            guarded=statement.id in self.shape.guarded,
            sources=tuple(band.get(name, name) for name in statement.iterators),
        )

    def _band(self, statement: Statement) -> dict[str, str]:
        """The loop of the band that each inner iterator of a statement follows."""
        inner = statement.iterators[len(self.space.nest.outer) :]
        return dict(zip(inner, (loop.iterator for loop in self.space.loops), strict=True))

    def _access(self, statement: Statement, ref: Ref) -> Access:
        band = self._band(statement)
        index = tuple(e.rename(band) for e in ref.index)
        dims = tuple(self._dim(ref.array, at, e) for at, e in enumerate(index))
        return Access(ref.array, index, dims)

    def _dim(self, array: ArrayId, at: int, index: Affine) -> Dim:
        """A dimension of the array's buffer; tile loops outside of its place stand still in it, unless it is whole."""
        extent, whole = self._extent(array, at)
        fixed = self._fixed(array)
        strides: dict[str, Value] = {}
        for loop, factor in index.terms:
            for name, step in self._copies.get(loop, ()):
                stands = loop in fixed and name == f"{loop}0"
                stride = abs(factor) * step
                strides[name] = self.alg.select(whole, stride, 0) if stands else stride
        return Dim(extent, self.alg.minimum(self.numbers.factors[array][at], extent), strides)

    def _fixed(self, array: ArrayId) -> frozenset[str]:
        """Loops whose tile stands still while the array's buffer lives."""
        place = self.shape.places.get(array)
        order = self.shape.order
        return frozenset() if place is None else frozenset(order[: order.index(place) + 1])

    def _extent(self, array: ArrayId, at: int) -> tuple[Value, Condition]:
        """Extent of a buffer's dimension, and whether that is the whole dimension of the array."""
        full = self.scop.array(array).extents[at]
        if array not in self.shape.places:
            return full, True
        span = self._span(self._use(array, at), self._fixed(array))
        return self.alg.minimum(span, full), at_least(self.alg, span, full)

    def _use(self, array: ArrayId, at: int) -> DimUse:
        return next(use.dims[at] for use in self.space.arrays if use.array == array)

    def _span(self, use: DimUse, fixed: frozenset[str]) -> Value:
        """Places of the dimension touched while the tiles of `fixed` stand still."""
        if use.coefficients is None:
            return use.extent
        total: Value = use.constant
        for loop, factor in use.coefficients:
            _, level1, level2 = self.numbers.tiles[loop]
            trip = self.space.loop(loop).trip_count
            size = self.alg.minimum(level1 * level2, trip) if loop in fixed else trip
            total = total + factor * size
        return total

    def _with_moves(self, loop: str, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        """The body of a level-0 loop with the transfers that are placed under it."""
        here = [use for use in self.space.arrays if self.shape.places.get(use.array) == loop]
        loads = tuple(self._move(u.array, is_load=True) for u in here if u.array not in self.unloaded)
        stores = tuple(self._move(u.array, is_load=False) for u in here if u.writes)
        before = (Burst(loads, True),) if loads else ()
        after = (Burst(stores, False),) if stores else ()
        return (*before, *parts, *after)

    def _move(self, array: ArrayId, *, is_load: bool) -> Move:
        declared, width = self.scop.array(array), self.numbers.widths[array]
        extents = [self._extent(array, at) for at in range(len(declared.extents))]
        factors = self.numbers.factors[array]
        dims = tuple(
            Dim(extent, self.alg.minimum(factor, extent), {})
            for (extent, _), factor in zip(extents, factors, strict=True)
        )
        bursts: Value = 1
        beats: Value = self.alg.ceil_div(extents[-1][0], width)
        rest: Condition = True
        for at in reversed(range(1, len(extents))):
            rest = self.alg.both(rest, extents[at][1])
            bursts = bursts * self.alg.select(rest, 1, extents[at - 1][0])
            beats = beats * extents[at - 1][0]
        strides, is_tile = self._tile_strides(array, width)
        return Move(
            id=f"{'load' if is_load else 'store'}_{array}",
            array=array,
            buffer=array,
            port=array,
            is_load=is_load,
            dims=dims,
            width=width,
            bits=declared.type.bits,
            beats=beats,
            bursts=bursts,
            tile_strides=strides,
            is_tile=is_tile,
        )

    def _tile_strides(self, array: ArrayId, width: Value) -> tuple[tuple[Value, ...], Condition]:
        """Beats that one step of each loop around moves a tile on, and whether any does."""
        alg, extents = self.alg, self.scop.array(array).extents
        steps: dict[str, Value] = {}
        is_tile: Condition = False
        row = alg.ceil_div(extents[-1], width) * width
        inside: Value = 1
        for at in reversed(range(len(extents))):
            _, whole = self._extent(array, at)
            for name, step in self._origin_steps(array, at).items():
                moved = alg.select(whole, 0, step)
                steps[name] = steps.get(name, 0) + moved * inside
                is_tile = alg.either(is_tile, alg.exceeds(moved, 0))
            inside = inside * (row if at == len(extents) - 1 else extents[at])
        return tuple(alg.ceil_div(step, width) for step in steps.values()), is_tile

    def _origin_steps(self, array: ArrayId, at: int) -> dict[str, Value]:
        """How far one step of each loop around moves the tile in a dimension."""
        fixed, found = self._fixed(array), dict[str, Value]()
        for statement in map(self.scop.statement, self.space.nest.statements):
            band = self._band(statement)
            for ref in (statement.write, *statement.reads):
                for name, factor in ref.index[at].rename(band).terms if ref.array == array else ():
                    if name in self._copies and name in fixed and name in self.shape.level0:
                        found[name] = abs(factor) * self._copies[name][0][1]
                    elif name in self.space.nest.outer:
                        found[name] = abs(factor)
        return found
