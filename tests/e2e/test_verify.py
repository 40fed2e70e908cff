"""`sisy verify`: a folder is checked as it lies there, with its source and without."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from command_line import sisy as run_sisy

from sisyphus import pipeline
from sisyphus.cli.main import sisy
from sisyphus.errors import KernelError, UsageError, VerifyError
from sisyphus.recheck import recheck
from sisyphus.solve import Limits
from sisyphus.target import load_device, make_target

KERNEL = """
#include "size.h"
void scale(int n, float a, float A[N], float t[N], float B[N])
{
  for (int i = 0; i < n; i++) {
    t[i] = a * A[i];
    B[i] = B[i] + t[i];
  }
}
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder `out` beside the kernel that it was made from."""
    place = tmp_path_factory.mktemp("verify")
    (place / "include").mkdir()
    (place / "include" / "size.h").write_text("#define N (2 * HALF)\n")
    (place / "scale.c").write_text(KERNEL)
    source = pipeline.Source(
        path=str(place / "scale.c"),
        defines=("HALF=6",),
        include_dirs=(str(place / "include"),),
        params={"n": 11},
        temporaries=("t",),
    )
    request = pipeline.Request(source, make_target(load_device("u55c"), budget="chip", clock_mhz=200), verify=False)
    pipeline.optimize(request).save(place / "out")
    return place


@pytest.fixture
def copy(written: Path, tmp_path: Path) -> Path:
    """The folder, to be spoiled."""
    return Path(shutil.copytree(written / "out", tmp_path / "out"))


def test_everything_is_compared_proved_and_run(written: Path) -> None:
    checked = recheck(written / "out")
    assert checked.verdict.passed, checked.verdict.failures
    names = [c.name for c in checked.verdict.checks]
    assert {"file kernel.cpp", "file Makefile", "compile", "run random"} <= set(names)
    assert any(n.startswith("order of") for n in names)
    assert checked.notes == ()


def test_design_lists_the_arguments_of_the_top_function(written: Path) -> None:
    data = json.loads((written / "out" / "design.json").read_text())
    header = (written / "out" / "kernel.h").read_text()
    signature = next(line for line in header.splitlines() if line.startswith("void scale("))
    assert [a["name"] for a in data["interface"]] == re.findall(r"(\w+)[,)]", re.sub(r"<.*?>", "", signature))
    assert data["source"]["temporaries"] == ["t"] and data["source"]["parameters"] == {"n": 11}


def _append(folder: Path, name: str) -> None:
    with (folder / name).open("a") as file:
        file.write("\n")


SPOILED: dict[str, tuple[Callable[[Path], None], str]] = {
    "a changed host": (lambda d: _append(d, "host.cpp"), "file host.cpp"),
    "a missing script": (lambda d: (d / "run_hls.tcl").unlink(), "file run_hls.tcl"),
    "a changed kernel": (lambda d: _replace(d / "kernel.cpp", " + ", " - "), "run random"),
    "no kernel": (lambda d: (d / "kernel.cpp").unlink(), "files"),
    "a tame test bench": (
        lambda d: _replace(d / "testbench.cpp", "return failures ? 1 : 0;", "return 0;"),
        "testbench",
    ),
    "a flattering estimate": (
        lambda d: _replace(d / "design.json", '"bytes_moved": ', '"bytes_moved": 1'),
        "design.json, estimate",
    ),
    "another interface": (lambda d: _replace(d / "design.json", '"kind": "scalar"', '"kind": "array"'), "interface"),
    "a kernel that is no C++": (lambda d: _replace(d / "kernel.cpp", "{", "{ }}"), "compile"),
}


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_folder_fails(name: str, copy: Path) -> None:
    spoil, check = SPOILED[name]
    spoil(copy)
    checked = recheck(copy)
    assert any(check in c.name for c in checked.verdict.failures), checked.verdict
    with pytest.raises(VerifyError):
        checked.check()


def test_a_spoiled_design_point_fails(copy: Path) -> None:
    data = json.loads((copy / "design.json").read_text())
    data["design"]["nests"][0]["tiles"] = {"i": [3, 2, 2]}
    data["design"]["nests"][0]["pipeline"] = "i"
    (copy / "design.json").write_text(json.dumps(data))
    assert "file kernel.cpp" in [c.name for c in recheck(copy).verdict.failures]


def test_source_elsewhere(written: Path, copy: Path, tmp_path: Path) -> None:
    data = json.loads((copy / "design.json").read_text())
    data["source"]["path"] = str(tmp_path / "scale.c")
    (copy / "design.json").write_text(json.dumps(data))
    inside = recheck(copy)
    assert (
        inside.verdict.passed
        and "by the text in reference.c, which differs from it or has its headers" in inside.notes[0]
    )
    assert {"instances of S0", "compile", "run random"} <= {c.name for c in inside.verdict.checks}
    (tmp_path / "moved.c").write_text(KERNEL)
    whole = recheck(copy, source=tmp_path / "moved.c")
    assert whole.verdict.passed and not whole.notes
    (tmp_path / "other.c").write_text(KERNEL + "\n")
    with pytest.raises(KernelError, match="not the text"):
        recheck(copy, source=tmp_path / "other.c")
    _replace(copy / "kernel.cpp", " + ", " - ")
    assert not recheck(copy).verdict.passed


def test_without_any_source_only_the_run_is_left(copy: Path) -> None:
    data = json.loads((copy / "design.json").read_text())
    data["source"]["path"] = str(copy / "gone.c")
    (copy / "design.json").write_text(json.dumps(data))
    _replace(copy / "reference.c", "sisy_main", "other_main")
    alone = recheck(copy)
    assert alone.verdict.passed and "no proof, only the run, at full size" in alone.notes[0]
    assert {c.name.split()[0] for c in alone.verdict.checks} == {"compile", "run"}


HUGE = """
#ifndef N
#define N 2000
#endif
void kernel_product(float A[N][N], float B[N][N], float C[N][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
}
"""


def test_a_huge_kernel_without_its_source_runs_at_smaller_sizes(tmp_path: Path) -> None:
    source = tmp_path / "product.c"
    source.write_text(HUGE)
    limits = Limits(seconds=20.0, gap=0.5)
    request = pipeline.Request(
        pipeline.Source(path=str(source)), make_target(load_device("u200"), budget="chip"), limits=limits, verify=False
    )
    pipeline.optimize(request).save(tmp_path / "out")
    source.unlink()
    checked = recheck(tmp_path / "out")
    assert checked.verdict.passed, checked.verdict.failures
    assert any("N=" in c.detail + c.name and "for 2000" in c.detail + c.name for c in checked.verdict.checks)
    assert "by the text in reference.c (`--source FILE`)" in checked.notes[0]


def test_a_board_that_is_not_known_leaves_the_build_files_out(copy: Path) -> None:
    data = json.loads((copy / "design.json").read_text())
    data["target"]["device"] = "myboard"
    (copy / "design.json").write_text(json.dumps(data))
    checked = recheck(copy)
    assert checked.verdict.passed and "not compared" in checked.notes[0]
    assert "file Makefile" not in [c.name for c in checked.verdict.checks]


def test_damaged_records_are_refused(copy: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder that sisy wrote"):
        recheck(tmp_path)
    data = json.loads((copy / "design.json").read_text())
    for damage in ({"source": 3}, {"target": []}, {"design": {}}):
        (copy / "design.json").write_text(json.dumps(data | damage))
        with pytest.raises(KernelError):
            recheck(copy)


def test_command(written: Path, copy: Path) -> None:
    good = run_sisy("verify", str(written / "out"), "--json")
    assert good.returncode == 0, good.stderr
    assert json.loads(good.stdout)["verdict"]["passed"]
    _append(copy, "Makefile")
    bad = run_sisy("verify", str(copy))
    assert bad.returncode == 4 and "FAILED file Makefile" in bad.stdout and "file Makefile" in bad.stderr


GEMM = Path(__file__).parents[2] / "kernels" / "polybench" / "gemm.c"
TILES = {"S0": {"i": [40, 1, 50], "j": [1, 575, 4]}, "S1": {"i": [40, 1, 50], "k": [520, 1, 5], "j": [1, 575, 4]}}
PARTITIONS = {"C": [50, 4], "A": [50, 5], "B": [5, 4]}


def test_a_huge_kernel_is_verified_in_seconds_by_optimize_and_by_verify(tmp_path: Path) -> None:
    nests = [{"statements": [s], "order": list(tiles), "tiles": tiles, "pipeline": "j"} for s, tiles in TILES.items()]
    buffers = [
        {"array": a, "nests": ["S0", "S1"] if a == "C" else ["S1"], "place": "kernel", "partition": partition}
        for a, partition in PARTITIONS.items()
    ]
    point = {"version": 1, "kernel": "kernel_gemm", "nests": nests, "buffers": buffers}
    (tmp_path / "point.json").write_text(json.dumps(point))
    sizes = [f"-D{name}" for name in ("NI=2000", "NJ=2300", "NK=2600")]
    made = ["optimize", str(GEMM), *sizes, "--design", "point.json", "-o", "out"]
    for command in (made, ["verify", "out"]):
        done = run_sisy(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "full size, run at NI=150 for 2000, NJ=8 for 2300, NK=15 for 2600" in done.stdout
    assert "#define NI 2000" in (tmp_path / "out" / "reference.c").read_text()


@pytest.mark.parametrize(
    ("words", "wanted"),
    [([], (True, False)), (["--verify", "full"], (True, True)), (["--no-verify"], (False, False))],
    ids=["as it is", "full", "not at all"],
)
def test_how_much_is_verified(words: list[str], wanted: tuple[bool, bool], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def stop(request: pipeline.Request, *_: object) -> None:
        asked.append((request.verify, request.verify_full))
        raise UsageError("far enough")

    monkeypatch.setattr(pipeline, "optimize", stop)
    assert CliRunner().invoke(sisy, ["optimize", str(GEMM), *words]).exit_code != 0
    assert asked == [wanted]
