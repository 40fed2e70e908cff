"""Predicted time of designs beside one core of this machine, for every kernel, and what holds the slow ones back.

python scripts/compare_cpu.py [--set MEDIUM] [--only lu,gemm] [--time-limit 20] [--tree-reduction] [--budget chip]
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from math import exp, log
from pathlib import Path

from sisyphus.errors import SisyphusError
from sisyphus.pipeline import Request, Source, optimize
from sisyphus.report.limits import FAR, held_back_by
from sisyphus.solve import Limits
from sisyphus.space import Options
from sisyphus.target import load_device, make_target

KERNELS = Path(__file__).parents[1] / "kernels" / "polybench"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", default="MEDIUM", dest="data_set")
    parser.add_argument("--only", default="", help="comma-separated kernel names")
    parser.add_argument("--time-limit", type=float, default=20.0, help="seconds per search")
    parser.add_argument("--tree-reduction", action="store_true", help="and compare with -ffast-math")
    parser.add_argument("--budget", default="routable", choices=["routable", "platform", "chip"])
    asked = parser.parse_args()
    only = set(filter(None, asked.only.split(",")))
    print(f"{'kernel':16s} {'cycles':>15s} {'limit':>11s} {'x limit':>9s} {'us':>13s} {'cpu us':>13s} {'speed-up':>9s}")
    ratios: list[float] = []
    for name, sets in tomllib.loads((KERNELS / "sizes.toml").read_text()).items():
        if asked.data_set in sets and (not only or name in only):
            ratio = _one(name, sets[asked.data_set], asked)
            ratios += [] if ratio is None else [ratio]
    if ratios:
        mean = exp(sum(map(log, ratios)) / len(ratios))
        print(f"geometric mean of {len(ratios)}: {mean:.2f}x; slower than the core: {sum(r < 1 for r in ratios)}")
    return 0


def _one(name: str, sizes: dict[str, int], asked: argparse.Namespace) -> float | None:
    request = Request(
        source=Source(str(KERNELS / f"{name}.c"), defines=tuple(f"{n}={value}" for n, value in sizes.items())),
        target=make_target(load_device("u200"), budget=asked.budget),
        options=Options(tree_reduction=asked.tree_reduction),
        limits=Limits(seconds=asked.time_limit),
        verify=False,
        compare_cpu=True,
    )
    try:
        design = optimize(request)
    except SisyphusError as failure:
        print(f"{name:16s} {failure.message.splitlines()[0]}", flush=True)
        return None
    if design.cpu is None or design.limit is None:
        return None
    cycles, limit = design.estimate.cycles, design.limit.cycles
    seconds = cycles / request.target.clock_mhz / 1e6
    ratio = design.cpu.seconds / seconds
    why = f"  {held_back_by(design.estimate)}" if cycles > FAR * limit else ""
    print(
        f"{name:16s} {cycles:15,} {limit:11,} {cycles / limit:9.2f} {1e6 * seconds:13,.1f} "
        f"{1e6 * design.cpu.seconds:13,.1f} {ratio:9.3f}{why}",
        flush=True,
    )
    return ratio


if __name__ == "__main__":
    sys.exit(main())
