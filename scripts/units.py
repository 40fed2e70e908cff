"""Prints what units on several SLRs make of kernels: against one unit of the same board, and against routed designs.

python scripts/units.py [--time-limit 60 | --effort 30] [--only gemm,2mm] [--boards] [--routed] [--as-many-dsp]
    [--runs] [--tree-reduction]

`--boards`: the U200, one unit on its largest SLR against three; what the user region allows is how much more DSPs and
LUTs all SLRs have than the largest one. `--routed`: the U55C against synthesis cycles of designs that were routed at
220 MHz (Prometheus, 1 and 3 SLRs), with the DSPs of those of their loops that published reports show, which is the
least that they have; `--as-many-dsp` gives ours no more. Those designs add in any order, ours in the source's unless
`--tree-reduction` is given. All cycles of ours are predicted.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from sisyphus import pipeline
from sisyphus.analysis import float_operations
from sisyphus.cache import Cache
from sisyphus.errors import NoDesignError, SisyphusError
from sisyphus.model import natural_objective
from sisyphus.part_search import Choice
from sisyphus.plan import beats
from sisyphus.report.tables import table
from sisyphus.request import Kernel, Request, Source, read_kernel
from sisyphus.solve import Limits
from sisyphus.space import Options
from sisyphus.target import load_device, make_target
from sisyphus.units import Split, split
from sisyphus.units.phases import STARTED_S
from sisyphus.units.programs import program

KERNELS = Path(__file__).parents[1] / "kernels"
FOLDERS = {"gemm": "polybench", "2mm": "polybench", "cnn": "nn", "bert_100_3072": "nn"}
#: Cycles of designs that were routed on 1 and on 3 SLRs of a U55C, and DSPs of all of their loops that reports show.
ROUTED = {
    "2mm": ((58_483, 1_553), (43_205, 2_043)),
    "3mm": ((127_261, 1_526), (54_598, 4_160)),
    "atax": ((22_862, 702), (16_233, 414)),
    "bicg": ((11_313, 72), (11_265, 1_206)),
}

#: GF/s of runs on a U200, one SLR, transfers included; which sizes these had is taken to be those of kernels/.
MEASURED = {"2mm": 44.3, "3mm": 29.9, "atax": 1.03, "bicg": 1.03}
#: Assumed, as those of `sisyphus.units.phases`: bytes in a second between host and board (15.75 GB/s on PCIe 3.0 x16 at
#: most), and seconds until the transfer of an array begins.
SENT_PER_S, SENT_S = 10e9, 10e-6


def found(path: Path, device: str, count: int, limits: Limits, dsp: int | None = None, *, tree: bool = False) -> Split:
    """The split over so many units, with so many DSPs in all; searches are remembered."""
    ordered = {} if dsp is None else {"dsp": dsp // count}
    target = make_target(load_device(device), budget="routable", **ordered)
    source = Source(str(path))
    request = Request(
        source, target, Options(tree_reduction=tree, objective=natural_objective(target.device)), limits=limits
    )

    def find(kernels: Sequence[Kernel], asked: Request) -> Choice:
        return pipeline.search(kernels, asked, cache=Cache.of_user())

    return split(read_kernel(source), request, count, find, lambda stage: None)


def allowed(device: str) -> dict[str, float]:
    """How much more all SLRs have than the largest one."""
    slrs = make_target(load_device(device)).slrs
    return {name: sum(getattr(s, name) for s in slrs) / max(getattr(s, name) for s in slrs) for name in ("lut", "dsp")}


def on_boards(only: Sequence[str], most: Limits) -> Iterator[tuple[str, ...]]:
    limits = allowed("u200")
    for name, folder in FOLDERS.items():
        if only and name not in only:
            continue
        one, three = (found(KERNELS / folder / f"{name}.c", "u200", count, most) for count in (1, 3))
        gain = one.cycles / three.cycles
        yield (
            name,
            f"{one.cycles:,}",
            " ".join(f"{unit.cycles:,}" for unit in three.units),
            f"{three.dealing.name} {'+'.join(map(str, three.sizes))}",
            f"{gain:.2f}x",
            *(f"{gain / limit:.0%}" for limit in limits.values()),
        )


def against_routed(only: Sequence[str], most: Limits, *, as_many_dsp: bool, tree: bool) -> Iterator[tuple[str, ...]]:
    for name, published in ROUTED.items():
        for count, (cycles, dsp) in zip((1, 3), published, strict=True):
            if only and name not in only:
                continue
            path, least = KERNELS / "polybench" / f"{name}.c", dsp if as_many_dsp else None
            try:
                ours = found(path, "u55c", count, most, least, tree=tree)
            except NoDesignError as failure:
                yield name, str(count), f"{cycles:,}", f"{dsp:,}", "none", "", "", failure.message
                continue
            sizes = f"{ours.dealing.name} {'+'.join(map(str, ours.sizes))}"
            used = [unit.estimate.dsp for unit in ours.units]
            told = f"{sum(used):,}"
            ratio = f"{ours.cycles / cycles:.2f}x"
            yield name, str(count), f"{cycles:,}", f"{dsp:,}", f"{ours.cycles:,}", told, ratio, sizes


def against_runs(only: Sequence[str], most: Limits, *, tree: bool) -> Iterator[tuple[str, ...]]:
    """One execution takes its transfers and its run; with two in flight, as `--repeat` has, what is longer counts."""
    clock = make_target(load_device("u200")).clock_mhz * 1e6
    for name, measured in MEASURED.items():
        for count in (1, 3):
            if only and name not in only:
                continue
            path = KERNELS / "polybench" / f"{name}.c"
            ours = found(path, "u200", count, most, tree=tree)
            run = STARTED_S + ours.cycles / clock
            ports = [(unit, port) for unit in map(program, ours.units) for port in unit.ports if port.kind == "array"]
            sent = [port for unit, port in ports if port in unit.filled]
            sent += [port for unit, port in ports if port in unit.delivered]
            moved = sum(SENT_S + beats(port) * port.width * port.type.bytes / SENT_PER_S for port in sent)
            operations = float_operations(ours.scop) or 0
            once, many = (operations / seconds / 1e9 for seconds in (run + moved, max(run, moved)))
            times = f"{run * 1e6:,.0f}", f"{moved * 1e6:,.0f}"
            ratios = f"{once / measured:.1f}x", f"{many / measured:.1f}x"
            yield name, str(count), f"{measured:g}", f"{ours.cycles:,}", *times, f"{once:.1f}", f"{many:.1f}", *ratios


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--effort", type=float)
    parser.add_argument("--only", default="")
    parser.add_argument("--boards", action="store_true")
    parser.add_argument("--routed", action="store_true")
    parser.add_argument("--as-many-dsp", action="store_true")
    parser.add_argument("--runs", action="store_true")
    parser.add_argument("--tree-reduction", action="store_true")
    asked = parser.parse_args()
    only = [name for name in asked.only.split(",") if name]
    most = Limits(seconds=asked.time_limit) if asked.effort is None else Limits(effort=asked.effort)
    both = not (asked.boards or asked.routed or asked.runs)
    try:
        if asked.boards or both:
            header = ("kernel", "1 unit", "3 units", "shares", "gain", "of LUT", "of DSP")
            print(table(header, list(on_boards(only, most))), flush=True)
        if asked.routed or both:
            header = ("kernel", "SLRs", "routed", "its DSPs, at least", "ours", "its DSPs", "ours/routed", "shares")
            rows = list(against_routed(only, most, as_many_dsp=asked.as_many_dsp, tree=asked.tree_reduction))
            print(table(header, rows), flush=True)
        if asked.runs or both:
            header = (
                "kernel",
                "SLRs",
                "measured GF/s",
                "ours",
                "run us",
                "moved us",
                "GF/s",
                "in flight",
                "",
                "in flight",
            )
            print(table(header, list(against_runs(only, most, tree=asked.tree_reduction))), flush=True)
    except SisyphusError as failure:
        print(failure.render(), file=sys.stderr)
        return failure.exit_code
    return 0


if __name__ == "__main__":
    begun = time.monotonic()
    status = main()
    print(f"{time.monotonic() - begun:.0f} s", file=sys.stderr)
    sys.exit(status)
