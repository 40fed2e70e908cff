"""The kernel collection as plain C: every file compiles alone, and sizes.toml tells the truth about it."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

KERNELS = Path(__file__).parents[2] / "kernels"
POLYBENCH = {
    *("2mm", "3mm", "adi", "atax", "bicg", "cholesky", "correlation", "covariance", "deriche", "doitgen"),
    *("durbin", "fdtd-2d", "floyd-warshall", "gemm", "gemver", "gesummv", "gramschmidt", "heat-3d", "jacobi-1d"),
    *("jacobi-2d", "lu", "ludcmp", "mvt", "nussinov", "seidel-2d", "symm", "syr2k", "syrk", "trisolv", "trmm"),
}
DATA_SETS = {
    "polybench": ("MINI", "SMALL", "MEDIUM", "LARGE", "EXTRALARGE"),
    "nn": ("MINI", "FULL"),
}
DEFAULT_SET = {"polybench": "MEDIUM", "nn": "FULL"}
FILES = sorted(path for folder in DATA_SETS for path in (KERNELS / folder).glob("*.c"))
SIZE_MACRO = re.compile(r"^#ifndef (\w+)\n#define \1 (\d+)\n#endif$", re.MULTILINE)

Sizes = dict[str, int]


def data_sets(folder: str) -> dict[str, dict[str, Sizes]]:
    return tomllib.loads((KERNELS / folder / "sizes.toml").read_text())


def default_sizes(text: str) -> Sizes:
    return {name: int(value) for name, value in SIZE_MACRO.findall(text)}


def compiler_output(path: Path, *options: str) -> str:
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("gcc is not installed, so no kernel was compiled")
    command = [gcc, "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-Wno-unknown-pragmas"]
    done = subprocess.run([*command, *options, str(path)], capture_output=True, text=True, timeout=300)
    return done.stderr if done.returncode == 0 else f"exit {done.returncode}\n{done.stderr}"


def kernel_id(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


each_kernel = pytest.mark.parametrize("path", FILES, ids=kernel_id)


@each_kernel
@pytest.mark.parametrize("element_type", ["float", "double"])
def test_compiles_without_a_warning(path: Path, element_type: str) -> None:
    mini = data_sets(path.parent.name)[path.stem]["MINI"]
    options = [f"-D{name}={value}" for name, value in mini.items()]
    if element_type == "double":
        options.append("-DDATA_TYPE_IS_DOUBLE")
    assert compiler_output(path, *options) == ""


def test_a_faulty_kernel_is_noticed(tmp_path: Path) -> None:
    faulty = tmp_path / "faulty.c"
    faulty.write_text((KERNELS / "polybench" / "gemm.c").read_text().replace("int i, j, k;", "int i, j, k, l;"))
    assert "unused variable" in compiler_output(faulty)


@each_kernel
def test_defaults_are_those_of_the_default_data_set(path: Path) -> None:
    defaults = default_sizes(path.read_text())
    wanted = data_sets(path.parent.name)[path.stem][DEFAULT_SET[path.parent.name]]
    assert list(defaults.items()) == list(wanted.items())


@each_kernel
def test_every_data_set_sets_every_macro(path: Path) -> None:
    macros = list(default_sizes(path.read_text()))
    sets = data_sets(path.parent.name)[path.stem]
    assert tuple(sets) == DATA_SETS[path.parent.name]
    for name, sizes in sets.items():
        assert list(sizes) == macros, name
        assert all(type(value) is int and value > 0 for value in sizes.values()), name


@each_kernel
def test_one_function_with_one_scop(path: Path) -> None:
    text = path.read_text()
    functions = re.findall(r"^\w[\w ]*?(\w+)\([^;]*\)\n\{$", text, re.MULTILINE)
    assert functions == ["kernel_" + path.stem.replace("-", "_")]
    assert re.findall(r"^#pragma (\w+)$", text, re.MULTILINE) == ["scop", "endscop"]
    assert set(re.findall(r"^#include (.*)$", text, re.MULTILINE)) <= {"<math.h>"}


@pytest.mark.parametrize("folder", sorted(DATA_SETS))
def test_sizes_cover_exactly_the_files(folder: str) -> None:
    names = {path.stem for path in FILES if path.parent.name == folder}
    assert set(data_sets(folder)) == names
    if folder == "polybench":
        assert names == POLYBENCH


def test_both_ways_of_declaring_iterators_are_present() -> None:
    inside = {path for path in FILES if "for (int " in path.read_text()}
    share = len(inside) / len(FILES)
    assert 0.4 <= share <= 0.6
