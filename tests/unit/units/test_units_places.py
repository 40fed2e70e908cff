"""Where units sit: SLRs, banks and budgets."""

from __future__ import annotations

import pytest

from sisyphus.errors import UsageError
from sisyphus.target import ceilings, load_device, make_target
from sisyphus.units import places


def test_three_units_of_the_u200_have_its_slrs() -> None:
    target = make_target(load_device("u200"), budget="routable")
    found = places(target, 3)
    assert [place.slr for place in found] == [0, 1, 2]
    assert [place.banks for place in found] == [(0,), (1, 2), (3,)]
    assert [place.target.budget for place in found] == [slr.within(ceilings()) for slr in target.slrs]
    assert [place.target.device.banks for place in found] == [1, 2, 1]


def test_fewer_units_take_the_largest_slrs() -> None:
    assert [place.slr for place in places(make_target(load_device("u200")), 2)] == [0, 2]


def test_slrs_that_are_nearly_equal_have_the_budget_of_the_least() -> None:
    target = make_target(load_device("u55c"), budget="routable")
    found = places(target, 3)
    assert [place.kind for place in found] == [0, 0, 0] and len({str(place.target) for place in found}) == 1
    assert found[0].target.budget.dsp == min(slr.within(ceilings()).dsp for slr in target.slrs)
    assert found[0].target.budget.lut == min(slr.within(ceilings()).lut for slr in target.slrs)
    assert [place.kind for place in places(make_target(load_device("u200")), 3)] == [0, 1, 0]


def test_banks_of_hbm_are_next_to_their_units() -> None:
    banks = [place.banks for place in places(make_target(load_device("u55c")), 3)]
    dealt = [bank for own in banks for bank in own]
    assert dealt == sorted(set(dealt)) and {len(own) for own in banks} == {10}


def test_each_slr_of_a_u250_has_the_bank_of_its_number() -> None:
    device = load_device("u250")
    assert [place.banks for place in places(make_target(device), 4)] == [(0,), (1,), (2,), (3,)]


def test_more_units_than_slrs_are_refused() -> None:
    with pytest.raises(UsageError, match="`--units 2`: `kv260` has one SLR"):
        places(make_target(load_device("kv260")), 2)
    with pytest.raises(UsageError, match="`--units 4`: `u200` has 3 SLRs"):
        places(make_target(load_device("u200")), 4)


def test_an_ordered_amount_holds_in_each_slr_within_what_that_has() -> None:
    target = make_target(load_device("u200"), budget="routable", dsp=1400)
    assert [place.target.budget.dsp for place in places(target, 3)] == [1400, 1317, 1400]
    assert places(target, 3)[1].target.budget.lut == 112_000


def test_the_whole_chip_is_shared_equally() -> None:
    target = make_target(load_device("u200"), budget="chip")
    assert {place.target.budget.dsp for place in places(target, 3)} == {2280}


def test_an_slr_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="no SLR 3"):
        make_target(load_device("u200")).on_slr(3, 1)
