"""The two readings of the algebra agree, and do what their names say."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sisyphus.algebra import EXACT, VECTOR, Algebra, at_least, distinct, distinct_rows, first_of_rows
from sisyphus.model.formulas.addresses import needs_multiplier

PAIRS = st.lists(st.tuples(st.integers(1, 5000), st.integers(1, 300)), min_size=1, max_size=20)

OPERATIONS: dict[str, Callable[[Algebra, object, object], object]] = {
    "maximum": lambda alg, a, b: alg.maximum(a, b),
    "minimum": lambda alg, a, b: alg.minimum(a, b),
    "ceil_div": lambda alg, a, b: alg.ceil_div(a, b),
    "log2_ceil": lambda alg, a, b: alg.log2_ceil(a),
    "log2_floor": lambda alg, a, b: alg.log2_floor(a),
    "gcd": lambda alg, a, b: alg.gcd(a, b),
    "lowest_bit": lambda alg, a, b: alg.lowest_bit(a),
    "is_power_of_two": lambda alg, a, b: alg.select(alg.is_power_of_two(a), 1, 0),
    "select": lambda alg, a, b: alg.select(alg.both(alg.exceeds(a, b), alg.negation(alg.exceeds(a, 2 * b))), a, b),
    "either": lambda alg, a, b: alg.select(alg.either(alg.exceeds(a, b), at_least(alg, b, a)), 1, 0),
    "lookup": lambda alg, a, b: alg.lookup(range(40), a),
    "apply": lambda alg, a, b: alg.apply(lambda n: n * n % 97, a * b),
    "nearest": lambda alg, a, b: alg.nearest(a * 0.5) + alg.nearest(b * 1.25),
    "needs_multiplier": lambda alg, a, b: alg.select(needs_multiplier(alg, a), 1, 0),
}


@pytest.mark.parametrize("name", OPERATIONS)
@given(PAIRS)
@settings(max_examples=30, derandomize=True, deadline=None)
def test_vectors_read_as_integers_do(name: str, pairs: list[tuple[int, int]]) -> None:
    operation = OPERATIONS[name]
    left, right = (np.array(column) for column in zip(*pairs, strict=True))
    assert np.asarray(operation(VECTOR, left, right)).tolist() == [operation(EXACT, a, b) for a, b in pairs]


@given(st.integers(1, 1 << 40))
@settings(max_examples=100, derandomize=True, deadline=None)
def test_logarithms_are_exact(value: int) -> None:
    for alg in (EXACT, VECTOR):
        up, down = int(alg.log2_ceil(value)), int(alg.log2_floor(value))
        assert 1 << up >= value > (1 << up) // 2
        assert 1 << down <= value < 2 << down


def test_a_stride_needs_a_multiplier_unless_one_addition_of_shifts_makes_it() -> None:
    shifts = [1 << n for n in range(12)]
    easy = {a + b for a in shifts for b in (0, *shifts)} | {a - b for a in shifts for b in shifts}
    for stride in range(1, 1024):
        assert needs_multiplier(EXACT, stride) == (stride not in easy), stride


@given(st.lists(st.tuples(*[st.integers(0, 1 << 40)] * 4), min_size=1, max_size=12))
@settings(max_examples=50, derandomize=True, deadline=None)
def test_different_rows_are_told_apart(rows: list[tuple[int, ...]]) -> None:
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    different, which = distinct_rows(columns)
    assert list(map(tuple, different.tolist())) == sorted(set(rows))
    assert [tuple(different[n].tolist()) for n in which] == rows
    first, again = first_of_rows(columns)
    assert ([rows[at] for at in first], again.tolist()) == (sorted(set(rows)), which.tolist())
    assert all(row not in rows[:at] for at, row in ((at, rows[at]) for at in first))


@given(st.lists(st.integers(-9, 9), max_size=12))
@settings(max_examples=50, derandomize=True, deadline=None)
def test_different_values_come_once_and_in_order(values: list[int]) -> None:
    assert distinct(np.array(values, np.int64)).tolist() == sorted(set(values))


def test_gcd_of_nothing_is_the_other() -> None:
    assert EXACT.gcd(0, 6) == VECTOR.gcd(0, 6) == 6 == math.gcd(0, 6)
