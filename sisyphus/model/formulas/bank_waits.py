"""How long transfers side by side wait for each other at the banks of the board; knows no plan.

A bank moves a beat of the widest port in a cycle, to one port after another (unmeasured). Reports know no banks: where
every array has one port their cycles stay, and those in RTL are no less than the busiest bank takes. Where an array is
dealt over several ports, the cycles of the report wait, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sisyphus.algebra import Algebra, Condition, Value
from sisyphus.model.facts.task_facts import Move


def port_cycles(size: int, stripes: int, port_bits: int) -> int:
    """Cycles in which a bank moves the bytes of one stripe of an array of `size` bytes."""
    return -(-size // (stripes * (port_bits // 8)))


def waits_for_banks(own: Sequence[Mapping[str, int]], banks: Mapping[str, Sequence[int]]) -> list[int]:
    """Cycles that each of some transfers waits for others on its banks; `own` are those of its arrays by name.

    A task moves several arrays: what these wait for each other is among its own cycles.
    """
    mine = [_by_bank(moved, banks) for moved in own]
    busy = sum(mine, Counter[int]())
    return [max((busy[bank] - cycles for bank, cycles in moved.items()), default=0) for moved in mine]


def busiest(own: Sequence[Mapping[str, int]], banks: Mapping[str, Sequence[int]]) -> int:
    """Cycles of the bank that moves most, in those that each of some transfers takes for its arrays by name."""
    busy = sum((_by_bank(moved, banks) for moved in own), Counter[int]())
    return max(busy.values(), default=0)


def _by_bank(moved: Mapping[str, int], banks: Mapping[str, Sequence[int]]) -> Counter[int]:
    """Cycles of one transfer on each bank."""
    found = Counter[int]()
    for name, cycles in moved.items():
        found.update(dict.fromkeys(banks[name], cycles))
    return found


def waits_for_beats(
    alg: Algebra, moves: Sequence[Move], beside: Sequence[tuple[Move, Value]] = (), entries: Value = 1
) -> list[Value | None]:
    """Cycles that each of some transfers side by side in a task waits for others; None where all have one port.

    Which banks they have is not asked there: each waits for a beat of every other one, and of those `beside` all, which
    run so often in the `entries` of a loop.
    """
    every = [*moves, *(move for move, _ in beside)]
    dealt: list[Condition] = [move.active for move in every if isinstance(move.stripes, int) and move.stripes > 1]
    if not dealt or len(every) == 1:
        return [None] * len(moves)
    busy = [alg.select(move.active, move.beats, 0) for move in moves]
    others = sum(alg.ceil_div(alg.select(m.active, m.beats * n, 0), alg.maximum(entries, 1)) for m, n in beside)
    is_any = alg.either(*dealt)
    return [alg.select(is_any, sum(busy[:at]) + sum(busy[at + 1 :]) + others, 0) for at in range(len(moves))]
