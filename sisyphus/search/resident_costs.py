"""What whole arrays on chip take of budgets, and how long they move, by partition and beat; knows no nest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np

from sisyphus.ir import ArrayId, Role
from sisyphus.model import ArrayCosts
from sisyphus.model.area.multiplexers import Users
from sisyphus.model.formulas.rules import VITIS_2023_2, Rules
from sisyphus.search.costs import Arrays, Beat, Floats, Ints, Move, Placement, Width
from sisyphus.search.packing import BLOCKS, WORTH, Blocks, Packing
from sisyphus.search.ported_costs import PortedCosts
from sisyphus.space import ArrayUse, Space

CORES = ("dsp", "lut", "ff")
#: Block memories of both kinds together, in BRAM18.
EITHER = "blocks"
#: What the beats of an array that may have these take.
KnownWidths: TypeAlias = dict[tuple[ArrayId, tuple[int, ...], str], Mapping[int, Width]]


class ResidentCosts(PortedCosts):
    """The part of a `CostModel` of the measured rules that speaks of whole arrays."""

    rules: Rules = VITIS_2023_2

    def __init__(self, space: Space, whole: ResidentCosts | None = None) -> None:
        """Of the part of the `whole` space in which arrays have as many ports as they may have, if it is given."""
        super().__init__(space, whole)
        self._known_widths: KnownWidths = {} if whole is None else whole._known_widths
        self._known_residents: dict[ArrayId, Mapping[str, Floats]] = {}

    @property
    def _rtl(self) -> bool:
        """Whether cycles are those in RTL."""
        return self.space.options.objective == "rtl"

    def moves(self, move: Move) -> Floats:
        states = self.states[move.array]
        found = self._moved(self._whole(move.array, states.served, states.width), is_load=move.is_load)
        is_own = np.isin(states.width, self._own_widths(move.array))
        return np.where(is_own, found + self.rules.cycles.step + move.wait, np.inf)

    def beats(self, array: ArrayId, state: int) -> Sequence[Beat]:
        widest, found = self.states[array].width[state], list[Beat]()
        for width in (width for width in self.space.widths[array] if width <= widest):
            usual, *others = (self._widths(array, storage)[width].at(state) for storage in self._storages)
            found += [usual, *(beat for beat in others if _differ(beat, usual))]
        return found

    @property
    def _storages(self) -> Sequence[str]:
        """What the banks of a whole array may be in, first what they are in if nothing speaks against it."""
        return self.space.target.memories.storages

    def _whole(self, array: ArrayId, factors: Ints, widths: Ints, storage: str | None = None) -> ArrayCosts:
        """A whole array with these partitions and beats."""
        target = self.space.target if storage is None else self.space.target.asking(storage)
        columns, declared = tuple(factors[:, at] for at in range(factors.shape[1])), self.space.scop.array(array)
        streams = widths > self.space.direct_width(array)
        joins = self.space.arrives_with_another(array)
        return ArrayCosts(target, declared, declared.extents, columns, widths, streams, self.rules, joins)

    def _moved(self, rows: ArrayCosts, *, is_load: bool) -> Ints:
        """Cycles of the transfer of a whole array."""
        array = rows.array
        port = array.home if self.space.arrives_with_another(array.id) else array.port
        return rows.transfer(is_load=is_load, read_only=not self.space.live[port].store, rtl=self._rtl)

    def resident_usage(self, placement: Placement) -> Mapping[str, Mapping[ArrayId, Floats]]:
        found: dict[str, dict[ArrayId, Floats]] = {name: {} for name in (*CORES, *BLOCKS, EITHER)}
        for array in placement.residents & self.states.keys():
            for name, amount in self._resident(array).items():
                found[name][array] = amount
        return found

    def by_width(self, array: ArrayId) -> Sequence[Width]:
        first, *others = ([self._widths(array, s)[w] for w in self._own_widths(array)] for s in self._storages)
        found = [*first, *(w for other in others for w, usual in zip(other, first, strict=True) if _differ(w, usual))]
        return [width for width in found if width.possible.any()] or first[-1:]

    def _widths(self, array: ArrayId, storage: str | None = None) -> Mapping[int, Width]:
        """Beats of all widths, counted together: for so few numbers it is the calls that take time."""
        storage = storage or self._storages[0]
        widths = self.space.widths[array]
        key = (array, widths, storage)
        if key not in self._known_widths:
            factors, served = zip(*map(self.states[array].serving, widths), strict=True)
            rows = self._whole(array, np.concatenate(factors), np.repeat(widths, len(factors[0])), storage)

            def by_width(column: Floats | Ints) -> Floats:
                return np.broadcast_to(np.asarray(column, np.float64), rows.widths.shape).reshape(len(widths), -1)

            load, store = (by_width(self._moved(rows, is_load=d) + self.rules.cycles.step) for d in (True, False))
            found, memory = self._resident_costs(rows), by_width(rows.banks()["bytes"])
            usage = {name: by_width(found[name]) for name in (*CORES, *BLOCKS)}
            possible = np.stack(served)
            for name, used in usage.items():
                possible = possible & (used <= getattr(self.space.target.budget, name))
            usage[EITHER] = usage["bram18k"] + WORTH * usage["uram"]
            self._known_widths[key] = {
                width: Width(
                    width, load[at], store[at], {n: u[at] for n, u in usage.items()}, possible[at], memory[at], storage
                )
                for at, width in enumerate(widths)
            }
        return self._known_widths[key]

    def _resident(self, array: ArrayId) -> Mapping[str, Floats]:
        """Per budget and state what an array takes at least, with a beat that may be narrower than the widest, and in
        whichever storage.
        """
        if array not in self._known_residents:
            found: dict[str, Floats] = {}
            for width in self.by_width(array):
                for name, amount in width.usage.items():
                    least = np.where(width.possible, amount, np.inf)
                    found[name] = np.minimum(found.get(name, least), least)
            self._known_residents[array] = found
        return self._known_residents[array]

    def may_hold(self, residents: Arrays) -> bool:
        return self._packing.hold(frozenset(residents & self.states.keys()))

    @cached_property
    def _packing(self) -> Packing[ArrayId]:
        budget = self.space.target.budget
        return Packing(self._blocks, (budget.bram18k, budget.uram))

    def _blocks(self, array: ArrayId) -> Iterator[Blocks]:
        """What a resident array may take of block memories."""
        for width in self.by_width(array):
            bram, uram = (width.usage[name][width.possible].astype(np.int64).tolist() for name in BLOCKS)
            yield from set(zip(bram, uram, strict=True))

    def _resident_costs(self, rows: ArrayCosts) -> Mapping[str, Floats]:
        array, live = rows.array, self.space.live[rows.array.id]
        is_moved = array.role is not Role.LOCAL
        users = [users_of(use) for nest in self.space.users(array.id) if (use := nest.use(array.id))]
        return rows.resident(loaded=is_moved and live.load, stored=is_moved and live.store, users=sum(users, Users()))


def users_of(use: ArrayUse) -> Users:
    """One task that uses an array."""
    return Users(int(use.reads), int(use.writes), int(use.reads and use.writes))


def _differ(one: Width | Beat, other: Width | Beat) -> bool:
    """Whether an array takes other blocks in one storage than in another one."""
    return any(bool(np.any(one.usage[name] != other.usage[name])) for name in BLOCKS)
