"""On random affine nests, isl and a run through all instances find the same things."""

from __future__ import annotations

from itertools import permutations

import brute
import islpy as isl
from hypothesis import given, settings
from hypothesis import strategies as st
from random_scops import Sample, carriers, samples

from sisyphus.analysis import (
    Dependence,
    LoopKind,
    Nest,
    OuterLoop,
    dependences,
    distribute,
    expand,
    flows,
    footprints,
    is_legal,
    legal_orders,
    liveness,
    schedules,
    violations,
)
from sisyphus.ir import Role, Scop
from sisyphus.poly import Map, count

MANY = settings(max_examples=120, deadline=None, derandomize=True)
SOME = settings(max_examples=60, deadline=None, derandomize=True)


@MANY
@given(samples())
def test_dependences_reductions_and_distances(sample: Sample) -> None:
    deps = dependences(sample.scop)
    found = brute.dependences(sample.scop)
    assert brute.isl_dependences(deps) == found
    assert {r.statement for r in deps.reductions} == {s for key in found if key[2] for (s, _), _ in found[key]}
    for edge in deps.edges:
        check_distances(edge)


def check_distances(edge: Dependence) -> None:
    width = len(edge.shared)
    gaps = {tuple(y - x for x, y in zip(a[:width], b[:width], strict=True)) for a, b in brute.map_pairs(edge.relation)}
    assert edge.directions == {tuple((g > 0) - (g < 0) for g in gap) for gap in gaps}
    assert edge.distance == tuple(
        values.pop() if len(values := {gap[at] for gap in gaps}) == 1 else None for at in range(width)
    )
    leading = {next((at for at, g in enumerate(gap) if g), None) for gap in gaps}
    assert set(edge.depths) == leading


@MANY
@given(samples())
def test_flows_and_liveness(sample: Sample) -> None:
    scop = sample.scop
    found = {
        (f.array, ((f.source, a), (f.sink, b)))
        for f in flows(dependences(scop))
        for a, b in brute.map_pairs(f.relation)
    }
    assert found == brute.flows(scop)
    exposed, written = brute.exposed(scop), brute.written(scop)
    for array, live in liveness(scop).items():
        assert {(array, p) for p in brute.set_points(live.upward_exposed)} == {e for e in exposed if e[0] == array}
        whole = {e for e in written if e[0] == array}
        is_local = scop.array(array).role is Role.LOCAL
        assert live.store == (bool(whole) and not is_local)


@MANY
@given(samples())
def test_footprints_and_counts(sample: Sample) -> None:
    scop = sample.scop
    for s in scop.statements:
        assert count(s.domain) == len(list(brute.points(s)))
    touched = brute.touches(scop)
    for f in footprints(scop):
        elements = {
            p for (a, p), users in touched.items() if a == f.array and any(u[0][0] == f.statement for u in users)
        }
        assert f.elements == len(elements)
        if elements and f.box:
            assert f.box == tuple((min(v), max(v)) for v in zip(*elements, strict=True))


@MANY
@given(samples())
def test_nests_kinds_and_legal_orders(sample: Sample) -> None:
    scop = sample.scop
    deps, found = dependences(scop), brute.dependences(scop)
    pairs = {pair for edge in found.values() for pair in edge}
    distribution = distribute(scop, deps)
    assert sorted(s for n in distribution.nests for s in n.statements) == sorted(s.id for s in scop.statements)
    for nest in distribution.nests:
        assert [loop.kind for loop in nest.band] == brute.kinds(scop, nest, found)
        legal = brute.legal_orders(scop, nest, pairs)
        assert sorted(legal_orders(nest)) == sorted(legal)
        for order in permutations(nest.iterators):
            assert is_legal(nest, order) == (order in legal)


@MANY
@given(samples())
def test_distribution_keeps_every_dependence(sample: Sample) -> None:
    scop = sample.scop
    order = distributed_trace(scop)
    place = {instance: at for at, instance in enumerate(order)}
    assert sorted(place) == sorted(brute.trace(scop))
    for pairs in brute.dependences(scop).values():
        assert all(place[first] < place[second] for first, second in pairs)


def distributed_trace(scop: Scop) -> list[brute.Instance]:
    """The instances in the order of the distributed loops."""

    def run(body: tuple[OuterLoop | Nest, ...], outer: tuple[int, ...]) -> list[brute.Instance]:
        done: list[brute.Instance] = []
        for node in body:
            if isinstance(node, Nest):
                done += sorted(
                    (
                        (s, p)
                        for s in node.statements
                        for p in brute.points(scop.statement(s))
                        if p[: len(outer)] == outer
                    ),
                    key=lambda one: (one[1], node.statements.index(one[0])),
                )
            else:
                for value in range(node.lower, node.lower + node.trip_count):
                    done += run(node.body, (*outer, value))
        return done

    return run(distribute(scop, dependences(scop)).body, ())


@SOME
@given(samples())
def test_the_order_of_the_source_has_no_violation_and_its_reverse_one_for_any_dependence(sample: Sample) -> None:
    scop = sample.scop
    deps = dependences(scop)
    assert violations(deps, schedules(scop)) is None
    if deps.edges:
        found = violations(deps, {name: reverse(s) for name, s in schedules(scop).items()})
        assert found is not None
        first = scop.statement(found.dependence.source)
        second = scop.statement(found.dependence.sink)
        pair = tuple(found.source[n] for n in first.iterators), tuple(found.sink[n] for n in second.iterators)
        assert pair in brute.map_pairs(found.dependence.relation)


def reverse(schedule: Map) -> Map:
    dims = schedule.dim(isl.dim_type.out)
    names = [f"t{at}" for at in range(dims)]
    negated = isl.Map(f"{{ [{', '.join(names)}] -> [{', '.join(f'-{n}' for n in names)}] }}")
    return schedule.apply_range(negated)


@MANY
@given(st.one_of(samples(), carriers(), carriers(), carriers()))
def test_expansion_computes_the_same(sample: Sample) -> None:
    scop = sample.scop
    expansion = expand(scop, dependences(scop))
    if expansion is not None:
        assert evaluate(expansion.scop) == evaluate(scop)
        before, after = (distribute(s, dependences(s)) for s in (scop, expansion.scop))
        bound = [sum(len(n.outer) + len(n.statements) - 1 for n in d.nests) for d in (before, after)]
        assert bound[1] < bound[0]


def evaluate(scop: Scop) -> dict[brute.Element, object]:
    """The final value of every element of an argument, as the tree of what was computed from what."""
    values: dict[brute.Element, object] = {}
    for name, point in brute.trace(scop):
        s = scop.statement(name)
        inputs = tuple(
            values.get(e, ("initial", e))
            for e in (brute.element(s, point, a.ref) for a in s.accesses if not a.is_write)
        )
        is_copy = name.startswith("out_")
        values[brute.element(s, point, s.write)] = inputs[0] if is_copy else hash((name, point, inputs))
    return {e: v for e, v in values.items() if scop.array(e[0]).role is not Role.LOCAL}


def test_all_loop_kinds_occur() -> None:
    """The random scops are not all trivial."""
    seen: set[LoopKind] = set()
    expanded: list[bool] = []

    @SOME
    @given(samples(), carriers())
    def collect(sample: Sample, carrier: Sample) -> None:
        deps = dependences(sample.scop)
        seen.update(loop.kind for nest in distribute(sample.scop, deps).nests for loop in nest.band)
        expansion = expand(carrier.scop, dependences(carrier.scop))
        if expansion is not None:
            expanded.extend(e.argument for e in expansion.expanded)

    collect()
    assert seen == set(LoopKind)
    assert set(expanded) == {True, False}
