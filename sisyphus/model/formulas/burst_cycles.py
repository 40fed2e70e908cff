"""Burst loads and stores: starts, initiation interval, iteration latency, total (docs/model.md); knows no task."""

from __future__ import annotations

from functools import lru_cache

from sisyphus.algebra import Condition, Value
from sisyphus.model.facts.task_facts import Dim, Move
from sisyphus.model.formulas.addresses import (
    has_product,
    in_registers,
    needs_multiplier,
    remainder_cycles,
    words_per_bank,
)
from sisyphus.model.formulas.iteration_latency import Setting
from sisyphus.model.formulas.rtl import late
from sisyphus.model.formulas.terms import Term, total
from sisyphus.target import OpCost, OperatorTable

#: Bits of the largest subscript.
WIDEST_INDEX = 32


def move_steps(move: Move) -> list[tuple[Dim, Value]]:
    """Each dimension with how far one beat goes in it."""
    last = len(move.dims) - 1
    return [(dim, move.width if at == last else 1) for at, dim in enumerate(move.dims)]


def move_interval(setting: Setting, move: Move) -> Value:
    """⌈⌈width / factor of the last dimension⌉ / 2⌉: the lanes of a beat share the ports of their banks.

    A row shorter than a beat fills as many lanes as it has elements.
    """
    if not move.dims:
        return 1
    alg, last = setting.alg, move.dims[-1]
    per_bank = alg.ceil_div(alg.minimum(move.width, last.extent), last.factor)
    return alg.maximum(1, alg.ceil_div(per_bank, setting.rules.ports_per_bank))


def move_remainders(setting: Setting, move: Move) -> tuple[Value, ...]:
    """Per dimension the cycles of the remainder that selects a bank, 0 where there is none."""
    steps = move_steps(move)
    return tuple(remainder_cycles(setting.alg, setting.rules, dim, step, whole=True) for dim, step in steps)


def move_depth(setting: Setting, move: Move) -> Value:
    """Iteration latency: 2 into registers, 3 into memories, more for remainders and addresses of two terms."""
    alg, rules = setting.alg, setting.rules
    cycles = rules.cycles
    registers = in_registers(alg, move.dims)
    base = alg.select(registers, cycles.register_transfer, cycles.memory_transfer)
    remainder = alg.maximum(0, *move_remainders(setting, move))
    divided = alg.exceeds(remainder, 0)
    two, multiplies = has_product(alg, [(dim, alg.exceeds(dim.extent, step)) for dim, step in move_steps(move)])
    deep = alg.both(two, alg.exceeds(words_per_bank(alg, move.dims), rules.ram_words_beyond_lut))
    plain = base + alg.select(multiplies, 1, 0)
    if move.is_load:
        depth = alg.select(divided, alg.maximum(base, remainder) + alg.select(deep, 1, 0), plain)
    else:
        depth = alg.select(divided, alg.maximum(base, remainder), base) + alg.select(alg.either(divided, two), 1, 0)
    return depth + move_interval(setting, move) - 1


def move_cycles(setting: Setting, move: Move) -> Term:
    """One run of a transfer: a pipelined loop over its beats behind the latency of the adapter.

    A tile that is no contiguous run of memory is a burst for each run (docs/model.md, unmeasured). Two processes
    with a FIFO take as long as one loop, as the second one starts with the first beat, and a region around them.
    """
    alg, cycles = setting.alg, setting.rules.cycles
    interval, depth = move_interval(setting, move), move_depth(setting, move)
    adapter = cycles.load if move.is_load else cycles.store
    beats, fill, memory = _bursts_in_turn(setting, move.beats, move.bursts, interval, depth, adapter)
    return total(
        move.id,
        (
            beats._replace(rtl=late(setting, move)),
            fill,
            memory,
            Term("tile address", _tile_address(setting, move), rule="tile index"),
            Term("region", alg.select(move.stream, cycles.region, 0), rule="dataflow region"),
            Term("guard", cycles.skipped if move.ahead else 0, rule="guarded part"),
        ),
        rule="transfer",
    )


def least_move_cycles(setting: Setting, beats: Value, bursts: Value) -> Value:
    """Cycles that every transfer of so many beats in so many runs takes: a beat each into registers, either adapter."""
    cycles = setting.rules.cycles
    adapter = min(cycles.load, cycles.store)
    terms = _bursts_in_turn(setting, beats, bursts, 1, cycles.register_transfer, adapter)
    return sum(term.value for term in terms)


def _bursts_in_turn(
    setting: Setting, beats: Value, bursts: Value, interval: Value, depth: Value, adapter: int
) -> tuple[Term, Term, Term]:
    """Contiguous runs one after another, each of them a pipelined loop behind the adapter."""
    alg, cycles = setting.alg, setting.rules.cycles
    again = bursts * (cycles.call + adapter)
    again = again + alg.select(alg.exceeds(bursts, 1), bursts * cycles.strided_burst, 0)
    construct = "" if isinstance(bursts, int) and bursts == 1 else "transfer-by-rows"
    return (
        Term("beats", (beats - bursts) * interval, rule="beats x II"),
        Term("fill", bursts * alg.maximum(depth - 1, 1), rule="iteration latency"),
        Term("memory", again, construct=construct, rule="call, request and response"),
    )


def _tile_address(setting: Setting, move: Move) -> Value:
    """A transfer of a tile computes its first address: one cycle, two if that takes a multiplier."""
    alg, one = setting.alg, setting.rules.cycles.tile_index
    multiplies = alg.select(places_by_product(setting, move), one, 0)
    return alg.select(move.is_tile, one + multiplies, 0)


def places_by_product(setting: Setting, move: Move) -> Condition:
    """Whether the first address of a tile takes a multiplier."""
    alg = setting.alg
    return alg.either(*(needs_multiplier(alg, alg.maximum(stride, 1)) for stride in move.tile_strides))


def move_multipliers(setting: Setting, move: Move) -> Value:
    """DSP of a transfer's addresses: of two terms in a bank, of the quotient of each remainder, of the tile's place.

    Of the transfers of all stripes.
    """
    alg, extra = setting.alg, setting.rules.cycles.remainder_extra
    bits = (alg.maximum(cycles - extra, 0) for cycles in move_remainders(setting, move))
    found = sum(alg.lookup(_quotient_dsp(setting.operators), each) for each in bits)
    _, multiplies = has_product(alg, [(dim, alg.exceeds(dim.extent, step)) for dim, step in move_steps(move)])
    placed = alg.both(move.is_tile, places_by_product(setting, move))
    return move.stripes * (found + alg.select(multiplies, 1, 0) + alg.select(placed, 1, 0))


def quotient_of(table: OperatorTable, bits: int) -> OpCost:
    """The index inside a bank: a product with the inverse of the factor, two bits wider."""
    return table.cost("mul", "uint32", bits, bits + 2)


@lru_cache(maxsize=16)
def _quotient_dsp(table: OperatorTable) -> tuple[int, ...]:
    """DSP of a quotient by the bits of the index; none without an index."""
    return (0, *(quotient_of(table, bits).dsp for bits in range(1, WIDEST_INDEX + 1)))
