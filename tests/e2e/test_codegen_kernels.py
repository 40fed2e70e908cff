"""From C files to running C++: every kernel of the collection at its smallest size, at a random legal design point."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

import pytest
from random_kernels import random_kernel, random_point
from straight_c import with_source

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.codegen import project
from sisyphus.frontend import read
from sisyphus.ir import Scop
from sisyphus.plan import Plan, build_plan
from sisyphus.verify import run

KERNELS = Path(__file__).parents[2] / "kernels"
FILES = sorted(f for folder in ("polybench", "nn") for f in (KERNELS / folder).glob("*.c"))
LARGEST_KERNEL_BYTES = 60_000


def mini(path: Path, *, double: bool) -> Scop:
    sizes = tomllib.loads((path.parent / "sizes.toml").read_text())[path.stem]["MINI"]
    defines = [f"{name}={value}" for name, value in sizes.items()] + ["DATA_TYPE_IS_DOUBLE"] * double
    return read(path, defines=defines)


def random_plan(scop: Scop, rng: random.Random, *, tree_reduction: bool = False) -> Plan:
    distribution = distribute(scop, dependences(scop))
    point = random_point(rng, scop, distribution, tree_reduction=tree_reduction)
    return build_plan(scop, distribution, liveness(scop), point)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_kernel_computes_what_its_source_computes(path: Path) -> None:
    number = FILES.index(path)
    scop = mini(path, double=number % 2 == 1)
    plan = random_plan(scop, random.Random(path.stem), tree_reduction=number % 5 == 0)
    emitted = project(plan)
    assert len(emitted.files["kernel.cpp"].encode()) < LARGEST_KERNEL_BYTES
    ran = run(emitted, plan, seed=number)
    assert ran.passed, [c for c in ran.checks if not c.passed]


@pytest.mark.parametrize("name", ["cholesky", "jacobi-2d", "conv_relu_pool"])
def test_kernel_under_sanitizers(name: str) -> None:
    (path,) = (f for f in FILES if f.stem == name)
    plan = random_plan(mini(path, double=False), random.Random(name))
    ran = run(project(plan), plan, sets=["random", "large"], sanitize=True)
    assert ran.passed, [c for c in ran.checks if not c.passed]


@pytest.mark.parametrize("seed", range(8))
def test_random_kernel_computes_what_its_source_computes(seed: int) -> None:
    rng = random.Random(f"codegen {seed}")
    plan = random_plan(with_source(random_kernel(rng)), rng)
    ran = run(project(plan), plan, sets=["random", "dominant"], sanitize=seed % 2 == 0)
    assert ran.passed, [c for c in ran.checks if not c.passed]


LOOK_ALIKES = Path(__file__).parents[1] / "frontend_inputs"
STYLES = [f"{name}/{name}" for name in ("correlation", "durbin", "gemm", "nussinov")]
STYLES += [f"features/{name}" for name in ("arithmetic", "branches", "helpers", "loops", "names", "unsigned")]


@pytest.mark.parametrize("name", STYLES)
def test_c_as_people_have_it(name: str) -> None:
    path = LOOK_ALIKES / f"{name}.c"
    scop = read(path, defines=["MINI_DATASET"], include_dirs=[str(LOOK_ALIKES / "utilities"), str(path.parent)])
    plan = random_plan(scop, random.Random(name))
    ran = run(project(plan), plan)
    assert ran.passed, [c for c in ran.checks if not c.passed]


ODD_C = """
#include <stdlib.h>
#include <math.h>
#define N 6
typedef unsigned char byte;
void template(int n, float new, const byte class[restrict N], short lane[N], double I[N][N], long long buffer[N])
{
  for (int this = 0; this < n; this++) {
    lane[this] += class[this] << 1;
    buffer[this] = (lane[this] > 3 && class[this] < 200u) + (class[this] ^ 5) - !lane[this];
    for (int and = N - 1; and >= 0; and -= 2)
      I[this][and] = fabs(sqrt(new) * and) + expf(-class[and]) * 0x1p-2 + (lane[this] ? new : 1) - abs(this - and);
  }
}
int main(int argc, char **argv) { return argc + (argv != 0); }
"""


def test_c_that_means_something_else_in_cpp(tmp_path: Path) -> None:
    (tmp_path / "odd.c").write_text(ODD_C)
    scop = read(tmp_path / "odd.c", function="template", params={"n": 6})
    plan = random_plan(scop, random.Random(3))
    emitted = project(plan)
    assert emitted.top == "template_2"
    ran = run(emitted, plan)
    assert ran.passed, [c for c in ran.checks if not c.passed]
