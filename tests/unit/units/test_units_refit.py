"""A design of one share as the first one of another: tiles of its own, everything else as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from sisyphus import pipeline
from sisyphus.kernel_forms import load_kernels
from sisyphus.part_search import Choice
from sisyphus.request import Kernel, Request, Source, estimate_of
from sisyphus.solve import Limits
from sisyphus.space import Options
from sisyphus.space.space import Tiles
from sisyphus.target import load_device, make_target
from sisyphus.units.refit import refitted
from sisyphus.values import replace

GEMM = str(Path(__file__).parents[3] / "kernels" / "polybench" / "gemm.c")


def asked(rows: int, dsp: int = 200, tiles: Tiles = "divisors") -> tuple[tuple[Kernel, ...], Request]:
    source = Source(GEMM, defines=(f"NI={rows}", "NJ=32", "NK=24"))
    target = make_target(load_device("u200"), budget="routable", dsp=dsp)
    return load_kernels(source), Request(source, target, Options(tiles=tiles), limits=Limits(effort=4))


@pytest.fixture(scope="module")
def known() -> Choice:
    return pipeline.search(*asked(24))


@pytest.mark.parametrize("rows", [24, 20, 26, 7])
def test_a_design_of_other_rows_is_legal_and_fits(known: Choice, rows: int) -> None:
    kernels, request = asked(rows)
    point = refitted(known, kernels, request)
    assert point is not None and (rows != 24 or point == known.point)
    for nest in point.nests:
        for name, tile in nest.tiles:
            was = known.point.nest(nest.id).tile(name)
            assert tile.level2 <= was.level2 and (name == "i" or tile == was)
    found = pipeline.search(kernels, replace(request, start=point, limits=Limits(effort=0.2)))
    assert estimate_of(found.kernel, found.point, request.target).cycles <= (
        estimate_of(kernels[0], point, request.target).cycles
    )


def test_a_design_with_tiles_that_divide_no_loop_becomes_one_with_the_nearest_that_do() -> None:
    known = pipeline.search(*asked(24, tiles="ragged"))
    assert any(tile.size * tile.level0 > 32 for nest in known.point.nests for name, tile in nest.tiles if name == "j")
    kernels, request = asked(20, tiles="auto")
    assert refitted(known, kernels, request) is not None


def test_a_design_that_does_not_fit_is_none(known: Choice) -> None:
    assert refitted(known, *asked(24, dsp=5)) is None


def test_a_design_with_several_ports_of_an_array_that_the_other_has_not_is_none(tmp_path: Path) -> None:
    """As where outputs are dealt apart, so that units have nothing in common."""
    kernels = []
    for name in ("x", "y"):
        path = tmp_path / f"{name}.c"
        path.write_text(f"void k(float {name}[256][64]) {{ for (int i = 0; i < 256; i++) {name}[i][0] += 1; }}")
        kernels.append(load_kernels(Source(str(path))))
    request = asked(24)[1]
    choice = pipeline.search(kernels[0], replace(request, source=Source(str(tmp_path / "x.c")), fixes=("x.ports=2",)))
    assert choice.point.dealt == ("x",)
    assert refitted(choice, kernels[1], request) is None


def test_a_design_of_another_kernel_is_none(known: Choice) -> None:
    source = Source(str(Path(GEMM).with_name("atax.c")), defines=("M=8", "N=8"))
    assert refitted(known, load_kernels(source), asked(24)[1]) is None
