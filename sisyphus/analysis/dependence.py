"""Which instances must stay in order, and over which loops; knows nothing of how they may be reordered."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from enum import Enum
from functools import cached_property, partial
from itertools import islice, product
from typing import TYPE_CHECKING

from sisyphus.analysis.isl_limits import Patience, ask
from sisyphus.analysis.overwriting import last_needed
from sisyphus.analysis.reduction import Reduction, reduction_of, runs_in_any_order
from sisyphus.ir import Access, ArrayId, Ref, Scop, Statement, StmtId
from sisyphus.poly import Map, all_pairs, compare, constant_distance, through
from sisyphus.values import dataclass, replace

if TYPE_CHECKING:
    import networkx as nx

Signs = tuple[int, ...]

#: Sign vectors of one carrier above which all of its inner loops count as free: six such loops have as many.
MANY_SIGNS = 3**6


class DepKind(Enum):
    """Read after write, write after read, write after write."""

    RAW = "RAW"
    WAR = "WAR"
    WAW = "WAW"


@dataclass(frozen=True, eq=False)
class Dependence:
    """All pairs of instances of two statements that touch one element of an array in this way, source first.

    `parts` splits `relation` by what orders a pair in the source: the depth of the shared loop that carries it
    (0 is outermost), or None where all shared loops are equal and the text decides. `shared` pairs the names that
    source and sink have for their shared loops. `is_reduction`: both ends are the accumulator of one reduction
    statement, `in_any_order` one of integers, which comes to the same in any order. `approximate`: isl gave up, and
    every pair of instances is assumed to depend. `like` is one of another kind on the same pairs, as an accumulator
    has: what isl says of that need not be asked again.
    """

    kind: DepKind
    source: StmtId
    sink: StmtId
    array: ArrayId
    relation: Map
    is_reduction: bool
    parts: tuple[tuple[int | None, Map], ...]
    shared: tuple[tuple[str, str], ...]
    approximate: bool = False
    like: Dependence | None = None
    in_any_order: bool = False

    def is_kept(self, *, tree_reduction: bool = False) -> bool:
        """Whether an order has to keep it: with tree reduction the additions of a sum may change places, too."""
        return not (self.in_any_order or (tree_reduction and self.is_reduction))

    @cached_property
    def depths(self) -> tuple[int | None, ...]:
        """Depths of the loops that carry it; None stands for the loop-independent part."""
        return tuple(depth for depth, _ in self.parts)

    @cached_property
    def directions(self) -> frozenset[Signs]:
        """Every sign vector (sink minus source) over the shared loops that some pair has."""
        if self.like is not None:
            return self.like.directions
        return frozenset(signs for depth, part in self.parts for signs in self._directions_of(depth, part))

    @cached_property
    def distance(self) -> tuple[int | None, ...]:
        """Sink minus source per shared loop, where it is the same for all pairs."""
        if self.approximate:
            return (None,) * len(self.shared)
        if self.like is not None:
            return self.like.distance
        return tuple(ask(partial(constant_distance, self.relation, *pair)) for pair in self.shared)

    def _directions_of(self, depth: int | None, part: Map) -> list[Signs]:
        found = None if self.approximate else ask(lambda: list(islice(self._signs(part, depth, ()), MANY_SIGNS + 1)))
        if found is not None and len(found) <= MANY_SIGNS:
            return found
        if depth is None:
            return [(0,) * len(self.shared)]
        return [(0,) * depth + (1, *rest) for rest in _any_signs(len(self.shared) - depth - 1)]

    def _signs(self, part: Map, depth: int | None, so_far: Signs) -> Iterator[Signs]:
        """The sign vectors that begin with `so_far`; branches without a pair are cut at once."""
        at = len(so_far)
        if at == len(self.shared):
            yield so_far
            return
        known = 0 if depth is None or at < depth else 1 if at == depth else None
        if known is not None:
            yield from self._signs(part, depth, (*so_far, known))
            return
        source, sink = self.shared[at]
        for sign in (-1, 0, 1):
            rest = compare(part, source, sign, sink)
            if not rest.is_empty():
                yield from self._signs(rest, depth, (*so_far, sign))

    def __str__(self) -> str:
        return f"{self.kind.value} {self.source} -> {self.sink} on `{self.array}`"


@dataclass(frozen=True, eq=False)
class Dependences:
    """The memory-based dependences of a scop; the edges of `graph` carry theirs as attribute `dependence`.

    All of them, or of very many statements those that `overwriting.py` leaves, which imply the others.
    """

    scop: Scop
    edges: tuple[Dependence, ...]

    @cached_property
    def graph(self) -> nx.MultiDiGraph[StmtId]:
        import networkx as nx  # takes a tenth of a short run, and few look at the graph

        graph: nx.MultiDiGraph[StmtId] = nx.MultiDiGraph()
        graph.add_nodes_from(s.id for s in self.scop.statements)
        for edge in self.edges:
            graph.add_edge(edge.source, edge.sink, dependence=edge)
        return graph

    def carried(self, edge: Dependence) -> tuple[int | None, ...]:
        """Depths of the shared loops that carry an edge; None stands for its loop-independent part."""
        return edge.depths

    def distance(self, edge: Dependence) -> tuple[int | None, ...]:
        return edge.distance

    def directions(self, edge: Dependence) -> frozenset[Signs]:
        return edge.directions

    @cached_property
    def _from(self) -> dict[StmtId, dict[StmtId, list[Dependence]]]:
        """Edges by source and sink, in the order of `edges`: there are as many as pairs of statements."""
        found: dict[StmtId, dict[StmtId, list[Dependence]]] = {}
        for edge in self.edges:
            found.setdefault(edge.source, {}).setdefault(edge.sink, []).append(edge)
        return found

    def between(self, source: StmtId, sink: StmtId) -> tuple[Dependence, ...]:
        return tuple(self._from.get(source, {}).get(sink, ()))

    def among(self, statements: frozenset[StmtId]) -> tuple[Dependence, ...]:
        """Edges with both ends in a group of statements."""
        if len(statements) == len(self.scop.statements):
            return self.edges
        sources = [source for source in self._from if source in statements] if len(statements) > 1 else statements
        reached = ((self._from.get(source, {}), statements) for source in sources)
        return tuple(e for sinks, group in reached for sink in sinks if sink in group for e in sinks[sink])

    @cached_property
    def reductions(self) -> tuple[Reduction, ...]:
        """Reduction statements of which some element is accumulated by several instances."""
        accumulating = {e.source for e in self.edges if e.is_reduction}
        shapes = (reduction_of(s) for s in self.scop.statements if s.id in accumulating)
        return tuple(r for r in shapes if r is not None)

    @property
    def approximate(self) -> bool:
        return any(e.approximate for e in self.edges)


def _any_signs(loops: int) -> Iterator[Signs]:
    """Signs of loops that may all have any: every vector of few loops, of many those with at most one that is not 0.

    These forbid the same orders, and tie the same loops: each negative sign alone keeps its loop inside of the carrier.
    """
    if 3**loops <= MANY_SIGNS:
        yield from product((-1, 0, 1), repeat=loops)
        return
    yield (0,) * loops
    yield from ((*(0,) * at, sign, *(0,) * (loops - at - 1)) for at in range(loops) for sign in (-1, 1))


def dependences(scop: Scop) -> Dependences:
    """Every pair of accesses to one array with a write among them, in the order of the source."""
    patience = Patience()
    return Dependences(scop, tuple(edge for pair in _pairs(scop, patience) for edge in _edges(*pair, patience)))


def _pairs(scop: Scop, patience: Patience) -> Iterator[tuple[Statement, Statement]]:
    """Statements that touch an array which one of them writes, in the order of the source; there may be thousands."""
    touching, writing = defaultdict[ArrayId, list[int]](list), defaultdict[ArrayId, list[int]](list)
    for at, statement in enumerate(scop.statements):
        writing[statement.write.array].append(at)
        for array in statement.touched:
            touching[array].append(at)
    first = [statement.position[0] for statement in scop.statements]  # ascends, as the statements do
    needed = last_needed(scop, patience)
    for at, source in enumerate(scop.statements):
        found = set[int]()
        # Of two loops after one another, all of the first runs earlier.
        start = bisect_left(first, source.position[0])
        for array in source.touched:
            others = (touching if array == source.write.array else writing)[array]
            end = bisect_right(first, needed.get((at, array), first[-1]))
            found.update(others[bisect_left(others, start) : bisect_left(others, end)])
        for sink in (scop.statements[other] for other in sorted(found)):
            if source.shared_loops(sink) or source.position[0] < sink.position[0]:
                yield source, sink


def _edges(source: Statement, sink: Statement, patience: Patience) -> Iterator[Dependence]:
    """The dependences from one statement to another, accesses of one kind and array taken together."""
    groups: dict[tuple[DepKind, ArrayId, bool], list[tuple[Access, Access]]] = {}
    for first, second in product(source.accesses, sink.accesses):
        if first.array == second.array and (first.is_write or second.is_write) and not _apart(first.ref, second.ref):
            key = (_kind(first, second), first.array, _accumulates(source, sink, first, second))
            groups.setdefault(key, []).append((first, second))
    known: dict[frozenset[tuple[Ref, Ref]], Dependence | None] = {}
    for (kind, array, is_reduction), pairs in sorted(groups.items(), key=lambda g: (g[0][1], g[0][0].value, g[0][2])):
        refs = frozenset((first.ref, second.ref) for first, second in pairs)
        free = is_reduction and runs_in_any_order(source)
        if refs in known:
            like = known[refs]
            if like is not None:
                yield replace(like, kind=kind, is_reduction=is_reduction, like=like, in_any_order=free)
            continue
        parts = patience.ask(partial(_exact_parts, source, sink, pairs))
        approximate = parts is None
        parts = _assumed_parts(source, sink) if parts is None else parts
        if not parts:
            known[refs] = None
            continue
        relation, shared = _union([part for _, part in parts]), _shared(source, sink)
        edge = Dependence(
            kind,
            source.id,
            sink.id,
            array,
            relation,
            is_reduction,
            tuple(parts),
            shared,
            approximate=approximate,
            in_any_order=free,
        )
        known[refs] = edge
        yield edge


def _apart(first: Ref, second: Ref) -> bool:
    """Whether constant subscripts alone tell two references apart; isl takes a hundred times as long to say so."""
    both = zip(first.index, second.index, strict=True)
    return any(a.is_constant and b.is_constant and a.constant != b.constant for a, b in both)


def _kind(first: Access, second: Access) -> DepKind:
    if first.is_write:
        return DepKind.WAW if second.is_write else DepKind.RAW
    return DepKind.WAR


def _accumulates(source: Statement, sink: Statement, first: Access, second: Access) -> bool:
    is_self = source.id == sink.id and first.ref == source.write and second.ref == source.write
    return is_self and reduction_of(source) is not None


def _shared(source: Statement, sink: Statement) -> tuple[tuple[str, str], ...]:
    count = source.shared_loops(sink)
    return tuple(zip(source.iterators[:count], sink.iterators[:count], strict=True))


def _exact_parts(
    source: Statement, sink: Statement, pairs: list[tuple[Access, Access]]
) -> list[tuple[int | None, Map]]:
    touching = [through(a.relation, b.relation, source.iterators, sink.iterators) for a, b in pairs]
    return [(d, part) for d, part in in_order(source, sink, _union(touching)) if not part.is_empty()]


def _assumed_parts(source: Statement, sink: Statement) -> list[tuple[int | None, Map]]:
    """All pairs of points that the source orders this way, even outside the domains."""
    return in_order(source, sink, all_pairs(source.id, source.iterators, sink.id, sink.iterators))


def in_order(source: Statement, sink: Statement, pairs: Map) -> list[tuple[int | None, Map]]:
    """`pairs` split by the depth at which the source runs before the sink; pairs the other way round are dropped."""
    parts: list[tuple[int | None, Map]] = []
    shared = _shared(source, sink)
    for depth, (outer, inner) in enumerate(shared):
        parts.append((depth, compare(pairs, outer, 1, inner)))
        pairs = compare(pairs, outer, 0, inner)
    if source.position[len(shared)] < sink.position[len(shared)]:
        parts.append((None, pairs))
    return parts


def _union(maps: list[Map]) -> Map:
    whole = maps[0]
    for part in maps[1:]:
        whole = whole.union(part)
    return whole.coalesce() if len(maps) > 1 else whole
