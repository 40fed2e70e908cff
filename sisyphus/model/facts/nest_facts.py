"""A nest of a design space with arrays of candidates as the facts that the formulas ask for; knows no formula.

All candidates of one call agree in everything that shapes the loop tree: which level-0 loops there are and in which
order, which loop is pipelined, where each array is transferred. Only numbers differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from sisyphus.algebra import Algebra, Condition, Value, at_least
from sisyphus.analysis import LoopKind
from sisyphus.ir import ArrayId, Ref, Scop, Statement, index_names, reads
from sisyphus.model.facts.flows import flows_of
from sisyphus.model.facts.numbers import Numbers, Shape
from sisyphus.model.facts.task_facts import (
    Access,
    Burst,
    Dim,
    Guarded,
    Move,
    Part,
    Pipe,
    Replicated,
    TaskFacts,
    Tile,
    Work,
)
from sisyphus.model.formulas.addresses import in_registers
from sisyphus.plan import narrowed, varying
from sisyphus.poly import Affine
from sisyphus.space import NestSpace, level2_order


@dataclass(frozen=True, eq=False)
class NestReader:
    """Builds the facts of one shape of a nest."""

    alg: Algebra
    scop: Scop
    space: NestSpace
    tree: bool
    shape: Shape
    numbers: Numbers

    def facts(self) -> TaskFacts:
        """The nest as a task."""
        parts, fixed = self._inner(), True
        visits = self.numbers.visits
        for at in reversed(range(len(self.shape.order))):
            loop = self.shape.order[at]
            trips = self.numbers.tiles[loop][0]
            regular = self.alg.negation(self.alg.exceeds(visits[at] * trips, visits[at + 1]))
            fixed = self.alg.both(fixed, regular)
            if at + 1 == self.shape.depth:
                parts = self._copied(parts)
            body = self._with_moves(loop, parts)
            exists = self.numbers.exists(self.alg, loop)
            parts = (Tile(f"{loop}0", self._iterations(at + 1), body, fixed, exists),)
        if self.shape.skips:
            parts = (Guarded(visits[0], parts),)
        return TaskFacts(self.space.id, parts)

    def _copied(self, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        """Coarse-grained copies of what is inside."""
        side: Value = 1
        for loop, copies in self.numbers.unroll.items():
            side = side * self.alg.select(self._waits[loop], 1, copies)
        return (Replicated(side, parts, self._turns),)

    @cached_property
    def _turns(self) -> Value:
        """Copies that run one after another."""
        turns: Value = 1
        for loop, copies in self.numbers.unroll.items():
            turns = turns * self.alg.select(self._waits[loop], copies, 1)
        return turns

    @cached_property
    def _waits(self) -> dict[str, Condition]:
        """Per loop whether its copies share an array that is written, or one that is not wholly in registers."""
        found: dict[str, Condition] = {}
        for loop in self.numbers.unroll:
            waits: Condition = False
            for use in self.space.arrays:
                shared = self.alg.negation(self._fixed(use.array, loop))
                kept = in_registers(self.alg, self._dims(use.array))
                waits = self.alg.either(waits, shared if use.writes else self.alg.both(shared, self.alg.negation(kept)))
            found[loop] = waits
        return found

    def _beside(self, prefix: Sequence[str]) -> Value:
        """Coarse-grained copies of some loops together."""
        copies: Value = 1
        for loop in prefix:
            copies = copies * self.numbers.unroll.get(loop, 1)
        return copies

    def _iterations(self, depth: int) -> Value:
        """Of so many outermost loops: outside of copies those of all together, inside those of one in its turns."""
        visits = self.numbers.visits[depth]
        if depth > self.shape.depth:
            return self._of_one_copy(visits)
        return visits // self._beside(self.shape.order[:depth])

    def _of_one_copy(self, count: Value) -> Value:
        """What one coarse-grained copy does of all, in all of its turns."""
        return count // self._beside(self.shape.order) * self._turns if self.shape.depth else count

    def around(self) -> tuple[Move, ...]:
        """Transfers around the nest; a buffer that lives outside of it is always loaded."""
        found: list[Move] = []
        for use in self.space.arrays:
            active = self.numbers.around.get(use.array)
            if active is not None:
                found.append(replace(self._moves[use.array, True], active=active))
                if use.writes:
                    found.append(replace(self._moves[use.array, False], active=active))
        return tuple(found)

    def _inner(self) -> tuple[Part, ...]:
        """The pipelined loop, or the level-1 loops that run one iteration after another, around the statements."""
        loop, outer = self.shape.pipelined, tuple(f"{name}0" for name in self.shape.order)
        if loop is not None:
            return (self._pipe(outer, f"{loop}1", self._of_one_copy(self.numbers.starts)),)
        starts = self._of_one_copy(self.numbers.visits[-1])
        around: list[tuple[str, Value, Value]] = []
        for name, (_, level1, _) in self.numbers.tiles.items():
            starts = starts * level1
            around.append((f"{name}1", level1, starts))
        parts: tuple[Part, ...] = (self._pipe((*outer, *(name for name, _, _ in around)), None, starts),)
        for name, trips, iterations in reversed(around):
            parts = (Tile(name, iterations, parts, True, self.alg.exceeds(trips, 1)),)
        return parts

    def _pipe(self, outer: tuple[str, ...], loop: str | None, starts: Value) -> Pipe:
        works = tuple(self._work(self.scop.statement(s)) for s in self.space.nest.statements)
        return Pipe(
            outer=outer,
            loop=loop,
            pipelined=loop is not None,
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
        found = {f"{loop}{level}": trips[level] for loop, trips in self.numbers.tiles.items() for level in range(3)}
        return found | {f"{loop}0": found[f"{loop}0"] // copies for loop, copies in self.numbers.unroll.items()}

    @cached_property
    def _copies(self) -> dict[str, tuple[tuple[str, Value], ...]]:
        """The copies of each loop of the band, outermost first, with their steps."""
        return {
            loop: ((f"{loop}0", level1 * level2 * self._beside([loop])), (f"{loop}1", level2), (f"{loop}2", 1))
            for loop, (_, level1, level2) in self.numbers.tiles.items()
        }

    def _work(self, statement: Statement) -> Work:
        expr, band = narrowed(statement.rhs), self._band(statement)
        accesses = {ref: self._access(statement, ref) for ref in dict.fromkeys(reads(expr))}
        moving = {ref: {loop for dim in access.dims for loop in dim.strides} for ref, access in accesses.items()}
        unrolled = tuple(f"{loop}2" for loop in self.numbers.tiles)
        written = {band[name] for name in index_names(statement.write) if name in band}
        copies = [(loop, name) for loop, steps in self._copies.items() for name, _ in steps]
        return Work(
            statement=statement.id,
            write=self._access(statement, statement.write),
            target=statement.write,
            expr=expr,
            reads=accesses,
            unrolled=unrolled,
            varying=varying(statement, moving, unrolled),
            reductions=frozenset(name for loop, name in copies if loop not in written),
            guarded=self.shape.guarded,
            held=self._held(statement),
            sources=tuple(band.get(name, name) for name in statement.iterators),
        )

    def _held(self, statement: Statement) -> Condition:
        """Whether a scalar may stand for the element while the unrolled reductions run (as `plan/nest.py` decides).

        A guard that cannot be split forbids it in the plan alone.
        """
        alg, write, nest = self.alg, statement.write, self.space.nest
        own = {ref for ref in statement.reads if ref.array == write.array}
        if own != {write} or len(nest.statements) != 1:
            return False
        moved = {self._band(statement).get(name, name) for name in index_names(write)}
        last: Condition = True
        fits: Condition = True
        found: Condition = False
        for name in reversed(level2_order(nest, tree_reduction=self.tree)):
            turns = alg.exceeds(self.numbers.tiles[name][2], 1)
            if nest.loop(name).kind is LoopKind.REDUCTION and name not in moved:
                fits = alg.both(fits, alg.either(alg.negation(turns), last))
                found = alg.either(found, turns)
            else:
                last = alg.both(last, alg.negation(turns))
        wanted: Condition = self.tree
        if not self.tree and self.shape.pipelined in moved:
            wanted = in_registers(alg, self._access(statement, write).dims)
        return alg.both(wanted, alg.both(fits, found))

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
        strides: dict[str, Value] = {}
        for loop, factor in index.terms:
            for name, step in self._copies.get(loop, ()):
                stride = abs(factor) * step
                stands = self.alg.both(self._fixed(array, loop), self.alg.negation(whole))
                strides[name] = self.alg.select(stands, 0, stride) if name == f"{loop}0" else stride
        return Dim(extent, self.alg.minimum(self.numbers.factors[array][at], extent), strides)

    def _fixed(self, array: ArrayId, loop: str) -> Condition:
        """Whether the tile of a loop stands still while the array's buffer lives: its place is that loop or inside."""
        found: Condition = False
        order = self.shape.order
        for place in order[order.index(loop) :]:
            found = self.alg.either(found, self.numbers.places.get(array, {}).get(place, False))
        return found

    def _extent(self, array: ArrayId, at: int) -> tuple[Value, Condition]:
        """Extent of a buffer's dimension, and whether that is the whole dimension of the array."""
        key = (array, at)
        if key not in self._known:
            full = self.scop.array(array).extents[at]
            span = self._span(array, at)
            self._known[key] = (self.alg.minimum(span, full), at_least(self.alg, span, full))
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[ArrayId, int], tuple[Value, Condition]]:
        """Extents asked for before."""
        return {}

    def _span(self, array: ArrayId, at: int) -> Value:
        """Places of a dimension that a buffer holds: all, or what is touched while the tiles outside stand still."""
        full = self.scop.array(array).extents[at]
        use = next(use.dims[at] for use in self.space.arrays if use.array == array)
        if array not in self.numbers.places or use.coefficients is None:
            return full
        total: Value = use.constant
        for loop, factor in use.coefficients:
            _, level1, level2 = self.numbers.tiles[loop]
            trip = self.space.loop(loop).trip_count
            tile = self.alg.minimum(level1 * level2, trip)
            total = total + factor * self.alg.select(self._fixed(array, loop), tile, trip)
        return self.alg.select(self._placed(array), total, full)

    def _placed(self, array: ArrayId) -> Condition:
        """Whether an array is transferred under some loop of the nest, or around all of them."""
        found = self.numbers.around.get(array, False)
        for place in self.numbers.places[array].values():
            found = self.alg.either(found, place)
        return found

    def _with_moves(self, loop: str, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        """The body of a level-0 loop with the transfers that are placed under it."""
        loads, stores = list[Move](), list[Move]()
        for use in self.space.arrays:
            if use.array in self.numbers.places:
                here = self.numbers.places[use.array][loop]
                loaded = self.alg.both(here, self.numbers.loads[use.array])
                loads.append(replace(self._moves[use.array, True], active=loaded))
                if use.writes:
                    stores.append(replace(self._moves[use.array, False], active=here))
        rounds = self._beside(self.shape.order[: self.shape.order.index(loop) + 1])
        before = (Burst(tuple(loads), True, rounds),) if loads else ()
        after = (Burst(tuple(stores), False, rounds),) if stores else ()
        return (*before, *parts, *after)

    @cached_property
    def _moves(self) -> dict[tuple[ArrayId, bool], Move]:
        """The transfers of each array that has a place: loads (True) and stores."""
        placed = [use.array for use in self.space.arrays if use.array in self.numbers.places]
        return {(array, load): self._move(array, is_load=load) for array in placed for load in (True, False)}

    def _move(self, array: ArrayId, *, is_load: bool) -> Move:
        declared, width = self.scop.array(array), self.numbers.widths[array]
        extents = [self._extent(array, at) for at in range(len(declared.extents))]
        dims = self._dims(array)
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
            port=declared.home,
            is_load=is_load,
            dims=dims,
            width=width,
            bits=declared.type.bits,
            beats=beats,
            bursts=bursts,
            tile_strides=strides,
            is_tile=is_tile,
        )

    def _dims(self, array: ArrayId) -> tuple[Dim, ...]:
        """The dimensions of an array's buffer, without strides."""
        extents = (self._extent(array, at)[0] for at in range(len(self.scop.array(array).extents)))
        factors = self.numbers.factors[array]
        return tuple(Dim(e, self.alg.minimum(f, e), {}) for e, f in zip(extents, factors, strict=True))

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
        found = dict[str, Value]()
        tiles = self.numbers.tiles
        exists = {n: self.numbers.exists(self.alg, n) for n in tiles}
        for statement in map(self.scop.statement, self.space.nest.statements):
            band = self._band(statement)
            for ref in (statement.write, *statement.reads):
                for name, factor in ref.index[at].rename(band).terms if ref.array == array else ():
                    if name in self._copies:
                        step = abs(factor) * self._copies[name][0][1]
                        fixed = self._fixed(array, name)
                        found[name] = self.alg.select(self.alg.both(fixed, exists[name]), step, 0)
                        if name in self.numbers.unroll:
                            one = step // self.numbers.unroll[name]
                            several = self.alg.exceeds(self.numbers.unroll[name], 1)
                            found[f"{name}, a copy"] = self.alg.select(self.alg.both(fixed, several), one, 0)
                    elif name in self.space.nest.outer:
                        found[name] = abs(factor)
        return found
