"""Arrays over several ports in the search: what it counts is what designs cost, and the best is found and proved."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise, product

import pytest
from builders import scop

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.ir import ArrayId
from sisyphus.search import MeasuredCosts, Terms, find_best, point_of
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
SHAPES = {"A": (24, 128), "B": (24, 128), "C": (24, 128), "D": (24, 128), "x": (128,)}


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
    monkeypatch.setattr(DealtPorts, "least_of", lambda self, moves: 0.0)
    costs, met = MeasuredCosts(space), list[tuple[float, float]]()

    def accept(solution: Solution) -> Verdict:
        met.append((solution.cycles, costs.evaluate(point_of(space, solution))))
        return Verdict(solution.cycles, solution.cycles)

    find_best(costs, Terms(first_only=True), accept=accept)
    assert all(counted < cost for counted, cost in met) and met


def test_no_more_ports_than_are_of_use(space: Space) -> None:
    """Of beats that take as long in every step, those of the fewest ports."""
    costs = MeasuredCosts(space)
    best = find_best(costs, Terms()).solution
    assert best is not None
    offered = costs.dealt(best.steps, dict.fromkeys(DEALT, 64))
    totals = [sum(widths.values()) for widths in offered.widths]
    assert totals == sorted(totals)
    for one, other in combinations(range(len(totals)), 2):
        assert any((cycles[other] < cycles[one]).any() for cycles in offered.cycles.values())


def test_a_start_with_more_ports_than_the_space_has_keeps_the_widest_beat(space: Space) -> None:
    point, _, _ = search(space)
    fixed = apply_fixes(space, ["A.ports=1"])
    assert choices(fixed, point).widths[ArrayId("A")] == 16
    assert choices(space, point).widths[ArrayId("A")] == 16 * len(port_names(point, "A")) > 16


def test_fewer_ports_for_each_time_that_a_transfer_may_take(space: Space) -> None:
    """From all of them to one for each array, and no array ever more than before."""
    costs = MeasuredCosts(space)
    every = list(DealtPorts(space, costs._widths).fewer())
    most = {array: space.ports(array, max(space.widths[array])) for array in every[0]}
    assert all(one[array] <= before[array] for before, one in pairwise([most, *every]) for array in one)
    assert every[-1] == dict.fromkeys(most, 1) != most
    parts = costs.with_ports()
    assert len(parts) == 1 + len(every) and not parts[0].with_ports()
    assert parts[0].has_ports and not parts[-1].has_ports
