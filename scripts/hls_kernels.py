"""Runs the main job on the kernels of a folder and prints a table: of docs/kernels.md, or of docs/evidence/board.md.

python scripts/hls_kernels.py [--folder board] [--time-limit 20 | --effort 10] [--only fir_int16,crc32]
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
import time
from pathlib import Path

from sisyphus.errors import KernelError, SisyphusError
from sisyphus.pipeline import Request, Source, optimize
from sisyphus.report.limits import ratio_to
from sisyphus.solve import Limits
from sisyphus.target import load_device, make_target

KERNELS = Path(__file__).parents[1] / "kernels"
EMPTY = ("",) * 5
HEAD = ("kernel", "what", "outcome", "cycles", "of the limit", "held by", "search", "seconds")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", default="hls", help="a folder of kernels/")
    parser.add_argument("--time-limit", type=float, default=20.0, help="seconds per search")
    parser.add_argument("--effort", type=float, help="searches of so much effort instead, the same on every machine")
    parser.add_argument("--only", default="", help="comma-separated kernel names")
    chosen = parser.parse_args()
    only = set(filter(None, chosen.only.split(",")))
    failures = 0
    for row in (HEAD, ("---",) * len(HEAD)):
        print(f"| {' | '.join(row)} |")
    limits = Limits(seconds=chosen.time_limit) if chosen.effort is None else Limits(effort=chosen.effort)
    for path in sorted((KERNELS / chosen.folder).glob("*.c")):
        if not only or path.stem in only:
            passed, cells = _row(path, limits)
            failures += not passed
            print(f"| {' | '.join(cells)} |", flush=True)
    print(f"{failures} failed", file=sys.stderr)
    return 1 if failures else 0


def source_of(path: Path) -> Source:
    """The kernel with the options that stand behind `args:` in its first comment."""
    found = re.search(r"args: (.*?) \*/", path.read_text())
    words = shlex.split(found.group(1)) if found else []
    pairs = list(zip(words[::2], words[1::2], strict=True))
    return Source(str(path), extents=tuple(value for option, value in pairs if option == "--extent"))


def _row(path: Path, limits: Limits) -> tuple[bool, tuple[str, ...]]:
    """Whether the outcome is one that should be, and what to print of it."""
    summary = " ".join(path.read_text().split("*/")[0].strip("/* ").split())
    what = re.split(r"(?<=[a-z0-9)])[.:;] ", summary.split(" args:")[0])[0].rstrip(".")
    started = time.monotonic()
    request = Request(
        source=source_of(path),
        target=make_target(load_device("u200"), budget="routable"),
        limits=limits,
    )
    try:
        design = optimize(request)
    except KernelError as refused:
        rules = sorted({d.rule for d in refused.diagnostics})
        return bool(rules), (path.stem, what, f"refused: {', '.join(f'`{r}`' for r in rules)}", *EMPTY)
    except SisyphusError as fault:
        return False, (path.stem, what, f"failed: {fault.message[:60]}", *EMPTY)
    took = time.monotonic() - started
    verdict = design.verdict
    passed = verdict is not None and verdict.passed
    gap = design.outcome.gap if design.outcome else None
    search = "proved" if gap == 0 else "no bound" if gap is None else f"gap {100 * gap:.0f} %"
    outcome = "verified" if passed else "verification failed"
    limit, cycles = design.limit, design.estimate.cycles
    of_limit = f"{ratio_to(limit, design.estimate):.2f}x"
    return passed, (path.stem, what, outcome, f"{cycles:,}", of_limit, limit.held_by, search, f"{took:.1f}")


if __name__ == "__main__":
    sys.exit(main())
