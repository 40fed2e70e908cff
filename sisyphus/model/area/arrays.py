"""What arrays on chip cost for many candidates at once, by the same formulas as those of a plan; knows no nest.

A candidate is a row of partition factors, elements per beat and, of a tile, extents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from sisyphus.algebra import VECTOR, Value
from sisyphus.ir import Array
from sisyphus.model.area.movers import mover_ff, mover_lut, mover_of
from sisyphus.model.area.multiplexers import Users, bank_lut, register_lut
from sisyphus.model.counting.iterations import Ints
from sisyphus.model.facts.task_facts import Dim, Move, of_one_stripe
from sisyphus.model.formulas.addresses import bank_count, in_registers, words_per_bank
from sisyphus.model.formulas.burst_cycles import move_cycles, move_multipliers
from sisyphus.model.formulas.iteration_latency import Setting
from sisyphus.model.formulas.rtl import counted
from sisyphus.model.formulas.rules import VITIS_2023_2, Rules
from sisyphus.plan import FIFO_DEPTH, beats_of
from sisyphus.space import port_width
from sisyphus.target import BankCost, Target
from sisyphus.values import dataclass, replace

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

#: Figures of a bank or an adapter.
FIGURES = ("bram18k", "uram", "lut", "ff")


@dataclass(frozen=True, eq=False)
class ArrayCosts:
    """Buffers of one array, whole or tiles of it: a row per candidate of their extents, partition factors and beats.

    `extents` and `factors` have a column (or a number) per dimension, `widths` the elements per beat. `streams`: loads
    go through a FIFO. `joins`: beats over several ports are those of another array's load, which has the ports.
    """

    target: Target
    array: Array
    extents: Sequence[Value]
    factors: Sequence[Ints]
    widths: Ints
    streams: Flags | bool = False
    rules: Rules = VITIS_2023_2
    joins: bool = False

    def resident(self, *, loaded: bool, stored: bool, users: Users) -> dict[str, Floats]:
        """BRAM18, URAM, LUT, FF and DSP of buffers that are on chip for the whole kernel.

        These are the banks, one load and one store where it has them, the multiplexers of its banks between these and
        the tasks that use it (`users`), and the adapter of its port where it is transferred at all. The control
        interface and what tasks do with an element are not in it.
        """
        found = self._parts(loaded=loaded, stored=stored, users=users)
        if loaded or stored:
            adapters = self._for_each_port(self.target.memories.m_axi)
            found = {name: found[name] + np.where(self._joined, 0, adapters[name]) for name in FIGURES}
        moved = [is_load for is_load, moves in ((True, loaded), (False, stored)) if moves]
        dsp = sum(move_multipliers(self._setting, self._move(is_load=is_load)) for is_load in moved)
        return {**found, "dsp": np.zeros(len(self.widths)) + dsp}

    def tile(self, *, loaded: Flags | bool, stored: bool, users: Users) -> dict[str, Floats]:
        """BRAM18, URAM, LUT and FF of buffers that hold a tile in one nest.

        As `resident`, `users` being what the nest itself does; but without the adapter, which all buffers of the array
        share, and without the DSP of addresses, which `NestCosts` counts.
        """
        with_load, without = (self._parts(loaded=moves, stored=stored, users=users) for moves in (True, False))
        return {name: np.where(loaded, with_load[name], without[name]) for name in FIGURES}

    def transfer(self, *, is_load: bool, read_only: bool = False, rtl: bool = False) -> Ints:
        """Cycles of moving the whole array once; `rtl`: those in RTL."""
        beats = beats_of(VECTOR, self.array.extents, self.widths) * np.ones_like(self.widths)
        move = replace(self._move(is_load=is_load), beats=beats, read_only=read_only)
        return np.asarray(counted(move_cycles(self._setting, move), rtl=rtl), np.int64)

    def banks(self) -> dict[str, Ints]:
        """BRAM18, URAM, LUT, FF and bytes of the memories alone."""
        kind, words = self.array.type, words_per_bank(VECTOR, self._dims)
        banks, table = bank_count(VECTOR, self._dims), self.target.memories
        each = _per_row(words, lambda n: table.bank(n, kind.bits, table.storage))
        return {**{name: banks * figures for name, figures in each.items()}, "bytes": banks * words * kind.bytes}

    @property
    def _setting(self) -> Setting:
        return Setting(VECTOR, self.rules, self.target.operators)

    @property
    def _dims(self) -> tuple[Dim, ...]:
        """No dimension has more banks than elements."""
        return tuple(Dim(e, np.minimum(f, e), {}) for e, f in zip(self.extents, self.factors, strict=True))

    @property
    def _ports(self) -> Ints:
        """Over how many ports beats are dealt."""
        widest = port_width(self.array.type.stored.bits, self.target.port_bits)
        return np.asarray(-(-self.widths // widest), np.int64)

    @property
    def _joined(self) -> Flags:
        """Whether another load fills the buffers."""
        return self.joins & (self._ports > 1)

    def _for_each_port(self, cost: Callable[[int], BankCost]) -> dict[str, Ints]:
        """The figures of what each port has, of its share of a beat."""
        each = _per_row(self.widths // self._ports * self.array.type.stored.bits, cost)
        return {name: figures * self._ports for name, figures in each.items()}

    def _move(self, *, is_load: bool) -> Move:
        """A transfer of all of it, but for its beats."""
        name, bits = self.array.id, self.array.type.stored.bits
        stream = self.streams if is_load else False
        dims, width = of_one_stripe(VECTOR, self._dims, self._ports), self.widths // self._ports
        move = Move(name, name, name, name, is_load, dims, width, bits, beats=0, stream=stream)
        return replace(move, stripes=self._ports, joins=self._joined if is_load else False)

    def _parts(self, *, loaded: bool, stored: bool, users: Users) -> dict[str, Floats]:
        """Banks, transfers and the multiplexers of banks."""
        table, dims = self._setting.operators, self._dims
        rows = np.shape(self.widths)
        found = {
            name: np.broadcast_to(np.asarray(figures, np.float64), rows)
            for name, figures in self.banks().items()
            if name in FIGURES
        }
        users = users + Users(reads=int(stored), writes=int(loaded))
        banks, registers = bank_count(VECTOR, dims), in_registers(VECTOR, dims)
        each = np.where(registers, register_lut(table, users), bank_lut(table, users))
        found["lut"] = found["lut"] + banks * each
        found["ff"] = found["ff"] + banks * np.where(registers, self.rules.area.ff_per_register_element, 0)
        for is_load, moved in ((True, loaded), (False, stored)):
            if moved:
                mover = mover_of(self._setting, self._move(is_load=is_load))
                for term in mover_lut(self._setting, mover):
                    found["lut"] = found["lut"] + term.value
                for term in mover_ff(self._setting, mover):
                    found["ff"] = found["ff"] + term.value
        return self._with_fifo(found) if loaded and np.any(self.streams) else found

    def _with_fifo(self, found: dict[str, Floats]) -> dict[str, Floats]:
        """The same with the FIFO of a load that goes through one."""
        costs = self._for_each_port(partial(self.target.memories.fifo, depth=FIFO_DEPTH))
        own = self.streams & ~self._joined
        return {name: found[name] + np.where(own, costs[name], 0) for name in FIGURES}


def _per_row(numbers: Value, cost: Callable[[int], BankCost]) -> dict[str, Ints]:
    """The figures of what is known for one number at a time."""
    different, which = np.unique(numbers, return_inverse=True)
    costs = [cost(int(number)) for number in different]
    found = {name: np.array([getattr(c, name) for c in costs], np.int64) for name in FIGURES}
    return {name: figures[which.reshape(np.shape(numbers))] for name, figures in found.items()}
