"""What a search begins with: placements that fit the block memories, short searches of so many nodes."""

from __future__ import annotations

from itertools import product

import pytest
from builders import scop
from hypothesis import given, settings
from hypothesis import strategies as st
from random_knobs import random_points
from unit.search.solve_spaces import gemm_space, space_of

from sisyphus.ir import ArrayId
from sisyphus.model import Estimator
from sisyphus.search import MeasuredCosts
from sisyphus.search.costs import Placement
from sisyphus.search.deadline import Deadline
from sisyphus.search.lower_bounds import LowerBounds
from sisyphus.search.packing import WORTH, Blocks, Packing, fits_alone, least_blocks
from sisyphus.search.placements import first_placements
from sisyphus.space import KERNEL_PLACE
from sisyphus.target import load_device, make_target

ARRAYS = tuple(map(ArrayId, "ABCD"))
blocks = st.tuples(st.integers(0, 9), st.integers(0, 9))


@given(st.lists(st.lists(blocks, max_size=4), min_size=4, max_size=4), st.frozensets(st.sampled_from(ARRAYS)), blocks)
@settings(max_examples=200, derandomize=True, deadline=None)
def test_arrays_fit_where_some_choice_of_blocks_does(
    options: list[list[Blocks]], arrays: frozenset[ArrayId], limit: Blocks
) -> None:
    by_array = dict(zip(ARRAYS, options, strict=True))
    choices = product(*(by_array[array] for array in sorted(arrays)))
    fits = any(all(sum(c[kind] for c in choice) <= limit[kind] for kind in (0, 1)) for choice in choices)
    assert Packing(by_array.__getitem__, limit).hold(arrays) == fits


def test_it_begins_with_everything_on_chip_and_then_with_nothing() -> None:
    space = gemm_space(4, 6, 8)
    everything = frozenset(space.used_arrays)
    first, second, *others = first_placements(space, frozenset())
    assert first == Placement(everything)
    assert second == Placement(frozenset())
    assert [len(placement.residents) for placement in others] == [2, 1]


@pytest.mark.parametrize("bits", [8, 32, 64])
@pytest.mark.parametrize("elements", [100, 5_000, 140_000, 1_000_000])
def test_no_partition_takes_less_than_the_least_blocks(elements: int, bits: int) -> None:
    memories = make_target(load_device("u200"), budget="chip").memories
    least = least_blocks(memories, elements, bits, 64)
    for banks in range(1, 65):
        for uneven in (0, 1, 37):
            bank = memories.bank(-(-elements // banks) + uneven, bits, memories.storage)
            assert banks * (bank.bram18k + WORTH * bank.uram) >= least


@given(
    elements=st.integers(1, 20_000), bits=st.sampled_from([8, 32, 64]), most=st.integers(1, 64), uram=st.integers(0, 30)
)
def test_arrays_that_fit_in_some_number_of_banks_fit(elements: int, bits: int, most: int, uram: int) -> None:
    memories = make_target(load_device("u200"), budget="chip").memories
    banks = [
        (count, memories.bank(-(-elements // count), bits, storage))
        for count in range(1, most + 1)
        for storage in memories.storages
    ]
    takes = [(count * bank.bram18k, count * bank.uram) for count, bank in banks]
    for bram18k in {0, *(used for used, _ in takes)}:
        fits = any(used <= bram18k and other <= uram for used, other in takes)
        assert fits_alone(memories, elements, bits, most, (bram18k, uram)) == fits


def test_without_a_limit_of_banks_no_more_are_tried_than_there_are_sizes() -> None:
    memories = make_target(load_device("u200"), budget="chip").memories
    assert fits_alone(memories, 345_600, 32, 1 << 60, (1_000_000, 0))


def test_an_array_larger_than_all_blocks_is_seen_at_once() -> None:
    """27 MB are less than the bytes on chip of the device, but more than its blocks hold in words of 32 bits."""
    text = "for i in range(2600):\n for j in range(2600):\n  C[i, j] = C[j, i] + 1.0"
    space = space_of(scop(text, C=(2600, 2600)), in_paper=False)
    limit = space.target.budget.onchip_bytes
    assert limit is not None and limit > 4 * 2600**2
    assert not MeasuredCosts(space).may_fit()


def test_the_first_bound_knows_that_large_arrays_are_tiled() -> None:
    text = "for i in range(5200):\n for j in range(5200):\n  B[i, j] = A[i, j] * c"
    space = space_of(scop(text, A=(5200, 5200), B=(5200, 5200)), in_paper=False)
    lower_bounds = LowerBounds(MeasuredCosts(space), Deadline())
    lower_bounds.prepare()
    least, estimator = lower_bounds.least(), Estimator(space.scop, space.distribution, space.live, space.target)
    assert least > 5200**2 / 16 > lower_bounds.floor(Placement(), frozenset())
    tiled = [p for p in random_points(space, 30) if all(b.place != KERNEL_PLACE for b in p.buffers)]
    assert tiled and all(estimator.estimate(point).cycles >= least for point in tiled)
