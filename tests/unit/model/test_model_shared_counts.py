"""The spaces of a form share what is counted of its nests, whatever else they differ in."""

from __future__ import annotations

from builders import scop
from model_candidates import kernel_of

from sisyphus.model.counting.tilecount import tile_counts
from sisyphus.target import load_device, make_target
from sisyphus.values import replace

TARGET = make_target(load_device("u200"), budget="chip")
WAVES = """
for w in range(20):
    for i in range(max(0, w - 9), min(w + 1, 10)):
        A[i, w - i] = A[i, w - i] * c
"""


def test_counts_of_a_nest_are_shared_but_with_no_other_kernel() -> None:
    one, other = (kernel_of(scop(WAVES, A=(10, 20)), TARGET) for _ in range(2))
    [nest], [its] = one.space.nests, other.space.nests
    counts = tile_counts(one.scop, nest.nest)
    assert tile_counts(one.scop, replace(nest.nest, precedence=frozenset({("w", "i")}))) is counts
    assert tile_counts(one.scop, nest.nest, nest.nest.statements) is not counts
    assert tile_counts(other.scop, its.nest) is not counts
    assert counts.points == tile_counts(other.scop, its.nest).points == 100
