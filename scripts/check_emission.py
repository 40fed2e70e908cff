"""Prints how long code generation takes and how much it prints: every kernel, pipelined and fully unrolled.

    scripts/check_emission.py MEDIUM

The time of planning and printing is a share of the two seconds that it may take, the size of kernel.cpp in bytes. No
transfer whose buffer finds banks by a remainder may be given an `int`: the tool would divide all of its bits.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from plain_points import pipelined_point, unrolled_point  # noqa: E402

from sisyphus.analysis import dependences, distribute, liveness  # noqa: E402
from sisyphus.backends.hls import project  # noqa: E402
from sisyphus.backends.hls.identifiers import identifier  # noqa: E402
from sisyphus.backends.hls.loop_bounds import divides_by  # noqa: E402
from sisyphus.frontend import read  # noqa: E402
from sisyphus.plan import Plan, build_plan  # noqa: E402

LIMIT_S, LIMIT_BYTES = 2.0, 60_000


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data_set", nargs="?", default="MEDIUM")
    options = parser.parse_args(words)
    print(f"{'kernel':18s} {'pipelined':>10s} {'bytes':>7s} {'unrolled':>10s} {'bytes':>7s}")
    over = 0
    for sizes in sorted((ROOT / "kernels").glob("*/sizes.toml")):
        for name, sets in tomllib.loads(sizes.read_text()).items():
            if options.data_set in sets:
                over += _row(sizes.parent / f"{name}.c", sets[options.data_set])
    print(f"{over} over the limits of {LIMIT_S:g} s and {LIMIT_BYTES} bytes")
    return 1 if over else 0


def _row(path: Path, sizes: dict[str, int]) -> int:
    """Prints a line of the table; returns how many designs are over a limit."""
    scop = read(path, defines=[f"{name}={value}" for name, value in sizes.items()])
    distribution, live = distribute(scop, dependences(scop)), liveness(scop)
    cells, over, told = "", 0, list[str]()
    for point in (pipelined_point(scop, distribution), unrolled_point(scop, distribution)):
        started = time.process_time()
        plan = build_plan(scop, distribution, live, point)
        text = project(plan).files["kernel.cpp"]
        taken, printed = time.process_time() - started, len(text.encode())
        wide = wide_arguments(plan, text)
        over += taken > LIMIT_S or printed > LIMIT_BYTES or bool(wide)
        cells += f" {100 * taken / LIMIT_S:8.1f} % {printed:7d}"
        told += wide
    print(f"{path.stem:18s}{cells}{' wide: ' if told else ''}{', '.join(told)}", flush=True)
    return over


def wide_arguments(plan: Plan, text: str) -> list[str]:
    """Transfers that are given an `int` though an index of their buffer is divided."""
    divided = {b.id for b in plan.buffers if any(divides_by(b, at) for at in range(len(b.extents)))}
    names = [identifier(t.id) for t in plan.transfers if t.buffer in divided]
    return [n for n in names if re.search(rf"^static void {n}(_spread)?\(.*buffer\[.*, int ", text, re.MULTILINE)]


if __name__ == "__main__":
    sys.exit(main())
