"""The knobs of a design space as Pyomo variables and the constraints that make them a legal point; knows no cost.

Every loop chooses one of its tiles by a binary variable; the logarithms of its three trip counts are continuous
variables tied to that choice. Instead of a permutation, each tiled array has the set of level-0 loops outside of its
transfer; these sets are nested, so that they are prefixes of one order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any

import pyomo.environ as pyo

from sisyphus.ir import ArrayId
from sisyphus.nlp.signomial import Signomial
from sisyphus.space import KERNEL_PLACE, ArrayUse, LoopSpace, NestSpace, Space, level0_pairs, never_both


def log_name(nest: NestSpace, loop: str, level: int) -> str:
    """The variable that holds the logarithm of a trip count."""
    return f"{nest.id}.{loop}.{level}"


def outside_name(nest: NestSpace, loop: str, array: ArrayId) -> str:
    """The variable that holds the logarithm of a level-0 trip count where the loop is outside an array's transfer."""
    return f"{nest.id}.{loop}.0@{array}"


def copies_name(nest: NestSpace, loop: str) -> str:
    """The variable that holds the logarithm of a coarse-grained factor."""
    return f"{nest.id}.{loop}.copies"


class Knobs:
    """The variables of a space on a Pyomo model; read by the objective and by the decoder."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.model = m = pyo.ConcreteModel(name=space.scop.name)
        m.rules = pyo.ConstraintList()
        m.impossible = pyo.Var(bounds=(0, 0))
        m.log = pyo.Var(list(self._log_bounds()), domain=pyo.NonNegativeReals)
        for name, upper in self._log_bounds().items():
            m.log[name].setub(upper)
        m.tile = pyo.Var(
            [(n.id, s.iterator, k) for n in space.nests for s in n.loops for k in range(len(s.tiles))],
            domain=pyo.Binary,
        )
        m.unroll = pyo.Var(
            [(n.id, loop.iterator, f) for n in space.nests for loop in copied_loops(n) for f in loop.unroll],
            domain=pyo.Binary,
        )
        m.pipeline = pyo.Var([(n.id, p) for n in space.nests for p in n.pipelines if p], domain=pyo.Binary)
        m.resident = pyo.Var([(u.array, n.id) for n, u in self.uses()], domain=pyo.Binary)
        m.outside = pyo.Var(
            [(u.array, n.id, s.iterator) for n, u in self.uses() if u.can_be_tiled for s in n.loops], domain=pyo.Binary
        )
        m.factor = pyo.Var(
            [(a, d, v) for a in space.used_arrays for d, values in enumerate(space.partitions[a]) for v in values],
            domain=pyo.Binary,
        )
        m.width = pyo.Var([(a, w) for a in space.used_arrays for w in space.widths[a]], domain=pyo.Binary)
        for nest in space.nests:
            self._choose_tiles(nest)
            self._choose_copies(nest)
            self._choose_pipeline(nest)
            self._choose_places(nest)
            self._keep_precedence(nest)
            if nest.order is not None:
                self._follow_order(nest, nest.order)
        for array in space.used_arrays:
            self._choose_partition(array)
        self._resident_together()

    def require(self, relation: Any) -> None:
        """Adds a constraint; one without variables is dropped if it holds and makes the problem infeasible if not."""
        if isinstance(relation, bool):
            if relation:
                return
            relation = self.model.impossible >= 1
        self.model.rules.add(relation)

    def uses(self) -> Iterator[tuple[NestSpace, ArrayUse]]:
        return ((n, u) for n in self.space.nests for u in n.arrays)

    def variables(self) -> dict[str, pyo.Var]:
        """Log variables by name, as the cost expressions ask for them."""
        return {name: self.model.log[name] for name in self.model.log}

    def trips(self, nest: NestSpace, level: int, loops: Iterator[str] | tuple[str, ...]) -> Signomial:
        """Product of the trip counts of some loops at a level."""
        return Signomial.power(log_name(nest, loop, level) for loop in loops)

    def copies(self, nest: NestSpace) -> tuple[str, ...]:
        """The logarithms of the coarse-grained factors of a nest."""
        return tuple(copies_name(nest, loop.iterator) for loop in copied_loops(nest))

    def many(self, nest: NestSpace, loop: str, *levels: int) -> pyo.Expression:
        """1 where some of the given levels of a loop has more than one iteration, else 0."""
        tiles = nest.loop(loop).tiles
        return sum(
            self.model.tile[nest.id, loop, k]
            for k, tile in enumerate(tiles)
            if any(tile[level] > 1 for level in levels)
        )

    def _level0_pairs(self, nest: NestSpace) -> list[tuple[str, str]]:
        """Those that bind where all loops have several iterations."""
        return level0_pairs(self.space, nest, [loop.iterator for loop in nest.loops])

    def _log_bounds(self) -> dict[str, float]:
        bounds = {}
        for nest in self.space.nests:
            for loop in copied_loops(nest):
                bounds[copies_name(nest, loop.iterator)] = math.log(max(loop.unroll))
            for loop in nest.loops:
                for level in range(3):
                    bounds[log_name(nest, loop.iterator, level)] = max(map(math.log, _level(loop, level)))
                for use in nest.arrays:
                    if use.can_be_tiled:
                        bounds[outside_name(nest, loop.iterator, use.array)] = max(map(math.log, _level(loop, 0)))
        return bounds

    def _choose_tiles(self, nest: NestSpace) -> None:
        """Equation 1: one tile per loop; the logarithms follow."""
        m = self.model
        for loop in nest.loops:
            chosen = [m.tile[nest.id, loop.iterator, k] for k in range(len(loop.tiles))]
            self.require(sum(chosen) == 1)
            for level in range(3):
                values = _level(loop, level)
                self.require(
                    m.log[log_name(nest, loop.iterator, level)]
                    == sum(math.log(v) * c for v, c in zip(values, chosen, strict=True) if v > 1)
                )

    def _choose_copies(self, nest: NestSpace) -> None:
        """Equations 6 to 9: one factor per loop that may have copies, which divides the level 0 of its tile."""
        m = self.model
        for loop in copied_loops(nest):
            chosen = {f: m.unroll[nest.id, loop.iterator, f] for f in loop.unroll}
            self.require(sum(chosen.values()) == 1)
            log = m.log[copies_name(nest, loop.iterator)]
            self.require(log == sum(math.log(f) * c for f, c in chosen.items() if f > 1))
            for f, choice in chosen.items():
                undivided = [k for k, tile in enumerate(loop.tiles) if tile.level0 % f]
                if undivided:
                    self.require(sum(m.tile[nest.id, loop.iterator, k] for k in undivided) <= 1 - choice)

    def _choose_pipeline(self, nest: NestSpace) -> None:
        """Equations 2 to 4: at most one pipelined loop; only it has level-1 iterations."""
        m = self.model
        candidates = [p for p in nest.pipelines if p]
        if candidates:
            total = sum(m.pipeline[nest.id, p] for p in candidates)
            self.require(total <= 1 if None in nest.pipelines else total == 1)
        for loop in nest.loops:
            level1 = self.many(nest, loop.iterator, 1)
            allowed = m.pipeline[nest.id, loop.iterator] if loop.iterator in candidates else 0
            self.require(level1 <= allowed)

    def _choose_places(self, nest: NestSpace) -> None:
        """Equations 10 and 11: resident, or below a nested set of level-0 loops; below none: around the nest."""
        m = self.model
        tiled = [u for u in nest.arrays if u.can_be_tiled]
        for use in nest.arrays:
            resident = m.resident[use.array, nest.id]
            if KERNEL_PLACE not in use.places:
                resident.fix(0)
            if use not in tiled:
                resident.fix(1)
                continue
            outside = {s.iterator: m.outside[use.array, nest.id, s.iterator] for s in nest.loops}
            allowed, is_free = nest.band_places(use), nest.can_move_around(use)
            if not is_free:
                self.require(sum(outside.values()) >= 1 - resident)
            for name, inside in outside.items():
                self.require(inside <= 1 - resident if allowed else inside <= 0)
                self._tie_outside(nest, use, name)
            for name in use.still:
                self.require(outside[name] >= 1)
            if len(allowed) == 1 and not is_free:
                self._end_prefix_at(nest, use, allowed[0], tiled)
        self._nest_prefixes(nest, tiled)

    def _end_prefix_at(self, nest: NestSpace, use: ArrayUse, place: str, tiled: list[ArrayUse]) -> None:
        """The loop `place` can be the last of the loops outside the transfer."""
        m = self.model
        self.require(m.outside[use.array, nest.id, place] >= 1 - m.resident[use.array, nest.id])
        for other in tiled:
            for loop in nest.loops:
                if other is not use:
                    at_place = m.outside[other.array, nest.id, place]
                    contains = m.outside[other.array, nest.id, loop.iterator]
                    self.require(at_place <= contains + 1 - m.outside[use.array, nest.id, loop.iterator])
        for a, b in self._level0_pairs(nest):
            if a == place:
                both = self.many(nest, a, 0) + self.many(nest, b, 0)
                self.require(m.outside[use.array, nest.id, b] <= 2 - both)

    def _follow_order(self, nest: NestSpace, order: tuple[str, ...]) -> None:
        """A fixed order: loops outside a transfer are a prefix of it."""
        m = self.model
        for use in nest.arrays:
            if use.can_be_tiled:
                for earlier, later in pairwise(order):
                    self.require(m.outside[use.array, nest.id, later] <= m.outside[use.array, nest.id, earlier])

    def _tie_outside(self, nest: NestSpace, use: ArrayUse, loop: str) -> None:
        """The product of the binary and the logarithm of the level-0 trip count, exactly."""
        m = self.model
        inside = m.outside[use.array, nest.id, loop]
        level0 = m.log[log_name(nest, loop, 0)]
        both = m.log[outside_name(nest, loop, use.array)]
        self.require(both <= both.ub * inside)
        self.require(both <= level0)
        self.require(both >= level0 - both.ub * (1 - inside))

    def _nest_prefixes(self, nest: NestSpace, tiled: list[ArrayUse]) -> None:
        """Of two arrays, the loops outside one transfer contain those outside the other."""
        m = self.model
        pairs = list(combinations(tiled, 2))
        larger = pyo.Var([(a.array, b.array) for a, b in pairs], domain=pyo.Binary)
        m.add_component(f"larger_{nest.id}", larger)
        for a, b in pairs:
            for loop in nest.loops:
                inside_a = m.outside[a.array, nest.id, loop.iterator]
                inside_b = m.outside[b.array, nest.id, loop.iterator]
                self.require(inside_a <= inside_b + 1 - larger[a.array, b.array])
                self.require(inside_b <= inside_a + larger[a.array, b.array])

    def _keep_precedence(self, nest: NestSpace) -> None:
        """Copies that must not both have several iterations, and loops outside of transfers without those before."""
        m = self.model
        for one, other in never_both(self.space, nest):
            self.require(self.many(nest, one.loop, *one.levels) + self.many(nest, other.loop, *other.levels) <= 1)
        for a, b in self._level0_pairs(nest):
            for use in nest.arrays:
                if use.can_be_tiled:
                    inside_a = m.outside[use.array, nest.id, a]
                    inside_b = m.outside[use.array, nest.id, b]
                    self.require(inside_b <= inside_a + 2 - self.many(nest, b, 0) - self.many(nest, a, 0))

    def _choose_partition(self, array: ArrayId) -> None:
        """Equations 13 to 15, and the beats that the last factor serves."""
        m, values = self.model, self.space.partitions[array]
        for at, factors in enumerate(values):
            self.require(sum(m.factor[array, at, v] for v in factors) == 1)
            for nest, use in self.uses():
                if use.array == array:
                    for loop in use.dims[at].banked:
                        self._cover_unroll(nest, loop, array, at)
        logs = sum(math.log(v) * m.factor[array, at, v] for at, factors in enumerate(values) for v in factors if v > 1)
        self.require(logs <= math.log(self.space.target.max_partition) + 1e-9)
        widths = self.space.widths[array]
        self.require(sum(m.width[array, w] for w in widths) == 1)
        for w in widths:
            if w > 1:
                self.require(m.width[array, w] <= self._serving(array, len(values) - 1, width=w))

    def _cover_unroll(self, nest: NestSpace, loop: str, array: ArrayId, at: int) -> None:
        """The factor serves the unroll factor of every loop that indexes the dimension."""
        tiles = nest.loop(loop).tiles
        for unroll in sorted({t.level2 for t in tiles if t.level2 > 1}):
            chosen = sum(self.model.tile[nest.id, loop, k] for k, t in enumerate(tiles) if t.level2 % unroll == 0)
            self.require(chosen <= self._serving(array, at, copies=unroll))

    def _serving(self, array: ArrayId, at: int, *, copies: int = 1, width: int = 1) -> pyo.Expression:
        factors = self.space.factors(array, at).serving(copies=copies, width=width)
        return sum(self.model.factor[array, at, v] for v in factors)

    def _resident_together(self) -> None:
        """Under one outermost sequential loop an array is resident in all nests or in none."""
        for group in self.space.together:
            for array in self.space.used_arrays:
                users = [n.id for n in self.space.users(array) if n.id in group]
                for first, second in pairwise(users):
                    self.require(self.model.resident[array, first] == self.model.resident[array, second])


def copied_loops(nest: NestSpace) -> tuple[LoopSpace, ...]:
    """The loops whose coarse-grained factor is a variable."""
    return tuple(loop for loop in nest.loops if loop.unroll != (1,))


def _level(loop: LoopSpace, level: int) -> tuple[int, ...]:
    return tuple(tile[level] for tile in loop.tiles)
