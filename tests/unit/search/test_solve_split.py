"""Full tiles apart from others: as the user says, else where the full model counts fewer cycles."""

from __future__ import annotations

from dataclasses import replace

import point_files
import pytest
from builders import scop
from model_candidates import kernel_of
from random_knobs import random_points

from sisyphus.backends.hls import project
from sisyphus.errors import KernelError, UsageError
from sisyphus.ir import ArrayId
from sisyphus.model import estimate
from sisyphus.search import Judged, as_fixed, polished
from sisyphus.space import (
    BufferPoint,
    DesignPoint,
    NestPoint,
    Options,
    Space,
    Tile,
    apply_fixes,
    build_space,
    choices,
    decode,
)
from sisyphus.target import load_device, make_target

TARGET = make_target(load_device("u200"), budget="chip")
CASE = point_files.case("trmm-tiled")


def space(*fixes: str) -> Space:
    whole = build_space(CASE.scop, CASE.dependences, CASE.distribution, CASE.live, TARGET, Options())
    return apply_fixes(whole, fixes)


def split_nests(point: DesignPoint) -> list[str]:
    return [nest.id for nest in point.nests if nest.split]


def counted(cycles: dict[str, int], lut: int = 0) -> Judged:
    return Judged(1000 + sum(cycles.values()), {"lut": lut})


def test_a_nest_is_split_where_that_saves_cycles() -> None:
    gains = {"S0": -10, "S1": 3}
    found, cycles = polished(space(), CASE.point, lambda p: counted({n: gains[n] for n in split_nests(p)}))
    assert split_nests(found) == ["S0"] and cycles == 990


def test_a_nest_is_not_split_for_nothing_nor_over_a_budget() -> None:
    assert polished(space(), CASE.point, lambda p: counted({})) == (CASE.point, None)
    most = TARGET.budget.lut or 0
    over = polished(space(), CASE.point, lambda p: counted(dict.fromkeys(split_nests(p), -1), most + 1))
    assert over == (CASE.point, None)


def test_a_split_nest_stays_one_by_what_was_chosen() -> None:
    whole = space("S0.split=yes")
    point = as_fixed(whole, next(random_points(whole, 1)))
    assert split_nests(point) == ["S0"] and decode(whole, choices(whole, point)) == point


def test_what_is_fixed_stays() -> None:
    fixed = space("S0.split=no", "S1.split=yes")
    point = as_fixed(fixed, CASE.point)
    assert split_nests(point) == ["S1"]
    found, cycles = polished(fixed, point, lambda p: counted(dict.fromkeys(split_nests(p), -10)))
    assert (found, cycles) == (point, None)
    with pytest.raises(UsageError, match="`maybe` is neither") as refused:
        space("S0.split=maybe")
    assert refused.value.hint == "legal: yes, no"


def test_tiles_without_guards_add_up_in_trees() -> None:
    """A guard keeps unrolled additions from forming a tree, so that under tree reduction two bodies are the faster."""
    text = "for i in range(6):\n    for k in range(62):\n        C[i] += A[i, k] * B[k]"
    kernel = kernel_of(scop(text, C=(6,), A=(6, 62), B=(62,)), TARGET, tree=True)
    [nest] = kernel.space.nests
    own = NestPoint(nest.nest.statements, ("k", "i"), (("i", Tile(1, 6, 1)), ("k", Tile(8, 1, 8))), "i")
    chosen = {"C": (1,), "A": (1, 8), "B": (8,)}
    buffers = tuple(BufferPoint(ArrayId(a), (nest.id,), "kernel", f) for a, f in chosen.items())
    plain = DesignPoint("built", (own,), buffers, tree_reduction=True)
    found, cycles = polished(kernel.space, plain, lambda p: Judged(estimate(kernel.plan(p), TARGET).cycles, {}))
    assert split_nests(found) == [nest.id]
    assert cycles is not None and cycles < estimate(kernel.plan(plain), TARGET).cycles


def test_tiles_right_around_the_pipelined_loop_become_its_iterations() -> None:
    """25x2x4 is 1x50x4, in as many cycles; not where a transfer stands between."""
    text = "for k in range(6):\n    for i in range(24):\n        C[i] += A[k] * B[k, i]"
    kernel = kernel_of(scop(text, C=(24,), A=(6,), B=(6, 24)), TARGET)
    tiles = (("k", Tile(6, 1, 1)), ("i", Tile(6, 2, 2)))
    [nest] = kernel.space.nests

    def point(order: str, place: str) -> DesignPoint:
        own = NestPoint(nest.nest.statements, tuple(order), tiles, "i")
        chosen = {"C": (2,), "A": (1,), "B": (1, 2)}
        places = {"C": "kernel", "A": "kernel", "B": place}
        buffers = tuple(BufferPoint(ArrayId(a), (nest.id,), places[a], chosen[a]) for a in chosen)
        return DesignPoint("built", (own,), buffers)

    def full(found: DesignPoint) -> Judged:
        return Judged(estimate(kernel.plan(found), TARGET).cycles, {})

    merged, cycles = polished(kernel.space, point("ki", "kernel"), full)
    assert merged.nest(nest.id).tile("i") == Tile(1, 12, 2)
    assert cycles is None and full(merged).cycles == full(point("ki", "kernel")).cycles
    moved, _ = polished(kernel.space, point("ik", "kernel"), full)
    assert (moved.nest(nest.id).order, moved.nest(nest.id).tile("i")) == (("k", "i"), Tile(1, 12, 2))
    for other in (point("ik", "i"), point("ki", "i")):
        assert polished(kernel.space, other, full)[0].nest(nest.id).tile("i") == Tile(6, 2, 2)


def test_a_pipeline_that_adds_up_may_be_asked_for_an_interval_under_tree_reduction() -> None:
    text = "for i in range(6):\n    for k in range(64):\n        C[i] += A[i, k] * B[k]"
    kernel = kernel_of(scop(text, C=(6,), A=(6, 64), B=(64,)), TARGET, tree=True)
    [nest] = kernel.space.nests
    own = NestPoint(nest.nest.statements, ("i", "k"), (("i", Tile(6, 1, 1)), ("k", Tile(1, 16, 4))), "k")
    buffers = tuple(
        BufferPoint(ArrayId(a), (nest.id,), "kernel", f) for a, f in (("C", (1,)), ("A", (1, 4)), ("B", (4,)))
    )
    plain = DesignPoint("built", (own,), buffers, tree_reduction=True)
    found = replace(plain, nests=(replace(own, interval=1),))
    before, after = (estimate(kernel.plan(p), TARGET) for p in (plain, found))
    assert [set(e.intervals.values()) for e in (before, after)] == [{(6,)}, {(3,)}]
    assert after.cycles < before.cycles
    assert "pipeline II=1" in project(kernel.plan(found)).files["kernel.cpp"]
    with pytest.raises(KernelError, match="with tree reduction"):
        kernel.plan(replace(found, tree_reduction=False))
