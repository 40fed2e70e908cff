"""An array and the copies of it that are resident move the same beats, which the search counts and designs have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from best_of_space import find_best

from sisyphus.ir import ArrayId
from sisyphus.kernel_forms import load_kernels
from sisyphus.kernel_views import with_copies
from sisyphus.request import Source
from sisyphus.search import MeasuredCosts, Terms, point_of
from sisyphus.search.costs import Placement
from sisyphus.search.deadline import Deadline
from sisyphus.search.exact import Verdict
from sisyphus.search.lower_bounds import LowerBounds
from sisyphus.search.nodes import Charges, Problem
from sisyphus.search.solution import Solution, problem_of
from sisyphus.space import DesignPoint, Options, Space, build_space, choices, decode
from sisyphus.target import load_device, make_target

TEXT = """
void update(float A[12][12], float B[12][20]) {
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 20; j++)
            for (int k = i + 1; k < 12; k++)
                B[i][j] += A[k][i] * B[k][j];
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 20; j++)
            B[i][j] = 3.0f * B[i][j];
}
"""


def space_with_copy(tmp_path: Path) -> Space:
    """B is read in a copy beside itself, which arrives by a port of its own with the same data."""
    path = tmp_path / "update.c"
    path.write_text(TEXT)
    target = make_target(load_device("u200"), budget="chip", max_partition=24)
    found = [with_copies(kernel) for kernel in load_kernels(Source(str(path))) if not kernel.rewrites]
    [kernel] = [kernel for kernel in found if kernel is not None]
    return build_space(
        kernel.scop, kernel.dependences, kernel.distribution, kernel.live, target, Options(tiles="divisors")
    )


@pytest.fixture
def costs(tmp_path: Path) -> MeasuredCosts:
    return MeasuredCosts(space_with_copy(tmp_path))


def all_on_chip(costs: MeasuredCosts) -> tuple[Problem, dict[tuple[int, ...], float]]:
    """The problem with all arrays resident, and what some combinations cost by it."""
    bounds = LowerBounds(costs, Deadline())
    bounds.prepare()
    offers = bounds.offers(Placement(frozenset(costs.space.used_arrays)))
    tables = list(bounds.tables(offers, dict.fromkeys(offers.options, 400.0)).values())
    problem = problem_of(offers, tables, coupled=False)
    return problem, wholes(problem)


def wholes(problem: Problem) -> dict[tuple[int, ...], float]:
    """The cycles of every combination of the entries of two tables."""
    charges, found = Charges(problem), {}
    for first in range(problem.tables[0].count):
        node = charges.child(charges.root(), 0, first)
        cycles = charges.wholes(node, 1, np.arange(problem.tables[1].count))
        found.update({(first, second): float(one) for second, one in enumerate(cycles)})
    return found


def test_beats_chosen_apart_become_the_narrower_one(costs: MeasuredCosts) -> None:
    space, offered = costs.space, list[DesignPoint]()

    def accept(solution: Solution) -> Verdict:
        offered.append(point_of(space, solution))
        return Verdict(solution.cycles, solution.cycles)

    find_best(costs, Terms(), accept=accept)
    found = choices(space, offered[0])
    found = replace(found, widths={**found.widths, ArrayId("B"): 4, ArrayId("B_1"): 2})
    assert {t.width for t in decode(space, found).transfers if t.buffer.startswith("B")} == {2}


def test_combinations_pay_for_the_narrowest_beat(costs: MeasuredCosts) -> None:
    problem, together = all_on_chip(costs)
    apart = wholes(replace(problem, same_port=()))
    widths = {
        key: {int(costs.states[a].width[problem.tables[t].states[a][key[t]]]) for t, a in ((0, "B_1"), (1, "B"))}
        for key in together
    }
    dearer = {key for key, cycles in together.items() if cycles > apart[key]}
    assert dearer
    assert all(len(widths[key]) > 1 for key in dearer)
    assert all(cycles >= apart[key] for key, cycles in together.items())
