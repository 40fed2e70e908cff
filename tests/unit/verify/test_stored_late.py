"""Tiles that are updated travel beside those that are computed with: what is built, proved, printed and counted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from builders import scop as build_scop

import sisyphus as sisy
from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.ir import Scop
from sisyphus.model import estimate
from sisyphus.model.counting.iterations import Visits
from sisyphus.plan import EXCHANGE, Copy, For, Function, Node, Plan, Together, body_of, build_plan, walk
from sisyphus.plan.tree import with_body
from sisyphus.space import (
    BufferPoint,
    DesignPoint,
    NestPoint,
    Tile,
    TransferPoint,
    illegal,
    may_load_ahead,
)
from sisyphus.target import load_device, make_target
from sisyphus.verification import prove

RANK_1 = "for i in range(24):\n    for j in range(32):\n        A[i, j] = A[i, j] + u[i] * v[j]"
SHAPES = {"A": (24, 32), "u": (24,), "v": (32,)}
#: The rows of A that are left in each step: another box for each value of k.
SHRINKING = (
    "for k in range(4):\n"
    "    for i in range(6 * k, 24):\n        for j in range(32):\n            A[i, j] = A[i, j] + u[i] * v[j]\n"
    "    for j in range(32):\n        v[j] = v[j] * 2.0\n"
)
#: Fewer elements in each row: no two tiles are alike; and such a triangle in each step.
TRIANGLE = RANK_1.replace("range(32)", "range(i, 32)")
BLOCKS = SHRINKING.replace("range(32)", "range(i, 32)", 1)
#: From the last row to the first.
BACKWARDS = RANK_1.replace("A[i, j]", "A[23 - i, j]")
TARGET = make_target(load_device("u200"), budget="chip")


def point_of(scop: Scop, copies: int = 2, tile: int = 4) -> DesignPoint:
    """Tiles of `tile` rows of A, in so many copies of their buffer; all else on chip for the whole kernel."""
    nests = []
    for nest in distribute(scop, dependences(scop)).nests:
        tiles = {name: Tile(24 // tile, tile, 1) if name == "i" else Tile(1, 1, 32) for name in nest.iterators}
        order, pipelined = nest.iterators, "i" if "i" in nest.iterators else None
        nests.append(NestPoint(nest.statements, order, tuple(tiles.items()), pipelined))
    updating = "S0"
    buffers = [BufferPoint(scop.array(a).id, (updating,), "i", (1, 32), copies) for a in ("A",)]
    for array, factor in (("u", 1), ("v", 32)):
        users = [n.id for n in distribute(scop, dependences(scop)).nests if array in touched(scop, n.statements)]
        buffers.append(BufferPoint(scop.array(array).id, tuple(users), "kernel", (factor,)))
    transfers = tuple(TransferPoint(b.id, 16 if b.array == "A" else 8) for b in buffers)
    return DesignPoint(scop.name, tuple(nests), tuple(buffers), transfers)


def touched(scop: Scop, statements: tuple[str, ...]) -> set[str]:
    return {array for s in statements for array in scop.statement(s).touched}  # type: ignore[arg-type]


def planned(scop: Scop, point: DesignPoint) -> Plan:
    found = dependences(scop)
    distribution = distribute(scop, found)
    assert illegal(found, distribution, point) is None
    return build_plan(scop, distribution, liveness(scop), point)


def failures(plan: Plan) -> set[str]:
    return {check.name.removesuffix(", at the same time") for check in prove(plan, dependences(plan.scop)).failures}


def changed(plan: Plan, change: Callable[[Node], Node]) -> Plan:
    def within(node: Node) -> Node:
        return change(with_body(node, tuple(map(within, body_of(node)))))

    tasks = (replace(task, body=tuple(map(within, task.body))) for task in plan.tasks)
    return replace(plan, tasks=tuple(tasks))


def test_which_tiles_may_be_stored_late() -> None:
    def legal(text: str, **shapes: tuple[int, ...]) -> dict[str, set[str]]:
        scop = build_scop(text, **shapes)
        nest = distribute(scop, dependences(scop)).nests[0]
        return {array: set(loops) for array, loops in may_load_ahead(scop, nest).items()}

    assert legal(RANK_1, **SHAPES)["A"] == {"i"}  # tiles side by side in a row may share beats
    assert legal(SHRINKING, **SHAPES) == {"A": {"i"}}  # and what is only read has a box for all steps
    assert legal(TRIANGLE, **SHAPES) == {"A": {"i"}}  # of other tiles than a box only those that are updated
    assert legal(BACKWARDS, **SHAPES)["A"] == {"i"}
    beside = RANK_1.replace("A[i, j] + u", "A[i - 1, j] + u").replace("range(24)", "range(1, 24)")
    assert "A" not in legal(beside, **SHAPES)  # reads a row of another tile
    assert "A" not in legal("for i in range(24):\n    A[i] = A[i] + u[i]", A=(24,), u=(24,))
    assert "A" not in legal("for i in range(12):\n    for j in range(32):\n        A[2 * i, j] = v[j]", **SHAPES)


@pytest.mark.parametrize("text", [RANK_1, SHRINKING, TRIANGLE, BLOCKS, BACKWARDS])
def test_the_tile_before_is_stored_and_the_next_one_loaded_beside_this_one(text: str) -> None:
    scop = build_scop(text, **SHAPES)
    plan = planned(scop, point_of(scop))
    [loop] = [node for task in plan.tasks for node in walk(task.body) if isinstance(node, For) and node.idle]
    [step] = loop.body
    assert isinstance(step, Together) and loop.idle == 2
    back, tile = step.body
    assert isinstance(back, Function) and isinstance(tile, Function) and back.name == EXCHANGE
    assert [(c.transfer, str(c.at[0][1])) for c in back.body if isinstance(c, Copy)] == [
        ("store_A_S0", "i0 - 1"),
        ("load_A_S0", "i0 + 1"),
    ]
    assert tile.within and failures(plan) == set()


@pytest.mark.parametrize("text", [RANK_1, SHRINKING, TRIANGLE, BLOCKS, BACKWARDS])
def test_planted_faults_are_found(text: str) -> None:
    scop = build_scop(text, **SHAPES)
    plan = planned(scop, point_of(scop))

    def loads_first(node: Node) -> Node:
        is_back = isinstance(node, Function) and node.name == EXCHANGE
        return replace(node, body=node.body[::-1]) if is_back else node  # type: ignore[union-attr]

    def no_last_iteration(node: Node) -> Node:
        if not isinstance(node, For) or not node.idle:
            return node
        ends = tuple(replace(q, numerator=q.numerator - q.divisor) for q in node.upper.terms)
        return replace(node, upper=replace(node.upper, terms=ends))

    def one_tile_less(node: Node) -> Node:
        is_tile = isinstance(node, Function) and node.within
        return replace(node, within=tuple(limit - 1 for limit in node.within)) if is_tile else node  # type: ignore[union-attr]

    assert "data of A" in failures(changed(plan, loads_first))
    assert "data of A" in failures(changed(plan, no_last_iteration))
    assert "instances of S0" in failures(changed(plan, one_tile_less))


@pytest.mark.parametrize("text", [RANK_1, SHRINKING])
def test_an_iteration_takes_what_takes_longest(text: str) -> None:
    """Not the sum of all; bytes moved stay the same."""
    scop = build_scop(text, **SHAPES)
    late, before = (estimate(planned(scop, point_of(scop, copies)), TARGET) for copies in (2, 1))
    assert late.bytes_moved == before.bytes_moved and late.onchip_bytes > before.onchip_bytes
    assert (late.cycles < before.cycles) == (text == RANK_1)  # a step with one tile has three iterations
    built, plain = ({c for found in cost.constructs.values() for c in found} for cost in (late, before))
    assert "tiles-stored-late" in built - plain


def along_rows(scop: Scop, width: int) -> DesignPoint:
    """Four rows in each tile, side by side, with a start for each of their columns, and beats of A."""
    point = point_of(scop)
    nests = [
        replace(nest, tiles=(("i", Tile(6, 1, 4)), ("j", Tile(1, 32, 1))), pipeline="j") if nest.id == "S0" else nest
        for nest in point.nests
    ]
    buffers = tuple(replace(b, partition=(4, 16) if b.array == "A" else (1,)) for b in point.buffers)
    moved = tuple(replace(t, width=width) if t.buffer.startswith("A") else t for t in point.transfers)
    return replace(point, nests=tuple(nests), buffers=buffers, transfers=moved)


@pytest.mark.parametrize("text", [TRIANGLE, BLOCKS])
def test_tiles_that_are_not_alike_count_one_by_one(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where some take longer than their transfers and others less, all take more than as many that are alike."""
    scop = build_scop(text, **SHAPES)
    point = along_rows(scop, 1)
    slow, fast = (estimate(planned(scop, along_rows(scop, width)), TARGET).cycles for width in (1, 16))
    monkeypatch.setattr(Visits, "alone", lambda _: None)
    slow_alike, fast_alike = (estimate(planned(scop, along_rows(scop, width)), TARGET).cycles for width in (1, 16))
    assert slow == slow_alike and fast > fast_alike
    assert failures(planned(scop, point)) == set()


@pytest.mark.parametrize(("first", "row"), [("i", "i"), ("0", "23 - i")])
def test_what_is_printed_agrees_with_the_source(first: str, row: str, tmp_path: Path) -> None:
    source = tmp_path / "rank1.c"
    source.write_text(
        "void rank1(float A[24][32], const float u[24], const float v[32])\n{\n#pragma scop\n"
        f"    for (int i = 0; i < 24; i++)\n        for (int j = {first}; j < 32; j++)\n"
        f"            A[{row}][j] = A[{row}][j] + u[i] * v[j];\n#pragma endscop\n}}\n"
    )
    fixes = ("S0.ahead=yes", "S0.A.place=i", "S0.i=6x4x1")
    design = sisy.optimize(str(source), fix=fixes, time_limit=20.0)
    assert design.verdict is not None and design.verdict.passed
    text = design.files["kernel.cpp"]
    assert "if ((i0 + 1) % 2 == 0) {" in text
    assert "task0_exchange(A, buf_A_S0_1, i0" in text and re.search(r"task0_tile\(.*buf_A_S0_0, ", text)
