"""Full tiles apart from others: as the user says, else where the full model counts fewer cycles."""

from __future__ import annotations

from dataclasses import replace

import point_files
import pytest

from sisyphus.errors import UsageError
from sisyphus.model import estimate
from sisyphus.plan import build_plan
from sisyphus.search import Judged, split_as_fixed, split_where_better
from sisyphus.space import DesignPoint, Options, Space, apply_fixes, build_space
from sisyphus.target import load_device, make_target

TARGET = make_target(load_device("u200"), budget="chip")
CASE = point_files.case("trmm-tiled")


def space(*fixes: str) -> Space:
    whole = build_space(CASE.scop, CASE.dependences, CASE.distribution, CASE.live, TARGET, Options())
    return apply_fixes(whole, fixes)


def split_nests(point: DesignPoint) -> list[str]:
    return [nest.id for nest in point.nests if nest.split]


def judged(point: DesignPoint) -> Judged:
    """By the full model."""
    cost = estimate(build_plan(CASE.scop, CASE.distribution, CASE.live, point), TARGET)
    return Judged(cost.cycles, {"lut": cost.lut})


def counted(cycles: dict[str, int], lut: int = 0) -> Judged:
    return Judged(1000 + sum(cycles.values()), {"lut": lut})


def test_a_nest_is_split_where_that_saves_cycles() -> None:
    gains = {"S0": -10, "S1": 3}
    found, cycles = split_where_better(space(), CASE.point, lambda p: counted({n: gains[n] for n in split_nests(p)}))
    assert split_nests(found) == ["S0"] and cycles == 990


def test_a_nest_is_not_split_for_nothing_nor_over_a_budget() -> None:
    assert split_where_better(space(), CASE.point, lambda p: counted({})) == (CASE.point, None)
    most = TARGET.budget.lut or 0
    over = split_where_better(space(), CASE.point, lambda p: counted(dict.fromkeys(split_nests(p), -1), most + 1))
    assert over == (CASE.point, None)


def test_what_is_fixed_stays() -> None:
    fixed = space("S0.split=no", "S1.split=yes")
    point = split_as_fixed(fixed, CASE.point)
    assert split_nests(point) == ["S1"]
    found, cycles = split_where_better(fixed, point, lambda p: counted(dict.fromkeys(split_nests(p), -10)))
    assert (found, cycles) == (point, None)
    with pytest.raises(UsageError, match="`maybe` is neither") as refused:
        space("S0.split=maybe")
    assert refused.value.hint == "legal: yes, no"


def test_tiles_without_guards_add_up_in_trees() -> None:
    """A guard keeps unrolled additions from forming a tree, so that under tree reduction two bodies are the faster."""
    loops = tuple(
        (name, replace(tile, level2=8, level0=3) if name == "k" else tile) for name, tile in CASE.point.nests[0].tiles
    )
    tree = replace(
        CASE.point, tree_reduction=True, nests=(replace(CASE.point.nests[0], tiles=loops), CASE.point.nests[1])
    )
    found, cycles = split_where_better(space(), tree, judged)
    assert "S0" in split_nests(found)
    before = judged(tree).cycles
    assert cycles is not None and before is not None and cycles < before
