"""Which partition factors serve what, against counting the elements in every bank."""

from __future__ import annotations

from collections import Counter

import pytest
from builders import scop
from hypothesis import given, settings
from hypothesis import strategies as st

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.ir import ArrayId
from sisyphus.space import Factors, Options, Space, build_space
from sisyphus.target import load_device, make_target

EXAMPLES = settings(max_examples=300, deadline=None, derandomize=True)
WIDTHS = st.sampled_from([1, 2, 4, 8, 16])


@EXAMPLES
@given(st.integers(1, 40), st.integers(1, 40), WIDTHS)
def test_a_beat_takes_one_cycle_where_no_bank_has_more_than_two_of_its_elements(
    extent: int, factor: int, width: int
) -> None:
    lanes = range(min(width, extent))
    fullest = max(Counter(lane % min(factor, extent) for lane in lanes).values())
    assert Factors((), extent).serves(factor, width=width) == (fullest <= 2)


@EXAMPLES
@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 12), WIDTHS)
def test_unrolled_accesses_need_a_multiple_or_a_bank_for_every_element(
    extent: int, factor: int, copies: int, width: int
) -> None:
    factors = Factors((), extent)
    expected = factor >= extent or (factor % copies == 0 and factors.serves(factor, width=width))
    assert factors.serves(factor, copies=copies, width=width) == expected


@EXAMPLES
@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 12), WIDTHS)
def test_the_paper_wants_a_multiple_of_everything(extent: int, factor: int, copies: int, width: int) -> None:
    expected = factor % copies == 0 and factor % width == 0
    assert Factors((), extent, whole_beats=True).serves(factor, copies=copies, width=width) == expected


def test_the_smallest_of_those_that_serve() -> None:
    factors = Factors((1, 2, 4, 5, 8, 10, 20, 40, 190), 190)
    assert factors.smallest(copies=5, width=16) == 10
    assert factors.smallest(copies=1, width=16) == 8
    assert factors.smallest(copies=7) == 190
    assert Factors((1, 2, 4, 5, 10), 190).smallest(copies=7) is None
    assert factors.serving(copies=10, width=4) == (10, 20, 40, 190)


def space(options: Options, max_partition: int = 1024) -> Space:
    kernel = scop("for i in range(9):\n  for j in range(130):\n    A[i, j] = 2.0 * A[i, j]", A=(9, 130))
    found = dependences(kernel)
    target = make_target(load_device("u200"), budget="chip", max_partition=max_partition)
    return build_space(kernel, found, distribute(kernel, found), liveness(kernel), target, options)


@pytest.mark.parametrize(
    ("options", "most", "first", "last"),
    [
        (Options(tiles="divisors"), 1024, {1, 3, 9}, {1, 2, 4, 5, 8, 10, 16, 20, 40, 80, 130}),
        (Options(tiles="divisors"), 128, {1, 3, 9}, {1, 2, 4, 5, 8, 10, 16, 20, 40, 80}),
        (Options().as_in_paper(), 1024, {1, 3, 9}, {1, 2, 5, 10, 130}),
    ],
)
def test_legal_factors(options: Options, most: int, first: set[int], last: set[int]) -> None:
    found = space(options, most).partitions[ArrayId("A")]
    assert set(found[0]) == first
    assert set(found[1]) >= last
    assert (8 in found[1]) == (8 in last)
    assert (130 in found[1]) == (130 in last)
