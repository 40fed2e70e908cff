"""Kernels with far too little memory for their arrays: nests use them through views, proved and run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import sisy

from sisyphus.backends.hls import project
from sisyphus.choice import find
from sisyphus.kernel_forms import load_kernels
from sisyphus.request import Request, Source, plan_of
from sisyphus.solve import Limits
from sisyphus.target import load_device, make_target
from sisyphus.verification import verify

POLYBENCH = Path(__file__).parents[2] / "kernels" / "polybench"
#: Any design will do.
ANY = Limits(seconds=20.0, gap=1.0)

MIXED = """
void mixed(double A[9][7], int B[9][9], double x[9]) {
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < i; j++)
      for (int k = 0; k < 7; k++)
        A[i][k] -= A[j][k] * B[i][j] + x[i] * B[j][i];
}
"""


@pytest.mark.parametrize(
    ("kernel", "sizes", "memory", "viewed"),
    [
        ("lu", ("N=9",), 200, ("A",)),
        ("nussinov", ("N=10",), 300, ("table",)),
        ("floyd-warshall", ("N=9",), 150, ("path",)),
    ],
)
def test_an_array_that_does_not_fit_is_used_through_views(
    kernel: str, sizes: tuple[str, ...], memory: int, viewed: tuple[str, ...]
) -> None:
    target = make_target(load_device("u200"), budget="chip", onchip_bytes=memory)
    source = Source(str(POLYBENCH / f"{kernel}.c"), defines=sizes)
    choice = find(load_kernels(source)[:1], Request(source, target, limits=ANY, fixes=("adders=dsp",)), improve=False)
    assert set(viewed) <= set(choice.point.viewed)
    plan = plan_of(choice.kernel, choice.point)
    assert plan.onchip_bytes <= memory
    verdict = verify(plan, project(plan, target), choice.kernel.dependences, live=choice.kernel.live)
    assert verdict.passed, verdict.failures
    assert [p.name for p in plan.ports if p.name in viewed] == list(viewed), "one port for all views"


def test_views_of_several_types_are_written_built_again_and_checked(tmp_path: Path) -> None:
    (tmp_path / "mixed.c").write_text(MIXED)
    words = ["mixed.c", "--mem", "500", "--gap", "99", "--fix", "adders=dsp"]
    first = sisy("optimize", *words, "--fix", "S0.B_1.place=j", "-o", "out", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "verification: passed" in first.stdout
    assert "B_2   B[j][i]" in first.stdout
    design = json.loads((tmp_path / "out/design.json").read_text())["design"]
    assert design["viewed"] == ["B"]
    assert {"array": "B_1", "place": "j"}.items() <= next(b for b in design["buffers"] if b["array"] == "B_1").items()
    built = ["--mem", "500", "--design", "out/design.json", "--no-verify", "-o", "again"]
    again = sisy("optimize", "mixed.c", *built, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "out/kernel.cpp").read_bytes() == (tmp_path / "again/kernel.cpp").read_bytes()
    checked = sisy("verify", "out", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    wrong = sisy("optimize", *words, "--fix", "S0.B_9.place=j", cwd=tmp_path)
    assert wrong.returncode == 2 and "there is no array `B_9`" in wrong.stderr
