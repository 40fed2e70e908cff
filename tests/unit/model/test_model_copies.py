"""Coarse-grained copies: what they cost, and that arrays of candidates cost what their plans cost."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from coarse_kernels import KERNELS, built, copied_point, plain_point
from model_candidates import candidates_of, figures_of, kernel_of

from sisyphus.model import Estimate, NestModel, estimate, paper
from sisyphus.model.formulas.terms import Term
from sisyphus.space import Tile
from sisyphus.target import load_device, make_target

TARGET = make_target(load_device("u200"), budget="chip")
POINTS = 60


@pytest.mark.parametrize("name", KERNELS)
def test_candidates_with_copies_cost_what_their_plans_cost(name: str) -> None:
    rng, scop = random.Random(name), built(name)
    kernel = kernel_of(scop, TARGET)
    [nest] = kernel.space.nests
    points = [copied_point(rng, scop, nest.nest) for _ in range(POINTS)]
    plans = [kernel.plan(point) for point in points]
    costs = NestModel(scop, nest, TARGET).costs(candidates_of(kernel, nest, points, plans))
    for at, plan in enumerate(plans):
        wanted = figures_of(plan, TARGET, nest)
        assert wanted is not None
        found = (costs.cycles[at], costs.interval[at], costs.depth[at], costs.dsp[at])
        assert found == (wanted.cycles, wanted.interval, wanted.depth, wanted.dsp), points[at]
        assert (costs.lut[at], costs.ff[at]) == pytest.approx((wanted.lut, wanted.ff)), points[at]
        assert {kind: n[at] for kind, n in costs.cores.items() if n[at]} == wanted.cores, points[at]


def cost(unroll: int, place: str) -> Estimate:
    """Rows in six tiles of two, so many of them side by side."""
    scop = built("rows")
    kernel = kernel_of(scop, TARGET)
    tiles = {"i": Tile(6, 2, 1), "j": Tile(6, 1, 1)}
    point = plain_point(scop, kernel.distribution.nests[0], tiles, {"i": unroll} if unroll > 1 else {}, place)
    return estimate(kernel.plan(point), TARGET)


def term(found: Term, name: str) -> Term:
    return next(t for t in _all(found) if t.name == name)


def _all(found: Term) -> Iterator[Term]:
    yield found
    for child in found.children:
        yield from _all(child)


def test_copies_side_by_side_take_the_cycles_of_one_and_one_more() -> None:
    one, three = cost(1, "i"), cost(3, "i")
    calls = 2
    copies = term(three.terms["cycles"], "copies")
    [flat] = [t for t in _all(copies) if t.name == "nest" or t.name.startswith("loops")]
    assert copies.value == flat.value + calls * 1
    assert all(not leaf.construct for leaf in copies.leaves() if leaf.name in ("start", "call"))
    # the same loads and stores, one after another, but for a product in the address of each tile
    for name in ("loads", "stores"):
        assert term(three.terms["cycles"], name).value - term(one.terms["cycles"], name).value in range(7)
    assert three.cycles < one.cycles
    assert term(three.terms["dsp"], "operators").value == 3 * term(one.terms["dsp"], "operators").value > 0
    assert three.onchip_bytes == 3 * one.onchip_bytes
    assert three.bytes_moved == one.bytes_moved


def test_copies_that_share_an_array_run_one_after_another_on_the_same_hardware() -> None:
    one, three = cost(1, "kernel"), cost(3, "kernel")
    assert (three.dsp, three.onchip_bytes) == (one.dsp, one.onchip_bytes)
    assert three.cycles > one.cycles
    assert term(three.terms["cycles"], "copies that share arrays").construct == "copies-in-turns"
    assert "copies-in-turns" in {rested.entry.id for rested in three.evidence.constructs}


def test_the_paper_divides_the_tiles_and_multiplies_the_operators() -> None:
    """Latency of level 0: the product of TC0 / UF; DSPs: of all that is replicated."""
    scop = built("rows")
    space = kernel_of(scop, TARGET).space
    tiles = {"i": Tile(6, 2, 1), "j": Tile(6, 1, 1)}
    one, three = (
        paper.evaluate(space, plain_point(scop, space.nests[0].nest, tiles, unroll, "i")) for unroll in ({}, {"i": 3})
    )
    per_tile = one.computation[0][1] / (6 * 6)
    assert three.computation[0][1] == per_tile * (6 // 3) * 6
    assert three.dsp == 3 * one.dsp == 3 * 6
    assert (three.loads, three.stores, three.onchip_bytes) == (one.loads, one.stores, one.onchip_bytes)
