"""FF and LUT of a burst transfer; knows no task.

A load spreads the lanes of a beat over banks, a store picks them: where the bank of a lane depends on a remainder,
each bank (or lane) has a multiplexer over all that may reach it (docs/model.md). What goes through a FIFO has a
second process: one more loop and its word of a beat; the FIFO itself is a memory.
"""

from __future__ import annotations

from functools import partial

from sisyphus.algebra import Condition, Value
from sisyphus.model.area.multiplexers import mux_lut
from sisyphus.model.facts.task_facts import Move
from sisyphus.model.formulas.addresses import bank_count
from sisyphus.model.formulas.burst_cycles import move_interval, move_remainders, quotient_of
from sisyphus.model.formulas.iteration_latency import Setting
from sisyphus.model.formulas.terms import Term, scaled
from sisyphus.values import dataclass


@dataclass(frozen=True)
class Mover:
    """A transfer with what its area depends on: banks, and per dimension the bits of an index that is divided (or 0).

    `picks_late`: the bank of a lane depends on a remainder in the last dimension. `reads_all`: a store with a
    remainder in two dimensions reads every bank before it knows which one it wants. `shifts`: from beat to beat a
    bank gets other lanes, as its factor neither divides the beat nor is a multiple of it; measured as 165 to 187 LUT
    per bank for beats of 16 elements (docs/model.md).
    """

    move: Move
    banks: Value
    divided: tuple[Value, ...]
    picks_late: Condition
    reads_all: Condition
    shifts: Condition


def mover_of(setting: Setting, move: Move) -> Mover:
    """What the area of a transfer depends on."""
    alg, extra = setting.alg, setting.rules.cycles.remainder_extra
    divided = tuple(alg.maximum(cycles - extra, 0) for cycles in move_remainders(setting, move))
    remainders = sum(alg.minimum(bits, 1) for bits in divided)
    return Mover(
        move=move,
        banks=bank_count(alg, move.dims),
        divided=divided,
        picks_late=alg.exceeds(divided[-1], 0) if divided else False,
        reads_all=False if move.is_load else alg.exceeds(remainders, 1),
        shifts=_shifts(setting, move),
    )


def _shifts(setting: Setting, move: Move) -> Condition:
    if not move.dims:
        return False
    alg, last = setting.alg, move.dims[-1]
    factor = alg.minimum(last.factor, last.extent)
    common = alg.gcd(factor, move.width)
    coprime = alg.both(alg.exceeds(factor, common), alg.exceeds(move.width, common))
    return alg.both(alg.exceeds(last.extent, factor), coprime)


def mover_ff(setting: Setting, mover: Mover) -> tuple[Term, ...]:
    """Flip-flops of the transfers of all stripes: control, words of a beat, dividers; words waiting for a late bank."""
    alg, area, lanes = setting.alg, setting.rules.area, mover.move.width * mover.move.bits
    cost = partial(setting.operators.cost, "rem", "uint32")
    dividers = sum(alg.apply(lambda n: cost(n).ff if n else 0, bits) for bits in mover.divided)
    late = alg.select(mover.picks_late, 2 * lanes, 0) if mover.move.is_load else 0
    kept = alg.select(mover.reads_all, area.ff_per_late_bank * mover.banks, 0)
    waiting = alg.select(mover.move.stream, lanes, 0)
    found = (
        Term("control", area.ff_per_transfer, rule="loop and burst control"),
        Term("words of a beat", lanes + late, rule="one register each"),
        Term("second process", _reader(setting, mover.move, area.ff_per_transfer) + waiting, rule="dataflow region"),
        Term("remainders", dividers, rule="dividers"),
        Term("words of all banks", kept, construct="late-bank-number", rule="bank number comes late"),
    )
    return tuple(scaled(term, mover.move.stripes) for term in found)


def mover_lut(setting: Setting, mover: Mover) -> tuple[Term, ...]:
    """Look-up tables of the transfers of all stripes: control, dividers, multiplexers between lanes and banks."""
    alg, area, move = setting.alg, setting.rules.area, mover.move
    dividers: Value = alg.select(mover.picks_late, move.width * move.bits, 0) if move.is_load else 0
    dividers = dividers + sum(alg.apply(lambda n: _divider_lut(setting, n), bits) for bits in mover.divided)
    kept = alg.select(mover.reads_all, area.lut_per_late_bank * mover.banks, 0)
    found = (
        Term("control", area.lut_per_transfer, rule="loop and burst control"),
        Term("second process", _reader(setting, move, area.lut_per_transfer), rule="dataflow region"),
        Term("remainders", dividers, rule="dividers"),
        Term("lanes and banks", (_spread_lut if move.is_load else _pick_lut)(setting, mover), rule="multiplexers"),
        Term("words of all banks", kept, construct="late-bank-number", rule="bank number comes late"),
    )
    return tuple(scaled(term, move.stripes) for term in found)


def _reader(setting: Setting, move: Move, amount: Value) -> Value:
    """What the process that reads the port of a load takes beside that which fills the buffer."""
    alg = setting.alg
    return alg.select(alg.both(move.stream, alg.negation(move.joins)), amount, 0)


def _divider_lut(setting: Setting, bits: int) -> int:
    """Remainder and quotient of an index; none without bits."""
    if not bits:
        return 0
    return setting.operators.cost("rem", "uint32", bits).lut + quotient_of(setting.operators, bits).lut


def _spread_lut(setting: Setting, mover: Mover) -> Value:
    """A load: each bank picks among the lanes that may reach it, or among the beats that its ports take turns at."""
    alg, table, interval = setting.alg, setting.operators, move_interval(setting, mover.move)
    # data and address of every port
    turns = 2 * setting.rules.ports_per_bank * mux_lut(alg, table, interval + 1)
    picks = alg.select(mover.shifts, 2, alg.select(mover.picks_late, 1, 0)) * mux_lut(alg, table, mover.move.width + 1)
    return mover.banks * alg.select(alg.exceeds(interval, 1), turns, picks)


def _pick_lut(setting: Setting, mover: Mover) -> Value:
    """A store: each lane picks among the banks it may come from, the last dimension first."""
    alg, table, dims, width = setting.alg, setting.operators, mover.move.dims, mover.move.width
    if not dims:
        return 0
    factors = [alg.minimum(dim.factor, dim.extent) for dim in dims]
    few = alg.ceil_div(factors[-1], alg.gcd(factors[-1], width))
    ways = alg.select(mover.picks_late, factors[-1], few)
    rest: Value = 1
    lut: Value = 0
    for factor in factors[:-1]:
        lut = lut + rest * mux_lut(alg, table, factor)
        rest = rest * factor
    return width * (lut + rest * mux_lut(alg, table, ways))
