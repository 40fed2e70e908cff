"""Which tiles keep to the stripes of a dealt array, against walking through the iterations of a body's copies."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import scop
from hypothesis import given, settings
from hypothesis import strategies as st

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.ir import ArrayId
from sisyphus.space import Options, RowUse, Space, Tile, apply_fixes, build_space, dealt_over_ports
from sisyphus.space.stripes import in_stripes
from sisyphus.target import load_device, make_target

EXAMPLES = settings(max_examples=300, deadline=None, derandomize=True)


def space_of(text: str, trust: str = "any", **shapes: tuple[int, ...]) -> Space:
    kernel = scop(text, **shapes)
    found = dependences(kernel)
    target, options = make_target(load_device("u200"), budget="chip"), Options(trust=trust)  # type: ignore[arg-type]
    return build_space(kernel, found, distribute(kernel, found), liveness(kernel), target, options)


@EXAMPLES
@given(st.integers(1, 4), st.integers(1, 6), st.integers(1, 12), st.integers(1, 3), st.integers(0, 3))
def test_a_copy_of_the_body_stays_in_its_stripe(level0: int, level1: int, copies: int, step: int, shift: int) -> None:
    """Of a nest that writes what is dealt: in whichever iteration, each unrolled copy writes to one stripe."""
    trips = level0 * level1 * copies
    text = f"for i in range(2):\n    for j in range({trips}):\n        A[i, {step} * j + {shift}] = 1"
    kernel = scop(text, A=(2, step * trips + shift))
    [nest] = distribute(kernel, dependences(kernel)).nests
    for stripes in (2, 4):
        met = [
            {(step * (turn * copies + copy) + shift) % stripes for turn in range(level0 * level1)}
            for copy in range(copies)
        ]
        alone = all(len(found) == 1 for found in met)
        assert RowUse.of(kernel, nest, ArrayId("A")).keeps(stripes, {"j": Tile(level0, level1, copies)}) == alone


READ = "for i in range(64):\n    for j in range(256):\n        B[i, j] = A[{}, {}]"


@pytest.mark.parametrize(
    ("subscripts", "tiles", "keeps"),
    [
        (("i", "j"), {"j": Tile(1, 256, 1)}, True),  # read without copies: moves from stripe to stripe
        (("i", "j"), {"j": Tile(1, 128, 2)}, True),
        (("i", "j"), {"j": Tile(2, 43, 3)}, False),
        (("i", "j"), {"j": Tile(1, 1, 256)}, True),
        (("j", "i"), {"j": Tile(2, 43, 3)}, True),  # not along the rows
        (("i", "j + i"), {"i": Tile(64, 1, 1), "j": Tile(1, 256, 1)}, False),  # two loops, of which neither keeps
        (("i", "j + i"), {"i": Tile(32, 1, 2), "j": Tile(1, 128, 2)}, True),
    ],
)
def test_what_is_only_read(subscripts: tuple[str, str], tiles: dict[str, Tile], keeps: bool) -> None:
    kernel = scop(READ.format(*subscripts), A=(320, 320), B=(64, 256))
    [nest] = distribute(kernel, dependences(kernel)).nests
    assert RowUse.of(kernel, nest, ArrayId("A")).keeps(2, tiles) == keeps
    written = RowUse.of(kernel, nest, ArrayId("B"))
    assert written.keeps(2, {}) and not written.keeps(2, {"j": Tile(1, 256, 1)})


def test_a_space_has_tiles_that_keep_to_its_stripes() -> None:
    space = space_of(READ.format("i", "j"), A=(64, 256), B=(64, 256))
    dealt = dealt_over_ports(space, ArrayId("B"))
    assert {space.ports(ArrayId("B"), w) for w in dealt.widths[ArrayId("B")]} == {
        1,
        2,
        4,
    } and dealt.nests == space.nests
    [nest] = in_stripes(space, [ArrayId("B")], 4) or ()
    kept = set(nest.loop("j").tiles)
    assert kept == {t for t in space.nests[0].loop("j").tiles if t.level2 % 4 == 0 or t.level0 * t.level1 == 1}
    assert nest.loop("i").tiles == space.nests[0].loop("i").tiles
    two = apply_fixes(space, ["B.ports=2"]).nests[0].loop("j").tiles
    assert kept < set(two) < set(space.nests[0].loop("j").tiles)


def test_rows_that_a_sequential_loop_moves_are_not_dealt() -> None:
    """What the outer loop writes would be in another stripe in each of its iterations."""
    text = "for t in range(64):\n    for i in range(64):\n        A[i, t + 1] = A[i, t] + A[63 - i, t]"
    space = space_of(text, A=(64, 80))
    assert dealt_over_ports(space, ArrayId("A")).widths == space.widths


def test_all_that_an_outer_loop_moves_counts() -> None:
    """One subscript goes on by two places, another one by one."""
    text = """
for t in range(20):
    for i in range(8):
        B[i] = C[i] + A[i, {}] + A[i, {}]
    for i in range(8):
        C[i] = B[7 - i]
"""
    for one, other, keeps in (("2 * t", "t", False), ("t", "2 * t", False), ("2 * t", "2 * t + 1", True)):
        kernel = scop(text.format(one, other), A=(8, 48), B=(8,), C=(8,))
        first, _ = distribute(kernel, dependences(kernel)).nests
        assert first.outer and RowUse.of(kernel, first, ArrayId("A")).keeps(2, {}) == keeps


def test_partitions_are_shared_evenly() -> None:
    space = space_of(READ.format("i", "j"), A=(64, 256), B=(64, 256))
    factors = dealt_over_ports(space, ArrayId("A")).factors(ArrayId("A"), 1)
    assert factors.smallest(copies=6, width=64) is None or factors.smallest(copies=6, width=64) % 4 == 0  # type: ignore[operator]
    assert factors.serves(32, width=64) and not factors.serves(34, width=64)
    assert replace(factors, extent=250).serves(250, width=64)  # a bank for each element
