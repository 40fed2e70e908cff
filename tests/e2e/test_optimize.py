"""The main job as a user runs it: the command, its files, its exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import sisy

ROOT = Path(__file__).parents[2]
POLYBENCH = ROOT / "kernels" / "polybench"

#: Sizes that keep the search short and still leave something to choose.
SMALL = {
    "gemm": ("NI=12", "NJ=10", "NK=8"),
    "atax": ("M=12", "N=10"),
    "gesummv": ("N=12",),
}


def defines(kernel: str) -> list[str]:
    return [f"-D{text}" for text in SMALL[kernel]]


@pytest.mark.parametrize("kernel", SMALL)
def test_a_kernel_becomes_a_verified_project(kernel: str, tmp_path: Path) -> None:
    words = ["optimize", str(POLYBENCH / f"{kernel}.c"), *defines(kernel), "--dsp", "200", "-o", "out"]
    done = sisy(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "verification: passed" in done.stdout
    names = {p.name for p in (tmp_path / "out").iterdir()}
    assert {"kernel.cpp", "kernel.h", "testbench.cpp", "reference.c", "design.json", "run.json", "report.md"} <= names
    run = json.loads((tmp_path / "out" / "run.json").read_text())
    assert run["verdict"]["passed"]
    assert run["solver"]["stop"] == "proved"


def test_equal_runs_write_equal_bytes_but_for_run_json(tmp_path: Path) -> None:
    for out in ("one", "two"):
        words = ["optimize", str(POLYBENCH / "gemm.c"), *defines("gemm"), "--dsp", "200", "--no-verify", "-o", out]
        assert sisy(*words, cwd=tmp_path).returncode == 0
    for path in (tmp_path / "one").iterdir():
        if path.name != "run.json":
            assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


def test_a_saved_design_is_built_again_without_a_solver(tmp_path: Path) -> None:
    kernel = [str(POLYBENCH / "gemm.c"), *defines("gemm")]
    assert sisy("optimize", *kernel, "--dsp", "200", "-o", "first", cwd=tmp_path).returncode == 0
    again = sisy("optimize", *kernel, "--design", "first/design.json", "-o", "second", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "first/kernel.cpp").read_bytes() == (tmp_path / "second/kernel.cpp").read_bytes()
    assert json.loads((tmp_path / "second/run.json").read_text())["solver"] is None


def test_fixed_knobs_are_kept(tmp_path: Path) -> None:
    fixes = ["S1.order=k,i,j", "S1.k=2x1x4", "S1.pipeline=j", "S1.A.place=k", "A@S1.partition=12,4"]
    words = [*(f"--fix={fix}" for fix in fixes), "--fix=form=source", "--fix=adders=dsp"]
    done = sisy("optimize", str(POLYBENCH / "gemm.c"), *defines("gemm"), "--json", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    design = json.loads(done.stdout)["design"]
    nest = next(n for n in design["nests"] if n["statements"] == ["S1"])
    assert nest["order"] == ["k", "i", "j"]
    assert nest["tiles"]["k"] == [2, 1, 4]
    assert nest["pipeline"] == "j"
    buffer = next(b for b in design["buffers"] if b["array"] == "A")
    assert (buffer["place"], buffer["partition"]) == ("k", [12, 4])


def test_knobs_of_sisy_toml_count_as_fixed(tmp_path: Path) -> None:
    (tmp_path / "sisy.toml").write_text('[space]\n"S1.order" = "i,k,j"\nS1.pipeline = "k"\n')
    words = ["optimize", str(POLYBENCH / "gemm.c"), *defines("gemm"), "--json", "--no-verify"]
    done = sisy(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    nest = next(n for n in json.loads(done.stdout)["design"]["nests"] if n["statements"] == ["S1"])
    assert (nest["order"], nest["pipeline"]) == (["i", "k", "j"], "k")
    (tmp_path / "sisy.toml").write_text("[space\n")
    assert sisy(*words, cwd=tmp_path).returncode == 2


def test_json_goes_to_stdout_and_talk_nowhere_when_quiet(tmp_path: Path) -> None:
    words = ["optimize", str(POLYBENCH / "gemm.c"), *defines("gemm"), "--no-verify", "--json", "-q"]
    done = sisy(*words, cwd=tmp_path)
    assert json.loads(done.stdout)["kernel"] == "kernel_gemm"
    assert done.stderr == ""


AFFINE = "void f(float A[8], float B[8]) {\n  for (int i = 0; i < 8; i++)\n    A[i] = B[i];\n}\n"

REFUSED = [
    pytest.param(None, [], 2, "no such file", id="missing file"),
    pytest.param("this is not C at all {", [], 1, "kernel.c:1:", id="not C"),
    pytest.param(AFFINE.replace("B[i]", "B[i*i]"), [], 1, "kernel.c:3:", id="not affine"),
    pytest.param(AFFINE.replace("B[i]", "B[i] * B[i] + A[i]"), ["--dsp", "1"], 3, "no design", id="nothing fits"),
    pytest.param(AFFINE, ["--mem", "1B"], 3, "no design", id="no memory"),
    pytest.param(AFFINE, ["--solver", "scipp"], 3, "did you mean `scip`", id="unknown solver"),
    pytest.param(AFFINE, ["--device", "u2000"], 1, "u200", id="unknown device"),
    pytest.param(AFFINE, ["--mem", "7.2Mb!"], 2, "--mem", id="not a size"),
    pytest.param(AFFINE, ["--fix", "S0.i=3x3x3"], 2, "legal", id="illegal knob"),
    pytest.param(AFFINE, ["--time-limit", "soon"], 2, "--time-limit", id="not a time"),
    pytest.param(AFFINE, ["--design", "nothing.json"], 1, "nothing.json", id="missing design"),
]


@pytest.mark.parametrize(("text", "words", "status", "said"), REFUSED)
def test_bad_input_gets_a_sentence_a_hint_and_leaves_nothing(
    tmp_path: Path, text: str | None, words: list[str], status: int, said: str
) -> None:
    if text is not None:
        (tmp_path / "kernel.c").write_text(text)
    done = sisy("optimize", "kernel.c", *words, "-o", "out", cwd=tmp_path)
    assert done.returncode == status, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert "hint:" in done.stderr or status == 2
    assert not (tmp_path / "out").exists()
    assert {p.name for p in tmp_path.iterdir()} <= {"kernel.c"}


def test_a_folder_of_somebody_else_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("years of work")
    words = ["optimize", str(POLYBENCH / "gemm.c"), *defines("gemm"), "--no-verify", "-o", "out"]
    done = sisy(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["thesis.txt"]


def test_a_short_run_imports_only_what_it_uses() -> None:
    named = (
        "{'pyomo', 'networkx', 'numpy.ma', 'jinja2', 'matplotlib', 'rich', 'sisyphus.verification',"
        " 'sisyphus.readback'}"
    )
    probe = (
        "import sys; from sisyphus.cli import main; sys.argv[1:] = "
        f"['optimize', 'kernels/polybench/gemm.c', *{defines('gemm')}, '-q', '--no-verify', '--no-cache']; "
        f"main(); print('imported:', *sorted({named} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "imported:"


def test_help_imports_neither_pyomo_nor_islpy(tmp_path: Path) -> None:
    probe = "import sys, sisyphus.cli; print(*({'pyomo', 'islpy', 'networkx', 'numpy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", probe], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
    assert sisy("--help", cwd=tmp_path).returncode == 0
