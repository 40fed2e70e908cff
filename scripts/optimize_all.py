"""Runs the main job on every kernel at one data set and prints a table: search, predicted cycles, verdict, seconds.

python scripts/optimize_all.py MINI [--time-limit 20] [--only gemm,2mm] [--double] [--tree-reduction]
"""

from __future__ import annotations

import argparse
import sys
import time
import tomllib
from pathlib import Path

from sisyphus.errors import SisyphusError
from sisyphus.pipeline import Request, Source, optimize
from sisyphus.solve import DEFAULT_SOLVER, Limits
from sisyphus.space import Options
from sisyphus.target import load_device, make_target

KERNELS = Path(__file__).parents[1] / "kernels"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data_set", nargs="?", default="MINI")
    parser.add_argument("--time-limit", type=float, default=20.0, help="seconds per search")
    parser.add_argument("--only", default="", help="comma-separated kernel names")
    parser.add_argument("--double", action="store_true")
    parser.add_argument("--tree-reduction", action="store_true")
    parser.add_argument("--solver", default=DEFAULT_SOLVER)
    parser.add_argument("--model", default="measured", choices=["measured", "paper"])
    chosen = parser.parse_args()
    only = set(filter(None, chosen.only.split(",")))
    failures = 0
    print(f"{'kernel':18s} {'search':10s} {'cycles':>14s} {'gap %':>7s} {'verified':9s} {'seconds':>8s}")
    for sizes in sorted(KERNELS.glob("*/sizes.toml")):
        for name, sets in tomllib.loads(sizes.read_text()).items():
            if (only and name not in only) or chosen.data_set not in sets:
                continue
            failures += not _one(sizes.parent / f"{name}.c", sets[chosen.data_set], chosen)
    print(f"{failures} failed")
    return 1 if failures else 0


def _one(path: Path, sizes: dict[str, int], chosen: argparse.Namespace) -> bool:
    defines = [f"{name}={value}" for name, value in sizes.items()] + ["DATA_TYPE_IS_DOUBLE"] * chosen.double
    request = Request(
        source=Source(str(path), defines=tuple(defines)),
        target=make_target(load_device("u200"), budget="chip"),
        options=Options(tree_reduction=chosen.tree_reduction),
        solver=chosen.solver,
        limits=Limits(seconds=chosen.time_limit),
        model=chosen.model,
    )
    started = time.monotonic()
    try:
        design = optimize(request)
    except SisyphusError as fault:
        print(f"{path.stem:18s} {type(fault).__name__}: {fault.message[:150]}", flush=True)
        return False
    verdict, outcome = design.verdict, design.outcome
    passed = verdict is not None and verdict.passed
    gap = outcome.gap if outcome else None
    print(
        f"{path.stem:18s} {outcome.stop.value if outcome else '-':10s} {design.estimate.cycles:14,} "
        f"{'-' if gap is None else format(100 * gap, '.2f'):>7s} {'passed' if passed else 'FAILED':9s} "
        f"{time.monotonic() - started:8.1f}",
        flush=True,
    )
    if verdict is not None and not passed:
        for check in verdict.checks:
            if not check.passed:
                print(f"    {check.name}: {check.detail}"[:300], flush=True)
    return passed


if __name__ == "__main__":
    sys.exit(main())
