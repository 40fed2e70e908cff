"""How long whole arrays move side by side where some are dealt over several ports, and over how many are best.

Ports of one bank wait for each other, so that more of them need not be faster. Knows no plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import prod

from sisyphus.algebra import EXACT
from sisyphus.ir import Array, ArrayId
from sisyphus.model.formulas.bank_waits import port_cycles, waits_for_banks
from sisyphus.plan import beats_of, spread
from sisyphus.search.costs import Move, Width
from sisyphus.search.effort import EFFORT
from sisyphus.space import Space
from sisyphus.values import replace


class DealtPorts:
    """The ports of the resident arrays of a space; `widths_of` has the costs of an array with beats of each width.

    Where they are not `open`, each array has the most that it may have.
    """

    def __init__(self, space: Space, widths_of: Callable[[ArrayId], Mapping[int, Width]], *, are_open: bool) -> None:
        self.space, self._widths_of, self._are_open = space, widths_of, are_open
        self._known_waits: dict[tuple[object, ...], Sequence[Mapping[Move, float]]] = {}

    def least(self, moved: Sequence[tuple[Move, ...]]) -> list[float]:
        """Cycles that the moves of each step take at least, through whichever numbers of ports."""
        return [min(times) for times in zip(*(self.least_of(moved, one) for one in self._all(moved)), strict=True)]

    def least_of(self, moved: Sequence[tuple[Move, ...]], ports: Mapping[ArrayId, int]) -> list[float]:
        """The same through so many ports."""
        return [
            max((self._fastest(move, ports) + wait for move, wait in waits.items()), default=0.0)
            for waits in self._waiting(moved, ports)
        ]

    def waiting(self, moved: Sequence[tuple[Move, ...]]) -> Sequence[tuple[Move, ...]]:
        """The same moves with the cycles that they wait for each other at the banks, where no numbers are open."""
        waits = self._waiting(moved, next(self._all(moved)))
        return [tuple(replace(move, wait=wait) for move, wait in own.items()) for own in waits]

    def of_use(self, moved: Sequence[tuple[Move, ...]]) -> Iterator[Mapping[ArrayId, int]]:
        """Numbers of ports of the arrays that steps move, by home; others are no faster than some that are fewer.

        Fewer ports take less of every budget. So numbers are left out where one of them may be less and no step takes
        longer for it.
        """
        for one in self._all(moved):
            fewer = ({**one, home: less} for home in one for less in self._options(home) if less < one[home])
            if not any(self._is_as_fast(other, one, moved) for other in fewer):
                yield one

    def _all(self, moved: Sequence[tuple[Move, ...]]) -> Iterator[dict[ArrayId, int]]:
        """Every combination of numbers of ports by home; of arrays beyond those that make too many, the most."""
        homes = list(dict.fromkeys(self.space.scop.home(move.array) for moves in moved for move in moves))
        every = dict[ArrayId, Sequence[int]]()
        for home in sorted(homes, key=lambda h: -self._beats(h, min(self.space.widths[h]))):
            options = self._options(home)
            is_too_many = prod(map(len, every.values())) * len(options) > EFFORT.ports_together
            every[home] = options[:1] if is_too_many else options
        yield from (dict(zip(every, numbers, strict=True)) for numbers in product(*every.values()))

    def _options(self, home: ArrayId) -> list[int]:
        """Over how many ports an array may be dealt, most first."""
        counts = {self.space.ports(home, width.elements) for width in self._possible(home)}
        return sorted(counts, reverse=True) if self._are_open else [max(counts)]

    def _possible(self, array: ArrayId) -> Sequence[Width]:
        every = [*self._widths_of(array).values()]
        return [width for width in every if width.possible.any()] or every

    def _through(self, array: ArrayId, ports: Mapping[ArrayId, int]) -> list[Width]:
        """The beats of an array with its number of ports, or with the most below that it may have."""
        own = [(self.space.ports(array, width.elements), width) for width in self._possible(array)]
        asked = ports[self.space.scop.home(array)]
        most = max((count for count, _ in own if count <= asked), default=min(count for count, _ in own))
        return [width for count, width in own if count == most]

    def _fastest(self, move: Move, ports: Mapping[ArrayId, int]) -> float:
        return min(width.fastest(move) for width in self._through(move.array, ports))

    def _widest(self, array: ArrayId, ports: Mapping[ArrayId, int]) -> Width:
        return max(self._through(array, ports), key=lambda width: width.elements)

    def _waiting(
        self, moved: Sequence[tuple[Move, ...]], ports: Mapping[ArrayId, int]
    ) -> Sequence[Mapping[Move, float]]:
        """Per step how long each move waits for others at the banks, with the widest beats through so many ports."""
        key = (tuple(moved), tuple(ports.items()))
        if key not in self._known_waits:
            arrays = {move.array for moves in moved for move in moves}
            widths = {array: self._widest(array, ports).elements for array in sorted(arrays)}
            self._known_waits[key] = [dict(zip(moves, self._waits(moves, widths), strict=True)) for moves in moved]
        return self._known_waits[key]

    def _is_as_fast(
        self, fewer: Mapping[ArrayId, int], ports: Mapping[ArrayId, int], moved: Sequence[tuple[Move, ...]]
    ) -> bool:
        """Whether no step takes longer through fewer ports, in any state of the arrays that leaves them so many."""
        before, after = self._waiting(moved, ports), self._waiting(moved, fewer)
        for longest, own, waits in zip(self.least_of(moved, ports), before, after, strict=True):
            for move, wait in waits.items():
                widest, narrower = self._widest(move.array, ports), self._widest(move.array, fewer)
                if narrower is widest and wait <= own[move]:
                    continue
                taken = narrower.cycles(move)[widest.possible].max(initial=0.0) + wait
                if taken > longest or not narrower.possible[widest.possible].all():
                    return False
        return True

    def _beats(self, array: ArrayId, width: int) -> int:
        """Cycles in which a bank moves what one port moves of an array, with beats of so many elements."""
        declared = self.space.scop.array(array)
        size = beats_of(EXACT, declared.extents, width) * width * declared.type.stored.bits // 8
        return port_cycles(int(size), self.space.ports(array, width), self.space.target.port_bits)

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
