"""Multiplexers, and those at the top of a kernel: banks that several functions use, cores that several tasks share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from sisyphus.algebra import Algebra, Value
from sisyphus.target import OperatorTable
from sisyphus.values import dataclass

#: Signals of a shared core beside its operands: the clock enable, and for an adder the operation.
_EXTRA_SIGNALS = {"add": 2}


@dataclass(frozen=True)
class Users:
    """How many functions read, write, or both read and write the banks of a buffer."""

    reads: int = 0
    writes: int = 0
    updates: int = 0

    def __add__(self, other: Users) -> Users:
        return Users(self.reads + other.reads, self.writes + other.writes, self.updates + other.updates)

    @property
    def functions(self) -> int:
        return self.reads + self.writes - self.updates


def mux_lut(alg: Algebra, table: OperatorTable, inputs: Value) -> Value:
    """LUT of a multiplexer of that many inputs (at least 1)."""
    return alg.apply(lambda count: table.mux(count).lut, inputs)


def bank_lut(table: OperatorTable, users: Users) -> int:
    """LUT per bank of a memory: address and enable of its port among all functions, data among its writers.

    A function that updates elements uses the second port beside; several of them share it.
    """
    if users.functions < 2:
        return 0
    lut = 2 * table.mux(users.functions + 1).lut
    if users.writes:
        lut += table.mux(users.writes + 1).lut
    if users.writes > 1:
        lut += table.mux(users.writes + 1).lut
    if users.updates > 1:
        lut += 2 * table.mux(users.updates + 1).lut
    elif users.updates == 1:
        lut += table.mux(2).lut
    return lut


def register_lut(table: OperatorTable, users: Users) -> int:
    """LUT per element of an array in registers that several functions write."""
    return table.mux(users.writes - 1).lut if users.writes > 1 else 0


def core_lut(table: OperatorTable, moments: Sequence[Sequence[Mapping[str, int]]]) -> int:
    """LUT in front of cores that tasks of different steps share.

    Tasks of one step stand side by side; a core used in several steps has a multiplexer for each of its signals.
    """
    ranges: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for running in moments:
        used: dict[str, int] = defaultdict(int)
        for counts in running:
            for kind, count in counts.items():
                ranges[kind].append((used[kind], used[kind] + count))
                used[kind] += count
    return sum(_shared_lut(table, kind, found) for kind, found in ranges.items() if len(found) > 1)


def shared_core_lut(table: OperatorTable, kind: str) -> int:
    """LUT in front of a core that tasks of two steps share, at the least."""
    return core_lut(table, [[{kind: 1}], [{kind: 1}]])


def lone_core_lut(table: OperatorTable, kind: str) -> int:
    """LUT in front of a core of which a step has more than the others do."""
    return core_lut(table, [[{kind: 2}], [{kind: 1}]]) - shared_core_lut(table, kind)


def _shared_lut(table: OperatorTable, kind: str, ranges: Iterable[tuple[int, int]]) -> int:
    found = list(ranges)
    edges = sorted({edge for pair in found for edge in pair})
    signals = 2 + _EXTRA_SIGNALS.get(kind.split()[0], 1)
    lut = 0
    for low, high in pairwise(edges):
        users = sum(start <= low and high <= end for start, end in found)
        if users > 1:
            lut += (high - low) * signals * table.mux(users + 1).lut
        elif users == 1:
            lut += (high - low) * table.mux(2).lut
    return lut
