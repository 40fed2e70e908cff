"""Nests, their loops and the orders they may have, on small kernels written by hand."""

from __future__ import annotations

import pytest
from builders import scop

from sisyphus.analysis import (
    Distribution,
    LoopKind,
    Nest,
    OuterLoop,
    dependences,
    distribute,
    each_legal_order,
    is_legal,
    legal_orders,
    legality,
    schedules,
    violations,
)
from sisyphus.errors import InternalError
from sisyphus.ir import Scop, StmtId
from sisyphus.poly import Map, backwards, const, schedule, split_loop, var


def distributed(built: Scop) -> Distribution:
    return distribute(built, dependences(built))


def shape(body: tuple[OuterLoop | Nest, ...]) -> list[object]:
    return [(node.id, node.iterators) if isinstance(node, Nest) else (node.iterator, shape(node.body)) for node in body]


def test_independent_statements_part() -> None:
    text = """
    for i in range(4):
        Y[i] = 0
        for j in range(5):
            Y[i] += A[i, j] * X[j]
        for j in range(5):
            Z[j] += A[i, j] * Y[i]
    """
    found = distributed(scop(text, A=(4, 5), X=(5,), Y=(4,), Z=(5,)))
    assert shape(found.body) == [("S0", ("i",)), ("S1", ("i", "j")), ("S2", ("i", "j"))]
    kinds = [[loop.kind for loop in nest.band] for nest in found.nests]
    par, red = LoopKind.PARALLEL, LoopKind.REDUCTION
    assert kinds == [[par], [par, red], [red, par]]


def test_a_later_statement_that_feeds_none_before_it_comes_after() -> None:
    text = """
    for i in range(1, 4):
        B[i] = A[i - 1] * w
        A[i] = C[i] * w
    """
    found = distributed(scop(text, A=(4,), B=(4,), C=(4,)))
    assert [n.id for n in found.nests] == ["S1", "S0"]


def test_a_cycle_keeps_the_shared_loop_and_parts_what_is_below() -> None:
    text = """
    for t in range(3):
        for i in range(1, 7):
            B[i] = A[i - 1] + A[i + 1]
        for i in range(1, 7):
            A[i] = B[i] * w
    """
    found = distributed(scop(text, A=(8,), B=(8,)))
    assert shape(found.body) == [("t", [("S0", ("i",)), ("S1", ("i",))])]
    (loop,) = found.body
    assert isinstance(loop, OuterLoop)
    assert (loop.lower, loop.trip_count, loop.kind) == (0, 3, LoopKind.SEQUENTIAL)
    assert found.nest_of(StmtId("S1")).outer == ("t",)
    assert [loop.kind for loop in found.nests[0].band] == [LoopKind.PARALLEL]


def test_statements_that_only_a_last_loop_holds_are_one_nest() -> None:
    text = """
    for t in range(3):
        for i in range(1, 7):
            c = A[i - 1] * w
            A[i] = c * c
    """
    found = distributed(scop(text, A=(8,), c=()))
    assert shape(found.body) == [("t", [("S0+S1", ("i",))])]
    (nest,) = found.nests
    assert nest.statements == ("S0", "S1")
    assert (nest.band[0].kind, nest.rectangular, nest.precedence) == (LoopKind.SEQUENTIAL, True, frozenset())


def test_parallel_loops_around_one_nest_belong_to_it() -> None:
    text = """
    for t in range(3):
        for i in range(4):
            for k in range(5):
                for j in range(1, 5):
                    B[i, k, j] = A[i, k, j - 1] * w
                    A[i, k, j] = B[i, k, j] * w + C[t]
    """
    found = distributed(scop(text, A=(4, 5, 5), B=(4, 5, 5), C=(3,)))
    assert shape(found.body) == [("t", [("S0+S1", ("i", "k", "j"))])]
    kinds = [loop.kind for loop in found.nests[0].band]
    assert kinds == [LoopKind.PARALLEL, LoopKind.PARALLEL, LoopKind.SEQUENTIAL]
    assert found.nests[0].directions == {(0, 0, 1)}


def test_an_outer_loop_can_be_parallel_although_its_body_stays_together() -> None:
    """The loops are no box, and statements run in other iterations, so that the outer one stays outside."""
    text = """
    for i in range(4):
        for j in range(1, i + 2):
            B[i, j] = A[i, j - 1] * w
            if j < 3:
                A[i, j] = B[i, j] * w
    """
    (loop,) = distributed(scop(text, A=(4, 5), B=(4, 5))).body
    assert isinstance(loop, OuterLoop)
    assert loop.kind is LoopKind.PARALLEL


def test_statements_of_the_same_iterations_are_one_nest_with_parallel_loops_around() -> None:
    text = """
    for i in range(4):
        for j in range(1, i + 2):
            B[i, j] = A[i, j - 1] * w
            A[i, j] = B[i, j] * w
    """
    (nest,) = distributed(scop(text, A=(4, 5), B=(4, 5))).body
    assert isinstance(nest, Nest)
    assert [(loop.iterator, loop.kind) for loop in nest.band] == [
        ("i", LoopKind.PARALLEL),
        ("j", LoopKind.SEQUENTIAL),
    ]
    assert not nest.rectangular


def test_the_extents_of_loops_span_the_domain() -> None:
    text = """
    for i in range(2, 9):
        for j in range(i, 9):
            for k in range(3):
                A[i, j] += B[k] * w
    """
    (nest,) = distributed(scop(text, A=(9, 9), B=(3,))).nests
    assert [(loop.lower, loop.trip_count, loop.is_constant) for loop in nest.band] == [
        (2, 7, False),
        (2, 7, False),
        (0, 3, True),
    ]
    assert not nest.rectangular
    assert nest.loop("k").kind is LoopKind.REDUCTION
    with pytest.raises(InternalError, match="no loop"):
        nest.loop("x")


def test_a_nest_below_a_shared_loop_may_be_rectangular_without_constant_bounds() -> None:
    text = """
    for k in range(8):
        for i in range(k + 1, 8):
            A[i, k] = A[i, k] / A[k, k]
        for i in range(k + 1, 8):
            for j in range(k + 1, 8):
                A[i, j] -= A[i, k] * A[k, j]
    """
    _, nest = distributed(scop(text, A=(8, 8))).nests
    assert nest.outer == ("k",)
    assert nest.rectangular
    assert [loop.is_constant for loop in nest.band] == [False, False]


def test_a_diagonal_is_not_rectangular() -> None:
    text = """
    for i in range(8):
        for j in range(8):
            if 2 * j == i:
                A[i, j] = w
    """
    (nest,) = distributed(scop(text, A=(8, 8))).nests
    assert not nest.rectangular
    assert [(loop.lower, loop.trip_count, loop.is_constant) for loop in nest.band] == [(0, 7, False), (0, 4, False)]


def test_several_reduction_loops_keep_their_order() -> None:
    text = """
    for o in range(3):
        for p in range(3):
            for q in range(3):
                C[o] += A[p] * B[q]
    """
    (nest,) = distributed(scop(text, C=(3,), A=(3,), B=(3,))).nests
    assert nest.precedence == {("p", "q")}
    assert legal_orders(nest) == (("o", "p", "q"), ("p", "o", "q"), ("p", "q", "o"))
    assert is_legal(nest, ["p", "q", "o"])
    assert not is_legal(nest, ["q", "p", "o"])
    with pytest.raises(InternalError, match="permute"):
        is_legal(nest, ["p", "q"])


def test_many_orders_are_cut_off() -> None:
    names = "abcdefgh"
    lines = [f"{'    ' * at}for {n} in range(2):" for at, n in enumerate(names)]
    built = scop("\n".join([*lines, "    " * 8 + f"A[{', '.join(names)}] = w"]), A=(2,) * 8)
    (nest,) = distributed(built).nests
    assert len(legal_orders(nest)) == 5040
    assert sum(1 for _ in each_legal_order(nest)) == 40320


def test_violations_tell_two_instances() -> None:
    built = scop("for i in range(1, 30):\n    A[i] = A[i - 1] * w", A=(30,))
    deps = dependences(built)
    assert violations(deps, schedules(built)) is None
    assert violations(deps, {StmtId("S0"): schedule("S0", ["i"], [*split_loop("i", 1, (4,))])}) is None
    found = violations(deps, {StmtId("S0"): schedule("S0", ["i"], [-var("i")])})
    assert found is not None
    assert found.sink["i"] - found.source["i"] == 1
    assert str(found) == f"RAW on `A`: S0[{found.source['i']}] must run before S0[{found.sink['i']}]"
    tied = violations(deps, {StmtId("S0"): schedule("S0", ["i"], [const(0)])})
    assert tied is not None


def test_the_three_dependences_of_an_accumulator_are_one_question(monkeypatch: pytest.MonkeyPatch) -> None:
    built = scop("for i in range(8):\n    for k in range(8):\n        C[i] += A[i, k]", C=(8,), A=(8, 8))
    deps, asked = dependences(built), list[str]()

    def counted(relation: Map, source: Map, sink: Map) -> tuple[dict[str, int], dict[str, int]] | None:
        asked.append(str(relation))
        return backwards(relation, source, sink)

    monkeypatch.setattr(legality, "backwards", counted)
    assert len(deps.edges) == 3
    assert violations(deps, schedules(built)) is None
    assert len(asked) == 1
    assert violations(deps, {StmtId("S0"): schedule("S0", ["i", "k"], [var("i"), -var("k")])}) is not None


def test_the_loops_around_a_part_are_its_own() -> None:
    text = """
    for t in range(4):
        for i in range(1, 8):
            A[i] = B[i - 1] + B[i]
        for i in range(1, 8):
            B[i] = A[i]
    for i in range(8):
        C[i] = A[i]
    """
    found = distributed(scop(text, A=(9,), B=(9,), C=(8,)))
    outer, last = found.body
    assert isinstance(outer, OuterLoop) and isinstance(last, Nest)
    assert [found.around(part) for part in (*outer.body, last, outer)] == [(outer,), (outer,), (), ()]
    with pytest.raises(InternalError, match="no part"):
        found.around(distributed(scop(text, A=(9,), B=(9,), C=(8,))).nests[0])


def test_a_loop_is_found_by_its_name_whatever_the_order_of_names() -> None:
    [nest] = distributed(scop("for j in range(3):\n    for i in range(4):\n        A[j, i] = 1", A=(3, 4))).nests
    assert [(nest.loop(name).iterator, nest.loop(name).trip_count) for name in "ji"] == [("j", 3), ("i", 4)]


def test_a_loop_that_never_runs_has_no_iterations_and_begins_at_zero() -> None:
    text = "for i in range(3, 3):\n    A[i] = 1\nfor i in range(5):\n    A[i] += 1"
    dead, alive = distributed(scop(text, A=(8,))).nests
    assert [(n.band[0].lower, n.band[0].trip_count) for n in (dead, alive)] == [(0, 0), (0, 5)]
