"""Times plan and estimate of random design points of every PolyBench kernel, and prints a table; needs the source tree.

    python scripts/time_estimates.py [--set MEDIUM] [-n 5] [kernel ...]
    python scripts/time_estimates.py --profile deriche

Figures are milliseconds of processor time per point, the mean over the points of each form of a kernel: of a plan, of
its estimate, and (`next`) of both by an `Estimator` that knows such points, for one that differs in a nest. With
--profile the functions that take longest are printed for each kernel.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import random
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from random_kernels import random_point  # noqa: E402
from random_knobs import random_points  # noqa: E402

from sisyphus.errors import KernelError  # noqa: E402
from sisyphus.model import Estimator, estimate  # noqa: E402
from sisyphus.request import Kernel, Source, load_kernels, plan_of  # noqa: E402
from sisyphus.space import DesignPoint, Options, build_space  # noqa: E402
from sisyphus.target import Target, load_device, make_target  # noqa: E402

FOLDER = ROOT / "kernels" / "polybench"


@dataclass(frozen=True)
class Row:
    """Mean milliseconds per point."""

    name: str
    nests: int
    plan_ms: float
    estimate_ms: float
    next_ms: float


def measure(name: str, kernel: Kernel, points: list[DesignPoint], target: Target) -> Row:
    planned = costed = 0.0
    for point in points:
        begun = time.process_time()
        plan = plan_of(kernel, point)
        between = time.process_time()
        estimate(plan, target)
        planned, costed = planned + between - begun, costed + time.process_time() - between
    count = len(points)
    near = measure_near(kernel, points, target)
    return Row(name, len(plan.tasks), 1000 * planned / count, 1000 * costed / count, near)


def measure_near(kernel: Kernel, points: list[DesignPoint], target: Target) -> float:
    """Points that take one nest from another point, judged one after another."""
    estimator = Estimator(kernel.scop, kernel.distribution, kernel.live, target)
    count, spent = 0, 0.0
    for point, other in pairwise(points):
        estimator.estimate(point)
        for at, nest in enumerate(other.nests):
            near = replace(point, nests=(*point.nests[:at], nest, *point.nests[at + 1 :]))
            begun = time.process_time()
            try:
                estimator.estimate(near)
            except KernelError:  # a width that the other tiles do not allow
                continue
            count, spent = count + 1, spent + time.process_time() - begun
    return 1000 * spent / max(count, 1)


def subjects(names: list[str], data_set: str) -> Iterator[tuple[str, Kernel]]:
    """Every form of every kernel named, or of all."""
    sizes = tomllib.loads((FOLDER / "sizes.toml").read_text())
    for path in sorted(FOLDER.glob("*.c")):
        if not names or path.stem in names:
            defines = tuple(f"{key}={value}" for key, value in sizes[path.stem][data_set].items())
            for at, kernel in enumerate(load_kernels(Source(str(path), defines=defines))):
                yield path.stem + " expanded" * at, kernel


def some_points(kernel: Kernel, target: Target, count: int) -> list[DesignPoint]:
    """Points of the design space; where too few of those drawn are legal, any that keep the dependences."""
    space = build_space(kernel.scop, kernel.dependences, kernel.distribution, kernel.live, target, Options())
    try:
        return list(random_points(space, count, seed=1))
    except AssertionError:
        rng = random.Random(1)
        return [random_point(rng, kernel.scop, kernel.distribution, ragged=False) for _ in range(count)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", default="MEDIUM", dest="data_set", help="data set of sizes.toml")
    parser.add_argument("-n", type=int, default=5, help="points per kernel")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("kernels", nargs="*")
    options = parser.parse_args()
    target = make_target(load_device("u200"))
    rows = []
    print(f"{'kernel':22s} {'nests':>5s} {'plan ms':>9s} {'estimate ms':>12s} {'next ms':>8s}")
    for name, kernel in subjects(options.kernels, options.data_set):
        points = some_points(kernel, target, options.n)
        measure(name, kernel, points[:1], target)
        with cProfile.Profile() if options.profile else nullcontext() as profile:
            rows.append(row := measure(name, kernel, points, target))
        print(
            f"{row.name:22s} {row.nests:5d} {row.plan_ms:9.2f} {row.estimate_ms:12.2f} {row.next_ms:8.2f}", flush=True
        )
        if isinstance(profile, cProfile.Profile):
            pstats.Stats(profile).sort_stats("tottime").print_stats(25)
    for name in ("plan_ms", "estimate_ms", "next_ms"):
        values = [getattr(row, name) for row in rows]
        print(f"{name[:-3]}: mean {sum(values) / len(values):.2f} ms, most {max(values):.2f} ms")


if __name__ == "__main__":
    main()
