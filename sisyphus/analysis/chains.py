"""Chains of instances of several statements that wait for one another's values; knows no latency.

for k: { s = 0   for i < k: s += r[k-i-1] * y[i]   a = -(r[k] + s) / b   for i < k: z[i] = y[i] + a * y[k-i-1] ... }

has one through all these sums: each row of them begins with a value that the last sum of the row before went into.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from sisyphus.analysis.dataflow import values_seen
from sisyphus.analysis.dependence import Dependences
from sisyphus.analysis.footprint import count_or_none
from sisyphus.analysis.isl_limits import Patience
from sisyphus.ir import Ref, Scop, Statement, StmtId
from sisyphus.poly import (
    Map,
    Set,
    constant_distance,
    extend,
    is_convex,
    later_along,
    longest_line,
    name_dims,
    project_onto,
    renamed,
    wherever,
)
from sisyphus.values import dataclass

#: Statements, their reads, and ways around them that are looked at, which lead through so many: isl takes milliseconds.
MOST_STATEMENTS, MOST_READS, MOST_WAYS, MOST_STEPS = 60, 120, 60, 6
#: Ways of one length that are followed.
MOST_BEGUN = 2_000
#: Reads of one statement's values by another that are followed: those that wait longest.
MOST_BETWEEN = 3

#: What it takes from a read to the value of its statement, in whatever unit; whether that is of the instance before it.
Weight = Callable[[Statement, Ref, bool], int]


@dataclass(frozen=True, eq=False)
class _Edge:
    """What instances of `sink` read of `source` through `ref`, `duration` before their values."""

    source: Statement
    sink: Statement
    ref: Ref
    relation: Map
    duration: int


@dataclass(frozen=True, eq=False)
class _Row:
    """Every instance of a statement waits for the one before it in the innermost loop; `later` are all behind it."""

    statement: Statement
    duration: int
    later: Map

    def end(self, starts: Map) -> Map:
        """The last instances of the rows that the instances in a relation's range begin."""
        return starts.union(starts.apply_range(self.later)).lexmax()

    def length(self, starts: Set) -> int:
        """How long all rows take that these instances begin; 0 where isl cannot count them."""
        return self.duration * (count_or_none(starts.apply(self.later)) or 0)


def longest_chain(found: Dependences, weight: Weight) -> tuple[int, tuple[StmtId, ...]]:
    """How long the longest chain found takes that leads around some statements again and again, and these.

    A round leads from one statement through reads of values back to it, where the next begins, at a constant distance;
    on its way it runs through rows of instances of which each waits for the one before. There may be longer chains.
    """
    scop, patience = found.scop, Patience()
    if len(scop.statements) > MOST_STATEMENTS or sum(len(s.reads) for s in scop.statements) > MOST_READS:
        return 0, ()
    edges = [_Edge(s.source, s.sink, s.ref, s.relation, weight(s.sink, s.ref, False)) for s in values_seen(scop)]
    rows = {row.statement.id: row for s in scop.statements if (row := _row(s, edges, weight)) is not None}
    best: tuple[int, tuple[StmtId, ...]] = 0, ()
    for way in islice(_ways(scop, edges), MOST_WAYS):
        met = {} if len(way) == 1 else {e.sink.id: rows[e.sink.id] for e in way if e.sink.id in rows}
        for through in ({}, met) if met else ({},):
            duration = patience.ask(partial(_duration_around, way, through, weight)) or 0
            if duration > best[0]:
                best = duration, tuple(edge.sink.id for edge in way)
    return best


def _row(statement: Statement, edges: Sequence[_Edge], weight: Weight) -> _Row | None:
    """What of a statement waits for itself along the innermost loop, wherever that goes on."""
    if not statement.iterators or not is_convex(statement.domain):
        return None
    names = statement.iterators
    next_one = [int(name == names[-1]) for name in names]
    later, longest = later_along(statement.domain, names[-1]), 0
    for edge in edges:
        if edge.source is statement is edge.sink:
            steps = [constant_distance(edge.relation, name, name) for name in names]
            if steps == next_one and later.range().is_subset(edge.relation.range()):
                longest = max(longest, weight(statement, edge.ref, True))
    return _Row(statement, longest, later) if longest else None


def _ways(scop: Scop, edges: Sequence[_Edge]) -> Iterator[tuple[_Edge, ...]]:
    """Ways from a statement back to it that meet no other twice, short ones first."""
    order = {s.id: at for at, s in enumerate(scop.statements)}
    between: dict[tuple[StmtId, StmtId], list[_Edge]] = {}
    for edge in edges:
        between.setdefault((edge.source.id, edge.sink.id), []).append(edge)
    onward: dict[StmtId, list[_Edge]] = {name: [] for name in order}
    for (source, sink), some in between.items():
        longest = sorted(some, key=lambda edge: -edge.duration)
        onward[source] += longest if source == sink else longest[:MOST_BETWEEN]
    begun: list[tuple[_Edge, ...]] = [(edge,) for name in order for edge in onward[name]]
    for _ in range(MOST_STEPS):
        yield from (way for way in begun if way[0].source is way[-1].sink)
        open_ones = [way for way in begun if way[0].source is not way[-1].sink]
        longer = (
            (*way, edge)
            for way in open_ones
            for edge in onward[way[-1].sink.id]
            if order[edge.sink.id] >= order[way[0].source.id] and edge.sink not in [e.sink for e in way]
        )
        begun = list(islice(longer, MOST_BEGUN))


def _duration_around(way: Sequence[_Edge], through: Mapping[StmtId, _Row], weight: Weight) -> int:
    """How long rounds take that follow one another `through` rows; 0 where they are not a constant distance apart."""
    first, again = way[0].source, len(way) == 1
    here = way[0].relation.domain().identity()
    outer = first.iterators
    if first.id in through:
        here, outer = through[first.id].end(here).range().identity(), first.iterators[:-1]
    begins = list[tuple[_Row, Map]]()
    for edge in way:
        here = here.apply_range(edge.relation)
        if edge.sink.id in through:
            here = here.lexmin()
            begins.append((through[edge.sink.id], here))
            here = through[edge.sink.id].end(here)
    around = name_dims(here.lexmin(), first.iterators, first.iterators)
    steps = {name: step for name in outer if (step := constant_distance(around, name, name)) is not None}
    if len(steps) < len(outer):
        # of all elements that a sum of the next step reads, the first one ends a round: others begin none
        ends = wherever(around.range(), [*steps])
        around = name_dims(around.intersect_domain(ends), first.iterators, first.iterators)
        steps = {name: step for name in outer if (step := constant_distance(around, name, name)) is not None}
    if around.is_empty() or len(steps) < len(outer):
        return 0
    line = longest_line(project_onto(around.domain(), outer), steps)
    if line is None:
        return 0
    on_line = renamed(extend(line, first.iterators), first.id, first.iterators)
    rounds = count_or_none(line) or 0
    duration = rounds * sum(weight(first, way[0].ref, True) if again else edge.duration for edge in way)
    return duration + sum(row.length(starts.intersect_domain(on_line).range()) for row, starts in begins)
