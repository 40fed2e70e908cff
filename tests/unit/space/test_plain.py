"""Designs that need no search lie in the space, and a search of very many nests begins with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from sisyphus.kernel_forms import load_written
from sisyphus.request import Request, Source, estimate_of, space_of
from sisyphus.search import MeasuredCosts, search
from sisyphus.search.check import faults
from sisyphus.search.effort import EFFORT
from sisyphus.search.session import Judged
from sisyphus.solve import Limits
from sisyphus.space import DesignPoint, illegal, plain_points
from sisyphus.target import KINDS, load_device, make_target

TARGET = make_target(load_device("u200"), budget="routable")
POLYBENCH = Path(__file__).parents[3] / "kernels" / "polybench"


@pytest.mark.parametrize("name", ["gemm", "atax", "seidel-2d", "trmm", "deriche"])
def test_plain_points_are_designs_of_the_space(name: str) -> None:
    source = Source(str(POLYBENCH / f"{name}.c"), defines=("MINI_DATASET",))
    kernel = load_written(source)
    space = space_of(kernel, Request(source, TARGET))
    costs, points = MeasuredCosts(space), list(plain_points(space))
    assert points
    for point in points:
        assert not [fault for fault in faults(costs, point) if "exceed" not in fault]
        assert illegal(kernel.dependences, kernel.distribution, point) is None


def test_a_search_of_many_nests_begins_with_a_plain_design(tmp_path: Path) -> None:
    loop = "for (int i = 0; i < 48; i++) x[i] = x[i] * 1.5f;\n"
    path = tmp_path / "long.c"
    path.write_text(f"void top(float x[48]) {{ {loop * EFFORT.many_nests} }}")
    source = Source(str(path))
    kernel = load_written(source)
    space = space_of(kernel, Request(source, TARGET))

    def judge(point: DesignPoint) -> Judged:
        cost = estimate_of(kernel, point, TARGET)
        return Judged(cost.cycles, {kind.name: getattr(cost, kind.name) for kind in KINDS})

    found = search(space, MeasuredCosts, "exact", Limits(seconds=0.0), judge)
    assert found.point in list(plain_points(space))
