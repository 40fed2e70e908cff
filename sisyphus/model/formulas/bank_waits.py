"""How long transfers side by side wait for each other at the banks of the board; knows no plan.

Reports know no banks, and nothing is said of them where every array has one port. Where an array is dealt over several,
a bank moves a beat of the widest port in a cycle, to one port after another (unmeasured).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain


def port_cycles(size: int, stripes: int, port_bits: int) -> int:
    """Cycles in which a bank moves the bytes of one stripe of an array of `size` bytes."""
    return -(-size // (stripes * (port_bits // 8)))


def waits_for_banks(own: Sequence[Mapping[str, int]], banks: Mapping[str, Sequence[int]]) -> list[int]:
    """Cycles that each of some transfers waits for others on its banks; `own` are those of its arrays by name."""
    busy = Counter[int]()
    for name, cycles in chain.from_iterable(moved.items() for moved in own):
        busy.update(dict.fromkeys(banks[name], cycles))
    return [
        max((busy[bank] - cycles for name, cycles in moved.items() for bank in banks[name]), default=0) for moved in own
    ]
