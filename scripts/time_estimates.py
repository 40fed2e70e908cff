"""Times plan and estimate of random design points of every kernel in kernels/; needs the source tree.

    python scripts/time_estimates.py [--set MEDIUM] [-n 10] [kernel ...]
    python scripts/time_estimates.py --profile deriche

Figures are milliseconds of processor time per point, the median and the worst: `cold` of a plan and its estimate built
from nothing but the analysed kernel; `random` of an `Estimator` of that kernel which has seen other random points;
`next` of the same for a point that differs in one nest from one that it knows. Pauses in which Python looks for garbage
among modules and kernels loaded before are left out (gc.freeze). Neural-network kernels have no MEDIUM size but their
full one. With --profile the functions that take longest are printed for each kernel.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import pstats
import random
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from random_kernels import random_point  # noqa: E402
from random_knobs import random_points  # noqa: E402

from sisyphus.errors import KernelError  # noqa: E402
from sisyphus.kernel_forms import load_kernels  # noqa: E402
from sisyphus.model import Estimator, estimate  # noqa: E402
from sisyphus.request import Kernel, Source, plan_of  # noqa: E402
from sisyphus.space import DesignPoint, Options, build_space  # noqa: E402
from sisyphus.target import Target, load_device, make_target  # noqa: E402

KERNELS = ROOT / "kernels"


@dataclass(frozen=True)
class Row:
    """Milliseconds per point, one figure for each."""

    name: str
    nests: int
    cold: list[float]
    random: list[float]
    near: list[float]


def measure(name: str, kernel: Kernel, points: list[DesignPoint], target: Target) -> Row:
    """The first half of the points is what the estimator has seen before it is asked for the rest."""
    cold = [took(lambda p=p: estimate(plan_of(kernel, p), target)) for p in points]
    estimator = Estimator(kernel.scop, kernel.distribution, kernel.live, target)
    half = len(points) // 2
    for point in points[:half]:
        estimator.estimate(point)
    apart = [took(lambda p=p: estimator.estimate(p)) for p in points[half:]]
    near = [took(lambda p=p: estimator.estimate(p)) for p in neighbours(points)]
    return Row(name, len(points[0].nests), *([1000 * t for t in ts if t is not None] for ts in (cold, apart, near)))


def took(work: Callable[[], object]) -> float | None:
    """Seconds of processor time; None where a point cannot be built, as with a beat that another tile refuses."""
    begun = time.process_time()
    try:
        work()
    except KernelError:
        return None
    return time.process_time() - begun


def neighbours(points: list[DesignPoint]) -> Iterator[DesignPoint]:
    """Points that take one nest from another point, at most some per point."""
    for point, other in pairwise(points):
        for at in random.Random(1).sample(range(len(point.nests)), min(4, len(point.nests))):
            yield replace(point, nests=(*point.nests[:at], other.nests[at], *point.nests[at + 1 :]))


def subjects(names: list[str], data_set: str) -> Iterator[tuple[str, Kernel]]:
    """Every form of every kernel named, or of all."""
    for folder in ("polybench", "nn"):
        sizes = tomllib.loads((KERNELS / folder / "sizes.toml").read_text())
        for path in sorted((KERNELS / folder).glob("*.c")):
            if not names or path.stem in names:
                known = sizes[path.stem]
                defines = tuple(f"{key}={value}" for key, value in known.get(data_set, known.get("FULL", {})).items())
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
    parser.add_argument("-n", type=int, default=10, help="points per kernel")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("kernels", nargs="*")
    options = parser.parse_args()
    target = make_target(load_device("u200"), budget="chip")
    rows = []
    print(f"{'kernel':22s} nests" + "".join(f" {kind:>7s} {'worst':>7s}" for kind in ("cold", "random", "next")))
    for name, kernel in subjects(options.kernels, options.data_set):
        points = some_points(kernel, target, options.n)
        measure(name, kernel, points[:2], target)
        gc.collect()
        gc.freeze()
        with cProfile.Profile() if options.profile else nullcontext() as profile:
            rows.append(row := measure(name, kernel, points, target))
        figures = (f(column) for column in (row.cold, row.random, row.near) for f in (median, max))
        print(f"{row.name:22s} {row.nests:5d}", *(f"{figure:7.2f}" for figure in figures), flush=True)
        if isinstance(profile, cProfile.Profile):
            pstats.Stats(profile).sort_stats("tottime").print_stats(25)
    for name in ("cold", "random", "near"):
        middle = [median(getattr(row, name)) for row in rows]
        print(f"{name}: {sum(m < 5 for m in middle)} of {len(rows)} medians below 5 ms, largest {max(middle):.2f} ms")


if __name__ == "__main__":
    main()
