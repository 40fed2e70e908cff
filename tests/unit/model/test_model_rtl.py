"""The two clocks: cycles in RTL as a reading of the terms of the synthesis report."""

from __future__ import annotations

from dataclasses import replace
from statistics import mean

import pytest
from hand_plans import copy_plan
from oracle_import import measured_designs, plan_of
from rtl_designs import ours

from sisyphus.model import VITIS_2023_2, Estimate, estimate, natural_objective
from sisyphus.plan import Plan
from sisyphus.target import Target, load_device, make_target

U55C = make_target(load_device("u55c"), budget="chip")
U200 = make_target(load_device("u200"), budget="chip")
START = 985


def late(found: Estimate) -> int:
    """What RTL takes longer."""
    return found.rtl[1] - found.cycles


def test_the_designs_of_our_template_take_in_rtl_what_the_model_says() -> None:
    errors = [abs(predicted / design.rtl - 1) for design, predicted in ours()]
    assert len(errors) == 9
    assert mean(errors) < 0.005
    assert max(errors) < 0.015


def test_without_the_rule_of_wide_beats_one_of_them_is_far_off() -> None:
    wide = next((design, predicted) for design, predicted in ours() if design.kernel == "mvt")
    assert wide[0].report + START + 5 < 0.75 * wide[0].rtl


def copied(width: int, *, stream: bool = False, target: Target = U55C) -> Estimate:
    """A plane of 64 x 64 that is loaded, copied and stored."""
    return estimate(copy_plan((64, 64), (64, 64), width, partition=(1, 16), stream=stream), target)


@pytest.mark.parametrize(
    ("width", "stream", "extra"),
    [
        (8, False, START + 93),  # 512 beats of 256 bits: 0.18 x 512 of the store
        (16, False, START + 47 + 256),  # 256 wide beats, which the load takes twice
        (16, True, START + 47),
    ],
)
def test_only_wide_beats_loaded_directly_take_twice(width: int, stream: bool, extra: int) -> None:
    assert late(copied(width, stream=stream)) == extra


def test_a_hidden_wide_load_is_not_late() -> None:
    """trmm and symm: 3,000 wide beats beside 5,000 narrower ones."""
    entry = next(e for e in measured_designs() if e["id"] == "u55c/sisyphus/symm")
    plan = plan_of(entry)
    assert any(t.width == 16 and plan.port_of(t).direction == "in" for t in plan.transfers)
    assert late(estimate(plan, U55C)) == START + 540


def test_a_wide_load_of_an_array_that_is_stored_is_not_late() -> None:
    """syrk: 3,600 wide beats of C, alone in their step."""
    plan = plan_of(next(e for e in measured_designs() if e["id"] == "u55c/sisyphus/syrk"))
    assert late(estimate(plan, U55C)) == START + 648
    read_only = replace(plan, ports=tuple(replace(p, direction="in") if p.name == "C" else p for p in plan.ports))
    assert late(estimate(read_only, U55C)) == START + 648 + 3600


def test_other_memories_have_a_range() -> None:
    found = copied(16, target=U200)
    assert found.rtl == (found.cycles, found.cycles + START + 47 + 256)
    assert copied(16).rtl[0] == copied(16).rtl[1]
    assert [natural_objective(t.device) for t in (U200, U55C)] == ["report", "rtl"]


def test_the_terms_carry_what_rtl_adds() -> None:
    """A reading of the estimate's terms: leaves add up to the figure of RTL, too."""
    found = copied(16)
    leaves = sum(leaf.rtl for leaf in found.terms["cycles"].leaves())
    assert found.rtl[1] == found.cycles + leaves + VITIS_2023_2.rtl.start
    assert found.by("report") == found.cycles and found.by("rtl") == found.rtl[1]


def tiled(plan: Plan) -> int:
    return sum(leaf.rtl for leaf in estimate(plan, U55C).terms["cycles"].leaves())


def test_tiles_are_late_in_each_of_their_iterations() -> None:
    plan = copy_plan((4, 64), (1, 64), 16, partition=(1, 16))
    assert tiled(plan) == 4 * (4 + 1)
    assert tiled(replace(plan, transfers=tuple(replace(t, stream=t.id == "load_A") for t in plan.transfers))) == 4
