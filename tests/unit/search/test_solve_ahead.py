"""Tiles loaded ahead: what they save, and as the user says."""

from __future__ import annotations

from dataclasses import replace

import point_files
import pytest
from builders import scop
from model_candidates import Kernel, kernel_of
from unit.search.measured_designs import Full

from sisyphus.errors import UsageError
from sisyphus.ir import ArrayId
from sisyphus.model import estimate
from sisyphus.search import MeasuredCosts, search
from sisyphus.solve import Limits, Stop
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
CASE = point_files.case("gemm-tiled")


def space(*fixes: str) -> Space:
    whole = build_space(CASE.scop, CASE.dependences, CASE.distribution, CASE.live, TARGET, Options())
    return apply_fixes(whole, fixes)


def ahead(point: DesignPoint) -> list[str]:
    return [buffer.id for buffer in point.buffers if buffer.copies == 2]


def plain_multiply() -> tuple[Kernel, DesignPoint]:
    """Eight tiles of B, each loaded in fewer cycles than it is computed with."""
    loops = "for k in range(64):\n    for i in range(40):\n        for j in range(40):\n"
    text = f"{loops}            C[i, j] += A[i, k] * B[k, j]"
    kernel = kernel_of(scop(text, C=(40, 40), A=(40, 64), B=(64, 40)), TARGET)
    [nest] = kernel.space.nests
    tiles = (("k", Tile(8, 8, 1)), ("i", Tile(40, 1, 1)), ("j", Tile(40, 1, 1)))
    own = NestPoint(nest.nest.statements, ("k", "i", "j"), tiles, "k")
    places = {"C": "kernel", "A": "kernel", "B": "k"}
    buffers = tuple(BufferPoint(ArrayId(a), (nest.id,), place, (1, 1)) for a, place in places.items())
    return kernel, DesignPoint("built", (own,), buffers)


def with_ahead(whole: Space, point: DesignPoint, *, ahead: bool) -> DesignPoint:
    chosen = choices(whole, point)
    nests = {nest: replace(choice, ahead=ahead) for nest, choice in chosen.nests.items()}
    return decode(whole, replace(chosen, nests=nests))


def test_tiles_loaded_ahead_save_their_loads() -> None:
    kernel, plain = plain_multiply()
    found = replace(plain, buffers=tuple(replace(b, copies=2) if b.place == "k" else b for b in plain.buffers))
    before, load = estimate(kernel.plan(plain), TARGET).cycles, 74 + 320 + 3 + 2
    after = estimate(kernel.plan(found), TARGET).cycles
    assert before - 7 * load <= after <= before - 7 * load + 40


@pytest.mark.long
def test_a_search_finds_them_and_proves_that_nothing_is_better() -> None:
    """So little memory that A and B are loaded tile by tile: without tiles that are loaded ahead it is slower."""
    kernel, _ = plain_multiply()
    found = {}
    for fix in ("yes", "no", "any"):
        target = make_target(load_device("u200"), budget="chip", dsp=60, onchip_bytes=12_000)
        whole = replace(kernel.space, target=target)
        fixed = apply_fixes(whole, [] if fix == "any" else [f"S0.ahead={fix}"])
        full = Full(fixed)
        answer = search(fixed, MeasuredCosts, "exact", Limits(), full.judge)
        assert answer.point is not None and answer.outcome.stop is Stop.PROVED
        assert answer.outcome.objective == full(answer.point).cycles
        found[fix] = answer.outcome.objective, ahead(answer.point)
    assert found["any"] == found["yes"] < found["no"]
    assert found["yes"][1] and not found["no"][1]


def test_what_is_fixed_stays() -> None:
    """In the space of a nest, and so in what is a design of it."""
    whole, early = space(), space("S1.ahead=yes")
    point = with_ahead(whole, CASE.point, ahead=True)
    assert ahead(point) == ["A@S1", "B@S1"]
    late = space("S1.ahead=no")
    assert late.nest("S1").early == {} and {*early.nest("S1").early} == {"A", "B", "C"}
    with pytest.raises(UsageError, match="tiles of `S0` cannot be loaded ahead") as refused:
        space("S0.split=yes", "S0.ahead=yes")
    assert refused.value.hint == "legal: no"
    with pytest.raises(UsageError, match="tiles of `S1` cannot be loaded ahead"):
        space("S1.split=yes", "S1.ahead=yes")


def test_a_design_that_loads_ahead_is_one_by_its_knobs() -> None:
    whole = space()
    point = with_ahead(whole, CASE.point, ahead=True)
    assert ahead(point) == ["A@S1", "B@S1"]
    assert decode(whole, choices(whole, point)) == point
    assert ahead(with_ahead(whole, point, ahead=False)) == []
