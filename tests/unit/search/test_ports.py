"""Arrays over several ports in the search: what it counts is what designs cost, and the best is found and proved."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from builders import scop

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.ir import ArrayId
from sisyphus.search import MeasuredCosts, Terms, find_best, point_of
from sisyphus.search import nodes as nodes_module
from sisyphus.search.by_exact import saved_at_most
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
        """As `by_exact` does: with the widest beats and, where these are slower than counted, with fewer ports."""
        wide = point_of(space, solution)
        points = [(costs.evaluate(wide), wide)]
        if points[0][0] > solution.cycles:
            fewer = (point_of(space, replace(solution, widths=widths)) for widths in costs.with_fewer(solution.widths))
            points += [(costs.evaluate(point), point) for point in fewer]
        cycles, point = min(points, key=lambda pair: pair[0])
        met.append((solution.cycles, cycles))
        best.append((cycles, point))
        return Verdict(min(cycles for cycles, _ in best), cycles)

    result = find_best(costs, Terms(), accept=accept)
    assert result.complete
    cycles, point = min(best, key=lambda pair: pair[0])
    return point, cycles, met


def is_as_counted(counted: float, cost: float) -> bool:
    """A beat through fewer ports may take a cycle less until it is written in another state than the design's."""
    return counted <= cost <= counted + 1


def test_designs_cost_what_the_search_counts(space: Space) -> None:
    point, cycles, met = search(space)
    assert {len(t.ports) for t in point.transfers if t.buffer in ("A", "B", "C")} == {4}
    assert all(is_as_counted(counted, cost) for counted, cost in met) and cycles in [counted for counted, _ in met]
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
    costs = MeasuredCosts(space)

    def accept(solution: Solution) -> Verdict:
        widths = (solution.widths, *costs.with_fewer(solution.widths))
        assert is_as_counted(
            solution.cycles, min(costs.evaluate(point_of(space, replace(solution, widths=w))) for w in widths)
        )
        return Verdict(solution.cycles, solution.cycles)

    find_best(costs, Terms(first_only=True), accept=accept)
    monkeypatch.setattr(nodes_module.Charges, "_with_waits", lambda *_: 0.0)
    monkeypatch.setattr(MeasuredCosts, "_least_of", lambda *_: 0.0)
    with pytest.raises(AssertionError):
        find_best(costs, Terms(first_only=True), accept=accept)


def test_other_ports_save_no_more_than_transfers_take_less(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the widest beats to all others, and from those back to the widest, which are faster as a rule."""
    costs, found = MeasuredCosts(space), list[float]()

    def accept(solution: Solution) -> Verdict:
        found.append(costs.evaluate(point_of(space, solution)))
        for widths in costs.with_fewer(solution.widths):
            other = replace(solution, widths=widths)
            cycles = costs.evaluate(point_of(space, other))
            assert cycles >= found[-1] - saved_at_most(costs, solution, widths)
            assert found[-1] >= cycles - saved_at_most(costs, other, solution.widths)
        return Verdict(min(found), found[-1])

    assert find_best(costs, Terms(), accept=accept).complete
    monkeypatch.setitem(globals(), "saved_at_most", lambda *_: 0.0)
    with pytest.raises(AssertionError):
        find_best(costs, Terms(), accept=accept)


def test_a_start_with_more_ports_than_the_space_has_keeps_the_widest_beat(space: Space) -> None:
    point, _, _ = search(space)
    fixed = apply_fixes(space, ["A.ports=1"])
    assert choices(fixed, point).widths[ArrayId("A")] == 16
    assert choices(space, point).widths[ArrayId("A")] == 64
