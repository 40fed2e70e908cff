"""Which orders of loops, and which whole schedules, keep every dependence; chooses none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from sisyphus.analysis.dependence import Dependence, Dependences, Signs
from sisyphus.analysis.distribution import Nest
from sisyphus.analysis.isl_limits import demand
from sisyphus.errors import InternalError
from sisyphus.ir import StmtId
from sisyphus.poly import Map, backwards
from sisyphus.values import dataclass

#: How many orders `legal_orders` lists: all 5040 of seven free loops.
MANY_ORDERS = 5040


@dataclass(frozen=True, eq=False)
class ViolatedDependence:
    """A dependence that a schedule runs backwards (or at one time), and two instances that show it."""

    dependence: Dependence
    source: dict[str, int]
    sink: dict[str, int]

    def __str__(self) -> str:
        d = self.dependence
        first, second = (", ".join(map(str, point.values())) for point in (self.source, self.sink))
        return f"{d.kind.value} on `{d.array}`: {d.source}[{first}] must run before {d.sink}[{second}]"


def each_legal_order(nest: Nest) -> Iterator[tuple[str, ...]]:
    """The legal permutations of the band without tiling, the source's own first, in lexicographic order of the band.

    Exact: whether an order keeps a dependence is a matter of its sign vectors only, and isl found all of them.
    """
    names = nest.iterators

    def extend(prefix: tuple[int, ...], pending: frozenset[Signs]) -> Iterator[tuple[str, ...]]:
        if len(prefix) == len(names):
            yield tuple(names[at] for at in prefix)
        for at in range(len(names)):
            if at not in prefix and not any(signs[at] < 0 for signs in pending):
                yield from extend((*prefix, at), frozenset(s for s in pending if s[at] == 0))

    return extend((), nest.kept)


def legal_orders(nest: Nest) -> tuple[tuple[str, ...], ...]:
    """At most `MANY_ORDERS` legal permutations; `each_legal_order` has them all."""
    return tuple(islice(each_legal_order(nest), MANY_ORDERS))


def is_legal(nest: Nest, order: Sequence[str]) -> bool:
    """Does this permutation of the band, without tiling, keep every dependence of the nest?"""
    if sorted(order) != sorted(nest.iterators):
        raise InternalError(f"{tuple(order)} does not permute the loops of nest `{nest.id}`")
    places = [nest.iterators.index(name) for name in order]
    return all(next(signs[at] for at in places if signs[at]) > 0 for signs in nest.kept)


def violations(
    dependences: Dependences, schedules: Mapping[StmtId, Map], *, tree_reduction: bool = False
) -> ViolatedDependence | None:
    """The first dependence that the schedules run backwards or at one time; None proves the order legal.

    Every schedule sends the instances of a statement to one common time space. Instances that a schedule leaves out
    are not looked at: that each runs exactly once is another check. Dependences of several kinds on the same pairs of
    instances, as an accumulator has, are one question; those that an order need not keep are none.
    """
    kept = defaultdict[tuple[StmtId, StmtId], list[Dependence]](list)
    for edge in dependences.edges:
        if not edge.is_kept(tree_reduction=tree_reduction):
            continue
        asked = kept[edge.source, edge.sink]
        # Whether it shows in how isl writes them down: no proof is asked for.
        if any(edge.relation.plain_is_equal(other.relation) for other in asked):
            continue
        question = partial(_witness, edge, schedules[edge.source], schedules[edge.sink])
        span = dependences.scop.statement(edge.sink).span
        found = demand(dependences.scop, span, f"whether an order keeps {edge}", question)
        if found:
            return found[0]
        asked.append(edge)
    return None


def _witness(edge: Dependence, source: Map, sink: Map) -> tuple[ViolatedDependence, ...]:
    pair = backwards(edge.relation, source, sink)
    return () if pair is None else (ViolatedDependence(edge, *pair),)
