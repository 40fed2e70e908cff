"""One vector of resources: sums over places, shares, what exceeds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from sisyphus.target import KINDS, Resources

NAMES = [kind.name for kind in KINDS]
USED = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 400))
SMALL = Resources(dsp=100, bram18k=50, uram=0, lut=200, ff=300, onchip_bytes=64)


def test_every_field_is_a_kind() -> None:
    assert sorted(NAMES) == sorted(f.name for f in fields(Resources)) == sorted(SMALL.amounts())


@given(USED)
def test_an_excess_is_what_does_not_fit(used: Mapping[str, int]) -> None:
    over, limits = SMALL.exceeded_by(used), SMALL.amounts()
    assert set(over) == {name for name, amount in used.items() if amount > limits[name]}
    assert all(ratio > 1 or limits[name] == 0 for name, ratio in over.items())
    assert over.keys() == {name for name, left in SMALL.left_by(used).items() if left < 0}
    assert (SMALL.fullest(used) > 1) == any(limits[name] for name in over)


def test_excesses_and_shares() -> None:
    used = {"dsp": 150, "lut": 200, "uram": 3, "onchip_bytes": 16}
    assert SMALL.exceeded_by(used) == {"dsp": 1.5, "uram": 3.0}
    assert SMALL.fullest(used) == 1.5
    assert SMALL.fullest({}) == 0.0
    assert SMALL.fullest({"onchip_bytes": 16}) == 0.25


def test_places_add_up_and_shares_are_exact() -> None:
    one = Resources.of_blocks(dsp=10, bram18k=4, uram=1, lut=355_000, ff=7)
    both = Resources.total([one, one.with_amounts({"dsp": 1})])
    assert (both.dsp, both.lut, both.onchip_bytes) == (11, 710_000, 2 * (4 * 2304 + 36864))
    part = one.within({"lut": Fraction("0.7"), "bram18k": Fraction("0.75")})
    assert (part.lut, part.bram18k, part.ff, part.onchip_bytes) == (248_500, 3, 7, 3 * 2304 + 36864)
