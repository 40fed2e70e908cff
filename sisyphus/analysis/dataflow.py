"""Which instance wrote the value that each read sees; knows nothing of legality."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from sisyphus.analysis.dependence import Dependences, DepKind
from sisyphus.analysis.isl_limits import Patience
from sisyphus.ir import ArrayId, Scop, Statement, StmtId
from sisyphus.poly import Map, last_writers, name_dims, original_schedule
from sisyphus.values import dataclass


@dataclass(frozen=True, eq=False)
class Flow:
    """Pairs of instances of which the first wrote the element of an array that the second reads, and wrote it last.

    `approximate`: isl gave up, and every earlier write is taken for the last one.
    """

    source: StmtId
    sink: StmtId
    array: ArrayId
    relation: Map
    approximate: bool = False


def schedules(scop: Scop, statements: Sequence[Statement] | None = None) -> dict[StmtId, Map]:
    """The order of the source, of all statements or some of them, in the time space of all."""
    length = 2 * max((len(s.iterators) for s in scop.statements), default=0) + 1
    wanted = scop.statements if statements is None else statements
    return {s.id: original_schedule(s.id, s.iterators, s.position, length) for s in wanted}


def flows(dependences: Dependences) -> tuple[Flow, ...]:
    """The dataflow of every array that is both written and read."""
    patience = Patience()
    return tuple(flow for array in dependences.scop.arrays for flow in flows_of(dependences, array.id, patience))


def flows_of(dependences: Dependences, array: ArrayId, patience: Patience) -> tuple[Flow, ...]:
    """The dataflow of one array."""
    if not any(e.array == array and e.kind is DepKind.RAW for e in dependences.edges):
        return ()
    exact = patience.ask(partial(_exact, dependences.scop, array))
    return tuple(_assumed(dependences, array) if exact is None else exact)


def _exact(scop: Scop, array: ArrayId) -> list[Flow]:
    users = [s for s in scop.statements if any(a.array == array for a in s.accesses)]
    order = schedules(scop, users)
    accesses = [a for s in users for a in s.accesses if a.array == array]
    reads = [a.relation for a in accesses if not a.is_write]
    writes = [a.relation for a in accesses if a.is_write]
    return [
        Flow(source.id, sink.id, array, name_dims(relation, source.iterators, sink.iterators))
        for writer, reader, relation in last_writers(reads, writes, [order[s.id] for s in users])
        for source, sink in [(scop.statement(StmtId(writer)), scop.statement(StmtId(reader)))]
    ]


def _assumed(dependences: Dependences, array: ArrayId) -> list[Flow]:
    """Every read after write, last or not."""
    edges = (e for e in dependences.edges if e.array == array and e.kind is DepKind.RAW)
    return [Flow(e.source, e.sink, array, e.relation, approximate=True) for e in edges]
