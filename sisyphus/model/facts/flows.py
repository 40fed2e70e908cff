"""Values that one start of a pipelined body leaves for a later one, by the dependences of the kernel; knows no cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from sisyphus.algebra import Value
from sisyphus.analysis import Dependence, DepKind, dependences
from sisyphus.ir import ArrayId, Scop, StmtId
from sisyphus.model.facts.task_facts import Flow, Work

#: The statement that writes, the one that reads, and the array that both touch.
Ends: TypeAlias = tuple[StmtId, StmtId, ArrayId]


@lru_cache(maxsize=16)
def _read_after_write(scop: Scop) -> Mapping[Ends, Sequence[Dependence]]:
    """The dependences that carry values, accumulations aside, by their ends."""
    found: dict[Ends, list[Dependence]] = {}
    for edge in dependences(scop).edges:
        if edge.kind is DepKind.RAW and not edge.is_reduction:
            found.setdefault((edge.source, edge.sink, edge.array), []).append(edge)
    return found


def flows_of(
    scop: Scop, works: Sequence[Work], copies: Mapping[str, tuple[tuple[str, Value], ...]]
) -> tuple[Flow, ...]:
    """The flows between the statements of a body, asked for only where two of them meet in a buffer."""
    found: list[Flow] = []
    for at, writer in enumerate(works):
        for by, reader in enumerate(works):
            if _meets(writer, reader, same=at == by):
                ends = writer.statement, reader.statement, writer.target.array
                found += _flows(_read_after_write(scop).get(ends, ()), (at, writer), by, copies)
    return tuple(found)


def _meets(writer: Work, reader: Work, *, same: bool) -> bool:
    """Whether a statement reads from the buffer of another, or other elements than its own."""
    if not same:
        return any(a.buffer == writer.write.buffer for a in reader.reads.values())
    return any(a.buffer == writer.write.buffer and ref != writer.target for ref, a in reader.reads.items())


def _flows(
    edges: Iterable[Dependence], written: tuple[int, Work], by: int, copies: Mapping[str, object]
) -> Iterable[Flow]:
    at, writer = written
    for edge in edges:
        loops = writer.sources[: len(edge.shared)]
        ways = [_way(edge, signs, loops, copies) for signs in sorted(edge.directions)]
        useful = tuple(dict.fromkeys(way for way in ways if way))
        if useful:
            yield Flow(at, by, writer.write.buffer, useful)


def _way(
    edge: Dependence,
    signs: Sequence[int],
    loops: Sequence[str | None],
    copies: Mapping[str, object],
) -> tuple[tuple[str, int | None], ...] | None:
    """The smallest distances of one direction of a dependence; None where it is not between starts of one nest."""
    found: list[tuple[str, int | None]] = []
    for sign, distance, loop in zip(signs, edge.distance, loops, strict=True):
        if sign == 0:
            continue
        if loop is None or loop not in copies:
            return None
        nearest = 1 if sign > 0 else None
        found.append((loop, nearest if distance is None else distance))
    return tuple(found)
