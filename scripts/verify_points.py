"""Checks random legal design points of kernels: each is planned, proved, printed, compiled and run; prints a table.

    scripts/verify_points.py -n 200 gemm atax cholesky

Every point has a number; `--first` and `-n` choose which are checked, so that a failing one can be repeated alone. With
`--forms` points of every form of a kernel are checked, views of all arrays and strips of half of them among them.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from random_kernels import random_point  # noqa: E402

from sisyphus.analysis import Dependences, Distribution, Live, dependences, distribute, liveness  # noqa: E402
from sisyphus.asked_forms import all_in_strips  # noqa: E402
from sisyphus.backends.hls import project  # noqa: E402
from sisyphus.errors import SisyphusError  # noqa: E402
from sisyphus.forms import steps_of_rows  # noqa: E402
from sisyphus.ir import ArrayId, Scop  # noqa: E402
from sisyphus.kernel_forms import load_kernels  # noqa: E402
from sisyphus.kernel_views import with_views  # noqa: E402
from sisyphus.plan import build_plan  # noqa: E402
from sisyphus.request import Source, read_kernel  # noqa: E402
from sisyphus.verification import Check, Verdict, verify  # noqa: E402

FOLDERS = tuple(ROOT / "kernels" / name for name in ("polybench", "nn"))


@dataclass(frozen=True, eq=False)
class Subject:
    """A kernel with what a plan needs."""

    name: str
    scop: Scop
    found: Dependences
    distribution: Distribution
    live: dict[ArrayId, Live]


def subject(name: str, *, size: str = "MINI", double: bool = False) -> Subject:
    """A kernel of the collection at one of its sizes."""
    scop = read_kernel(_source(name, size, double=double))
    found = dependences(scop)
    return Subject(name, scop, found, distribute(scop, found), liveness(scop))


def _source(name: str, size: str, *, double: bool) -> Source:
    path = next((f / f"{name}.c" for f in FOLDERS if (f / f"{name}.c").is_file()), None)
    if path is None:
        raise SystemExit(f"no kernel `{name}` in {', '.join(str(f.relative_to(ROOT)) for f in FOLDERS)}")
    sizes = tomllib.loads((path.parent / "sizes.toml").read_text())[name][size]
    defines = [f"{key}={value}" for key, value in sizes.items()] + ["DATA_TYPE_IS_DOUBLE"] * double
    return Source(str(path), defines=tuple(defines))


def forms_of(name: str, *, size: str = "MINI", double: bool = False) -> list[Subject]:
    """Every form of a kernel, and each with views, as the searches have them."""
    source = _source(name, size, double=double)
    found = list(load_kernels(source))
    found += [viewed for kernel in found if (viewed := with_views(kernel)) is not None]
    steps = steps_of_rows(found[0].scop)
    strips = None if steps is None else steps.within(sum(array.elements for array in steps.arrays) // 2)
    found += [] if strips is None else all_in_strips(found, strips)
    return [
        Subject(f"{name} {k.name}{' views' * bool(k.views)}", k.scop, k.dependences, k.distribution, dict(k.live))
        for k in found
    ]


def check_point(kernel: Subject, number: int, *, tree_reduction: bool = False, sanitize: bool = False) -> Verdict:
    """The verdict on one random legal point; equal numbers give equal points."""
    rng = random.Random(f"{kernel.name} {number}")
    point = random_point(rng, kernel.scop, kernel.distribution, tree_reduction=tree_reduction, split=True)
    try:
        plan = build_plan(kernel.scop, kernel.distribution, kernel.live, point)
    except SisyphusError as fault:
        return Verdict((Check("plan", False, fault.message),))
    return verify(plan, project(plan), kernel.found, live=kernel.live, seed=number, sanitize=sanitize)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", help="names in kernels/ (default: all of PolyBench)")
    parser.add_argument("-n", "--points", type=int, default=5, help="points of each kernel")
    parser.add_argument("--first", type=int, default=0, help="number of the first point")
    parser.add_argument("--size", default="MINI", help="a size of sizes.toml")
    parser.add_argument("--double", action="store_true")
    parser.add_argument("--tree-reduction", action="store_true")
    parser.add_argument("--forms", action="store_true", help="of every form of a kernel")
    parser.add_argument("--sanitize", action="store_true", help="run under AddressSanitizer and UBSan")
    options = parser.parse_args(words)
    names = options.kernels or sorted(f.stem for f in FOLDERS[0].glob("*.c"))
    wrong = 0
    print(f"{'kernel':32s} {'points':>6s} {'passed':>6s} {'gave up':>7s} {'failed':>6s} {'worst error':>11s} {'s':>7s}")
    for name in names:
        how = {"size": options.size, "double": options.double}
        for kernel in forms_of(name, **how) if options.forms else [subject(name, **how)]:
            wrong += _row(kernel, options)
    return 1 if wrong else 0


def _row(kernel: Subject, options: argparse.Namespace) -> int:
    """Prints a line of the table, and one for every point that failed; returns how many did."""
    started = time.monotonic()
    verdicts = {
        number: check_point(kernel, number, tree_reduction=options.tree_reduction, sanitize=options.sanitize)
        for number in range(options.first, options.first + options.points)
    }
    failed = {number: v for number, v in verdicts.items() if v.refuted}
    passed = sum(v.passed for v in verdicts.values())
    worst = max((v.worst_error or 0.0 for v in verdicts.values()), default=0.0)
    print(
        f"{kernel.name:32s} {len(verdicts):6d} {passed:6d} {len(verdicts) - passed - len(failed):7d} {len(failed):6d} "
        f"{worst:11.3g} {time.monotonic() - started:7.1f}",
        flush=True,
    )
    for number, verdict in failed.items():
        first = next(c for c in verdict.failures if not c.gave_up)
        print(f"  point {number}: {first.name}: {first.detail.splitlines()[0] if first.detail else ''}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
