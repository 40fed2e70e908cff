"""Dependences of small kernels written by hand, and what happens when isl gives up."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from builders import scop

from sisyphus.analysis import (
    DepKind,
    LoopKind,
    dependence,
    dependences,
    distribute,
    expand,
    flows,
    isl_limits,
    legal_orders,
    liveness,
    summary,
    violations,
)
from sisyphus.analysis import schedules as original
from sisyphus.analysis.dataflow import flows_of
from sisyphus.analysis.dependence import Dependence
from sisyphus.analysis.isl_limits import Patience
from sisyphus.errors import KernelError
from sisyphus.ir import Access, ArrayId, Scop, Statement, StmtId
from sisyphus.poly import Map, compare

S0, S1 = StmtId("S0"), StmtId("S1")


def gemm() -> Scop:
    text = """
    for i in range(20):
        for j in range(22):
            C[i, j] *= beta
        for k in range(24):
            for j in range(22):
                C[i, j] += alpha * A[i, k] * B[k, j]
    """
    return scop(text, C=(20, 22), A=(20, 24), B=(24, 22))


def test_gemm() -> None:
    deps = dependences(gemm())
    assert {(e.kind, e.source, e.sink, e.is_reduction) for e in deps.edges} == {
        *((kind, S0, S1, False) for kind in DepKind),
        *((kind, S1, S1, True) for kind in DepKind),
    }
    (raw,) = (e for e in deps.between(S1, S1) if e.kind is DepKind.RAW)
    assert deps.carried(raw) == (1,)
    assert deps.distance(raw) == (0, None, 0)
    assert deps.directions(raw) == {(0, 1, 0)}
    (first,) = (e for e in deps.between(S0, S1) if e.kind is DepKind.WAW)
    assert deps.carried(first) == (None,)
    assert first.shared == (("i", "i"),)
    assert sorted(deps.graph.edges()) == [(S0, S1)] * 3 + [(S1, S1)] * 3


def test_a_stencil_has_constant_distances() -> None:
    text = """
    for t in range(5):
        for i in range(2, 9):
            A[i] = A[i - 2] * w
    """
    deps = dependences(scop(text, A=(9,)))
    (raw,) = (e for e in deps.edges if e.kind is DepKind.RAW)
    assert raw.depths == (0, 1)
    assert raw.distance == (None, 2)
    assert raw.directions == {(0, 1), (1, 1)}


def test_descending_reuse_goes_backwards_in_the_inner_loop() -> None:
    deps = dependences(scop("for i in range(6):\n    for j in range(6):\n        A[i + j] = w", A=(11,)))
    (waw,) = deps.edges
    assert waw.distance == (None, None)
    assert waw.directions == {(1, -1)}


def test_an_instance_does_not_depend_on_itself() -> None:
    assert dependences(scop("for i in range(6):\n    A[i] = A[i] * w", A=(6,))).edges == ()


def test_dataflow_keeps_only_the_last_writer() -> None:
    text = """
    for i in range(6):
        A[i] = w
        A[i] = v
        B[i] = A[i]
    """
    built = scop(text, A=(6,), B=(6,))
    deps = dependences(built)
    raw = [(e.source, e.sink) for e in deps.edges if e.kind is DepKind.RAW]
    assert raw == [("S0", "S2"), ("S1", "S2")]
    (flow,) = flows(deps)
    assert (flow.source, flow.sink, flow.approximate) == ("S1", "S2", False)
    assert compare(flow.relation, "i", 1, "i").is_empty()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[StmtId, StmtId]]:
    """The pairs of statements whose dependences isl was asked for, as they come."""
    pairs_asked = list[tuple[StmtId, StmtId]]()
    exact = dependence._exact_parts

    def counted(source: Statement, sink: Statement, pairs: list[tuple[Access, Access]]) -> list[tuple[int | None, Map]]:
        pairs_asked.append((source.id, sink.id))
        return exact(source, sink, pairs)

    monkeypatch.setattr(dependence, "_exact_parts", counted)
    return pairs_asked


def test_loops_after_one_another_are_compared_forwards_only(asked: list[tuple[StmtId, StmtId]]) -> None:
    found = dependences(scop("for i in range(9):\n    A[i] = A[i] + B[i]\n" * 6, A=(9,), B=(9,)))
    assert [pair for pair in asked if pair[0] > pair[1]] == []
    assert len(found.edges) == 3 * 15
    for group in ({S0}, {S0, S1}, {S1, StmtId("S4"), StmtId("S5")}, {s.id for s in found.scop.statements}):
        by_hand = tuple(e for e in found.edges if e.source in group and e.sink in group)
        assert found.among(frozenset(group)) == by_hand
        assert all(found.between(e.source, e.sink) for e in by_hand)


def test_what_touches_other_arrays_or_rows_is_not_asked_about(asked: list[tuple[StmtId, StmtId]]) -> None:
    rows = "".join(f"for i in range(9):\n    A[{row}, i] = B[i]\n" for row in range(3))
    found = dependences(scop(rows + "for i in range(9):\n    C[i] = A[i, 2]\n", A=(9, 9), B=(9,), C=(9,)))
    assert all(sink == "S3" or source == sink for source, sink in asked)
    assert [(e.source, e.sink) for e in found.edges] == [("S0", "S3"), ("S1", "S3"), ("S2", "S3")]


class TestWhenIslGivesUp:
    """An operation limit of one makes every question too hard."""

    @pytest.fixture(autouse=True)
    def short_leash(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(isl_limits, "LEASH", 1)

    def test_every_pair_in_order_is_assumed_to_depend(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assumed = dependences(gemm())
        assert assumed.approximate
        assert all(e.approximate for e in assumed.edges)
        monkeypatch.undo()
        exact = dependences(gemm())
        assert not exact.approximate
        for edge in exact.edges:
            wider = [e for e in assumed.between(edge.source, edge.sink) if (e.kind, e.array) == (edge.kind, edge.array)]
            assert any(edge.relation.is_subset(e.relation) for e in wider)
            assert any(edge.directions <= e.directions and set(edge.depths) <= set(e.depths) for e in wider)

    def test_directions_and_distances_are_all_that_the_depth_allows(self) -> None:
        (raw,) = (e for e in dependences(gemm()).between(S1, S1) if e.kind is DepKind.RAW)
        assert len(raw.directions) == 9 + 3 + 1
        assert raw.distance == (None, None, None)

    def test_only_the_order_of_the_source_stays_legal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        built = gemm()
        assumed = dependences(built)
        assert all(f.approximate for f in flows(assumed))
        monkeypatch.undo()
        nest = distribute(built, assumed).nest_of(S1)
        assert legal_orders(nest) == (nest.iterators,)
        assert {loop.kind for loop in nest.band} == {LoopKind.REDUCTION}
        assert violations(assumed, original(built)) is None

    def test_every_array_is_loaded_or_stored_whole_and_none_is_expanded(self) -> None:
        text = "for i in range(1, 6):\n    c = A[i] * w\n    B[i] = c * c"
        built = scop(text, A=(6,), B=(6,), c=())
        assert expand(built, dependences(built)) is None
        live = liveness(built)
        assert [(live[ArrayId(a)].load, live[ArrayId(a)].store) for a in "ABc"] == [
            (True, False),
            (True, True),
            (False, False),
        ]
        assert live[ArrayId("B")].written == ((0, 5),)

    def test_a_question_that_must_be_answered_blames_the_statement(self) -> None:
        with pytest.raises(KernelError) as caught:
            distribute(gemm(), dependences(gemm()))
        (fault,) = caught.value.diagnostics
        assert fault.rule == "too-complex"
        assert fault.hint
        with pytest.raises(KernelError):
            violations(dependences(gemm()), original(gemm()))
        with pytest.raises(KernelError):
            summary(gemm())


def test_questions_given_up_shorten_the_next_ones() -> None:
    patience = isl_limits.Patience()
    assert patience.left == isl_limits.LEASH
    relation = dependences(gemm()).edges[0].relation
    left = []
    for _ in range(9):
        assert patience.ask(lambda: endless(relation)) is None
        left.append(patience.left)
    assert left[:2] == [isl_limits.LEASH // 2, isl_limits.LEASH // 4]
    assert left[-2:] == [isl_limits.LEAST, isl_limits.LEAST]


def endless(relation: Map) -> None:
    while True:
        relation.subtract(relation.coalesce()).is_empty()


def test_where_isl_gives_up_every_write_may_be_the_one_that_an_array_is_read_after() -> None:
    class Tired(Patience):
        def ask(self, question: Callable[[], object]) -> None:
            return None

    found = dependences(
        scop("for i in range(4):\n    A[i] = w\n    B[i] = A[i]\n    C[i] = B[i]", **dict.fromkeys("ABC", (4,)))
    )
    [flow] = flows_of(found, ArrayId("B"), Tired())
    assert (flow.source, flow.sink, flow.array, flow.approximate) == ("S1", "S2", "B", True)
    assert flows_of(found, ArrayId("C"), Tired()) == ()


def test_a_nest_of_twenty_loops_is_no_list_of_all_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependence, "MANY_SIGNS", 27)
    names = [f"i{at}" for at in range(20)]
    text = "".join(f"{'    ' * at}for {name} in range(2):\n" for at, name in enumerate(names))
    found = dependences(scop(f"{text}{'    ' * 20}A[i0] += w", A=(2,)))
    raw = next(edge for edge in found.edges if edge.kind is DepKind.RAW)
    assert raw.depths == tuple(range(1, 20))
    assert len(raw.directions) == sum(3**free if free < 4 else 2 * free + 1 for free in range(19))


FREE = [
    "for i in range(3):\n    for j in range(3):\n        for k in range(3):\n            A[i] += w",
    "for i in range(3):\n    for j in range(3):\n        for k in range(3):\n            A[0] += w",
    "for i in range(4):\n    for j in range(4):\n        for k in range(4):\n            A[j] = A[k] * w",
]


@pytest.mark.parametrize("text", FREE)
def test_few_signs_forbid_the_same_orders_as_all(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def known() -> tuple[object, ...]:
        source = scop(text, A=(4,))
        [nest] = distribute(source, dependences(source)).nests
        return legal_orders(nest), nest.precedence, [loop.kind for loop in nest.band]

    exact = known()
    monkeypatch.setattr(dependence, "MANY_SIGNS", 1)
    assert known() == exact


def test_dependences_of_an_accumulator_on_the_same_pairs_are_asked_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []
    own = Dependence._directions_of
    monkeypatch.setattr(Dependence, "_directions_of", lambda *given: asked.append(given) or own(*given))
    edges = dependences(scop("for i in range(4):\n    for j in range(4):\n        a[i] += x")).edges
    assert {e.kind for e in edges} == {*DepKind} and len({e.directions for e in edges}) == 1
    assert len(asked) == len(edges[0].parts) and len({e.distance for e in edges}) == 1
