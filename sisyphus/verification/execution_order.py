"""Does a plan run every statement instance once, and every dependence forwards; knows nothing of data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from sisyphus.analysis import Dependence, Dependences
from sisyphus.errors import InternalError
from sisyphus.ir import Scop, Statement, StmtId
from sisyphus.poly import IslError, Map, compare, first_pair, first_point, leash, name_dims, union_of
from sisyphus.verification.sites import Site, Spot, instances
from sisyphus.verification.verdict import TOO_COMPLEX, Check

#: isl steps for one question; the hardest of PolyBench at its largest takes a million, in two seconds.
LEASH = 10_000_000


def on_leash(name: str, shown: str, find_fault: Callable[[], str | None]) -> Check:
    """The check that a search for a fault is: passed when it ends without one."""
    try:
        with leash(LEASH):
            fault = find_fault()
    except IslError:
        return Check(name, False, f"{TOO_COMPLEX}: isl gave up after {LEASH} steps")
    return Check(name, fault is None, shown if fault is None else fault)


def check_instances(scop: Scop, runs: Sequence[Site]) -> Iterator[Check]:
    """One check per statement: each instance of its domain runs once, and nothing else does."""
    for statement in scop.statements:
        find = partial(_instance_fault, statement, _runs_of(runs, statement.id))
        yield on_leash(f"instances of {statement.id}", "each runs exactly once", find)


def _runs_of(runs: Sequence[Site], statement: StmtId) -> list[Site]:
    return [site for site in runs if getattr(site.node, "statement", None) == statement]


def _instance_fault(statement: Statement, runs: Sequence[Site]) -> str | None:
    images = [instances(site, statement) for site in runs]
    for image in images:
        extra = image.range().subtract(statement.domain)
        if not extra.is_empty():
            return f"{_instance(statement, first_point(extra))} runs uninvited"
    ran = union_of([image.range() for image in images]) if images else None
    missing = statement.domain if ran is None else statement.domain.subtract(ran)
    if not missing.is_empty():
        return f"{_instance(statement, first_point(missing))} never runs"
    for at, image in enumerate(images):
        if not image.is_injective():
            return f"{_instance(statement, _repeated(image, runs[at]))} runs twice"
        for other in images[:at]:
            both = image.range().intersect(other.range())
            if not both.is_empty():
                return f"{_instance(statement, first_point(both))} runs twice"
    return None


def _instance(statement: Statement, point: Mapping[str, int] | None) -> str:
    values = (point or {}).values()
    named = ", ".join(f"{name}: {value}" for name, value in zip(statement.iterators, values, strict=True))
    return f"{statement.id}: instance {{{named}}}"


def _repeated(image: Map, site: Site) -> dict[str, int] | None:
    """An instance that two different values of the loops lead to."""
    pairs = name_dims(image.apply_range(image.reverse()), site.dims, site.dims)
    for name in site.dims:
        twice = compare(pairs, name, 1, name)
        if not twice.is_empty():
            return first_point(image.intersect_domain(twice.domain()).range())
    raise InternalError("a relation that is not injective repeats nothing")


def check_order(dependences: Dependences, runs: Sequence[Site], *, tree_reduction: bool) -> Iterator[Check]:
    """One check per dependence: no sink runs before its source.

    With tree reduction the accumulations of a reduction may run in any order, and those of integers always.
    """
    for edge in dependences.edges:
        if not edge.is_kept(tree_reduction=tree_reduction):
            continue
        check = on_leash(f"order of {edge}", "no pair runs backwards", partial(_order_fault, dependences, edge, runs))
        if edge.approximate and not check.passed:
            check = Check(check.name, False, f"{TOO_COMPLEX}: the dependence is known only roughly; {check.detail}")
        yield check


def _order_fault(dependences: Dependences, edge: Dependence, runs: Sequence[Site]) -> str | None:
    sources, sinks = (
        [(site, instances(site, dependences.scop.statement(end))) for site in _runs_of(runs, end)]
        for end in (edge.source, edge.sink)
    )
    for source, before in sources:
        for sink, after in sinks:
            pair = _backwards(edge.relation, source.place, before, sink.place, after)
            if pair is not None:
                first, second = (", ".join(map(str, values)) for values in pair)
                return f"{edge.source}[{first}] must run before {edge.sink}[{second}]"
    return None


def _backwards(
    relation: Map, source: Spot, before: Map, sink: Spot, after: Map
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Some pair of instances that two places run in the wrong order, or None.

    `before` and `after` lead from the loops around a place to the instances it runs.
    """
    tied = relation.apply_domain(before.reverse()).apply_range(after.reverse())
    tied = name_dims(tied, source.dims, sink.dims)
    for earlier, later in zip(source.times, sink.times, strict=False):
        if tied.is_empty():
            return None
        if earlier.is_constant and later.is_constant:
            if earlier.constant < later.constant:
                return None
            if earlier.constant > later.constant:
                break
            continue
        late = compare(tied, str(earlier), -1, str(later))
        if not late.is_empty():
            return first_pair(late.apply_domain(before).apply_range(after))
        tied = compare(tied, str(earlier), 0, str(later))
    return None if tied.is_empty() else first_pair(tied.apply_domain(before).apply_range(after))
