"""Candidates of a nest in numbers, and what those of one loop tree share; knows no fact of a task and no formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sisyphus.ir import ArrayId
from sisyphus.model.algebra import Algebra, Condition, Value

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
