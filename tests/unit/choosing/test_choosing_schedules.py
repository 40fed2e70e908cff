"""Orders of instances as forms: by name, by a file of the user's, and again from a saved design."""

from __future__ import annotations

from pathlib import Path

import pytest

from sisyphus import api, clock
from sisyphus.asked_forms import form_of
from sisyphus.choice import find
from sisyphus.errors import KernelError, UsageError
from sisyphus.forms import PIVOT_BLOCKS, PIVOTS, TABLE_TILES
from sisyphus.kernel_forms import load_kernels
from sisyphus.parts import REST, Parts
from sisyphus.record import Record
from sisyphus.request import Request, Source
from sisyphus.solve import Limits
from sisyphus.target import load_device, make_target

TEXT = """void scale(float A[12][12])
{
#pragma scop
    for (int i = 1; i < 12; i++)
        for (int j = 1; j < 12; j++)
            A[i][j] = A[i - 1][j] * 0.5f + A[i][j];
#pragma endscop
}
"""
SPLIT = """void split(float m[16][16], float w[16][16])
{
#pragma scop
    for (int l = 1; l < 16; l++)
        for (int i = 0; i < 16 - l; i++) {
            float best = w[i][i + l] * 9.0f;
            for (int k = i; k < i + l; k++)
                best = m[i][k] + m[k + 1][i + l] < best ? m[i][k] + m[k + 1][i + l] : best;
            m[i][i + l] = best + w[i][i + l];
        }
#pragma endscop
}
"""
ORDER = "# columns outside\n{ S0[i, j] -> [j, i] }\n"


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "scale.c"
    path.write_text(TEXT)
    return path


def test_an_order_of_the_users_own_is_searched_alone_and_saved(kernel: Path, tmp_path: Path) -> None:
    order = tmp_path / "order.txt"
    order.write_text(ORDER)
    design = api.optimize(kernel, schedule=order, output=tmp_path / "out", cache=False, time_limit=600)
    assert design.point.rewrites == ("schedule { S0[i, j] -> [j, i] }",)
    assert design.verdict is not None and design.verdict.passed
    record = Record.of(tmp_path / "out" / "design.json")
    assert record.source.schedule == "{ S0[i, j] -> [j, i] }"
    again = form_of(load_kernels(api.read(kernel).source), record.point)
    assert again is not None and again.rewrites == design.point.rewrites
    assert api.verify(tmp_path / "out").verdict.passed


def test_an_order_that_makes_another_program_is_refused(kernel: Path, tmp_path: Path) -> None:
    order = tmp_path / "order.txt"
    order.write_text("{ S0[i, j] -> [-i, j] }")
    with pytest.raises(KernelError, match=r"S0\[i: 1, j: 1\] must run before S0\[i: 2, j: 1\]"):
        api.optimize(kernel, schedule=order)
    with pytest.raises(UsageError, match="no file of text"):
        api.optimize(kernel, schedule=tmp_path / "missing.txt")


def test_a_form_is_fixed_by_its_name(kernel: Path) -> None:
    assert api.optimize(kernel, fix=["form=source"], verify=False, cache=False).point.rewrites == ()
    with pytest.raises(UsageError) as refused:
        api.optimize(kernel, fix=["form=other"], verify=False, cache=False)
    assert refused.value.hint == "forms: source"


def test_forms_are_told_with_what_they_make_parallel(kernel: Path) -> None:
    told = api.analyze(kernel)
    assert told.data["forms"] == [{"name": "source", "steps": 11, "parallel": {"S0": ["j"]}, "rewrites": []}]
    assert "source  11             j of S0" in str(told)


@pytest.mark.long
def test_pivots_in_blocks_are_verified() -> None:
    """At MINI."""
    path = Path(__file__).parents[3] / "kernels" / "polybench" / "floyd-warshall.c"
    small = api.read(path, defines={"N": 60})
    found = api.optimize(small, fix=["form=pivot-blocks", "adders=dsp"], effort=0.3, cache=False)
    assert found.verdict is not None and found.verdict.passed and found.point.rewrites[0].startswith(PIVOT_BLOCKS)


@pytest.mark.long
def test_tables_in_tiles_are_verified() -> None:
    """At MINI."""
    path = Path(__file__).parents[3] / "kernels" / "polybench" / "nussinov.c"
    small = api.read(path, defines={"N": 60})
    found = api.optimize(small, fix=["form=table-tiles", "adders=dsp"], effort=0.3, cache=False)
    assert found.verdict is not None and found.verdict.passed and found.point.rewrites[1].startswith(TABLE_TILES)


@pytest.mark.long
def test_local_variables_give_way_where_that_leaves_a_table_that_may_be_in_tiles(tmp_path: Path) -> None:
    """The source's own order fills diagonals, once the best split has the place of the element."""
    path = tmp_path / "split.c"
    path.write_text(SPLIT)
    names = [kernel.name for kernel in load_kernels(Source(str(path)))]
    assert names[-2:] == ["shadow", "table-tiles"]
    found = api.optimize(path, fix=["form=table-tiles", "adders=dsp"], effort=0.2, cache=False)
    assert found.verdict is not None and found.verdict.passed


@pytest.mark.long
def test_a_form_of_many_nests_has_a_design_before_it_is_bounded() -> None:
    """The nine pieces of the shortest paths need little work for one, and nearly all the time is theirs."""
    path = Path(__file__).parents[3] / "kernels" / "polybench" / "floyd-warshall.c"
    source = Source(str(path), defines=("N=96",))
    request = Request(source, make_target(load_device("u200")), limits=Limits(seconds=0.3))
    kernels = tuple(kernel for kernel in load_kernels(source) if kernel.name != PIVOTS)
    parts = Parts(kernels, request, None, best=lambda: None)
    with_and_without_tables = 2
    assert next(iter(parts)).kernel.name.startswith("split") and parts.left == with_and_without_tables + REST
    with clock.counting():
        found = find(kernels, request)
    assert found.kernel.name.startswith("split")
    assert found.outcome is not None and found.outcome.objective is not None
    assert found.outcome.objective < 96**3 / 8
