"""Tiles loaded ahead: what they save, and as the user says."""

from __future__ import annotations

import point_files
import pytest
from builders import scop
from model_candidates import kernel_of

from sisyphus.errors import UsageError
from sisyphus.ir import ArrayId
from sisyphus.model import estimate
from sisyphus.search import Judged, as_fixed, polished
from sisyphus.search.polish import with_ahead
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


def test_tiles_loaded_ahead_save_their_loads() -> None:
    """Eight tiles of B, each loaded in fewer cycles than it is computed with."""
    loops = "for k in range(64):\n    for i in range(40):\n        for j in range(40):\n"
    text = f"{loops}            C[i, j] += A[i, k] * B[k, j]"
    kernel = kernel_of(scop(text, C=(40, 40), A=(40, 64), B=(64, 40)), TARGET)
    [nest] = kernel.space.nests
    tiles = (("k", Tile(8, 8, 1)), ("i", Tile(40, 1, 1)), ("j", Tile(40, 1, 1)))
    own = NestPoint(nest.nest.statements, ("k", "i", "j"), tiles, "k")
    places = {"C": "kernel", "A": "kernel", "B": "k"}
    buffers = tuple(BufferPoint(ArrayId(a), (nest.id,), place, (1, 1)) for a, place in places.items())
    plain = DesignPoint("built", (own,), buffers)

    found = with_ahead(kernel.space, nest, plain, ahead=True)
    assert ahead(found) == ["B@S0"] and with_ahead(kernel.space, nest, found, ahead=False) == plain
    before, load = estimate(kernel.plan(plain), TARGET).cycles, 74 + 320 + 3 + 2
    after = estimate(kernel.plan(found), TARGET).cycles
    assert before - 7 * load <= after <= before - 7 * load + 40
    full = polished(kernel.space, plain, lambda point: Judged(estimate(kernel.plan(point), TARGET).cycles, {}))
    assert full == (found, after), "what is found without them is tried with them"


def test_what_is_fixed_stays() -> None:
    loading = as_fixed(space("S1.ahead=yes"), CASE.point)
    assert ahead(loading) == ["A@S1", "B@S1"] and ahead(as_fixed(space("S1.ahead=no"), loading)) == []
    with pytest.raises(UsageError, match="tiles of `S0` cannot be loaded ahead") as refused:
        space("S0.ahead=yes")
    assert refused.value.hint == "legal: no"


def test_a_design_that_loads_ahead_is_one_by_its_knobs() -> None:
    point = as_fixed(space("S1.ahead=yes"), decode(space(), choices(space(), CASE.point)))
    assert ahead(point) == ["A@S1", "B@S1"]
    assert decode(space(), choices(space(), point)) == point
