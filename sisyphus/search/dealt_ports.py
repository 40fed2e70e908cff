"""How long whole arrays move side by side where some are dealt over several ports, and over how many are best.

Ports of one bank wait for each other, so that more of them need not be faster. Knows no plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import prod

import numpy as np

from sisyphus.algebra import EXACT
from sisyphus.ir import Array, ArrayId
from sisyphus.model.formulas.bank_waits import least_with_waits, port_cycles, waits_for_banks
from sisyphus.plan import beats_of, spread
from sisyphus.search.costs import Dealt, Floats, Move, Step, Width
from sisyphus.search.effort import EFFORT
from sisyphus.space import Space
from sisyphus.values import dataclass


@dataclass(frozen=True)
class _Ports:
    """A resident array behind so many ports: the cycles of a move, and of each of its banks."""

    stripes: int
    beats: int
    cycles: float


class DealtPorts:
    """The ports of the resident arrays of a space; `widths_of` has the costs of an array with beats of each width."""

    def __init__(self, space: Space, widths_of: Callable[[ArrayId], Mapping[int, Width]]) -> None:
        self.space, self._widths_of = space, widths_of
        self._known_least: dict[tuple[Move, ...], float] = {}
        self._known_dealt: dict[tuple[object, ...], Dealt] = {}

    def least_of(self, moves: tuple[Move, ...]) -> float:
        """Cycles that moves side by side take at least, with whichever beats: their arrays share the board's banks."""
        if moves not in self._known_least:
            self._known_least[moves] = self._least_of(moves)
        return self._known_least[moves]

    def _least_of(self, moves: tuple[Move, ...]) -> float:
        ports = [self._fastest(move) for move in moves if not self._may_join(move, moves)]
        if prod(map(len, ports)) > EFFORT.ports_together or all(len(own) == 1 for own in ports):
            return 0.0
        banks = self.space.target.device.banks
        return min(
            least_with_waits([p.cycles for p in chosen], [p.beats for p in chosen], [p.stripes for p in chosen], banks)
            for chosen in product(*ports)
        )

    def _fastest(self, move: Move) -> list[_Ports]:
        """A move through each number of ports that its array may have, with the fastest of the beats."""
        every, found = self._widths_of(move.array).values(), dict[int, _Ports]()
        for width in [width for width in every if width.possible.any()] or every:
            stripes, cycles = self.space.ports(move.array, width.elements), width.fastest(move)
            if np.isfinite(cycles) and (stripes not in found or cycles < found[stripes].cycles):
                found[stripes] = _Ports(stripes, self._beats(move.array, width.elements), cycles)
        return [*found.values()]

    def _beats(self, array: ArrayId, width: int) -> int:
        """Cycles in which a bank moves what one port moves of an array, with beats of so many elements."""
        declared = self.space.scop.array(array)
        size = beats_of(EXACT, declared.extents, width) * width * declared.type.stored.bits // 8
        return port_cycles(int(size), self.space.ports(array, width), self.space.target.port_bits)

    def fewer(self) -> Iterator[Mapping[ArrayId, int]]:
        """The most ports of each array where its transfers may take so long, for every such time: the fewest last.

        Every array has the fewest ports that keep to the time, or the fastest where none do. A design whose longest
        transfer takes that time has at least as many of each, if all whole arrays move in one step.
        """
        times = {array: own for array in self._arrays_with_ports if (own := dict(self._times(array)))}
        known = [{array: max(own) for array, own in times.items()}]
        for limit in sorted({time for own in times.values() for time in own.values()}):
            most = {
                a: min((n for n, time in own.items() if time <= limit), default=max(own)) for a, own in times.items()
            }
            if most not in known:
                known.append(most)
                yield most

    @property
    def _arrays_with_ports(self) -> Sequence[ArrayId]:
        """Arrays that may have different numbers of ports."""
        counts = {a: {self.space.ports(a, width) for width in self.space.widths[a]} for a in self.space.used_arrays}
        return [array for array, every in counts.items() if len(every) > 1]

    def _times(self, array: ArrayId) -> Iterator[tuple[int, float]]:
        """Each number of ports with the cycles of the slower one of the transfers."""
        live = self.space.live[self.space.scop.home(array)]
        both = [
            self._fastest(Move(array, is_load)) for is_load in (True, False) if (live.load if is_load else live.store)
        ]
        for ports in zip(*both, strict=True):
            yield ports[0].stripes, max(one.cycles for one in ports)

    def dealt(self, steps: Sequence[Step], widths: Mapping[ArrayId, int]) -> Dealt:
        """What the moves of steps take with these beats, and with the same through fewer ports."""
        moved = tuple(step.moves for step in steps)
        key = (moved, tuple(widths.items()))
        if key not in self._known_dealt:
            self._known_dealt[key] = self._dealt(moved, widths)
        return self._known_dealt[key]

    def _dealt(self, moved: Sequence[tuple[Move, ...]], widths: Mapping[ArrayId, int]) -> Dealt:
        """Without what is as slow as others before it in every state."""
        kept, times = list[Mapping[ArrayId, int]](), list[dict[Move, Floats]]()
        for own in self._with_fewer(widths):
            taken = {
                move: self._widths_of(move.array)[own[move.array]].cycles(move) + wait
                for moves in moved
                for move, wait in zip(moves, self._waits(moves, own), strict=True)
            }
            if not any(all((known[move] <= taken[move]).all() for move in taken) for known in times):
                kept.append(own)
                times.append(taken)
        return Dealt(kept, {move: np.stack([taken[move] for taken in times]) for move in times[0]})

    def _with_fewer(self, widths: Mapping[ArrayId, int]) -> Iterator[Mapping[ArrayId, int]]:
        """The beats, and those through fewer ports of some arrays, as wide as these are: fewest ports first.

        An array and its copies move the same beats.
        """
        scop, homes = self.space.scop, dict[ArrayId, int]()
        for array, width in widths.items():
            homes[scop.home(array)] = min(width, homes.get(scop.home(array), width))
        options = [
            [w for w in self.space.widths[home] if self.space.port_width(home) <= w < most] + [most]
            for home, most in homes.items()
        ]
        for chosen in sorted(product(*options), key=sum):
            by_home = dict(zip(homes, chosen, strict=True))
            yield {array: by_home[scop.home(array)] for array in widths}

    def _waits(self, moves: tuple[Move, ...], widths: Mapping[ArrayId, int]) -> Sequence[float]:
        """Cycles that each of some moves side by side waits for the others, with these beats of resident arrays."""
        stripes = {array: self.space.ports(array, width) for array, width in widths.items()}
        if all(stripes[move.array] == 1 for move in moves):
            return [0.0] * len(moves)
        joining = {m.array for m in moves if stripes[m.array] > 1 and self._may_join(m, moves)}
        behind = (a for a in self._behind_ports if a.id not in joining)
        arrays = {str(a.id): (a.elements * a.type.stored.bytes, stripes.get(a.id, 1)) for a in behind}
        own = {
            m: {str(self.space.scop.array(m.array).port): self._beats(m.array, widths[m.array])}
            for m in moves
            if m.array not in joining
        }
        waits = dict(zip(own, waits_for_banks([*own.values()], spread(arrays, self.space.target.device)), strict=True))
        return [waits[self._with_ports(m) if m.array in joining else m] for m in moves]

    def _with_ports(self, move: Move) -> Move:
        """The load of the array that a copy is of."""
        return Move(self.space.scop.home(move.array), move.is_load)

    def _may_join(self, move: Move, moves: Sequence[Move]) -> bool:
        """Whether a load fills a copy beside its array, whose beats it takes where these come over several ports."""
        return move.is_load and self.space.arrives_with_another(move.array) and self._with_ports(move) in moves

    @cached_property
    def _behind_ports(self) -> Sequence[Array]:
        """The arrays that have ports, in the order of the arguments of the top function."""
        scop = self.space.scop
        homes = (scop.array(ArrayId(a.name)) for a in scop.arguments if a.kind == "array")
        return [a for home in homes for a in (home, *(c for c in scop.arrays if c.own_port and c.home == home.id))]
