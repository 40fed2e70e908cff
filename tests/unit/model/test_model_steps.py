"""The latency of steps: of those in turn the sum, of those at the same time the longest, in every reading."""

from __future__ import annotations

import random

import numpy as np
import pytest

from sisyphus.algebra import EXACT, VECTOR
from sisyphus.algebra.tape import Tape
from sisyphus.model.formulas.steps import AtOnce, InTurn, Moved, Steps, Times, awaited, explained, latency, tiled_nest
from sisyphus.model.formulas.terms import Term


def by_hand(work: int, loads: list[Moved], stores: list[Moved]) -> int:
    """Place by place."""
    total = work
    for moves in (loads, stores):
        total += sum(max(m.cycles for m in moves if m.place == place) for place in {m.place for m in moves})
    return total


@pytest.mark.parametrize("seed", range(20))
def test_arrays_of_one_place_are_side_by_side_and_places_follow_each_other(seed: int) -> None:
    rng = random.Random(seed)
    loads, stores = ([Moved(rng.randint(0, 2), rng.randint(0, 90)) for _ in range(rng.randint(0, 4))] for _ in range(2))
    work, other = rng.randint(1, 99), rng.randint(0, 300)
    expected = by_hand(work, loads, stores)
    assert latency(EXACT, tiled_nest(EXACT, work, loads, stores)) == expected
    assert latency(EXACT, tiled_nest(EXACT, work, loads, stores, other)) == max(expected, work + other)


def test_places_may_differ_from_candidate_to_candidate() -> None:
    moves = [Moved(np.array([0, 0, 1]), np.array([5, 6, 7])), Moved(np.array([0, 1, 1]), np.array([9, 2, 1]))]
    assert latency(VECTOR, tiled_nest(VECTOR, np.array([1, 1, 1]), moves, [])).tolist() == [10, 9, 8]


def test_what_is_loaded_ahead_hides_behind_what_is_computed() -> None:
    def steps(load: Steps, compute: Steps) -> InTurn:
        return InTurn((load, AtOnce(((True, load), (True, compute))), compute))

    tape = Tape()
    columns = tape.input(), tape.input()
    program = tape.program({"cycles": latency(tape, steps(*columns))})
    assert latency(EXACT, steps(30, 100)) == 230
    assert program.run([np.array([30, 90]), np.array([100, 20])])["cycles"].tolist() == [230, 200]


def terms(values: list[tuple[int, int]]) -> list[tuple[bool, Term]]:
    """Parts at the same time: cycles in the report, and what RTL adds."""
    return [(True, Term(f"part {at}", cycles, rtl=late)) for at, (cycles, late) in enumerate(values)]


@pytest.mark.parametrize("seed", range(10))
def test_a_term_says_what_steps_take(seed: int) -> None:
    rng = random.Random(seed)

    def steps(depth: int) -> Steps:
        parts = [steps(depth - 1) if depth else Term("leaf", rng.randint(0, 50)) for _ in range(rng.randint(1, 3))]
        at_once = AtOnce(tuple((rng.random() < 0.8, part) for part in parts))
        return rng.choice((InTurn(tuple(parts)), Times(rng.randint(0, 4), at_once)))

    found = steps(3)
    term = explained(EXACT, found)
    assert term.value == latency(EXACT, found) == sum(leaf.value for leaf in term.leaves())


def test_of_parts_alike_in_the_report_the_one_counts_that_rtl_is_late_for() -> None:
    parts = terms([(7, 0), (9, 0), (9, 3), (9, 3), (8, 50)])
    assert awaited(EXACT, parts) == [False, False, True, False, False]
    assert explained(EXACT, AtOnce(tuple(parts)))[1::4] == (9, 3)


def test_which_part_is_waited_for_may_differ_from_iteration_to_iteration() -> None:
    parts = [(True, Term("one", np.array([4, 9, 5]))), (True, Term("other", 5))]
    picks = [np.broadcast_to(pick, 3).tolist() for pick in awaited(VECTOR, parts)]
    assert picks == [[False, True, True], [True, False, False]]
