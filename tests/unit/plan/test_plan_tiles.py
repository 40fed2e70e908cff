"""The box of an array that a buffer holds: every element touched lies inside, and it is no larger than need be."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sisyphus.algebra import EXACT
from sisyphus.ir import ArrayId, Ref
from sisyphus.plan.tiles import References, Window, beats_of, box_of, bursts_of, strides_of, whole
from sisyphus.poly import Affine, const, var


def ref(*index: Affine) -> Ref:
    return Ref(ArrayId("A"), index)


def test_whole() -> None:
    assert whole((3, 4)).extents == (3, 4) and whole((3, 4)).origin == (const(0), const(0))
    assert whole(()).extents == ()


def test_rows_are_moved_in_whole_beats() -> None:
    assert beats_of(EXACT, (3, 5), 4) == 6
    assert beats_of(EXACT, (), 4) == 1


@pytest.mark.parametrize(
    ("box", "bursts"), [((5, 6, 8), 1), ((2, 6, 8), 1), ((2, 3, 8), 2), ((2, 6, 7), 12), ((2, 3, 7), 6)]
)
def test_what_lies_in_one_piece_of_memory_is_one_burst(box: tuple[int, ...], bursts: int) -> None:
    assert bursts_of(EXACT, box, (5, 6, 8)) == bursts


def test_a_step_of_a_loop_moves_a_box_by_whole_beats_of_padded_rows() -> None:
    origin = (4 * var("i") + var("l"), var("j") * 2 + var("l"))
    assert strides_of(EXACT, origin, (10, 7), 4) == (1, 3, 8)


def test_fixed_tile_moves_the_origin() -> None:
    windows = {"i": Window(2 + 5 * var("i0"), 5), "j": Window(const(0), 8)}
    box = box_of([References((ref(var("i"), var("j")),), windows)], (30, 8))
    assert [str(e) for e in box.origin] == ["5*i0 + 2", "0"] and box.extents == (5, 8)


def test_stencil_takes_the_spread_of_its_offsets() -> None:
    windows = {"i": Window(1 + 4 * var("i0"), 4)}
    box = box_of([References(tuple(ref(var("i") + d) for d in (-1, 0, 1)), windows)], (100,))
    assert str(box.origin[0]) == "4*i0" and box.extents == (6,)


def test_descending_subscript_starts_at_the_end_of_the_tile() -> None:
    box = box_of([References((ref(99 - var("i")),), {"i": Window(4 * var("i0"), 4)})], (100,))
    assert str(box.origin[0]) == "-4*i0 + 96" and box.extents == (4,)


def test_different_subscripts_need_the_whole_dimension() -> None:
    windows = {"i": Window(4 * var("i0"), 4), "j": Window(const(0), 8)}
    assert box_of([References((ref(var("i")), ref(var("j"))), windows)], (100,)).extents == (100,)


def test_nests_with_other_iterators_share_a_box() -> None:
    one = References((ref(var("t"), var("j")),), {"t": Window(var("t"), 1), "j": Window(const(1), 5)})
    other = References((ref(var("t"), var("k")),), {"t": Window(var("t"), 1), "k": Window(const(3), 6)})
    box = box_of([one, other], (9, 100))
    assert [str(e) for e in box.origin] == ["t", "1"] and box.extents == (1, 8)


def test_nests_whose_tiles_move_differently_need_the_whole_dimension() -> None:
    one = References((ref(var("i")),), {"i": Window(4 * var("i0"), 4)})
    other = References((ref(var("j")),), {"j": Window(2 * var("j0"), 2)})
    box = box_of([one, other], (100,))
    assert box.origin == (const(0),) and box.extents == (100,)


def test_a_tile_as_large_as_the_array_is_the_array() -> None:
    box = box_of([References((ref(var("i")),), {"i": Window(6 * var("i0"), 6)})], (6,))
    assert box.origin == (const(0),) and box.extents == (6,)


@pytest.mark.parametrize(
    ("first", "extent", "origin", "length"), [(-1, 9, 0, 4), (-1, 3, 0, 3), (6, 9, 6, 3), (9, 9, 9, 1), (2, 9, 2, 5)]
)
def test_a_window_that_does_not_move_is_cut_to_the_array(first: int, extent: int, origin: int, length: int) -> None:
    box = box_of([References((ref(var("i") + first),), {"i": Window(const(0), 5)})], (extent,))
    assert box.origin == (const(origin),) and box.extents == (length,)


@settings(derandomize=True, max_examples=80, deadline=None, database=None)
@given(
    factors=st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2)), min_size=1, max_size=3),
    size=st.integers(1, 4),
    tile=st.integers(0, 2),
)
def test_every_element_touched_lies_in_the_box(factors: list[tuple[int, int]], size: int, tile: int) -> None:
    subscripts = [a * var("i") + b * var("j") + 32 + at for at, (a, b) in enumerate(factors)]
    windows = {"i": Window(size * var("i0"), size), "j": Window(const(0), 5)}
    box = box_of([References(tuple(ref(e) for e in subscripts), windows)], (70,))
    start = box.origin[0].evaluate({"i0": tile})
    for i, j in product(range(size * tile, size * (tile + 1)), range(5)):
        for subscript in subscripts:
            assert start <= subscript.evaluate({"i": i, "j": j}) < start + box.extents[0]
