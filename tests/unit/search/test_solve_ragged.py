"""Ragged tiles in the exact search: every tiling, each of them legal and computing what the source computes."""

from __future__ import annotations

import random
from itertools import product
from math import prod

import pytest
from best_of_space import find_best
from builders import scop
from plan_interpreter import differences, run_plan, run_source, some_memory
from random_knobs import random_points

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.model import estimate
from sisyphus.plan import build_plan
from sisyphus.search import MeasuredCosts, Terms, point_of
from sisyphus.search.candidates import candidates_of
from sisyphus.search.check import faults
from sisyphus.search.partitions import states_of
from sisyphus.space import (
    DesignPoint,
    NestPoint,
    Options,
    Space,
    Tile,
    build_space,
    choices,
    decode,
    illegal,
    precedence,
)
from sisyphus.space.space import Tiles
from sisyphus.target import load_device, make_target

KERNELS = {
    "product": (
        "for i in range(5):\n  for j in range(7):\n    for k in range(11):\n      C[i, j] += A[i, k] * B[k, j]",
        {"C": (5, 7), "A": (5, 11), "B": (11, 7)},
    ),
    "two reductions": (
        "for i in range(5):\n  for p in range(3):\n    for q in range(5):\n      Y[i] += A[i + p, q] * W[p, q]",
        {"Y": (5,), "A": (7, 5), "W": (3, 5)},
    ),
    "triangle": (
        "for i in range(7):\n  for j in range(i + 1):\n    for k in range(5):\n      C[i, j] += A[i, k] * A[j, k]",
        {"C": (7, 7), "A": (7, 5)},
    ),
    "sweep": (
        "for i in range(1, 8):\n  for j in range(5):\n    A[i, j] = A[i - 1, j + 1] * c + A[i, j]",
        {"A": (8, 6)},
    ),
}


def space_of(name: str, tiles: Tiles = "ragged", *, tree: bool = False, dsp: int | None = None) -> Space:
    text, extents = KERNELS[name]
    kernel = scop(text, **extents)
    deps = dependences(kernel)
    options = Options(tree_reduction=tree, tiles=tiles)
    target = make_target(load_device("u200"), budget="chip", dsp=dsp)
    return build_space(kernel, deps, distribute(kernel, deps), liveness(kernel), target, options)


def in_precedence(space: Space, tiles: dict[str, Tile]) -> bool:
    """Whether some order of the level-0 loops keeps the loop that carries a dependence outside."""
    for a, b in precedence(space.nests[0].nest, tree_reduction=space.options.tree_reduction):
        inner_a, inner_b = tiles[a].level1 > 1 or tiles[a].level2 > 1, tiles[b].level1 > 1
        if (tiles[b].level0 > 1 and inner_a) or (inner_b and tiles[a].level2 > 1):
            return False
    return True


@pytest.mark.parametrize("tree", [False, True])
@pytest.mark.parametrize("name", KERNELS)
def test_candidates_are_all_ragged_tilings_that_precedence_allows(name: str, tree: bool) -> None:
    space = space_of(name, tree=tree)
    [nest] = space.nests
    names = [loop.iterator for loop in nest.loops]
    wanted = set()
    for tiles in product(*(loop.tiles for loop in nest.loops)):
        if sum(t.level1 > 1 for t in tiles) <= 1 and in_precedence(space, dict(zip(names, tiles, strict=True))):
            wanted.add(tuple((t.level0, t.level1, t.level2) for t in tiles))
    batch = candidates_of(space, nest, states_of(space)).batch
    columns = zip(batch.level0.T.tolist(), batch.level1.T.tolist(), batch.level2.T.tolist(), strict=True)
    assert {tuple(zip(*column, strict=True)) for column in columns} == wanted


@pytest.mark.parametrize("tree", [False, True])
@pytest.mark.parametrize("name", KERNELS)
def test_ragged_points_are_legal_and_compute_what_the_source_computes(name: str, tree: bool) -> None:
    space, ragged = space_of(name, tree=tree), 0
    for point in random_points(space, 12, seed=5):
        ragged += is_ragged(space, point)
        assert decode(space, choices(space, point)) == point
        assert illegal(space.dependences, space.distribution, point) is None
        plan = build_plan(space.scop, space.distribution, space.live, point)
        memory = some_memory(space.scop)
        if not tree:
            assert differences(space.scop, run_source(space.scop, memory), run_plan(plan, memory)) == []
    assert ragged >= 3


def is_ragged(space: Space, point: DesignPoint) -> bool:
    return any(t.level0 * t.size > space.nest(n.id).loop(loop).trip_count for n in point.nests for loop, t in n.tiles)


@pytest.mark.parametrize("name", ["sweep", "two reductions"])
def test_tilings_that_the_candidates_leave_out_are_illegal(name: str) -> None:
    space, rng = space_of(name), random.Random(1)
    [nest] = space.nests
    refused = 0
    for _ in range(60):
        tiles = {loop.iterator: rng.choice(loop.tiles) for loop in nest.loops}
        if sum(t.level1 > 1 for t in tiles.values()) > 1 or in_precedence(space, tiles):
            continue
        refused += 1
        for order in ([*tiles], [*reversed(tiles)]):
            point = NestPoint(nest.nest.statements, tuple(order), tuple(tiles.items()), None)
            assert illegal(space.dependences, space.distribution, DesignPoint("built", (point,), ())) is not None
    assert refused > 5


@pytest.mark.parametrize("dsp", [30, 60, 200])
def test_ragged_tiles_use_a_budget_that_divisors_leave_idle(dsp: int) -> None:
    """Five, seven and eleven iterations: divisors unroll all of a loop or nothing of it."""
    cycles = {}
    choices: tuple[Tiles, ...] = ("divisors", "ragged")
    for tiles in choices:
        space = space_of("product", tiles, dsp=dsp)
        solution = find_best(MeasuredCosts(space), Terms()).solution
        assert solution is not None
        point = point_of(space, solution)
        assert faults(MeasuredCosts(space), point) == ()
        plan = build_plan(space.scop, space.distribution, space.live, point)
        cycles[tiles] = estimate(plan, space.target).cycles
        assert (prod(t.level0 * t.size for _, t in point.nests[0].tiles) > 5 * 7 * 11) <= (tiles == "ragged")
    assert cycles["ragged"] <= cycles["divisors"]
