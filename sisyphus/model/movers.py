"""FF and LUT of a burst transfer; knows no task.

A load spreads the lanes of a beat over banks, a store picks them: where the bank of a lane depends on a remainder,
each bank (or lane) has a multiplexer over all that may reach it (MODEL.md 4.2 and 4.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd, prod

from sisyphus.model.facts import Move
from sisyphus.model.schedule import Setting
from sisyphus.model.terms import Term
from sisyphus.model.transfers import move_interval, move_remainders, quotient_of


@dataclass(frozen=True)
class Mover:
    """A transfer with what its area depends on: banks, and per dimension the bits of an index that is divided."""

    move: Move
    banks: int
    divided: tuple[int, ...]

    @property
    def dividers(self) -> tuple[int, ...]:
        """Bits of each index with a remainder."""
        return tuple(bits for bits in self.divided if bits)

    @property
    def picks_late(self) -> bool:
        """The bank of a lane depends on a remainder in the last dimension."""
        return bool(self.divided) and self.divided[-1] > 0

    @property
    def reads_all(self) -> bool:
        """A store with a remainder in two dimensions reads every bank before it knows which one it wants."""
        return not self.move.is_load and len(self.dividers) > 1


def mover_of(setting: Setting, move: Move) -> Mover:
    """What the area of a transfer depends on."""
    extra = setting.rules.cycles.remainder_extra
    divided = tuple(max(int(cycles) - extra, 0) for cycles in move_remainders(setting, move))
    return Mover(move, prod(int(min(dim.factor, dim.extent)) for dim in move.dims), divided)


def mover_ff(setting: Setting, mover: Mover) -> tuple[Term, ...]:
    """Flip-flops: control, the words of a beat, dividers; words that wait for a late bank number."""
    area, lanes = setting.rules.area, mover.move.width * mover.move.bits
    dividers = sum(setting.operators.cost("rem", "uint32", bits).ff for bits in mover.dividers)
    late = 2 * lanes if mover.picks_late and mover.move.is_load else 0
    kept = area.ff_per_late_bank * mover.banks if mover.reads_all else 0
    return (
        Term("control", area.ff_per_transfer, rule="loop and burst control"),
        Term("words of a beat", lanes + late, rule="one register each"),
        Term("remainders", dividers, rule="dividers"),
        Term("words of all banks", kept, measured=False, rule="bank number comes late"),
    )


def mover_lut(setting: Setting, mover: Mover) -> tuple[Term, ...]:
    """Look-up tables: control, dividers, multiplexers between lanes and banks."""
    area, move = setting.rules.area, mover.move
    costs = [
        (setting.operators.cost("rem", "uint32", bits), quotient_of(setting.operators, bits)) for bits in mover.dividers
    ]
    late = move.width * move.bits if mover.picks_late and move.is_load else 0
    kept = area.lut_per_late_bank * mover.banks if mover.reads_all else 0
    return (
        Term("control", area.lut_per_transfer, rule="loop and burst control"),
        Term("remainders", late + sum(rest.lut + quotient.lut for rest, quotient in costs), rule="dividers"),
        Term("lanes and banks", (_spread_lut if move.is_load else _pick_lut)(setting, mover), rule="multiplexers"),
        Term("words of all banks", kept, measured=False, rule="bank number comes late"),
    )


def _spread_lut(setting: Setting, mover: Mover) -> int:
    """A load: each bank picks among the lanes that may reach it, or among the beats that its ports take turns at."""
    interval, mux = int(move_interval(setting, mover.move)), setting.operators.mux
    if interval > 1:
        # data and address of every port
        return mover.banks * 2 * setting.rules.ports_per_bank * mux(interval + 1).lut
    if not mover.picks_late:
        return 0
    aligned = mover.move.dims[-1].factor % mover.move.width == 0
    return mover.banks * (1 if aligned else 2) * mux(mover.move.width + 1).lut


def _pick_lut(setting: Setting, mover: Mover) -> int:
    """A store: each lane picks among the banks it may come from, the last dimension first."""
    dims, width, mux = mover.move.dims, int(mover.move.width), setting.operators.mux
    if not dims:
        return 0
    factors = [int(min(dim.factor, dim.extent)) for dim in dims]
    ways = factors[-1] if mover.picks_late else max(factors[-1] // gcd(factors[-1], width), 1)
    rest, lut = 1, 0
    for factor in factors[:-1]:
        lut += rest * mux(factor).lut
        rest *= factor
    return width * (lut + rest * mux(ways).lut)
