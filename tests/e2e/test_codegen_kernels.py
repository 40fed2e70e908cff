"""From C files to running C++: every kernel of the collection at random legal design points, proved and run.

A random point of every kernel is run in one of six ways, which take turns, and the design of a search under sanitizers,
of every eighth kernel; the other ways, and the searches of the others, are long tests.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from plain_points import pipelined_point, unrolled_point
from random_kernels import random_kernel, random_point
from straight_c import with_source

from sisyphus.analysis import dependences, distribute, liveness
from sisyphus.backends.hls import project
from sisyphus.frontend import read
from sisyphus.ir import Scop
from sisyphus.pipeline import Request, Source, optimize
from sisyphus.plan import Plan, build_plan
from sisyphus.solve import Limits
from sisyphus.target import load_device, make_target
from sisyphus.tools import find_tool, run_tool
from sisyphus.verification import run, verify
from sisyphus.verification.differential_run import INCLUDE_DIR, WARNINGS, sets_for, work

KERNELS = Path(__file__).parents[2] / "kernels"
POLYBENCH, NN = (sorted((KERNELS / folder).glob("*.c")) for folder in ("polybench", "nn"))
FILES = [*POLYBENCH, *NN]
LARGEST_KERNEL_BYTES = 60_000
MOST_OPERATIONS = 10**8
TOLERANCE = {"float": 1e-4, "double": 1e-10}


@cache
def kernel(path: Path, size: str, kind: str) -> Scop:
    sizes = tomllib.loads((path.parent / "sizes.toml").read_text())[path.stem][size]
    defines = [f"{name}={value}" for name, value in sizes.items()] + ["DATA_TYPE_IS_DOUBLE"] * (kind == "double")
    return read(path, defines=defines)


def random_plan(scop: Scop, rng: random.Random, *, tree_reduction: bool = False) -> Plan:
    """The first of some random points that is run in a second or so: a bad place of a transfer costs minutes."""
    distribution, live = distribute(scop, dependences(scop)), liveness(scop)
    for _ in range(50):
        point = random_point(rng, scop, distribution, tree_reduction=tree_reduction, split=True)
        plan = build_plan(scop, distribution, live, point)
        if work(plan) < MOST_OPERATIONS:
            return plan
    raise AssertionError(f"no design of {scop.name} that is run soon")


@dataclass(frozen=True)
class Cell:
    """One way in which every kernel is built and run."""

    size: str
    kind: str
    tree_reduction: bool = False
    sanitize: bool = False

    def __str__(self) -> str:
        return f"{self.size}-{self.kind}{'-tree' * self.tree_reduction}{'-sanitized' * self.sanitize}"


MINI = (
    Cell("MINI", "float", sanitize=True),
    Cell("MINI", "double"),
    Cell("MINI", "float", tree_reduction=True),
    Cell("MINI", "double", tree_reduction=True),
)
SMALL = (Cell("SMALL", "float"), Cell("SMALL", "double"))


def cells(at: int, path: Path) -> Iterator[ParameterSet]:
    """How the kernel of this number is run."""
    ways = [*MINI, *SMALL] if path in POLYBENCH else [*MINI]
    for number, cell in enumerate(ways):
        is_turn = number == at % len(ways)
        yield pytest.param(path, cell, id=f"{path.stem}-{cell}", marks=() if is_turn else pytest.mark.long)


@pytest.mark.parametrize(("path", "cell"), [case for at, path in enumerate(FILES) for case in cells(at, path)])
def test_kernel_computes_what_its_source_computes(path: Path, cell: Cell) -> None:
    scop = kernel(path, cell.size, cell.kind)
    plan = random_plan(scop, random.Random(f"{path.stem} {cell}"), tree_reduction=cell.tree_reduction)
    emitted = project(plan)
    assert len(emitted.files["kernel.cpp"].encode()) < LARGEST_KERNEL_BYTES
    verdict = verify(plan, emitted, dependences(scop), live=liveness(scop), sanitize=cell.sanitize)
    assert verdict.passed, verdict.failures
    sets = sets_for(plan, full=True, sanitize=cell.sanitize)
    assert {f"run {s}" for s in sets} <= {c.name for c in verdict.checks}
    assert verdict.worst_error is not None
    assert verdict.worst_error <= (TOLERANCE[cell.kind] if cell.tree_reduction else 0)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_unrolling_is_a_pragma_and_no_copied_text(path: Path) -> None:
    sizes = {size: kernel(path, size, "float") for size in ("MINI", "MEDIUM" if path in POLYBENCH else "FULL")}
    printed = {}
    for size, scop in sizes.items():
        distribution, live = distribute(scop, dependences(scop)), liveness(scop)
        for shape in (pipelined_point, unrolled_point):
            plan = build_plan(scop, distribution, live, shape(scop, distribution))
            printed[size, shape] = len(project(plan).files["kernel.cpp"].encode())
    assert max(printed.values()) < LARGEST_KERNEL_BYTES
    assert max(printed.values()) < 1.5 * min(printed.values())


def halved(path: Path) -> tuple[str, ...]:
    """Half of the smallest data set: a search looks at as many shapes, of fewer tiles."""
    sizes = tomllib.loads((path.parent / "sizes.toml").read_text())[path.stem]["MINI"]
    return tuple(f"{name}={max(3, value // 2)}" for name, value in sizes.items())


#: Counted work, so that the same designs are found however busy the machine is.
EFFORT = 0.5
#: A kernel is searched with one kind of adders, on which what a design computes does not depend.
ADDERS, OF_INTEGERS = ("dsp", "fabric"), ("nussinov", "floyd-warshall")


SEARCHED = [pytest.param(p, id=p.stem, marks=() if p in FILES[::8] else pytest.mark.long) for p in FILES]


@pytest.mark.parametrize("path", SEARCHED)
def test_design_of_a_short_search_is_verified(path: Path) -> None:
    fixes = () if path.stem in OF_INTEGERS else (f"adders={ADDERS[FILES.index(path) // 8 % 2]}",)
    source = Source(str(path), defines=halved(path))
    target = make_target(load_device("u200"), budget="chip")
    design = optimize(Request(source, target, limits=Limits(effort=EFFORT), fixes=fixes, verify=False))
    plan, kernel = design.plan, design.kernel
    verdict = verify(plan, design.project, kernel.dependences, live=kernel.live, sanitize=True)
    assert verdict.passed, verdict.failures
    assert verdict.worst_error == 0
    assert len(design.project.files["kernel.cpp"].encode()) < LARGEST_KERNEL_BYTES


def test_emitted_code_compiles_with_clang_without_a_warning(tmp_path: Path) -> None:
    compiler = find_tool("clang++")
    if compiler is None:
        pytest.skip("clang++ is not installed, so the emitted code was compiled with g++ only")
    flags = ["-std=c++14", *WARNINGS, "-fsyntax-only", "-isystem", str(INCLUDE_DIR)]
    for path in FILES:
        files = project(random_plan(kernel(path, "MINI", "float"), random.Random(f"clang {path.stem}"))).files
        for name in ("kernel.h", "kernel.cpp", "testbench.cpp"):
            (tmp_path / name).write_text(files[name])
        run_tool([compiler, *flags, "kernel.cpp", "testbench.cpp"], cwd=tmp_path, timeout_s=300)


@pytest.mark.parametrize("seed", range(8))
def test_random_kernel_computes_what_its_source_computes(seed: int) -> None:
    rng = random.Random(f"codegen {seed}")
    plan = random_plan(with_source(random_kernel(rng)), rng)
    ran = run(project(plan), plan, sets=["random", "dominant"], sanitize=seed % 2 == 0)
    assert ran.passed, [c for c in ran.checks if not c.passed]


LOOK_ALIKES = Path(__file__).parents[1] / "frontend_inputs"
STYLES = [f"{name}/{name}" for name in ("correlation", "nussinov")]
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
