"""A tape against the reading of the same formulas as arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sisyphus.algebra import VECTOR, Algebra
from sisyphus.algebra.tape import Symbol, Tape
from sisyphus.errors import InternalError

#: Numbers from numbers, numbers from conditions, conditions.
Formula = Callable[[Algebra, list[Any]], Any]
NUMBERS: dict[str, Callable[..., Any]] = {
    "add": lambda alg, a, b: a + b,
    "less": lambda alg, a, b: alg.maximum(a, b) - alg.minimum(b, a),
    "times": lambda alg, a, b: a * b,
    "divided": lambda alg, a, b: a // alg.maximum(b, 1),
    "ceil_div": lambda alg, a, b: alg.ceil_div(a, alg.maximum(b, 1)),
    "gcd": lambda alg, a, b: alg.gcd(a, b),
    "bits": lambda alg, a, b: alg.log2_ceil(a) + alg.log2_floor(alg.maximum(b, 1)) + alg.lowest_bit(a + 1),
    "select": lambda alg, a, b: alg.select(alg.exceeds(a, b), b, 0) + alg.select(alg.is_power_of_two(b), a, b),
    "either": lambda alg, a, b: alg.select(alg.either(alg.exceeds(a, 1), alg.negation(alg.exceeds(b, 2))), a, 7),
    "any of none": lambda alg, a, b: alg.select(alg.either(), a, alg.select(alg.both(), b, 1)),
    "any of several": lambda alg, a, b: alg.select(
        alg.either(alg.exceeds(a, 3), alg.equals(b, 0), alg.equals(a, b)), a, 9
    ),
    "both": lambda alg, a, b: alg.select(alg.both(alg.exceeds(a, 0), alg.exceeds(b, a)), 3, b),
    "lookup": lambda alg, a, b: alg.lookup((4, 0, 2), a) + alg.nearest(b),
    "apply": lambda alg, a, b: alg.apply(lambda m, n: m % 3 + n % 5, a, b),
}
LEAVES = st.one_of(st.integers(0, 5), st.sampled_from(["x", "y", "z"]))
TREES = st.recursive(LEAVES, lambda inner: st.tuples(st.sampled_from(sorted(NUMBERS)), inner, inner), max_leaves=12)


def value(alg: Algebra, tree: Any, known: dict[str, Any]) -> Any:
    if isinstance(tree, tuple):
        return NUMBERS[tree[0]](alg, value(alg, tree[1], known), value(alg, tree[2], known))
    return known[tree] if isinstance(tree, str) else tree


@settings(max_examples=300, deadline=None)
@given(st.lists(TREES, min_size=1, max_size=3), st.lists(st.tuples(*[st.integers(0, 40)] * 3), min_size=1, max_size=5))
def test_programs_compute_what_arrays_do(trees: list[Any], rows: list[tuple[int, int, int]]) -> None:
    columns = [np.array(column, np.int64) for column in zip(*rows, strict=True)]
    known = dict(zip("xyz", columns, strict=True))
    tape = Tape()
    symbols = {name: tape.input() for name in known}
    program = tape.program({str(at): value(tape, tree, symbols) for at, tree in enumerate(trees)})
    for at, tree in enumerate(trees):
        wanted = np.broadcast_to(value(VECTOR, tree, known), len(rows)).tolist()
        for _ in range(2):  # a second run starts from nothing that the first one left
            assert np.broadcast_to(program.run(columns)[str(at)], len(rows)).tolist() == wanted


def test_equal_steps_are_one_and_constants_none() -> None:
    tape = Tape()
    x = tape.input()
    one, other = tape.gcd(x, 4) + tape.maximum(2, 3), tape.gcd(x, 4) + 3
    assert one is other
    assert tape.select(tape.exceeds(3, 2), x, 0) is x
    assert tape.both(tape.exceeds(2, 3), tape.exceeds(x, 1)) is False
    assert tape.negation(tape.negation(tape.exceeds(x, 1))) is tape.exceeds(x, 1)
    assert len(tape.program({"one": one, "other": other}).steps) == 2


def test_a_symbol_is_no_answer_to_python() -> None:
    with pytest.raises(InternalError, match="asks Python"):
        bool(Tape().input() + 1)
    assert not isinstance(Tape().maximum(1, 2), Symbol)
