"""What the front end knows of values where it asks whether a subscript may be outside of its array."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from compiled_scops import run
from hypothesis import given, settings
from hypothesis import strategies as st

from sisyphus.errors import KernelError
from sisyphus.frontend import read
from sisyphus.frontend.c.context import Context, OpenLoop
from sisyphus.frontend.c.scope import Variable
from sisyphus.poly import Affine, const, var

RANGES = {"i": (0, 4), "j": (-2, 3), "k": (1, 2)}
affines = st.builds(
    lambda factors, constant: Affine.of(zip(RANGES, factors, strict=True), constant),
    st.tuples(*[st.integers(-3, 3)] * len(RANGES)),
    st.integers(-8, 8),
)


@settings(max_examples=200, deadline=None)
@given(affines, st.lists(st.lists(affines, max_size=3).map(tuple), min_size=1, max_size=3).map(tuple))
def test_an_interval_holds_every_value_under_a_condition(
    value: Affine, condition: tuple[tuple[Affine, ...], ...]
) -> None:
    loops = tuple(OpenLoop(name, _variable(), var(name), ends) for name, ends in RANGES.items())
    low, high = Context(loops, condition).interval(value) or (1, 0)
    points = (dict(zip(RANGES, p, strict=True)) for p in product(*(range(a, b + 1) for a, b in RANGES.values())))
    reached = [p for p in points if any(all(part.evaluate(p) >= 0 for part in one) for one in condition)]
    assert all(low <= value.evaluate(point) <= high for point in reached)


def test_an_interval_is_as_narrow_as_a_condition_says() -> None:
    loops = (OpenLoop("d", _variable(), var("d"), (0, 1)), OpenLoop("m", _variable(), var("m"), (0, 15)))
    place = var("d") * 16 + var("m")
    assert Context(loops).interval(place) == (0, 31)
    assert Context(loops, ((place * -1 + const(15),),)).interval(place) == (0, 15)


def _variable() -> Variable:
    return None  # type: ignore[return-value]  # no interval asks for it


ROUNDS = """
static const int S[2][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}};
void f(const unsigned m[3][16], unsigned o[3]) {
  for (int n = 0; n < 3; n++) {
    unsigned a = o[n];
    for (int i = 0; i < 32; i++) {
      int g;
      if (i < 16) g = i; else g = (5 * i + 1) % 16;
      a = (a + m[n][g]) << S[i / 16][i % 4];
    }
    o[n] = a;
  }
}
"""

WEIGHTS = """
void f(const unsigned char a[40], const unsigned char b[40], const int w[64], int o[40]) {
  for (int i = 0; i < 40; i++) {
    int d = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
    o[i] = w[d >> 2] - w[(a[i] <= b[i] ? b[i] - a[i] : a[i] - b[i]) / 4];
  }
}
"""


@pytest.mark.parametrize("text", [ROUNDS, WEIGHTS], ids=["pieces", "absolute difference"])
def test_tables_are_read_where_data_says_how_far(text: str, tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(text)
    assert run(read(path), path, tmp_path) == "equal"


TREE = """
void f(const int x[9], const int feature[7], const int leaf[8], int y[9]) {
  for (int s = 0; s < 9; s++) {
    int n = 0;
    for (int d = 0; d < 3; d++)
      n = 2 * n + 1 + (x[s] > feature[n]);
    y[s] = leaf[n - 7];
  }
}
"""


def test_a_short_loop_is_written_out_where_only_each_of_its_steps_stays_in_a_table(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(TREE)
    assert run(read(path), path, tmp_path) == "equal"
    path.write_text(TREE.replace("d < 3", "d < 4"))
    with pytest.raises(KernelError, match="subscript `n` may be"):
        read(path)


def test_a_filter_counts_with_sizes_that_wrap_at_64_bits(tmp_path: Path) -> None:
    """Of indices that borders keep above zero only that is asked: isl gave up on whether they pass 2^64."""
    path = tmp_path / "f.c"
    path.write_text("""
#include <stddef.h>
void f(const float x[9][8], float y[9][8]) {
  for (size_t r = 0; r < 9; ++r)
    for (size_t c = 0; c < 8; ++c) {
      if (r == 0 || c == 0 || r == 8 || c == 7) { y[r][c] = x[r][c]; continue; }
      float s = 0.0f;
      for (int p = -1; p <= 1; ++p)
        for (int q = -1; q <= 1; ++q) s += x[r + p][c + q];
      y[r][c] = s;
    }
}
""")
    assert run(read(path), path, tmp_path) == "equal"


def test_neighbours_are_chosen_by_integers_as_conditions(tmp_path: Path) -> None:
    """`i ? i - 1 : i` is `i != 0 ? ...`, and `!i` is `i == 0`."""
    path = tmp_path / "f.c"
    path.write_text("""
void f(const int x[9][8], int y[9][8]) {
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 8; j++)
      y[i][j] = x[i ? i - 1 : i][j] - 2 * x[i - 8 ? i + 1 : i][j] + 3 * x[i][!j ? 0 : j - 1];
}
""")
    assert run(read(path), path, tmp_path) == "equal"
