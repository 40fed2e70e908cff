"""Beats of tiled arrays are never wider than what the bounds of their transfers suppose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from random_knobs import random_points
from unit.search.measured_designs import KERNELS, measured_space

from sisyphus.ir import ArrayId
from sisyphus.search.costs import Batch
from sisyphus.search.known_beats import KnownBeats
from sisyphus.search.tilebeats import TileBeats
from sisyphus.space import KERNEL_PLACE, BufferPoint, DesignPoint, NestSpace, Space, apply_fixes, row_part, tile_widths

STENCIL = (
    "for i in range(1, 31):\n for j in range(1, 31):\n  B[i, j] = A[i, j - 1] + A[i, j + 1]\n"
    "for i in range(32):\n for j in range(32):\n  C[i, j] = B[i, j] + A[j, i]",
    {"A": (32, 32), "B": (32, 32), "C": (32, 32)},
)
SPACED = ("for i in range(24):\n for p in range(3):\n  Y[i] += X[2 * i + p]", {"Y": (24,), "X": (50,)})
TRIANGLE = ("for i in range(24):\n for j in range(i + 1, 24):\n  C[i, j] = A[i, j] * a", {"C": (24, 24), "A": (24, 24)})
CASES = {"stencil": STENCIL, "spaced": SPACED, "triangle": TRIANGLE, "steps": KERNELS["steps"], "rows": KERNELS["rows"]}


def batch_of(nest: NestSpace, point: DesignPoint) -> Batch:
    tiles = [point.nest(nest.id).tile(loop.iterator) for loop in nest.loops]
    levels = (np.array([[getattr(tile, f"level{at}")] for tile in tiles]).reshape(-1, 1) for at in range(3))
    copies, interval = np.ones((len(tiles), 1), np.int64), np.zeros(1, np.int64)
    return Batch(tuple(loop.iterator for loop in nest.loops), *levels, copies, interval)


def outside(space: Space, point: DesignPoint, buffer: BufferPoint) -> frozenset[str]:
    order = point.nest(buffer.nests[0]).order
    return frozenset(order[: order.index(buffer.place) + 1]) if buffer.place in order else frozenset()


@pytest.mark.parametrize("name", CASES)
def test_no_point_has_wider_beats(name: str) -> None:
    space = measured_space(*CASES[name])
    beats, seen = TileBeats(space), 0
    for point in random_points(space, 60, seed=7):
        for buffer in point.buffers:
            tiled = [b for b in point.buffers if b.array == buffer.array]
            if any(b.place == KERNEL_PLACE or len(b.nests) > 1 for b in tiled):
                continue
            nest, width = space.nest(buffer.nests[0]), point.transfer_of(buffer.id).width
            use = nest.use(buffer.array)
            assert use is not None
            assert width <= beats.cap(buffer.array)
            assert width <= np.max(beats.of(nest, use, batch_of(nest, point), outside(space, point, buffer)))
            seen += 1
    assert seen > 20


@pytest.mark.parametrize("name", CASES)
def test_what_is_known_of_rows_is_what_every_point_says(name: str) -> None:
    space = measured_space(*CASES[name])
    known, seen = KnownBeats(space), 0
    for point in random_points(space, 60, seed=11):
        for buffer in (b for b in point.buffers if b.place != KERNEL_PLACE):
            for nest in map(space.nest, buffer.nests):
                use, chosen = nest.use(buffer.array), point.nest(nest.id)
                if use is None or not use.dims or buffer.place not in chosen.order:
                    continue
                beyond = chosen.order[: chosen.order.index(buffer.place) + 1]
                moving = tuple((name, name in beyond, chosen.tile(name).size, 1) for name in use.dims[-1].loops)
                found = known.of_rows(nest, use, moving, buffer.place, lambda chosen=chosen: chosen)  # type: ignore[misc]
                here = replace(buffer, nests=(nest.id,))
                widest = max(tile_widths(space, nest, chosen, here), default=0)
                assert found == (widest, row_part(space, nest, chosen, here))
                seen += 1
    assert seen > 20


def test_a_nest_that_leaves_out_the_border_has_whole_beats_too() -> None:
    beats = TileBeats(measured_space(*STENCIL))
    assert {array: beats.cap(array) for array in beats.space.used_arrays} == {"A": 16, "B": 16, "C": 16}


@pytest.mark.parametrize("name", ["stencil", "steps"])
def test_beats_that_are_fixed_are_had_or_there_is_no_design(name: str) -> None:
    """The same points with any beats: those whose tiles allow the one that is fixed have it, and no others are left."""
    space = measured_space(*CASES[name])
    array = ArrayId("A")
    fixed = apply_fixes(space, [f"{array}.width=8"])
    beats, seen = TileBeats(fixed), set[int]()
    for point in random_points(space, 80, seed=3):
        tiled = [b for b in point.buffers if b.array == array and b.place != KERNEL_PLACE]
        for buffer in (b for b in tiled if len(b.nests) == 1):
            nest = space.nest(buffer.nests[0])
            use = nest.use(array)
            assert use is not None
            widest = int(np.max(beats.of(nest, use, batch_of(nest, point), outside(space, point, buffer))))
            seen.add(widest)
            assert widest in (0, 8) and (widest or point.transfer_of(buffer.id).width < 8)
    assert seen == {0, 8}
    for point in random_points(fixed, 30, seed=4):
        assert {point.transfer_of(b.id).width for b in point.buffers if b.array == array} == {8}
