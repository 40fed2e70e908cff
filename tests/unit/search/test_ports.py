"""Arrays over several ports in the search: what it counts is what designs cost, and the best is found and proved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import pytest
from best_of_space import find_best
from builders import scop

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.ir import ArrayId
from sisyphus.search import MeasuredCosts, Terms, point_of
from sisyphus.search.costs import Placement
from sisyphus.search.dealt_ports import DealtPorts
from sisyphus.search.exact import Verdict
from sisyphus.search.solution import Solution
from sisyphus.space import DesignPoint, Options, Space, apply_fixes, build_space, choices, decode
from sisyphus.target import load_device, make_target

TEXT = """
for i in range(24):
    for j in range(128):
        C[i, j] += A[i, j] * x[j]
for i in range(24):
    for j in range(128):
        D[i, j] = C[i, j] * B[i, j]
"""
DEALT = tuple(map(ArrayId, "ABCD"))
ON_CHIP = Placement(frozenset(map(ArrayId, "ABCDx")))
SHAPES = {"A": (24, 128), "B": (24, 128), "C": (24, 128), "D": (24, 128), "x": (128,)}


def in_order(numbers: Mapping[ArrayId, int]) -> Mapping[ArrayId, int]:
    return {array: numbers[array] for array in DEALT}


def space_of() -> Space:
    kernel = scop(TEXT, **SHAPES)
    found = dependences(kernel)
    target = make_target(load_device("u200"), budget="chip", max_partition=128)
    return build_space(
        kernel, found, distribute(kernel, found), liveness(kernel), target, Options(tiles="divisors", dealt=DEALT)
    )


@pytest.fixture(scope="module")
def space() -> Space:
    return space_of()


def search(space: Space) -> tuple[DesignPoint, float, list[tuple[float, float]]]:
    """The best design, its cycles, and what every design that was met was counted and costs."""
    costs, met = MeasuredCosts(space), list[tuple[float, float]]()
    best: list[tuple[float, DesignPoint]] = []

    def accept(solution: Solution) -> Verdict:
        point = point_of(space, solution)
        cycles = costs.evaluate(point)
        met.append((solution.cycles, cycles))
        best.append((cycles, point))
        return Verdict(min(cycles for cycles, _ in best), cycles)

    result = find_best(costs, Terms(), accept=accept)
    assert result.complete
    cycles, point = min(best, key=lambda pair: pair[0])
    return point, cycles, met


def port_names(point: DesignPoint, array: str) -> tuple[str, ...]:
    return next(transfer.ports for transfer in point.transfers if transfer.buffer == array)


def test_designs_cost_what_the_search_counts(space: Space) -> None:
    point, cycles, met = search(space)
    assert all(len(t.ports) in (2, 4) for t in point.transfers if t.buffer in ("A", "B", "C"))
    assert all(counted == cost for counted, cost in met)
    narrow, slower, _ = search(apply_fixes(space, [f"{array}.ports=1" for array in "ABCD"]))
    assert all(not t.ports for t in narrow.transfers) and slower > cycles


def test_no_number_of_ports_is_better(space: Space) -> None:
    """Of the best design with every other number of ports of its arrays, and every one that was fixed to some."""
    point, cycles, _ = search(space)
    chosen, costs = choices(space, point), MeasuredCosts(space)
    for widths in product((16, 32, 64), repeat=len(DEALT)):
        other = decode(space, replace(chosen, widths={**chosen.widths, **dict(zip(DEALT, widths, strict=True))}))
        assert costs.evaluate(other) >= cycles
    for ports in (["A.ports=2", "B.ports=2"], ["A.ports=1", "C.ports=2"], ["D.ports=1"]):
        assert search(apply_fixes(space, ports))[1] >= cycles


def test_waits_that_are_not_counted_are_seen(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DealtPorts, "_waits", lambda self, moves, widths: [0.0] * len(moves))
    costs, met = MeasuredCosts(space), list[tuple[float, float]]()

    def accept(solution: Solution) -> Verdict:
        met.append((solution.cycles, costs.evaluate(point_of(space, solution))))
        return Verdict(solution.cycles, solution.cycles)

    find_best(costs, Terms(), accept=accept)
    assert all(counted < cost for counted, cost in met) and met


def test_other_numbers_of_ports_are_no_faster_than_fewer(space: Space) -> None:
    """Of those that are left out, in every step; and none of those that are kept is as fast as another with fewer."""
    costs = MeasuredCosts(space)
    ports, moved = DealtPorts(space, costs._widths, are_open=True), [step.moves for step in costs.steps(ON_CHIP)]
    of_use = list(ports.of_use(moved))
    every = [dict(zip(DEALT, numbers, strict=True)) for numbers in product((4, 2, 1), repeat=len(DEALT))]
    times = {tuple(one.values()): ports.least_of(moved, one) for one in map(in_order, every)}
    assert 1 < len(of_use) < len(every)
    for one in map(in_order, every):
        better = [kept for kept in map(in_order, of_use) if all(kept[a] <= one[a] for a in DEALT)]
        assert any(
            all(t <= u for t, u in zip(times[tuple(k.values())], times[tuple(one.values())], strict=True))
            for k in better
        )


def test_nests_pay_for_the_ports_of_a_part(space: Space) -> None:
    costs = MeasuredCosts(space)
    assert costs.leaves_ports_open(ON_CHIP.residents) and not costs.leaves_ports_open(frozenset({ArrayId("x")}))
    for one in costs.ports_of_use(ON_CHIP):
        part = costs.with_ports(one.numbers)
        assert not part.leaves_ports_open(ON_CHIP.residents)
        assert {a: part.by_width(a)[0].elements for a in one.numbers} == {a: 16 * n for a, n in one.numbers.items()}
        for bound, step in zip(one.steps, part.steps(ON_CHIP), strict=True):
            fastest = [min(width.fastest(move) for width in part.by_width(move.array)) for move in step.moves]
            assert bound.least == max(fastest, default=0.0)


def test_a_start_with_more_ports_than_the_space_has_keeps_the_widest_beat(space: Space) -> None:
    point, _, _ = search(space)
    fixed = apply_fixes(space, ["A.ports=1"])
    assert choices(fixed, point).widths[ArrayId("A")] == 16
    assert choices(space, point).widths[ArrayId("A")] == 16 * len(port_names(point, "A")) > 16
