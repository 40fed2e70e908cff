"""Prints what units on several SLRs make of kernels: against one unit of the same board, and against routed designs.

python scripts/units.py [--time-limit 60] [--only gemm,2mm] [--boards] [--routed] [--units 1,3]

`--boards`: the U200, one unit on its largest SLR against three; what the user region allows is how much more DSPs and
LUTs all SLRs have than the largest one. `--routed`: the U55C against synthesis cycles of designs that were routed at
220 MHz (Prometheus, 1 and 3 SLRs); DSPs of those are not known here. All cycles of ours are predicted.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from sisyphus import pipeline
from sisyphus.cache import Cache
from sisyphus.choice import Choice
from sisyphus.errors import SisyphusError
from sisyphus.model import natural_objective
from sisyphus.report.tables import table
from sisyphus.request import Kernel, Request, Source, read_kernel
from sisyphus.solve import Limits
from sisyphus.space import Options
from sisyphus.target import load_device, make_target
from sisyphus.units import Split, split

KERNELS = Path(__file__).parents[1] / "kernels"
FOLDERS = {"gemm": "polybench", "2mm": "polybench", "cnn": "nn", "bert_100_3072": "nn"}
#: Cycles of designs that were routed on 1 and on 3 SLRs of a U55C.
ROUTED = {"2mm": (58_483, 43_205), "3mm": (127_261, 54_598), "atax": (22_862, 16_233), "bicg": (11_313, 11_265)}


def found(path: Path, device: str, count: int, seconds: float) -> Split:
    """The split over so many units, or over as many of them as help; searches are remembered."""
    target = make_target(load_device(device), budget="routable")
    source = Source(str(path))
    request = Request(
        source, target, Options(objective=natural_objective(target.device)), limits=Limits(seconds=seconds)
    )

    def find(kernels: Sequence[Kernel], asked: Request) -> Choice:
        return pipeline.search(kernels, asked, cache=Cache.of_user())

    return split(read_kernel(source), request, count, find, lambda stage: None)


def allowed(device: str) -> dict[str, float]:
    """How much more all SLRs have than the largest one."""
    slrs = make_target(load_device(device)).slrs
    return {name: sum(getattr(s, name) for s in slrs) / max(getattr(s, name) for s in slrs) for name in ("lut", "dsp")}


def on_boards(only: Sequence[str], seconds: float) -> Iterator[tuple[str, ...]]:
    limits = allowed("u200")
    for name, folder in FOLDERS.items():
        if only and name not in only:
            continue
        one, three = (found(KERNELS / folder / f"{name}.c", "u200", count, seconds) for count in (1, 3))
        gain = one.cycles / three.cycles
        yield (
            name,
            f"{one.cycles:,}",
            " ".join(f"{unit.cycles:,}" for unit in three.units),
            f"{three.dealing.name} {'+'.join(map(str, three.sizes))}",
            f"{gain:.2f}x",
            *(f"{gain / limit:.0%}" for limit in limits.values()),
        )


def against_routed(only: Sequence[str], seconds: float) -> Iterator[tuple[str, ...]]:
    for name, published in ROUTED.items():
        for count, cycles in zip((1, 3), published, strict=True):
            if only and name not in only:
                continue
            ours = found(KERNELS / "polybench" / f"{name}.c", "u55c", count, seconds)
            sizes = f"{ours.dealing.name} {'+'.join(map(str, ours.sizes))}"
            dsp = " ".join(f"{unit.estimate.dsp:,}" for unit in ours.units)
            yield name, str(count), f"{cycles:,}", f"{ours.cycles:,}", f"{ours.cycles / cycles:.2f}x", sizes, dsp


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--boards", action="store_true")
    parser.add_argument("--routed", action="store_true")
    asked = parser.parse_args()
    only = [name for name in asked.only.split(",") if name]
    both = not (asked.boards or asked.routed)
    try:
        if asked.boards or both:
            header = ("kernel", "1 unit", "3 units", "shares", "gain", "of LUT", "of DSP")
            print(table(header, list(on_boards(only, asked.time_limit))), flush=True)
        if asked.routed or both:
            header = ("kernel", "SLRs", "routed", "ours", "ours/routed", "shares", "DSPs")
            print(table(header, list(against_routed(only, asked.time_limit))), flush=True)
    except SisyphusError as failure:
        print(failure.render(), file=sys.stderr)
        return failure.exit_code
    return 0


if __name__ == "__main__":
    begun = time.monotonic()
    status = main()
    print(f"{time.monotonic() - begun:.0f} s", file=sys.stderr)
    sys.exit(status)
