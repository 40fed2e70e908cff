"""How many different values each operator of a statement has at least; knows no operator's cost.

for t: { for i: B[i] = A[i - 1] + A[i + 1]   for i: A[i] = 2 * B[i] }    for i: for k: C[i] += alpha * x[k]

Sums are computed once per t and i, as A holds other values each time, the product with alpha once per k.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial, reduce

from sisyphus.analysis.chains import MOST_READS, MOST_STATEMENTS
from sisyphus.analysis.dataflow import Seen, values_seen
from sisyphus.analysis.distribution import strong_components
from sisyphus.analysis.footprint import count_or_none
from sisyphus.analysis.isl_limits import Patience
from sisyphus.ir import Expr, Ref, Scop, Statement, StmtId, children, moved_by, reads
from sisyphus.poly import Set, constant_distance, pairs_over, project_onto, renamed
from sisyphus.values import dataclass


def evaluations(scop: Scop) -> Iterator[tuple[Statement, Expr, int]]:
    """Every operator of every statement with how many different values it has at least there.

    There is one for each value of the iterators that it reads with, and one for each instance that wrote another value
    of what it reads. What is written several times in a statement is evaluated once.
    """
    patience = Patience()
    for statement in scop.statements:
        known = dict[frozenset[str], int]()
        for expr in _parts(statement.rhs):
            names = moved_by(expr)
            if statement.write in reads(expr):
                names = frozenset(statement.iterators)  # another value of the element each time
            if names not in known:
                known[names] = _places(statement.domain, names)
            times = known[names]
            if len(names) < len(statement.iterators):
                times = max(times, *_by_reads(scop, statement, expr, names, patience))
            yield statement, expr, times


def _parts(whole: Expr) -> Iterator[Expr]:
    """An expression and all that it is made of, each once."""
    waiting, found = [whole], set[Expr]()
    while waiting:
        expr = waiting.pop()
        if expr not in found:
            found.add(expr)
            waiting += children(expr)
            yield expr


def _places(points: Set, names: frozenset[str]) -> int:
    return count_or_none(project_onto(points, sorted(names))) or 0


def _by_reads(scop: Scop, statement: Statement, expr: Expr, names: frozenset[str], patience: Patience) -> Iterator[int]:
    """For each read of an expression, with how many values of `names` it sees how many values that were written."""
    yield 0
    values = _values_of(scop)
    for ref in dict.fromkeys(reads(expr)):
        writers = values.seen.get((statement.id, ref), ())
        if children(expr) and writers:
            yield patience.ask(partial(_pairs, statement, writers, names, values)) or 0


def _pairs(statement: Statement, writers: Sequence[Seen], names: frozenset[str], values: _Values) -> int:
    """Pairs of values of `names` and of what a read sees there; what cannot be counted is left out."""
    found, others, unwritten = 0, 0, statement.domain
    for seen in writers:
        source = seen.source
        there = renamed(values.apart[source.id], source.id, source.iterators)
        apart = pairs_over(seen.relation.intersect_domain(there), values.moving[source.id], names)
        plainly = frozenset[str]() if _is_copy(source) else _plainly(source)
        other = pairs_over(seen.relation.subtract_domain(there), plainly, names)
        times = count_or_none(apart) or 0
        found += times if values.moving[source.id] else 0
        # Of two that hold the same, as zero, and copies of zero, one counts.
        others = max(others, count_or_none(other) or 0, 0 if values.moving[source.id] else times)
        unwritten = unwritten.subtract(renamed(seen.relation.range(), statement.id, statement.iterators))
    return found + max(others, _places(unwritten, names))


def _plainly(statement: Statement) -> frozenset[str]:
    """Iterators that a statement's value moves with by what it is written as."""
    return frozenset(statement.iterators) if statement.write in statement.reads else moved_by(statement.rhs)


@dataclass(frozen=True, eq=False)
class _Values:
    """What each read of a statement sees, and the iterators of each statement with which its values change.

    `apart` are the instances with another value for each value of the iterators `moving`; in all others the value
    changes with those that the statement reads with: a copy of what was set to zero is one value.
    """

    seen: Mapping[tuple[StmtId, Ref], Sequence[Seen]]
    moving: Mapping[StmtId, frozenset[str]]
    apart: Mapping[StmtId, Set]


@lru_cache(maxsize=4)
def _values_of(scop: Scop) -> _Values:
    """Nothing of kernels that isl takes long for."""
    if len(scop.statements) > MOST_STATEMENTS or sum(len(s.reads) for s in scop.statements) > MOST_READS:
        return _Values({}, {}, {})
    seen = defaultdict[tuple[StmtId, Ref], list[Seen]](list)
    for one in values_seen(scop):
        seen[one.sink.id, one.ref].append(one)
    flows = [_Steps(one) for found in seen.values() for one in found]
    moving = _moving(scop, flows)
    return _Values(seen, moving, _apart(scop, flows, moving))


class _Steps:
    """A relation of values with the iterators of its sink that are a constant away from one of its source."""

    def __init__(self, seen: Seen) -> None:
        self.seen, self.source, self.sink = seen, seen.source, seen.sink
        pairs = ((name, other) for name in self.source.iterators for other in self.sink.iterators)
        found = ((pair, constant_distance(seen.relation, *pair)) for pair in pairs)
        self.distances = {pair: distance for pair, distance in found if distance is not None}

    def handed_on(self, moving: Mapping[StmtId, frozenset[str]]) -> set[str]:
        """Iterators of the sink of which each value sees another value of the source."""
        return {other for name, other in self.distances if name in moving[self.source.id]}


def _moving(scop: Scop, flows: Sequence[_Steps]) -> Mapping[StmtId, frozenset[str]]:
    """Iterators that statements read with, whose steps begin with what the step before made, or that see either."""
    moving = {s.id: _plainly(s) for s in scop.statements}
    for depth in range(max((len(s.iterators) for s in scop.statements), default=0)):
        for name in _repeating(flows, depth):
            moving[name] |= {scop.statement(name).iterators[depth]}
    while True:
        more = dict(moving)
        for flow in flows:
            more[flow.sink.id] |= flow.handed_on(more)
        if more == moving:
            return moving
        moving = more


def _repeating(flows: Sequence[_Steps], depth: int) -> Iterator[StmtId]:
    """Statements in a loop whose values come round to themselves in a later iteration of it, through operators."""
    around, later = list[tuple[StmtId, StmtId]](), list[_Steps]()
    for flow in flows:
        if flow.source.shared_loops(flow.sink) > depth:
            distance = flow.distances.get((flow.source.iterators[depth], flow.sink.iterators[depth]))
            if distance is not None and distance >= 0:
                around.append((flow.source.id, flow.sink.id))
                later += [flow] * (distance > 0)
    ends = {name for arc in around for name in arc}
    statements = {s.id: s for flow in flows for s in (flow.source, flow.sink) if s.id in ends}
    for group in strong_components([*statements.values()], around):
        names = {s.id for s in group}
        goes_on = any(flow.source.id in names and flow.sink.id in names for flow in later)
        if goes_on and any(children(statement.rhs) for statement in group):
            yield from names


def _apart(scop: Scop, flows: Sequence[_Steps], moving: Mapping[StmtId, frozenset[str]]) -> Mapping[StmtId, Set]:
    """The instances of statements whose values are as many as those of their `moving` iterators."""
    into = defaultdict[StmtId, list[_Steps]](list)
    for flow in flows:
        into[flow.sink.id].append(flow)
    found = dict[StmtId, Set]()

    def instances(statement: Statement) -> Set:
        if statement.id not in found:
            domain = statement.domain
            found[statement.id] = domain.subtract(domain)  # a ring of copies holds what it held
            kept = domain
            for name in moving[statement.id] if _is_copy(statement) else moving[statement.id] - _plainly(statement):
                there = [_reached(flow) for flow in into[statement.id] if name in flow.handed_on(moving)]
                kept = kept.intersect(reduce(lambda a, b: a.union(b), there, found[statement.id]))
            found[statement.id] = kept
        return found[statement.id]

    def _reached(flow: _Steps) -> Set:
        relation = flow.seen.relation
        if _is_copy(flow.sink):
            there = renamed(instances(flow.source), flow.source.id, flow.source.iterators)
            relation = relation.intersect_domain(there)
        return renamed(relation.range(), flow.sink.id, flow.sink.iterators)

    return {s.id: instances(s) for s in scop.statements}


def _is_copy(statement: Statement) -> bool:
    return not children(statement.rhs) and bool(statement.reads)
