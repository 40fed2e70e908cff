"""How amounts are told."""

from __future__ import annotations

import pytest

from sisyphus.shown import counted


@pytest.mark.parametrize(
    ("amount", "plural", "said"),
    [
        (1, "DSPs", "1 DSP"),
        (1, "banks of one array", "1 bank of one array"),
        (1, "bytes on chip", "1 byte on chip"),
        (1, "flip-flops", "1 flip-flop"),
        (1, "BRAM18 blocks", "1 BRAM18 block"),
        (0, "DSPs", "0 DSPs"),
        (1200, "LUTs", "1,200 LUTs"),
    ],
)
def test_one_of_a_thing_is_no_plural(amount: int, plural: str, said: str) -> None:
    assert counted(amount, plural) == said
