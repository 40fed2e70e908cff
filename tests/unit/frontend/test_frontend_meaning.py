"""A scop computes bit for bit what its source does: both are compiled and run on the same data."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from straight_c import source

from sisyphus.frontend import read
from sisyphus.ir import DOUBLE, FLOAT, Array, Binary, Cast, Read, Scop, reads

ROOT = Path(__file__).parents[3]
INPUTS = ROOT / "tests" / "frontend_inputs"
FEATURES = sorted((INPUTS / "features").glob("*.c"))
LOOKALIKES = ("gemm", "deriche", "nussinov", "durbin", "correlation", "heat")
# Integers wrap on both sides; what is undefined in C must not decide this test.
FLAGS = ["-O0", "-std=gnu17", "-ffp-contract=off", "-fwrapv", "-w"]
SMALL = ["W=9", "H=7", "N=8", "M=6", "NI=5", "NJ=6", "NK=7", "TSTEPS=3", "MINI_DATASET", "DATA_TYPE_IS_FLOAT"]
DRIVER = """
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned long long state = 88172645463325252ull;
static unsigned next(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state >> 33; }
"""


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


def run(scop: Scop, path: Path, folder: Path) -> str:
    """What the driver says after it has run the original and the scop on the same data."""
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("gcc is not installed, so nothing was compiled")
    options = [*(f"-D{d}" for d in scop.origin.defines), *(f"-I{d}" for d in scop.origin.include_dirs)]
    again = folder / "again.c"
    again.write_text(source(scop).replace(f"void {scop.name}(", "void again("))
    original = folder / "original.c"
    original.write_text(f'#define main sisy_main\n#include "{path}"\n{wrapper(scop)}')
    driver = folder / "driver.c"
    driver.write_text(DRIVER + main(scop))
    program = folder / "program"
    command = [gcc, *FLAGS, *options, str(original), str(again), str(driver), str(INPUTS / "utilities/polybench.c")]
    subprocess.run([*command, "-lm", "-o", str(program)], check=True, timeout=60)
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=60, check=False)
    return done.stdout.strip()


def arrays(scop: Scop) -> dict[str, Array]:
    return {str(a.id): a for a in scop.arrays}


def formal(scop: Scop) -> str:
    return ", ".join(
        f"void *p{at}" if a.kind == "array" else f"{a.type.c_name} p{at}" for at, a in enumerate(scop.arguments)
    )


def wrapper(scop: Scop) -> str:
    given = ", ".join(f"p{at}" for at in range(len(scop.arguments)))
    return f"void original({formal(scop)}) {{ {scop.origin.function}({given}); }}\n"


def main(scop: Scop) -> str:
    lines, compare = [f"void original({formal(scop)}); void again({formal(scop)});", "int main(void) {"], []
    given: dict[str, list[str]] = {"x": [], "y": []}
    for at, argument in enumerate(scop.arguments):
        kind = argument.type
        number = "(int)(next() % 2000001) - 1000000"
        fill = f"({number}) / 299999.0" if kind.is_float else f"next() % {90 if kind.bits == 8 else 1000}"
        if argument.kind == "array":
            count = arrays(scop)[argument.name].elements
            lines.append(f"  static {kind.c_name} x{at}[{count}], y{at}[{count}];")
            lines.append(f"  for (int i = 0; i < {count}; i++) x{at}[i] = y{at}[i] = {fill};")
            compare.append(f"memcmp(x{at}, y{at}, sizeof x{at})")
            for side, names in given.items():
                names.append(f"{side}{at}")
        else:
            value = str(argument.value) if argument.kind == "parameter" else "0.75" if kind.is_float else "3"
            for names in given.values():
                names.append(value)
    lines += [f"  original({', '.join(given['x'])});", f"  again({', '.join(given['y'])});"]
    return "\n".join([*lines, f'  puts({" || ".join(compare)} ? "different" : "equal");', "}"]) + "\n"
