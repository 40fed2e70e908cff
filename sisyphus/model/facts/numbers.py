"""Candidates of a nest in numbers, and what those of one loop tree share; knows no fact of a task and no formula."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sisyphus.algebra import Algebra, Condition, Value
from sisyphus.ir import ArrayId

Trips = tuple[Value, Value, Value]


@dataclass(frozen=True)
class Shape:
    """What the candidates share: the order of all level-0 loops, outermost first, and the pipelined loop, if any turns.

    `skips`: a guard on outer loops alone stands around the nest. `guarded`: its statements stand under conditions.
    `depth` level-0 loops are outside of coarse-grained copies, 0 where there are none.
    """

    order: tuple[str, ...]
    pipelined: str | None
    skips: bool = False
    guarded: bool = False
    depth: int = 0


@dataclass(frozen=True, eq=False)
class Numbers:
    """The candidates: trip counts of the three copies of each loop, partition factors and beat widths of arrays.

    `places` has, per array and loop, whether the array is transferred under that loop, `around` whether it is around
    the nest, `loads` whether its tiles are loaded. `visits[n]` counts the iterations of the n outermost level-0 loops
    that hold work, those of coarse-grained copies one by one, and `starts` those of the copies of levels 0 and 1
    together; `unroll` has the coarse-grained factors per loop, where there are any.
    """

    tiles: Mapping[str, Trips]
    factors: Mapping[ArrayId, tuple[Value, ...]]
    widths: Mapping[ArrayId, Value]
    places: Mapping[ArrayId, Mapping[str, Condition]]
    around: Mapping[ArrayId, Condition]
    loads: Mapping[ArrayId, Condition]
    visits: Sequence[Value]
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
            visits=[function(visits) for visits in self.visits],
            starts=function(self.starts) if self.visits else 0,
            unroll={loop: function(copies) for loop, copies in self.unroll.items()},
        )

    def without_constants(self) -> Numbers:
        """Constants in place of conditions that all candidates agree in, and of level-1 loops that turn in none."""
        plain = self.each(lambda column: _constant(column) if column.dtype == np.bool_ else column)
        return replace(plain, tiles={loop: (t[0], _one(t[1]), t[2]) for loop, t in plain.tiles.items()})

    def hosts(self, alg: Algebra, loop: str) -> Condition:
        """Whether any array is transferred under a loop."""
        found: Condition = False
        for places in self.places.values():
            found = alg.either(found, places[loop])
        return found

    def exists(self, alg: Algebra, loop: str) -> Condition:
        """Whether a loop has a level-0 copy."""
        return alg.either(alg.exceeds(self.tiles[loop][0], self.unroll.get(loop, 1)), self.hosts(alg, loop))

    def stands_alone(self, alg: Algebra, order: Sequence[str]) -> Condition:
        """Whether the pipelined loop starts anew in each iteration of the tile loops (as `plan/scan.py` decides)."""
        found: Condition = True
        for at, loop in enumerate(order):
            moves = alg.exceeds(self.visits[at] * self.tiles[loop][0], self.visits[at + 1])
            here = self.exists(alg, loop)
            apart = alg.both(here, alg.either(self.hosts(alg, loop), moves))
            found = alg.either(apart, alg.both(alg.negation(here), found))
        for copies in self.unroll.values():
            found = alg.both(found, alg.negation(alg.exceeds(copies, 1)))
        return found


def _constant(column: Value) -> Value:
    return bool(column[0]) if (column == column[0]).all() else column


def _one(column: Value) -> Value:
    return 1 if (column == 1).all() else column
