"""The latency of steps: of those in turn the sum, of those at the same time the longest, in every reading."""

from __future__ import annotations

import random

import numpy as np
import pytest

from sisyphus.algebra import EXACT, VECTOR
from sisyphus.algebra.tape import Tape
from sisyphus.model.formulas.steps import AtOnce, InTurn, Steps, latency, tiled_nest


def by_hand(work: int, loads: list[tuple[int, int]], stores: list[tuple[int, int]]) -> int:
    """Place by place."""
    total = work
    for moves in (loads, stores):
        total += sum(max(cycles for own, cycles in moves if own == place) for place in {own for own, _ in moves})
    return total


@pytest.mark.parametrize("seed", range(20))
def test_arrays_of_one_place_are_side_by_side_and_places_follow_each_other(seed: int) -> None:
    rng = random.Random(seed)
    loads, stores = ([(rng.randint(0, 2), rng.randint(0, 90)) for _ in range(rng.randint(0, 4))] for _ in range(2))
    work, other = rng.randint(1, 99), rng.randint(0, 300)
    expected = by_hand(work, loads, stores)
    assert latency(EXACT, tiled_nest(EXACT, work, loads, stores)) == expected
    assert latency(EXACT, tiled_nest(EXACT, work, loads, stores, other)) == max(expected, work + other)


def test_places_may_differ_from_candidate_to_candidate() -> None:
    moves = [(np.array([0, 0, 1]), np.array([5, 6, 7])), (np.array([0, 1, 1]), np.array([9, 2, 1]))]
    assert latency(VECTOR, tiled_nest(VECTOR, np.array([1, 1, 1]), moves, [])).tolist() == [10, 9, 8]


def test_what_is_loaded_ahead_hides_behind_what_is_computed() -> None:
    def steps(load: Steps, compute: Steps) -> InTurn:
        return InTurn((load, AtOnce(((True, load), (True, compute))), compute))

    tape = Tape()
    columns = tape.input(), tape.input()
    program = tape.program({"cycles": latency(tape, steps(*columns))})
    assert latency(EXACT, steps(30, 100)) == 230
    assert program.run([np.array([30, 90]), np.array([100, 20])])["cycles"].tolist() == [230, 200]
