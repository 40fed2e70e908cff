"""Which instance wrote the value that each read sees; knows nothing of legality."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache, partial

from sisyphus.analysis.dependence import Dependence, Dependences, DepKind, in_order
from sisyphus.analysis.isl_limits import Patience
from sisyphus.ir import Access, ArrayId, Ref, Scop, Statement, StmtId
from sisyphus.poly import Map, last_writers, name_dims, original_schedule, through, union_of
from sisyphus.values import dataclass

#: By statement and what it reads: from the instances of each that wrote the values to those that read them.
Sources = Mapping[tuple[StmtId, Ref], Mapping[StmtId, Map]]


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


@dataclass(frozen=True, eq=False)
class Seen:
    """Instances of `source` that wrote what instances of `sink` read through `ref`, by names of their iterators."""

    source: Statement
    sink: Statement
    ref: Ref
    relation: Map


@lru_cache(maxsize=4)  # chains ask for it, and how many values expressions have
def values_seen(scop: Scop) -> tuple[Seen, ...]:
    """Which instance wrote what each read sees, for every read by itself; nothing of reads that isl gives up."""
    order, patience, found = schedules(scop), Patience(), list[Seen]()
    for sink in scop.statements:
        for access in sink.accesses:
            writes = [a.relation for s in scop.writers(access.array) for a in s.accesses if a.is_write]
            if access.is_write or not writes:
                continue
            times = [order[s.id] for s in scop.statements if s is sink or s.write.array == access.array]
            for writer, _, relation in patience.ask(partial(last_writers, [access.relation], writes, times)) or ():
                source = scop.statement(StmtId(writer))
                found.append(Seen(source, sink, access.ref, name_dims(relation, source.iterators, sink.iterators)))
    return tuple(found)


@lru_cache(maxsize=16)  # to find a form, its size, and to build it
def sources_of(scop: Scop, array: ArrayId) -> Sources | None:
    """Where the values come from that are read of an array; None where that is not proved of all."""
    patience, found = Patience(), dict[tuple[StmtId, Ref], Mapping[StmtId, Map]]()
    for reader in scop.statements:
        for read in (a for a in reader.accesses if a.array == array and not a.is_write):
            own = patience.ask(partial(proved_sources, scop, reader, read))
            if not own:
                return None
            found[reader.id, read.ref] = own
    return found


def same_sources(one: Sources, other: Sources) -> bool:
    """Whether all reads see the same values."""
    if one.keys() != other.keys():
        return False
    pairs = [(one[key], other[key]) for key in one]
    return all(own.keys() == its.keys() and all(own[name].is_equal(its[name]) for name in own) for own, its in pairs)


def proved_sources(scop: Scop, reader: Statement, read: Access) -> Mapping[StmtId, Map]:
    """By statement: from the instances that wrote what a read sees to those that read; nothing unless all is proved.

    Each answer of isl is checked to be a write before the read, with no other one between: with strides some are not.
    """
    order, writers, found = schedules(scop), [*scop.writers(read.array)], dict[StmtId, Map]()
    users = dict.fromkeys([*writers, reader])
    flow = last_writers([read.relation], [w.accesses[0].relation for w in writers], [order[u.id] for u in users])
    for name, _, relation in flow:
        writer = scop.statement(StmtId(name))
        pairs = name_dims(relation, writer.iterators, reader.iterators)
        if not _is_last(writers, writer, reader, read, pairs):
            return {}
        found[writer.id] = pairs
    fed = [pairs.range() for pairs in found.values()]
    return found if fed and reader.domain.is_subset(union_of(fed)) else {}


def _is_last(writers: Sequence[Statement], writer: Statement, reader: Statement, read: Access, pairs: Map) -> bool:
    """Do the pairs touch one element, the writer first, and does nothing else write it between them?"""
    if not pairs.is_subset(touching_before(writer, writer.accesses[0], reader, read)):
        return False
    for other in writers:
        before = touching_before(writer, writer.accesses[0], other, other.accesses[0])
        after = touching_before(other, other.accesses[0], reader, read)
        between = name_dims(before.apply_range(after), writer.iterators, reader.iterators)
        if not between.intersect(pairs).is_empty():
            return False
    return True


def touching_before(source: Statement, first: Access, sink: Statement, second: Access) -> Map:
    """Pairs of which the first touches an element before the second does."""
    return running_before(source, sink, through(first.relation, second.relation, source.iterators, sink.iterators))


def running_before(source: Statement, sink: Statement, pairs: Map) -> Map:
    """The pairs whose first runs before their second."""
    whole = pairs.subtract(pairs)
    for _, part in in_order(source, sink, pairs):
        whole = whole.union(part)
    return whole


@lru_cache(maxsize=4)  # each reader of each variable asks for those of its writers
def schedules(scop: Scop) -> Mapping[StmtId, Map]:
    """The order of the source, in the time space of all statements."""
    length = 2 * max((len(s.iterators) for s in scop.statements), default=0) + 1
    return {s.id: original_schedule(s.id, s.iterators, s.position, length) for s in scop.statements}


def flows(dependences: Dependences) -> tuple[Flow, ...]:
    """The dataflow of every array that is both written and read."""
    patience = Patience()
    return tuple(flow for array in dependences.scop.arrays for flow in flows_of(dependences, array.id, patience))


def flows_of(dependences: Dependences, array: ArrayId, patience: Patience) -> tuple[Flow, ...]:
    """The dataflow of one array, each reader asked for by itself: isl gives up on what many statements do together."""
    edges = [e for e in dependences.edges if e.array == array and e.kind is DepKind.RAW]
    found: list[Flow] = []
    for sink in dict.fromkeys(e.sink for e in edges):
        own = [e for e in edges if e.sink == sink]
        exact = patience.ask(partial(_exact, dependences.scop, array, sink, {e.source for e in own}))
        found += _assumed(own) if exact is None else exact
    return tuple(found)


def _exact(scop: Scop, array: ArrayId, sink: StmtId, sources: Collection[StmtId]) -> list[Flow]:
    """What one statement reads of an array, of which only `sources` write what it reads, before it does."""
    reader, writers = scop.statement(sink), [s for s in scop.statements if s.id in sources]
    users = [s for s in scop.statements if s.id in sources or s.id == sink]
    order = schedules(scop)
    reads = [a.relation for a in reader.accesses if a.array == array and not a.is_write]
    writes = [a.relation for s in writers for a in s.accesses if a.array == array and a.is_write]
    return [
        Flow(source.id, sink, array, name_dims(relation, source.iterators, reader.iterators))
        for writer, _, relation in last_writers(reads, writes, [order[s.id] for s in users])
        for source in [scop.statement(StmtId(writer))]
    ]


def _assumed(edges: Sequence[Dependence]) -> list[Flow]:
    """Every read after write, last or not."""
    return [Flow(e.source, e.sink, e.array, e.relation, approximate=True) for e in edges]
