"""Which beats the tiles of a design take, against building the plan with every one of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import scop
from model_candidates import in_rows
from random_knobs import random_points

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.errors import KernelError, UsageError
from sisyphus.ir import ArrayId
from sisyphus.plan import build_plan
from sisyphus.space import (
    KERNEL_PLACE,
    PACKED,
    BufferPoint,
    Choices,
    DesignPoint,
    NestChoices,
    Options,
    Space,
    Tile,
    TransferPoint,
    apply_fixes,
    beat_factor,
    build_space,
    decode,
    form_for,
    layout_for,
    tile_widths,
)
from sisyphus.target import load_device, make_target

KERNELS = {
    "product": (
        "for i in range(9):\n  for j in range(24):\n    for k in range(13):\n      C[i, j] += A[i, k] * B[k, j]",
        {"C": (9, 24), "A": (9, 13), "B": (13, 24)},
    ),
    "stencil": (
        "for i in range(1, 9):\n  for j in range(1, 17):\n    D[i, j] = A[i, j - 1] + A[i, j] + A[i, j + 1]",
        {"A": (10, 18), "D": (10, 17)},
    ),
    "end of a row": (
        "for i in range(6):\n  for j in range(8, 21):\n    D[i, j] = A[i, j - 8] + A[i, j - 4]",
        {"A": (6, 17), "D": (6, 21)},
    ),
    "backwards": ("for i in range(6):\n  for j in range(24):\n    D[i, 23 - j] = A[2 * j]", {"A": (48,), "D": (6, 24)}),
    "triangle": (
        "for i in range(16):\n  for j in range(i + 1):\n    C[i, j] = C[i, j] * A[i, 15 - j]",
        {"C": (16, 16), "A": (16, 16)},
    ),
    "outer loop": (
        "for t in range(5):\n  for i in range(16):\n    B[i] = A[i] + A[i + 1] + X[i]\n"
        "  for i in range(16):\n    A[i] = B[i] * W[t] + Y[8 * t + i]",
        {"A": (17,), "B": (20,), "W": (5,), "X": (18,), "Y": (50,)},
    ),
}


def space_of(name: str, *, padding: bool, packed: bool = True) -> Space:
    """The space of a kernel; not `packed`: all tiles are parts of rows as C has them."""
    text, extents = KERNELS[name]
    kernel = scop(text, **extents)
    found = dependences(kernel)
    target = make_target(load_device("u200"), budget="chip")
    options = Options(tiles="ragged", padding=padding)
    space = build_space(kernel, found, distribute(kernel, found), liveness(kernel), target, options)
    return space if packed else in_rows(space)


def can_be_built(space: Space, point: DesignPoint, buffer: BufferPoint, width: int) -> bool:
    """With beats of `width` for one array, no longer than rows of packed tiles, and of one element for all others."""
    layout = PACKED if space.is_packed(buffer.array) else layout_for(space.scop.array(buffer.array).extents, width)
    ids = [b.id for b in point.buffers if b.array == buffer.array]
    transfers = tuple(TransferPoint(i, width, layout=layout) for i in ids)
    try:
        plan = build_plan(space.scop, space.distribution, space.live, replace(point, transfers=transfers))
    except KernelError:
        return False
    rows = [held.extents[-1] for held in plan.buffers if held.array == buffer.array and layout == PACKED]
    return all(width <= row or row == space.scop.array(buffer.array).extents[-1] for row in rows)


@pytest.mark.parametrize(("padding", "packed"), [(True, False), (True, True), (False, False)])
@pytest.mark.parametrize("name", KERNELS)
def test_the_widths_of_a_tile_are_those_that_can_be_built(name: str, *, padding: bool, packed: bool) -> None:
    space = space_of(name, padding=padding, packed=packed)
    tiled = wide = missed = 0
    for point in random_points(space, 20, seed=5):
        for buffer in point.buffers:
            alone = sum(b.array == buffer.array for b in point.buffers) == 1
            if buffer.place != KERNEL_PLACE and alone:
                nest = space.nest(buffer.nests[0])
                found = tile_widths(space, nest, point.nest(nest.id), buffer)
                built = {w for w in space.widths[buffer.array] if can_be_built(space, point, buffer, w)}
                assert set(found) <= built, (point, buffer)
                tiled, wide, missed = tiled + 1, wide + (len(found) > 1), missed + (set(found) < built)
    assert tiled >= 5
    assert wide >= (3 if padding else 0)
    # a loop of one tile stands still, which only its own plan knows for sure
    assert missed <= tiled // 4


def test_only_beats_of_more_than_256_bits_go_through_a_fifo() -> None:
    space = space_of("product", padding=True)
    forms = {width: form_for(space, ArrayId("B"), width) for width in space.widths[ArrayId("B")]}
    assert forms == {1: "direct", 2: "direct", 4: "direct", 8: "direct", 16: "stream"}


@pytest.mark.parametrize("form", ["direct", "stream"])
def test_the_form_of_a_transfer_can_be_fixed(form: str) -> None:
    space = apply_fixes(space_of("product", padding=True), [f"B.transfer={form}"])
    assert {form_for(space, ArrayId("B"), width) for width in space.widths[ArrayId("B")]} == {form}
    assert form_for(space, ArrayId("A"), 16) == "stream"


def test_the_paper_moves_all_beats_directly() -> None:
    space = space_of("product", padding=True)
    paper = replace(space, options=space.options.as_in_paper())
    assert form_for(paper, ArrayId("B"), 16) == "direct"


def test_another_form_is_refused_with_the_legal_ones() -> None:
    with pytest.raises(UsageError, match="cannot be `fifo`") as refused:
        apply_fixes(space_of("product", padding=True), ["B.transfer=fifo"])
    assert refused.value.hint == "legal: direct, stream"


def large_space(text: str) -> Space:
    kernel = scop(text, Y=(96, 240), X=(96, 240))
    found = dependences(kernel)
    target = make_target(load_device("u200"))
    return build_space(kernel, found, distribute(kernel, found), liveness(kernel), target, Options(cut=True))


@pytest.mark.parametrize(
    ("own", "words", "banks"),
    [
        (1, 8 * 512, 8),
        (1, 8 * 512 - 1, 4),  # for half of a beat in a cycle
        (1, 2 * 512, 2),
        (1, 2 * 512 - 1, None),
        (3, 4 * 512, 12),
        (8, 8 * 512, 8),
    ],
)
def test_banks_of_large_tiles_are_cut_for_beats(own: int, words: int, banks: int | None) -> None:
    """As long as each of them fills a block memory; all sixteen elements of a beat need eight banks."""
    text = "for i in range(96):\n  for j in range(240):\n    Y[i, j] = X[i, j] * a"
    space = large_space(text)
    assert beat_factor(space, space.nests[0], ArrayId("X"), 1, 16, own=own, words=words) == banks
    whole = replace(space, options=Options())
    assert beat_factor(whole, space.nests[0], ArrayId("X"), 1, 16, own=own, words=words) is None


def test_small_tiles_keep_the_banks_that_they_are_unrolled_for() -> None:
    text = "for i in range(96):\n  for j in range(240):\n    Y[i, j] = X[i, j] * a"
    space = large_space(text)
    [nest] = space.nests
    for rows, banks in ((32, 8), (4, 1), (8, 2)):
        tiles = {"i": Tile(96 // rows, rows, 1), "j": Tile(240, 1, 1)}
        tiled = NestChoices(nest.id, tiles, {}, {ArrayId(a): frozenset({"i"}) for a in "XY"})
        point = decode(space, Choices({nest.id: tiled}, {}))
        assert {b.partition for b in point.buffers} == {(1, banks)}, rows
