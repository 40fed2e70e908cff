"""Predicted time of designs beside one core of this machine, for every kernel, and what holds the slow ones back.

python scripts/compare_cpu.py [--set MEDIUM] [--only lu,gemm] [--time-limit 20] [--tree-reduction] [--budget chip]
                              [--lines FILE] [--cpu-at LARGE]

A design slower than the core, of a kernel whose longest chain alone takes longer, is told as so many times that chain.
`--lines` are those of `scale.py` (in order, budget `routable`): a design that has one is not searched again. `--cpu-at`
runs the source at another size and scales its time by the operations, where hours would pass otherwise.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Mapping
from math import exp, log
from pathlib import Path

import scale

from sisyphus.analysis import total_operations
from sisyphus.cpu import time_on_cpu
from sisyphus.report.limits import FAR
from sisyphus.request import Source, read_kernel
from sisyphus.solve import Limits
from sisyphus.space import Options
from sisyphus.target import load_device, make_target

DEVICE = "u200"
KERNELS = Path(__file__).parents[1] / "kernels" / "polybench"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", default="MEDIUM", dest="data_set")
    parser.add_argument("--only", default="", help="comma-separated kernel names")
    parser.add_argument("--time-limit", type=float, default=20.0, help="seconds per search")
    parser.add_argument("--tree-reduction", action="store_true", help="and compare with -ffast-math")
    parser.add_argument("--budget", default="routable", choices=["routable", "platform", "chip"])
    parser.add_argument("--lines", type=Path, help="designs that scale.py found")
    parser.add_argument("--cpu-at", help="the size at which the source is run")
    asked = parser.parse_args()
    known = {} if asked.lines is None else scale.read(asked.lines.read_text())
    only = set(filter(None, asked.only.split(",")))
    print(f"{'kernel':16s} {'cycles':>15s} {'limit':>11s} {'x limit':>9s} {'us':>13s} {'cpu us':>13s} {'speed-up':>9s}")
    ratios: list[float] = []
    slower: list[str] = []
    for name, sets in tomllib.loads((KERNELS / "sizes.toml").read_text()).items():
        if asked.data_set in sets and (not only or name in only):
            found = known.get((name, asked.data_set)) or _searched(name, sets[asked.data_set], asked)
            ratio, why = _told(found, sets[asked.cpu_at or asked.data_set], asked)
            ratios += [] if ratio is None else [ratio]
            slower += [f"{name}{why}"] if ratio is not None and ratio < 1 else []
    if ratios:
        mean = exp(sum(map(log, ratios)) / len(ratios))
        told = f": {', '.join(slower)}" if slower else ""
        print(f"geometric mean of {len(ratios)}: {mean:.2f}x; slower than the core: {len(slower)}{told}")
    return 0


def _source(name: str, sizes: Mapping[str, int]) -> Source:
    return Source(str(KERNELS / f"{name}.c"), defines=tuple(f"{n}={value}" for n, value in sizes.items()))


def _searched(name: str, sizes: Mapping[str, int], asked: argparse.Namespace) -> scale.Found:
    target = make_target(load_device(DEVICE), budget=asked.budget)
    options = Options(tree_reduction=asked.tree_reduction)
    return scale.search(name, asked.data_set, sizes, Limits(seconds=asked.time_limit), target=target, options=options)


def _told(found: scale.Found, sizes: Mapping[str, int], asked: argparse.Namespace) -> tuple[float | None, str]:
    """Prints a line; how many times as fast as the core the design is, and whether that is the kernel's own chain."""
    if found.cycles is None or found.limit is None:
        print(f"{found.kernel:16s} {found.held_back_by}", flush=True)
        return None, ""
    scop = read_kernel(_source(found.kernel, sizes))
    work = found.operations / max(sum(total_operations(scop).values()), 1)
    cpu = work * time_on_cpu(scop, fast_math=asked.tree_reduction).seconds
    cycle = 1e-6 / make_target(load_device(DEVICE)).clock_mhz
    seconds = found.cycles * cycle
    why = f"  {found.held_back_by}" if found.cycles > FAR * found.limit else ""
    print(
        f"{found.kernel:16s} {found.cycles:15,} {found.limit:11,} {found.cycles / found.limit:9.2f} "
        f"{1e6 * seconds:13,.1f} {1e6 * cpu:13,.1f} {cpu / seconds:9.3f}{why}",
        flush=True,
    )
    is_chain = cpu < found.chain * cycle
    return cpu / seconds, f" ({found.cycles / found.chain:.2f}x a chain that takes longer)" if is_chain else ""


if __name__ == "__main__":
    sys.exit(main())
