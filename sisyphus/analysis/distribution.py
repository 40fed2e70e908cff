"""Maximal distribution: the nests of a scop, under the sequential loops that they share; knows no tiles.

for i: { S1(i); for j: S2(i, j) }   becomes   for i: S1(i)   for i: for j: S2(i, j)
wherever no cycle of dependences ties the two together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import cached_property, partial
from itertools import chain, pairwise

from sisyphus.analysis.dependence import Dependence, Dependences, Signs
from sisyphus.analysis.isl_limits import ask, demand
from sisyphus.errors import InternalError
from sisyphus.ir import Scop, Statement, StmtId
from sisyphus.poly import box_in, dim_range, is_product
from sisyphus.values import dataclass, replace


class LoopKind(Enum):
    """What a loop of a band carries among the statements of its nest, all loops outside it held fixed.

    PARALLEL carries no dependence, REDUCTION only those of a reduction on its accumulator.
    """

    PARALLEL = "parallel"
    REDUCTION = "reduction"
    SEQUENTIAL = "sequential"


@dataclass(frozen=True)
class Loop:
    """A loop of a band; `lower` and `trip_count` span all its values over the whole domain.

    `is_constant`: it runs through exactly these values whatever the loops around it do.
    """

    iterator: str
    lower: int
    trip_count: int
    kind: LoopKind
    is_constant: bool


@dataclass(frozen=True, eq=False)
class Nest:
    """Statements that cannot be separated, with the loops that surround only them.

    Of several statements, those are the innermost loop, and the parallel ones around it if all statements run in the
    same iterations; of statements that no cycle of dependences ties together, and that are to be together, all that
    they share.
    `outer` are the iterators of the shared sequential loops outside, `band` the loops below, outermost first.
    (a, b) in `precedence`: every strip-mined copy of loop a that has more than one iteration must stay outside of
    every such copy of loop b. `directions` are the sign vectors over the band of the dependences that the outer loops
    leave, `kept` those of them that an order has to keep; `edges` are those dependences. `rectangular`: for fixed outer
    loops the band runs through a box.
    """

    id: str
    statements: tuple[StmtId, ...]
    outer: tuple[str, ...]
    band: tuple[Loop, ...]
    precedence: frozenset[tuple[str, str]]
    rectangular: bool
    directions: frozenset[Signs]
    kept: frozenset[Signs]
    edges: tuple[Dependence, ...]

    @property
    def iterators(self) -> tuple[str, ...]:
        """Those of the band, outermost first."""
        return tuple(loop.iterator for loop in self.band)

    @property
    def is_box(self) -> bool:
        """Do all statements run through one box, the same whatever the outer loops do?"""
        return self.rectangular and all(loop.is_constant for loop in self.band)

    def loop(self, iterator: str) -> Loop:
        for loop in self.band:
            if loop.iterator == iterator:
                return loop
        raise InternalError(f"nest `{self.id}` has no loop `{iterator}`")


@dataclass(frozen=True, eq=False)
class OuterLoop:
    """A loop that several nests share, so run one iteration after the other; `lower` and `trip_count` span its values.

    `kind` is that of a band's loop: PARALLEL where only the loops inside tie its statements together, in several nests
    or in one that is no box with this loop.
    """

    iterator: str
    lower: int
    trip_count: int
    kind: LoopKind
    body: tuple[OuterLoop | Nest, ...]

    @cached_property
    def nests(self) -> tuple[Nest, ...]:
        return tuple(nest for _, nest in paths(self.body))


@dataclass(frozen=True, eq=False)
class Distribution:
    """The nests of a scop in an order that every dependence allows."""

    body: tuple[OuterLoop | Nest, ...]

    @cached_property
    def nests(self) -> tuple[Nest, ...]:
        return tuple(nest for _, nest in paths(self.body))

    def nest_of(self, statement: StmtId) -> Nest:
        for nest in self.nests:
            if statement in nest.statements:
                return nest
        raise InternalError(f"no nest has statement `{statement}`")

    def around(self, part: OuterLoop | Nest) -> tuple[OuterLoop, ...]:
        """The outer loops that a part stands in, outermost first."""
        for loops, nest in paths(self.body):
            if nest is part:
                return loops
            if part in loops:
                return loops[: loops.index(part)]
        raise InternalError("this is no part of the distribution")


def paths(
    body: Sequence[OuterLoop | Nest], above: tuple[OuterLoop, ...] = ()
) -> Iterator[tuple[tuple[OuterLoop, ...], Nest]]:
    """Every nest with the loops of this body around it, outermost first."""
    for part in body:
        if isinstance(part, Nest):
            yield above, part
        else:
            yield from paths(part.body, (*above, part))


def innermost(body: Sequence[OuterLoop | Nest]) -> Iterator[OuterLoop]:
    """Every loop of this body with nests alone inside."""
    for part in body:
        if isinstance(part, OuterLoop):
            if all(isinstance(inner, Nest) for inner in part.body):
                yield part
            yield from innermost(part.body)


def distribute(scop: Scop, dependences: Dependences) -> Distribution:
    """The maximal distribution of all statements."""
    return Distribution(_split(scop.statements, 0, dependences))


def _split(statements: Sequence[Statement], depth: int, deps: Dependences) -> tuple[OuterLoop | Nest, ...]:
    """The nests of statements whose first `depth` loops are fixed outside."""
    return tuple(_component(group, depth, deps) for group in components(statements, depth, deps))


def components(statements: Sequence[Statement], depth: int, deps: Dependences) -> list[tuple[Statement, ...]]:
    """Groups tied together by the dependences that no loop outside `depth` carries, in a legal order."""
    edges = deps.among(frozenset(s.id for s in statements))
    left = [(e.source, e.sink) for e in edges if any(d is None or d >= depth for d in e.depths)]
    here = {s.id: s for s in statements}
    groups = ([here[name] for name in group] for group in deps.scop.fused if here.keys() >= {*group})
    rings = (
        [(one.id, other.id) for one, other in pairwise([*group, group[0]])]
        for group in groups
        if all(group[0].shared_loops(other) > depth for other in group)
    )
    return strong_components(statements, [*left, *chain.from_iterable(rings)])


def strong_components(
    statements: Sequence[Statement], edges: Iterable[tuple[StmtId, StmtId]]
) -> list[tuple[Statement, ...]]:
    """Strongly connected groups in topological order, ties broken by the order of the text."""
    place = {s.id: at for at, s in enumerate(statements)}
    arcs = [(place[source], place[sink]) for source, sink in edges]
    if all(source <= sink for source, sink in arcs):  # nothing runs backwards: the text is the order, without cycles
        return [(s,) for s in statements]
    import networkx as nx  # takes a tenth of a short run

    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(statements)))
    graph.add_edges_from(arcs)
    condensed = nx.condensation(graph)
    members = {node: sorted(condensed.nodes[node]["members"]) for node in condensed}
    order = nx.lexicographical_topological_sort(condensed, key=lambda node: members[node][0])
    return [tuple(statements[at] for at in members[node]) for node in order]


def _component(group: tuple[Statement, ...], depth: int, deps: Dependences) -> OuterLoop | Nest:
    first = group[0]
    if len(group) == 1:
        return _nest(group, depth, deps)
    if any(first.shared_loops(s) <= depth for s in group):
        raise InternalError(f"statements {[s.id for s in group]} depend in a cycle outside any shared loop")
    if all(len(s.iterators) == depth + 1 for s in group):
        return _nest(group, depth, deps)
    name = first.iterators[depth]
    lower, upper = _hull(deps.scop, group, name)
    kind = _kind([e for e in deps.among(frozenset(s.id for s in group)) if depth in e.depths])
    body = _split(group, depth + 1, deps)
    is_one = len(body) == 1 and isinstance(body[0], Nest)
    is_whole = kind is LoopKind.PARALLEL and is_one and all(ask(partial(_same_domain, first, s)) is True for s in group)
    if is_whole or _is_wanted(group, depth, deps):
        return _nest(group, depth, deps)
    return OuterLoop(name, lower, upper - lower + 1, kind, body)


def _is_wanted(group: Sequence[Statement], depth: int, deps: Dependences) -> bool:
    """Whether statements are one nest because they are to be (`Scop.fused`), and dependences tie them in no cycle."""
    if tuple(s.id for s in group) not in deps.scop.fused:
        return False
    alone = Dependences(replace(deps.scop, fused=()), deps.edges)
    return len(components(group, depth, alone)) == len(group)


def _hull(scop: Scop, group: Sequence[Statement], iterator: str) -> tuple[int, int]:
    """Smallest and largest value of an iterator over all statements that ever run."""
    found = (demand(scop, s.span, f"the range of `{iterator}`", partial(_range, s, iterator)) for s in group)
    ranges = [low_high for low_high in found if low_high[0] <= low_high[1]]
    return (min(low for low, _ in ranges), max(high for _, high in ranges)) if ranges else (0, -1)


def _range(statement: Statement, iterator: str) -> tuple[int, int]:
    return (0, -1) if statement.domain.is_empty() else dim_range(statement.domain, iterator)


def _nest(group: tuple[Statement, ...], depth: int, deps: Dependences) -> Nest:
    """The nest of an inseparable group whose loops from `depth` on are its band."""
    first, ids = group[0], tuple(s.id for s in group)
    edges = tuple(e for e in deps.among(frozenset(ids)) if any(d is None or d >= depth for d in e.depths))
    signs = [(e, v[depth:]) for e in edges for v in e.directions if not any(v[:depth]) and any(v[depth:])]
    kept = frozenset(v for e, v in signs if e.is_kept())
    outer, names = first.iterators[:depth], first.iterators[depth:]
    rectangular = all(ask(partial(_same_box, first, s, names)) is True for s in group)
    return Nest(
        id="+".join(ids),
        statements=ids,
        outer=outer,
        band=tuple(
            _loop(deps.scop, group, name, _kind([e for e, v in signs if _leading(v) == at]))
            for at, name in enumerate(names)
        ),
        precedence=frozenset(pair for v in kept for pair in _precedence(v, names)),
        rectangular=rectangular,
        directions=frozenset(v for _, v in signs),
        kept=kept,
        edges=edges,
    )


def _same_domain(first: Statement, other: Statement) -> bool:
    """Do two statements run in the same iterations?"""
    return bool(first is other or other.domain.is_equal(first.domain.set_tuple_name(other.id)))


def _same_box(first: Statement, other: Statement, names: Sequence[str]) -> bool:
    """Do two statements of a nest run through the same box over its band?"""
    return _same_domain(first, other) and is_product(other.domain, names)


def _loop(scop: Scop, group: Sequence[Statement], name: str, kind: LoopKind) -> Loop:
    lower, upper = _hull(scop, group, name)
    constant = all(ask(partial(box_in, s.domain, name, lower, upper)) is True for s in group)
    return Loop(name, lower, upper - lower + 1, kind, constant)


def _kind(carried: Sequence[Dependence]) -> LoopKind:
    """Of a loop, by the dependences whose first difference is in it."""
    if not carried:
        return LoopKind.PARALLEL
    return LoopKind.REDUCTION if all(e.is_reduction for e in carried) else LoopKind.SEQUENTIAL


def _leading(signs: Signs) -> int:
    return next(at for at, sign in enumerate(signs) if sign)


def _precedence(signs: Signs, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The loop that carries a dependence must stay outside of every loop in which the dependence goes back.

    In any order of strip-mined copies, the outermost copy in which two instances differ decides; it has the sign of
    the distance in its loop. That loop cannot be one with a negative sign, as the carrying loop differs further out.
    """
    carrier = names[_leading(signs)]
    return ((carrier, names[at]) for at, sign in enumerate(signs) if sign < 0)
