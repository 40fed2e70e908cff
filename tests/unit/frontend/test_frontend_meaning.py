"""A scop computes bit for bit what its source does: both are compiled and run on the same data."""

from __future__ import annotations

import re
import shlex
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from compiled_scops import run

from sisyphus.frontend import read
from sisyphus.ir import DOUBLE, FLOAT, Binary, Cast, Read, reads

ROOT = Path(__file__).parents[3]
INPUTS = ROOT / "tests" / "frontend_inputs"
FEATURES = sorted((INPUTS / "features").glob("*.c"))
LOOKALIKES = ("gemm", "deriche", "nussinov", "durbin", "correlation", "heat")
SMALL = ["W=9", "H=7", "N=8", "M=6", "NI=5", "NJ=6", "NK=7", "TSTEPS=3", "MINI_DATASET", "DATA_TYPE_IS_FLOAT"]


@pytest.mark.parametrize("path", FEATURES, ids=lambda p: p.stem)
def test_features_compute_the_same(path: Path, tmp_path: Path) -> None:
    found = re.search(r"/\* args: --param (.*?) \*/", path.read_text())
    params = dict(p.split("=") for p in shlex.split(found.group(1))) if found else {}
    scop = read(path, params={n: int(v) for n, v in params.items()})
    assert run(scop, path, tmp_path) == "equal"


@pytest.mark.parametrize("options", [[], ["POLYBENCH_USE_C99_PROTO", "POLYBENCH_PADDING_FACTOR=2"]], ids=["", "c99"])
@pytest.mark.parametrize("name", LOOKALIKES)
def test_polybench_files_compute_the_same(name: str, options: list[str], tmp_path: Path) -> None:
    defines = [d for d in SMALL if name != "nussinov" or "FLOAT" not in d] + options
    path = INPUTS / name / f"{name}.c"
    scop = read(path, defines=defines, include_dirs=[str(INPUTS / "utilities")])
    assert run(scop, path, tmp_path) == "equal"


SIZES = {
    (folder, name): next(iter(sets.values()))
    for folder in ("polybench", "nn")
    for name, sets in tomllib.loads((ROOT / "kernels" / folder / "sizes.toml").read_text()).items()
}


@pytest.mark.parametrize(("folder", "name"), SIZES, ids=[f"{f}-{n}" for f, n in SIZES])
def test_collection_computes_the_same(folder: str, name: str, tmp_path: Path) -> None:
    path = ROOT / "kernels" / folder / f"{name}.c"
    tiny = [f"{size}={(3 if folder == 'polybench' else 2) + at % 2}" for at, size in enumerate(SIZES[folder, name])]
    assert run(read(path, defines=tiny), path, tmp_path) == "equal"


def test_the_comparison_sees_a_lost_conversion(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text("void f(float A[4], double B[4]) { for (int i = 0; i < 4; i++) B[i] = A[i] * (double)A[i]; }")
    scop = read(path)
    assert run(scop, path, tmp_path) == "equal"
    product = scop.statements[0].rhs
    assert isinstance(product, Binary)
    lost = Cast(Binary("*", Read(reads(product)[0], FLOAT), Read(reads(product)[0], FLOAT), FLOAT), DOUBLE)
    spoiled = replace(scop, statements=(replace(scop.statements[0], rhs=lost),))
    assert run(spoiled, path, tmp_path) == "different"
