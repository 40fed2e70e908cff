"""Strip-minings of one loop: all of the divisors, and ragged ones without waste."""

from __future__ import annotations

from itertools import pairwise

import pytest
from builders import scop
from hypothesis import given, settings
from hypothesis import strategies as st

from sisyphus.analysis import LoopKind, dependences, distribute, liveness
from sisyphus.errors import UsageError
from sisyphus.ir import ArrayId
from sisyphus.space import Options, Space, Tile, apply_fixes, build_space
from sisyphus.space.space import Tiles
from sisyphus.space.tilings import MOST_SIZES, divisors, has_hole, ragged_sizes, smallest_sizes, tilings
from sisyphus.target import load_device, make_target

EXAMPLES = settings(derandomize=True, max_examples=60, deadline=None, database=None)


@EXAMPLES
@given(st.integers(1, 300), st.sampled_from(list(LoopKind)))
def test_ragged_tiles_cover_the_loop_without_a_tile_too_many(trip_count: int, kind: LoopKind) -> None:
    ragged = tilings(trip_count, kind, "ragged")
    assert len(set(ragged)) == len(ragged)
    assert set(tilings(trip_count, kind, "divisors")) <= set(ragged)
    for tile in ragged:
        assert (tile.level0 - 1) * tile.size < trip_count <= tile.level0 * tile.size
        assert tile.level2 == 1 or kind is not LoopKind.SEQUENTIAL


@EXAMPLES
@given(st.integers(1, 300), st.sampled_from(list(LoopKind)), st.booleans())
def test_loops_may_have_powers_of_two(trip_count: int, kind: LoopKind, moves: bool) -> None:
    own, called = (tilings(trip_count, kind, "auto", moves=moves, powers=most) for most in (0, 64))
    sizes = {tile.level2 for tile in called} - {tile.level2 for tile in own}
    assert set(own) <= set(called) and all(size & (size - 1) == 0 for size in sizes)
    assert kind is LoopKind.SEQUENTIAL or {1 << at for at in range(7) if 1 << at < trip_count} <= {
        tile.level2 for tile in called
    }
    for tile in called:
        assert (tile.level0 - 1) * tile.size < trip_count <= tile.level0 * tile.size
    assert tilings(trip_count, kind, "divisors", powers=64) == tilings(trip_count, kind, "divisors")


@EXAMPLES
@given(st.integers(1, 3000), st.sampled_from(list(LoopKind)), st.booleans())
def test_few_tiles_are_few_of_those_that_there_are(trip_count: int, kind: LoopKind, moves: bool) -> None:
    few, every = (set(tilings(trip_count, kind, tiles, moves=moves)) for tiles in ("few", "auto"))
    assert few <= every
    sizes = sorted({tile.level1 for tile in few if tile.level2 == 1})
    assert {1, trip_count} <= {*sizes} and (len(sizes) <= 1 + trip_count.bit_length() or few == every)
    if has_hole(trip_count, moves=moves):
        assert all(larger < 4 * smaller for smaller, larger in pairwise(sizes))
    fewest = set(tilings(trip_count, kind, "fewest", moves=moves))
    assert fewest <= few
    assert len({tile.level1 for tile in fewest if tile.level2 == 1}) <= 1 + trip_count.bit_length()


@EXAMPLES
@given(st.integers(1, 60))
def test_no_tile_left_out_does_as_many_starts_with_less(trip_count: int) -> None:
    """Every (starts, copies) that any tile has, some ragged tile has with no more of either."""
    ragged = tilings(trip_count, LoopKind.PARALLEL, "ragged")
    for level2 in range(1, trip_count + 1):
        starts = -(-trip_count // level2)
        for level1 in range(1, starts + 1):
            level0 = -(-starts // level1)
            assert any(t.level0 <= level0 and t.level1 <= level1 and t.level2 <= level2 for t in ragged)


@EXAMPLES
@given(st.integers(1, 2000))
def test_sizes_are_the_smallest_for_their_number_of_parts(number: int) -> None:
    smallest: dict[int, int] = {}
    for size in range(1, number + 1):
        smallest.setdefault(-(-number // size), size)
    assert smallest_sizes(number) == tuple(sorted(smallest.values()))


@EXAMPLES
@given(st.integers(300, 5000))
def test_a_long_loop_has_sizes_of_every_order(number: int) -> None:
    sizes = ragged_sizes(number)
    assert set(divisors(number)) <= set(sizes) <= set(smallest_sizes(number))
    assert len(sizes) <= MOST_SIZES + len(divisors(number))
    assert all(larger <= 2 * smaller for smaller, larger in pairwise(sizes))


@pytest.mark.parametrize(
    ("trip_count", "hole"), [(1, False), (3, False), (24, False), (127, True), (254, True), (220, False)]
)
def test_only_awkward_numbers_have_a_hole(trip_count: int, hole: bool) -> None:
    assert has_hole(trip_count) is hole
    same = tilings(trip_count, LoopKind.PARALLEL, "auto") == tilings(trip_count, LoopKind.PARALLEL, "divisors")
    assert same is not hole


def test_where_bounds_move_a_smaller_hole_is_one() -> None:
    """What divides the longest run divides few others; powers of two and the like have no hole in any case."""
    assert has_hole(399, moves=True) and not has_hole(399)
    assert not has_hole(240, moves=True)
    assert any(tile.level2 == 100 for tile in tilings(399, LoopKind.PARALLEL, "auto", moves=True))


def test_loops_that_an_outer_loop_or_another_one_bounds_move() -> None:
    source = """
for k in range(64):
  for i in range(k + 1, 64):
    A[i] += B[k, i]
  for i in range(63):
    C[i] += A[i]
    for j in range(i + 1):
      D[i, j] = C[i]
"""
    kernel = scop(source, A=(64,), B=(64, 64), C=(63,), D=(63, 63))
    deps = dependences(kernel)
    target = make_target(load_device("u200"), budget="chip")
    space = build_space(kernel, deps, distribute(kernel, deps), liveness(kernel), target, Options())
    ragged = tilings(63, LoopKind.PARALLEL, "ragged")
    assert [space.nest(nest).loop("i").tiles == ragged for nest in ("S0", "S1", "S2")] == [True, False, True]


def prime_space(tiles: Tiles) -> Space:
    kernel = scop("for i in range(24):\n  for k in range(127):\n    Y[i] += A[i, k]", Y=(24,), A=(24, 127))
    deps = dependences(kernel)
    target = make_target(load_device("u200"), budget="chip")
    return build_space(kernel, deps, distribute(kernel, deps), liveness(kernel), target, Options(tiles=tiles))


def test_a_ragged_tile_can_be_fixed_where_the_space_has_it() -> None:
    fixed = apply_fixes(prime_space("auto"), ["S0.k=16x1x8"])
    assert fixed.nest("S0").loop("k").tiles == (Tile(16, 1, 8),)
    with pytest.raises(UsageError, match="127 iterations"):
        apply_fixes(prime_space("divisors"), ["S0.k=16x1x8"])


def test_every_unroll_factor_has_a_partition() -> None:
    space = prime_space("auto")
    for array, at, loop in (("A", 0, "i"), ("A", 1, "k"), ("Y", 0, "i")):
        factors = space.partitions[ArrayId(array)][at]
        assert {t.level2 for t in space.nest("S0").loop(loop).tiles} <= set(factors)


PICKED = """
for k in range(18):
    for i in range(18):
        R[i] = A[k, i] * c
    for i in range(18):
        A[k + 1, i] = R[i] + B[i, k]
"""


@pytest.mark.parametrize(("instead", "factors"), [("A[k, i]", {1, 2, 3, 6, 9, 18}), ("A[i, k]", {4, 8, 16})])
def test_loops_have_powers_of_two_where_a_loop_around_picks_banks_of_what_they_count(
    instead: str, factors: set[int]
) -> None:
    """k picks rows of A and columns of B, of which i counts the others, unless it counts rows of A as well."""
    kernel = scop(PICKED.replace("A[k, i]", instead), A=(20, 20), B=(20, 20), R=(18,))
    deps = dependences(kernel)
    target = make_target(load_device("u200"), budget="chip")
    space = build_space(kernel, deps, distribute(kernel, deps), liveness(kernel), target, Options())
    assert len(space.nests) == 2
    for nest in space.nests:
        assert {tile.level2 for tile in nest.loops[0].tiles} == {1, 2, 3, 6, 9, 18} | factors
