"""Tilings of the exact search as the candidates that the cost model of a nest reads; knows no formula."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from typing import TypeAlias

import numpy as np

from sisyphus.algebra import distinct_rows, first_of_rows
from sisyphus.ir import ArrayId
from sisyphus.model import Candidates
from sisyphus.model.bounds.body import must_load
from sisyphus.model.formulas.rules import Rules
from sisyphus.model.nest_model import Flags
from sisyphus.plan import Numbers
from sisyphus.search.costs import Arrays, Ints, Placed, Tilings
from sisyphus.search.known_beats import KnownBeats, Moving
from sisyphus.search.memory_costs import tile_spans
from sisyphus.search.partitions import States
from sisyphus.space import (
    WORDS_OF_A_BLOCK,
    ArrayUse,
    NestPoint,
    NestSpace,
    Places,
    Space,
    ahead_place,
    innermost_outside,
    level0_order,
)
from sisyphus.values import dataclass

#: Rows of candidates, the places of transfers, the order of all loops, and the one that loads ahead.
_Kind: TypeAlias = tuple[Ints, Places, tuple[str, ...], str | None]


@dataclass(frozen=True, eq=False)
class Rows:
    """Of the tiles of an array: elements per beat, how much longer whole beats make a row, and whether tiles grow.

    `legal`: whether there is such a beat.
    """

    widths: Ints
    added: Ints
    grows: Flags
    legal: Flags


class Encoding:
    """Candidates of one nest: an order that fits the transfers, partitions and beats that serve the nest alone.

    `caps`: beats of tiled arrays are no wider, as tiles of other nests share the port; those of arrays `alone` do not.
    """

    def __init__(
        self,
        space: Space,
        nest: NestSpace,
        states: Mapping[ArrayId, States],
        tilings: Tilings,
        placed: Placed,
        registers: Arrays,
        caps: Mapping[ArrayId, int],
        alone: Arrays,
        rules: Rules,
        beats: KnownBeats,
    ) -> None:
        self.space, self.nest, self.states = space, nest, states
        self.tilings, self.placed, self.batch = tilings, placed, tilings.batch
        self._tiled = placed.arrays
        self._registers, self._caps, self._alone, self._rules, self._beats = registers, caps, alone, rules, beats

    def candidates(self) -> Candidates:
        """The candidates in the order of the tilings."""
        count, loops = self.batch.count, self.batch.loops
        order, pipeline = np.zeros(count, np.int64), np.full(count, -1, np.int64)
        places = {array: {loop: np.zeros(count, np.bool_) for loop in loops} for array in self._tiled}
        around = {array: np.zeros(count, np.bool_) for array in self._tiled}
        orders: dict[tuple[str, ...], int] = {}
        ahead = np.full(count, -1, np.int64)
        for rows, chosen, names, loads in self._kinds:
            ahead[rows] = loops.index(loads) if loads is not None else -1
            order[rows] = orders.setdefault(names, len(orders))
            for array, outside in chosen.outside.items():
                place = self._place(names, outside, rows)
                places[array].get(place, around[array])[rows] = True
        for at in range(len(loops)):
            pipeline[self.batch.level1[at] > 1] = at
        levels = (self.batch.level0, self.batch.level1, self.batch.level2)
        widths = {array: found.widths for array, found in self.rows.items()}
        numbers = Numbers(
            tiles={name: (levels[0][at], levels[1][at], levels[2][at]) for at, name in enumerate(loops)},
            places=places,
            around=around,
            factors={use.array: self._factors(use) for use in self.nest.arrays},
            widths=widths,
            loads={use.array: self.rows[use.array].grows | self._must_load(use) for use in self.nest.arrays},
            streams={array: self._streams(array, width) for array, width in widths.items()},
            unroll={s.iterator: self.batch.copies[at] for at, s in enumerate(self.nest.loops) if s.unroll != (1,)},
        )
        return Candidates(numbers, tuple(orders), order, pipeline, self.batch.interval, ahead)

    @property
    def has_beats(self) -> Flags:
        """Whether the tiles of all arrays have legal beats, per candidate."""
        return np.asarray(np.all([np.ones(self.batch.count, np.bool_), *(r.legal for r in self.rows.values())], axis=0))

    def copies(self, array: ArrayId) -> Ints:
        """Of the buffer of a tiled array, per candidate."""
        found = np.ones(self.batch.count, np.int64)
        for rows, chosen, names, loads in self._kinds if array in self.nest.early else ():
            may_be = loads is not None and loads in self.nest.early[array]
            found[rows] += may_be and self._place(names, chosen.outside[array], rows) == loads
        return found

    @cached_property
    def _kinds(self) -> list[_Kind]:
        """Candidates with the same active loops, the same sets of loops outside and all or none that load ahead."""
        bits = np.zeros(self.batch.count, np.int64)
        for at in range(len(self.batch.loops)):
            bits |= np.where(self.batch.level0[at] > 1, 1 << at, 0)
        keys = bits * len(self.placed.choices) + self.placed.chosen
        if not len(keys):
            return []
        sorted_rows = np.argsort(keys, kind="stable")
        different, starts = np.unique(keys[sorted_rows], return_index=True)
        found = []
        for key, rows in zip(different.tolist(), np.split(sorted_rows, starts[1:]), strict=True):
            active, choice = divmod(key, len(self.placed.choices))
            names = [name for at, name in enumerate(self.batch.loops) if active >> at & 1]
            places = self.placed.choices[choice]
            ahead = places.ahead
            order = self.nest.order or level0_order(self.space, self.nest, names, places.outside, ahead=ahead)
            found.append((rows, places, order, self._loads_ahead(order, places, rows) if ahead else None))
        return found

    def _loads_ahead(self, order: tuple[str, ...], chosen: Places, rows: Ints) -> str | None:
        """The loop that loads the tiles of candidates of one kind ahead."""
        places = ((array, self._place(order, outside, rows)) for array, outside in chosen.outside.items())
        return ahead_place(self._point(order, rows[0]), self.nest.early, places)

    def _place(self, order: tuple[str, ...], outside: frozenset[str], rows: Ints) -> str:
        """Of the transfers of an array, for candidates with the same active loops."""
        level0, row = self.batch.level0[:, rows[0]], self.batch.loops.index
        return innermost_outside(self.nest, order, outside, lambda name: bool(level0[row(name)] > 1))

    def _asked(self, array: ArrayId) -> Ints:
        """What a nest asks of the partition of an array."""
        registers = self.states[array].registers
        if array in self._registers and registers is not None:
            return np.full(self.batch.count, registers, np.int64)
        return self.tilings.states[array]

    def _factors(self, use: ArrayUse) -> tuple[Ints, ...]:
        states, asked = self.states[use.array], self._asked(use.array)
        if use.array not in self._tiled:
            return tuple(states.served[asked, at] for at in range(states.served.shape[1]))
        found_in = states.bare if use.stripes == 1 else states.served
        factors = [found_in[asked, at] for at in range(found_in.shape[1])]
        if use.dims and not self.space.options.whole_beats:
            others = np.prod(np.array(factors[:-1]).reshape(-1, self.batch.count), axis=0, dtype=np.int64)
            full = self._elements(use) // (others * factors[-1] * WORDS_OF_A_BLOCK)
            widths = self.rows[use.array].widths
            blocks = np.minimum(full, widths) if self.space.options.cut else np.zeros_like(full)  # none asks for more
            different, which = distinct_rows([others, widths, factors[-1], blocks])
            found = (
                self._beats.cut_to(self.nest, use.array, other, width, own, WORDS_OF_A_BLOCK * some)
                for other, width, own, some in different.tolist()
            )
            banks = np.array([*found], np.int64)[which]
            factors[-1] = np.where(banks > 0, banks, factors[-1])
        return tuple(factors)

    def _elements(self, use: ArrayUse) -> Ints:
        """Of a tile of an array, per candidate."""
        found = np.zeros(self.batch.count, np.int64)
        for of, rows, outside in self.placed.by_place():
            if of == use.array:
                spans = tile_spans(self.nest, use, self.batch.take(rows), outside)
                found[rows] = np.prod(spans, axis=0, dtype=np.int64)
        return found

    @cached_property
    def rows(self) -> Mapping[ArrayId, Rows]:
        return {use.array: self._rows(use) for use in self.nest.arrays}

    def _rows(self, use: ArrayUse) -> Rows:
        """Of a resident array the widest beat that its partition serves, of a tile the widest that its rows allow."""
        count = self.batch.count
        if use.array not in self._tiled:
            width = np.asarray(self.states[use.array].width[self._asked(use.array)], np.int64)
            return Rows(width, np.zeros(count, np.int64), np.zeros(count, np.bool_), np.ones(count, np.bool_))
        found = Rows(*(np.full(count, value) for value in (use.stripes, 0, False, True)))
        for rows, places, order, _ in self._kinds:
            outside = places.outside[use.array]
            place = self._place(order, outside, rows)
            for part in self._alike(use, rows):
                moving = self._moving(use, order, place, part[0])
                point = partial(self._point, order, part[0])
                widest, held = self._beats.of_rows(self.nest, use, moving, place, point)
                elements = max(min(widest, self._caps[use.array]), use.stripes)
                found.legal[part] = widest > 0
                found.widths[part] = elements
                if held is not None:
                    found.added[part] = held.grown(elements) - held.length
                    found.grows[part] = not held.is_in_beats(elements)
        return found

    def _alike(self, use: ArrayUse, rows: Ints) -> Iterator[Ints]:
        """Rows apart where the tiles of the last dimension differ."""
        moving = [at for at, name in enumerate(self.batch.loops) if use.dims and name in use.dims[-1].loops]
        if not moving:
            yield rows
            return
        own = self.batch.level1 * self.batch.level2, self.batch.copies
        _, which = first_of_rows([row for amounts in own for row in amounts[moving][:, rows]])
        for number in range(int(which.max(initial=-1)) + 1):
            yield rows[which == number]

    def _moving(self, use: ArrayUse, order: tuple[str, ...], place: str, row: int) -> Moving:
        """How loops move along the rows of an array, in one candidate whose tiles are transferred at a place."""
        outside = order[: order.index(place) + 1] if place in order else ()
        sizes, copies = self.batch.level1[:, row] * self.batch.level2[:, row], self.batch.copies[:, row]
        names = use.dims[-1].loops if use.dims else ()
        places = ((name, self.batch.loops.index(name)) for name in names)
        return tuple((name, name in outside, int(sizes[at]), int(copies[at])) for name, at in places)

    def _point(self, order: tuple[str, ...], row: int) -> NestPoint:
        tiles, copies, _ = self.batch.tiling(row)
        unroll = tuple((loop, factor) for loop, factor in copies.items() if factor > 1)
        return NestPoint(self.nest.nest.statements, order, tuple(tiles.items()), None, unroll)

    def _streams(self, array: ArrayId, widths: Ints) -> Flags:
        """Whether loads go through a FIFO.

        Where other tiles of the array may leave a narrower beat, of one port, they need none, and count as if they had
        none but where that takes longer: beats move in a cycle each, and there are so many more narrower ones. In RTL a
        wide beat without a FIFO would take longer, so that there it is counted as if it had one.
        """
        direct = max(self.space.direct_width(array), 1)
        found, use = widths > self.space.direct_width(array), self.nest.use(array)
        is_sure = use is None or use.stripes > 1 or array in self._alone or array not in self._tiled
        if is_sure or use is None or self.space.options.objective != "report":
            return found
        found &= self._factors(use)[-1] * self._rules.ports_per_bank >= widths
        for of, rows, outside in self.placed.by_place():
            if of == array:
                *others, last = tile_spans(self.nest, use, self.batch.take(rows), outside)
                last = last + self.rows[array].added[rows]
                more = np.prod(others, axis=0, dtype=np.int64) * (-(-last // direct) + -last // widths[rows])
                found[rows] &= more >= self._rules.cycles.region
        return found

    def _must_load(self, use: ArrayUse) -> bool:
        return must_load(self.space, self.nest, use)
