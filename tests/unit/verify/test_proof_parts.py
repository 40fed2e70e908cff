"""What proofs and smaller runs are made of, each by itself: places, starts, fewest iterations, how a run ended."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hand_plans import gemm_resident

from sisyphus.ir import FLOAT, ArrayId
from sisyphus.plan import Bound, Buffer, Call, For, LoopRole, Node, Plan, Together
from sisyphus.poly import const, make_set, var
from sisyphus.space import Tile
from sisyphus.tools import Finished
from sisyphus.verification.bounds import _element_outside
from sisyphus.verification.differential_run import _check
from sisyphus.verification.promises import Starts
from sisyphus.verification.reduced import _least
from sisyphus.verification.sites import Spot, Tree


@pytest.mark.parametrize(("index", "outside"), [(-2, True), (-1, True), (0, False), (3, False), (4, True), (5, True)])
def test_an_index_without_loops_is_inside_too(index: int, outside: bool) -> None:
    held = Buffer("b", ArrayId("A"), FLOAT, (4,), (const(0),), (1,), "kernel")
    found = _element_outside(held, make_set("S", (), at_least_zero=[]), Spot(), (const(index),))
    assert (found is not None) == outside


def test_backwards_calls_of_one_time_stand_the_other_way_round_and_what_they_do_does_not() -> None:
    plan = gemm_resident()
    first, second = (Call(task.name) for task in plan.tasks)
    plan = replace(plan, body=(Together((first, second)),))
    assert [spot.times for spot in _spots(plan, first, second, backwards=False)] == [
        (const(0), const(0)),
        (const(0), const(1)),
    ]
    there, back = (Tree.of(plan, backwards=way) for way in (False, True))
    assert [spot.times for spot in _spots(plan, first, second, backwards=True)] == [
        (const(0), const(0)),
        (const(0), const(-1)),
    ]
    assert [one.times[2:] for one, _ in there.nodes] == [other.times[2:] for other, _ in back.nodes]


def _spots(plan: Plan, *nodes: Node, backwards: bool) -> list[Spot]:
    return [spot for spot, node in Tree.of(plan, backwards=backwards).nodes if any(node is one for one in nodes)]


def test_starts_are_counted_over_the_loops_that_are_one() -> None:
    def loop(name: str, trips: int) -> For:
        return For(name, name, Bound.constant(0), Bound.constant(trips - 1), trips, LoopRole.TILE, ())

    inner = (Spot(2, (const(0), var("t0"), const(0), var("t1"))), loop("j", 5))
    outer = (Spot(1, (const(0), var("t0"))), loop("i", 3))
    assert Starts((outer, inner)).number == 5 * var("t0") + var("t1")
    assert Starts((outer, inner)).depth == 0


@pytest.mark.parametrize(
    ("trips", "tile", "copies", "least"),
    [
        (100, None, 1, 8),
        (6, None, 1, 6),
        (103, Tile(11, 5, 2), 1, 23),  # three tiles, of which the last has 3 iterations, as the 11th has
        (110, Tile(11, 5, 2), 1, 30),
        (20, Tile(2, 5, 2), 1, 20),
        (103, Tile(11, 5, 2), 3, 83),
        (100, Tile(1, 100, 1), 1, 8),
        (100, Tile(1, 10, 10), 1, 20),
        (100, Tile(1, 1, 100), 1, 100),
    ],
)
def test_a_smaller_loop_has_tiles_of_the_same_kind(trips: int, tile: Tile | None, copies: int, least: int) -> None:
    assert _least(trips, tile, copies, None) == least


@pytest.mark.parametrize(("status", "told"), [(0, "exited 0"), (3, "exited 3"), (-9, "was killed by signal 9")])
def test_a_program_that_stops_early_is_told_by_its_end(status: int, told: str) -> None:
    check = _check("random", None, Finished(status, "", ""))
    assert not check.passed
    assert told in check.detail
