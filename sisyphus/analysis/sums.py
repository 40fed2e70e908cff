"""Outputs that several units may add up: each runs a part of a reduction, and their results are added."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sisyphus.analysis.dependence import Dependences, DepKind
from sisyphus.analysis.reduction import reduction_of
from sisyphus.ir import HALF, ArrayId, StmtId
from sisyphus.poly import Set, clipped, dim_names, dim_range
from sisyphus.values import dataclass


@dataclass(frozen=True)
class Sum:
    """A statement that adds to every element of an array over a loop, which has `extent` values from `low` on.

    The first unit begins with what the array is before, each further one with zeros.
    """

    array: ArrayId
    statement: StmtId
    loop: str
    low: int
    extent: int

    @staticmethod
    def of_json(told: Mapping[str, Any]) -> Sum:
        """From what `asdict` makes of one."""
        return Sum(
            ArrayId(told["array"]), StmtId(told["statement"]), str(told["loop"]), int(told["low"]), int(told["extent"])
        )

    def part(self, domain: Set, low: int, high: int) -> Set:
        """The instances of a domain of the statement with places `low` to `high` (exclusive) of the loop."""
        free: list[tuple[int, int] | None] = [None] * dim_names(domain).index(self.loop)
        return clipped(domain, [*free, (self.low + low, self.low + high - 1)])


def sums_of(found: Dependences, array: ArrayId) -> Iterator[Sum]:
    """The loops over which an output may be added up by units: of the one statement that adds to it and writes it last.

    None may read another element than it writes of the array: all units but the first begin with zeros there. Types
    that C has not are out, since the host adds in the ones that hold them, which wrap elsewhere.
    """
    scop = found.scop
    if any(ref.array == array and ref != s.write for s in scop.statements for ref in s.reads):
        return
    for statement in scop.statements:
        reduction = reduction_of(statement)
        kind = statement.write_type
        if statement.write.array != array or reduction is None or reduction.op != "+":
            continue
        if kind == HALF or kind != kind.stored:
            continue
        again = (e for e in found.edges if e.kind is DepKind.WAW and e.source == statement.id)
        if any(edge.sink != statement.id for edge in again):
            continue
        for loop in reduction.loops:
            low, high = dim_range(statement.domain, loop)
            if high > low:
                yield Sum(array, statement.id, loop, low, high - low + 1)
