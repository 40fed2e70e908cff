"""Shared subexpressions of a plan: once for all unrolled copies that read the same elements."""

from __future__ import annotations

import random

import pytest
from builders import scop
from random_kernels import random_kernel, random_point

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.ir import DOUBLE, FLOAT, Binary, Cast, Expr, Index, Literal, Ref, Scalar, StmtId, reads, walk
from sisyphus.ir.scop_text import expression
from sisyphus.plan import For, LoopRole, Node, Plan, Run, body_of, build_plan, dump, shared_subexpressions, varying_in
from sisyphus.plan.sharing import narrowed
from sisyphus.space import BufferPoint, DesignPoint, NestPoint, Tile


def runs_in(nodes: tuple[Node, ...], unrolled: tuple[For, ...] = ()) -> list[tuple[Run, tuple[For, ...]]]:
    found: list[tuple[Run, tuple[For, ...]]] = []
    for node in nodes:
        if isinstance(node, Run):
            found.append((node, unrolled))
        own = (node,) if isinstance(node, For) and node.role is LoopRole.UNROLLED else ()
        found += runs_in(body_of(node), (*unrolled, *own))
    return found


def changes(plan: Plan, run: Run, expr: Expr, loop: For) -> bool:
    """Whether the next iteration has other elements or other iterators, or adds to what this one has left."""
    statement, values = plan.scop.statement(run.statement), dict(run.values)
    names = {name for value in values.values() for name in value.names}

    def elements(at: int) -> list[tuple[str, tuple[int, ...]]]:
        here = dict.fromkeys(names, 0) | {loop.iterator: at}
        refs: list[Ref] = [ref.substitute(values) for ref in reads(expr)]
        data = [("", (e.value.substitute(values).evaluate(here),)) for e in walk(expr) if isinstance(e, Index)]
        return [(ref.array, tuple(index.evaluate(here) for index in ref.index)) for ref in refs] + data

    return statement.write in reads(expr) or elements(0) != elements(1)


@pytest.mark.parametrize("seed", range(20))
def test_a_part_changes_over_the_loops_that_are_said_to_change_it(seed: int) -> None:
    rng = random.Random(seed)
    kernel = random_kernel(rng)
    distribution = distribute(kernel, dependences(kernel))
    plan = build_plan(kernel, distribution, liveness(kernel), random_point(rng, kernel, distribution))
    for task in plan.tasks:
        for run, unrolled in runs_in(task.body):
            for expr, loops in varying_in(plan.scop, run, [loop.iterator for loop in unrolled]).items():
                assert loops == {loop.iterator for loop in unrolled if changes(plan, run, expr, loop)}


def test_what_computes_with_an_iterator_changes_with_it() -> None:
    """Of `(k < j ? A[i] : B[i])` there is one for each j, of `k < j` too, though it reads no element."""
    text = (
        "for k in range(4):\n  for i in range(6):\n    for j in range(8):\n      C[i, j] += (A[i] if k < j else B[i])"
    )
    kernel = scop(text, C=(6, 8), A=(6,), B=(6,))
    distribution = distribute(kernel, dependences(kernel))
    tiles = (("k", Tile(4, 1, 1)), ("i", Tile(3, 1, 2)), ("j", Tile(2, 1, 4)))
    [nest] = distribution.nests
    buffers = tuple(
        BufferPoint(array.id, (nest.id,), "kernel", (1,) * len(array.extents))
        for array in kernel.arrays
        if array.extents
    )
    point = DesignPoint("built", (NestPoint(nest.statements, ("k", "i", "j"), tiles, None),), buffers)
    plan = build_plan(kernel, distribution, liveness(kernel), point)
    [(run, unrolled)] = [found for task in plan.tasks for found in runs_in(task.body)]
    said = {
        expression(expr): loops for expr, loops in varying_in(plan.scop, run, [p.iterator for p in unrolled]).items()
    }
    assert said["((k) < (j))"] == {"j2"} and said["(((k) < (j)) ? A[i] : B[i])"] == {"i2", "j2"}, said


def update() -> Plan:
    """alpha * A[i, k] * B[k, j] with copies over i, j and k."""
    kernel = scop(
        "for i in range(4):\n  for j in range(8):\n    for k in range(6):\n      C[i, j] += alpha * A[i, k] * B[k, j]",
        C=(4, 8),
        A=(4, 6),
        B=(6, 8),
    )
    tiles = (("i", Tile(2, 1, 2)), ("j", Tile(2, 1, 4)), ("k", Tile(3, 1, 2)))
    nest = NestPoint((StmtId("S0"),), ("i", "j", "k"), tiles, None)
    buffers = tuple(BufferPoint(a.id, ("S0",), "kernel", (1,) * len(a.extents)) for a in kernel.arrays)
    distribution = distribute(kernel, dependences(kernel))
    return build_plan(kernel, distribution, liveness(kernel), DesignPoint(kernel.name, (nest,), buffers))


def test_alpha_times_a_is_taken_once_for_each_row() -> None:
    plan = update()
    [shared] = shared_subexpressions(plan, plan.tasks[0])
    assert expression(shared.expr) == "(alpha * A[i][k])"
    assert set(shared.loops) == {"i2", "k2"}
    assert "  S0 computes (alpha * A[i][k]) once for each " in dump(plan)


def test_the_sum_itself_is_not_shared() -> None:
    plan = update()
    [(run, unrolled)] = runs_in(plan.tasks[0].body)
    parts = varying_in(plan.scop, run, [loop.iterator for loop in unrolled])
    assert parts[plan.scop.statement(run.statement).rhs] == {"i2", "j2", "k2"}


@pytest.mark.parametrize(
    ("number", "becomes"), [("2.0", "2.0"), ("0.2", None), ("1e38", None), ("1e39", None), ("1e400", None)]
)
def test_double_products_of_floats_are_those_of_floats_where_no_bit_changes(number: str, becomes: str | None) -> None:
    """Of numbers that are floats; one beyond the largest of them is none."""
    x = Scalar("x", FLOAT)
    written = Cast(Binary("*", Cast(x, DOUBLE), Literal(number, DOUBLE), DOUBLE), FLOAT)
    wanted = written if becomes is None else Binary("*", x, Literal(becomes, FLOAT), FLOAT)
    assert narrowed(written) == wanted
