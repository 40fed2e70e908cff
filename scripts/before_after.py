"""Prints designs without and with the forms that avoid what Vitis HLS takes for dependences, and guards as selects.

python scripts/before_after.py [--only trmm,lu] [--time-limit 30] [--set MEDIUM]

Before: the order of the source and no second copies of arrays, the best design as the model counts it today, its guards
as functions that are called. After: what is chosen now. Both on the default board within what was routed there.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from itertools import chain
from pathlib import Path

from sisyphus.design import Design
from sisyphus.kernel_forms import load_kernels
from sisyphus.model import GuardForm, estimate
from sisyphus.pipeline import Request, Source, optimize
from sisyphus.report.tables import table
from sisyphus.request import SOURCE_FORM
from sisyphus.solve import Limits
from sisyphus.space import DesignPoint
from sisyphus.target import load_device, make_target

KERNELS = Path(__file__).parents[1] / "kernels" / "polybench"
NAMES = ("trmm", "lu", "cholesky", "symm", "syrk", "syr2k")
HEADER = ("kernel", "before: report", "slowest wait", "after: report", "RTL", "form", "measured", "before/after")
TARGET = make_target(load_device("u200"), budget="routable")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(NAMES), help="comma-separated kernel names")
    parser.add_argument("--time-limit", type=float, default=30.0, help="seconds per search")
    parser.add_argument("--set", default="MEDIUM")
    chosen = parser.parse_args()
    sizes = tomllib.loads((KERNELS / "sizes.toml").read_text(encoding="utf-8"))
    rows = []
    for name in chosen.only.split(","):
        print(name, file=sys.stderr, flush=True)
        defines = tuple(f"{size}={value}" for size, value in sizes[name][chosen.set].items())
        source = Source(str(KERNELS / f"{name}.c"), defines=defines)
        arrays = load_kernels(source)[0].scop.arrays
        plain = (f"form={SOURCE_FORM}", *(f"{a.id}.copy=no" for a in arrays))
        rows.append(_row(name, *(_design(source, fixes, chosen.time_limit) for fixes in (plain, ()))))
    print(table(HEADER, rows))
    return 0


def _design(source: Source, fixes: tuple[str, ...], seconds: float) -> Design:
    return optimize(Request(source=source, target=TARGET, fixes=fixes, limits=Limits(seconds=seconds), verify=False))


def _row(name: str, before: Design, after: Design) -> tuple[str, ...]:
    called = estimate(before.plan, TARGET, guards=GuardForm.CALLED).cycles
    least, most = after.estimate.rtl
    return (
        name,
        f"{called:,}",
        f"II {max(chain.from_iterable(before.estimate.intervals.values()), default=1)}",
        f"{after.estimate.cycles:,}",
        f"{least:,} to {most:,}",
        _form(after.point),
        f"{100 * after.estimate.evidence.shares['cycles']['measured']:.0f} %",
        f"{called / after.estimate.cycles:.1f}x",
    )


def _form(point: DesignPoint) -> str:
    made = ["another order"] if point.rewrites else []
    made += [f"{array} for each iteration" for array in point.expanded]
    made += [f"copy of {array}" for array in point.copied]
    return ", ".join(made) or "as written"


if __name__ == "__main__":
    sys.exit(main())
