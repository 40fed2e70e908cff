"""Sizes of shares: whole, all of the extent, near those that are wanted, and equal where units are."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sisyphus.solve import Limits
from sisyphus.target import load_device, make_target
from sisyphus.units import places
from sisyphus.units.limits import Purse
from sisyphus.units.sizes import alike, bounds_of, rounded, rounded_apart

UNEQUAL = places(make_target(load_device("u200"), budget="routable"), 3)
EQUAL = places(make_target(load_device("u55c"), budget="routable"), 3)


@given(
    st.sampled_from([UNEQUAL, EQUAL]),
    st.lists(st.floats(0.05, 1.0), min_size=3, max_size=3),
    st.integers(3, 2000),
)
def test_every_size_is_whole_and_all_is_dealt(where: tuple, parts: list[float], extent: int) -> None:
    wanted = [part * extent / sum(parts) for part in parts]
    for sizes in rounded(wanted, extent, where):
        assert sum(sizes) == extent and min(sizes) > 0
        assert bounds_of(sizes, extent)[-1] == extent


@given(st.integers(3, 2000))
def test_of_equal_units_at_most_one_is_another(extent: int) -> None:
    for sizes in rounded([extent / 3] * 3, extent, EQUAL):
        assert len(set(sizes)) <= 2


def test_sizes_with_divisors_come_first_where_they_cost_little() -> None:
    assert rounded([104.5, 47, 104.5], 256, UNEQUAL)[0] == (104, 48, 104)
    assert rounded([200 / 3] * 3, 200, EQUAL)[0] == (68, 68, 64)
    assert rounded([82, 36, 82], 200, UNEQUAL)[0] == (82, 36, 82)


@given(st.lists(st.integers(3, 400), min_size=1, max_size=3))
def test_apart_no_unit_delivers_of_two_outputs(stretches: list[int]) -> None:
    extent = sum(stretches)
    found = rounded_apart([extent / 3] * 3, stretches, EQUAL)
    assert len(found) == {1: 1, 2: 2, 3: 1}[len(stretches)]
    for sizes in found:
        assert sum(sizes) == extent and set(accumulate(stretches)) <= set(accumulate(sizes))


def test_with_fewer_units_than_outputs_some_deliver_of_several() -> None:
    assert rounded_apart([6, 6, 6], (4, 4, 4, 6), EQUAL) == rounded([6, 6, 6], 18, EQUAL)


def test_slrs_that_are_nearly_equal_are_alike_unless_their_shares_are_not() -> None:
    assert alike([10, 10, 10], EQUAL) == [[0, 1, 2]]
    assert alike([10, 10, 20], EQUAL) == [[0, 1], [2]]
    assert alike([10, 10, 10], UNEQUAL) == [[0, 2], [1]]


@pytest.mark.parametrize("parts", [(0.5, 0.5, 1.0), (0.25, 0.25)])
def test_work_is_handed_out_once(parts: tuple[float, ...]) -> None:
    purse, left = Purse(Limits(effort=16)), 16.0
    for part in parts:
        assert purse.part(part).effort == pytest.approx(part * left)
        left -= part * left
    assert purse.is_empty == (left == 0)


def test_without_a_limit_there_is_none() -> None:
    purse = Purse(Limits())
    assert purse.part(0.1) == Limits() and not purse.is_empty
