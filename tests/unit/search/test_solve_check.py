"""Every way in which a solver's point can be wrong is seen, and rounding finds points near a relaxed one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from best_of_space import find_best
from unit.search.solve_spaces import gemm_space

from sisyphus.nlp.values import knob
from sisyphus.search import PaperCosts, Terms, point_of
from sisyphus.search.check import faults
from sisyphus.search.repair import near
from sisyphus.space import DesignPoint, Space, Tile, apply_fixes


def best(space: Space) -> DesignPoint:
    solution = find_best(PaperCosts(space), Terms()).solution
    assert solution is not None
    return point_of(space, solution)


def with_tile(point: DesignPoint, nest: str, loop: str, tile: Tile) -> DesignPoint:
    nests = tuple(
        replace(n, tiles=tuple((name, tile if name == loop else t) for name, t in n.tiles)) if n.id == nest else n
        for n in point.nests
    )
    return replace(point, nests=nests)


def unrolled(point: DesignPoint) -> DesignPoint:
    return with_tile(point, "S1", "k", Tile(1, 1, 6))


def ragged(point: DesignPoint) -> DesignPoint:
    return with_tile(point, "S0", "i", Tile(3, 1, 3))


def pipelined(point: DesignPoint) -> DesignPoint:
    nests = (*point.nests[:1], replace(point.nests[1], pipeline="q"))
    return replace(point, nests=nests)


def one_bank(point: DesignPoint) -> DesignPoint:
    return replace(point, buffers=tuple(replace(b, partition=(1, 1)) for b in point.buffers))


def wide(point: DesignPoint) -> DesignPoint:
    return replace(point, transfers=tuple(replace(t, width=64) for t in point.transfers))


def tree(point: DesignPoint) -> DesignPoint:
    return replace(point, tree_reduction=True)


def on_fabric(point: DesignPoint) -> DesignPoint:
    return replace(point, adders="fabric")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (on_fabric, "additions run on fabric, not on dsp"),
        (unrolled, "no multiple of the 6 copies"),
        (ragged, "is no tile of `i`"),
        (pipelined, "no loop `q` to pipeline"),
        (one_bank, "is no multiple of the"),
        (wide, "cannot move 64 elements"),
        (tree, "tree reduction is True"),
    ],
)
def test_a_spoilt_point_is_seen(spoil: Callable[[DesignPoint], DesignPoint], said: str) -> None:
    costs = PaperCosts(gemm_space())
    point = best(gemm_space(dsp=60))
    assert faults(costs, point) == ()
    assert any(said in fault for fault in faults(costs, spoil(point)))


@pytest.mark.parametrize(("limits", "said"), [({"dsp": 5}, "DSPs of 5"), ({"onchip_bytes": 40}, "bytes on chip of 40")])
def test_a_point_beyond_a_budget_is_seen(limits: dict[str, int], said: str) -> None:
    [fault] = faults(PaperCosts(gemm_space(**limits)), best(gemm_space()))  # type: ignore[arg-type]
    assert said in fault


def test_a_point_against_a_fixed_knob_is_seen() -> None:
    space = gemm_space()
    point = best(space)
    other = tuple(reversed(point.nests[1].order))
    [fault] = faults(PaperCosts(apply_fixes(space, [f"S1.order={','.join(other)}"])), point)
    assert fault == f"nest `S1`: its order is fixed to {','.join(other)}"
    narrow = apply_fixes(space, ["S1.A.place=i"])
    assert any("`A` cannot be resident" in fault for fault in faults(PaperCosts(narrow), point))


def test_a_point_against_a_fixed_pipeline_or_with_too_many_banks_is_seen() -> None:
    space = gemm_space()
    point = best(space)
    [chosen] = {n.pipeline for n in point.nests if n.id == "S1"}
    [other, *_] = (name for name in "ijk" if name != chosen)
    found = faults(PaperCosts(apply_fixes(space, [f"S1.pipeline={other}"])), point)
    assert f"nest `S1`: `{chosen}` cannot be pipelined" in found
    few = replace(space, target=replace(space.target, max_partition=1))
    assert any("banks, more than 1" in fault for fault in faults(PaperCosts(few), point))


@pytest.mark.parametrize("radius", [1.0, 1.5, 4.0, math.inf])
def test_near_keeps_what_is_near_and_never_nothing(radius: float) -> None:
    space = gemm_space(8, 12, 6)
    relaxed = {knob("log", "S1.j.2"): math.log(4.0), knob("log", "S1.j.0"): math.log(3.0)}
    narrowed = near(space, relaxed, radius)
    tiles = narrowed.nest("S1").loop("j").tiles
    assert Tile(3, 1, 4) in tiles
    assert all(loop.tiles for nest in narrowed.nests for loop in nest.loops)
    assert set(tiles) <= set(space.nest("S1").loop("j").tiles)
    if radius == math.inf:
        assert tiles == space.nest("S1").loop("j").tiles
