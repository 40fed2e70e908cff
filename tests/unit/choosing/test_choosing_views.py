"""Forms of a kernel with views: searched where knobs or a first design ask for them, and explained."""

from __future__ import annotations

from pathlib import Path

import pytest

from sisyphus.asked_forms import form_of
from sisyphus.choice import find
from sisyphus.errors import UsageError
from sisyphus.forms import PIVOTS
from sisyphus.ir import ArrayId
from sisyphus.kernel_forms import load_kernels, load_written
from sisyphus.neighbours import neighbours
from sisyphus.part_search import Choice
from sisyphus.parts import Known, forms
from sisyphus.plan import check_point
from sisyphus.request import Kernel, Request, Source
from sisyphus.solve import Limits
from sisyphus.space import DesignPoint
from sisyphus.target import load_device, make_target

PATHS = """
void paths(float d[6][6]) {
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j];
}
"""
FIX = ("S0.d_1.place=j", "S0.j=6x1x1")


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Kernel, ...]:
    path = tmp_path_factory.mktemp("views") / "paths.c"
    path.write_text(PATHS)
    # pivots have arrays of their own that are called like views
    return tuple(kernel for kernel in load_kernels(Source(str(path))) if kernel.name != PIVOTS)


def request(*fixes: str, **target: int) -> Request:
    return Request(
        Source(str(Path("paths.c"))),
        make_target(load_device("u200"), budget="chip", **target),
        limits=Limits(seconds=10.0),
        fixes=(*fixes, "adders=dsp"),
    )


@pytest.fixture(scope="module")
def choice(kernels: tuple[Kernel, ...]) -> Choice:
    return find(kernels, request(*FIX))


@pytest.mark.long
def test_a_fixed_knob_of_a_view_asks_for_its_form(kernels: tuple[Kernel, ...], choice: Choice) -> None:
    assert choice.point.viewed == ("d",)
    assert next(b.place for b in choice.point.buffers if b.array == "d_1") == "j"
    assert form_of(kernels, choice.point) is not None
    assert find(kernels, request()).point.viewed == (), "all of it fits on chip"


@pytest.mark.parametrize(("size", "viewed"), [(1300, False), (2000, True)])
def test_what_neither_block_nor_ultra_ram_holds_has_views(tmp_path: Path, size: int, viewed: bool) -> None:
    """16 MB are less than both kinds of memory together, 35 MB, and more than 32-bit words find room for in either."""
    path = tmp_path / "paths.c"
    path.write_text(PATHS.replace("6", str(size)))
    source = load_written(Source(str(path)))
    target = make_target(load_device("u200"))
    assert source.scop.array(ArrayId("d")).elements * 4 < target.budget.onchip_bytes
    found = [kernel.viewed for kernel in forms([source], target, "measured", nothing_yet=lambda: False)]
    assert found == [(), ("d",)] if viewed else found == [()]


def test_a_place_at_which_values_would_pass_is_no_knob(kernels: tuple[Kernel, ...]) -> None:
    with pytest.raises(UsageError) as refused:
        find(kernels, request("S0.d_2.place=k"))
    assert "there is no array `d_2`" in refused.value.message, "told of the kernel as it is"


@pytest.mark.long
def test_the_form_of_a_first_design_is_searched(kernels: tuple[Kernel, ...], choice: Choice) -> None:
    asked: list[str] = []
    found = find(kernels, request(), asked.append, start=Known(choice.kernel, choice.point))
    assert found.point.viewed == ()
    assert len(asked) > len(kernels), "the first design was heard of"


def test_neighbours_at_which_values_would_pass_are_refused(choice: Choice) -> None:
    free = find((choice.kernel,), request("S0.j=6x1x1", max_partition=64))
    found = list(neighbours(free.space, free.point))
    assert {"place", "order"} <= {n.kind for n in found}
    for near in found:
        if near.point is not None:
            check_point(free.kernel.scop, free.kernel.distribution, near.point)
        else:
            assert near.refused


TRMM = """
void triangle(float A[8][8], float B[8][8]) {
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      for (int k = i + 1; k < 8; k++)
        B[i][j] += A[k][i] * B[k][j];
}
"""


def test_a_copy_is_a_form_that_the_search_chooses(tmp_path: Path) -> None:
    path = tmp_path / "triangle.c"
    path.write_text(TRMM)
    kernels = load_kernels(Source(str(path)))
    free, held = find(kernels, request()), find(kernels, request("B.copy=no"))
    assert (free.point.copied, held.point.copied) == (("B",), ())
    assert free.outcome is not None and held.outcome is not None
    assert free.outcome.objective is not None and held.outcome.objective is not None
    assert free.outcome.objective < held.outcome.objective
    again = form_of(kernels, DesignPoint.from_json(free.point.to_json()))
    assert again is not None and again.copied == ("B",)
    with pytest.raises(UsageError, match="copy of `A`"):
        find(kernels, request("A.copy=yes"))
