"""Runs two commits side by side on the problems of `solve_all.py`, and prints what became slower, larger or worse.

    python scripts/compare_commits.py HEAD~5 [kernel ...]
    python scripts/compare_commits.py 11e74a0 --after main --set EXTRALARGE --time-limit 30

Without --after, the second side is this working tree. Each problem runs on one side and then on the other, in a process
of its own each. `s` are seconds of the processor for the search over all forms of a kernel, without reading the source;
`MB` is the peak memory of the process. Under the table stand the geometric mean of the ratios of processor seconds and
everything that is worse: a design, a gap, a proof that is no longer there.
Exits 1 if the cycles or the gap of any problem are worse than before.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
#: Shares of cycles, and percent of a gap, below which two figures are equal.
EQUAL, EQUAL_GAP = 1e-9, 0.005
#: Runs the problem of one line of JSON by the `solve_all.py` of a checkout, without options that it does not know.
ONE = """
import json, sys, time
from dataclasses import fields
sys.path.insert(0, "scripts")
import solve_all
found = {}
def load(*given, _load=solve_all.load_kernels, **named):
    kernels = _load(*given, **named)
    found["began"] = time.process_time()
    return kernels
solve_all.load_kernels = load
told, known = json.loads(sys.argv[1]), [field.name for field in fields(solve_all.Options)]
options = solve_all.Options(**{name: told["options"][name] for name in known if name in told["options"]})
job = solve_all.Job(**{**told, "path": str(solve_all.KERNELS / told["path"]), "options": options})
row = solve_all.run_alone(job)
spent = time.process_time() - found["began"]
print(json.dumps([row.objective, row.bound, row.stop, spent, row.megabytes]))
"""
#: The problems of a checkout, one line of JSON each.
LIST = """
import json, sys
from dataclasses import asdict
sys.path.insert(0, "scripts")
import solve_all
for job in solve_all.jobs(solve_all.options_of(sys.argv[1:])):
    one = asdict(job)
    print(json.dumps({**one, "path": str(job.path).removeprefix(str(solve_all.KERNELS) + "/")}))
"""
COLUMNS = ("kernel", "set", "tree", "cycles", "after", "gap %", "after", "s", "after", "ratio", "MB", "after", "")
WIDTHS = (16, 10, 4, 15, 15, 6, 6, 7, 7, 5, 5, 5, 8)


@dataclass(frozen=True)
class Side:
    """What a checkout made of a problem."""

    cycles: float | None
    bound: float | None
    stop: str
    seconds: float
    megabytes: float

    @property
    def gap(self) -> float:
        """In percent of the cycles; infinite where one of both is not known."""
        if self.cycles is None or self.bound is None:
            return math.inf
        return max(0.0, 100 * (self.cycles - self.bound) / self.cycles) if self.cycles else 0.0


def checkout(commit: str, place: Path) -> Path:
    """The files of a commit."""
    packed = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=BytesIO(packed)) as files:
        files.extractall(place, filter="data")
    return place


def python(place: Path, program: str, *words: str) -> str:
    """What a program prints that imports the package and the scripts of a checkout."""
    environment = {**os.environ, "PYTHONPATH": str(place)}
    done = subprocess.run(
        [sys.executable, "-c", program, *words], cwd=place, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout


def solved(place: Path, job: dict[str, Any]) -> Side:
    return Side(*json.loads(python(place, ONE, json.dumps(job)).splitlines()[-1]))


def worse(before: Side, after: Side) -> str:
    """What is worse than before, in a word; nothing if all is as good."""
    if before.cycles is not None and (after.cycles is None or after.cycles > before.cycles * (1 + EQUAL)):
        return "cycles"
    if after.gap > before.gap + EQUAL_GAP:
        return "gap"
    return "proof" if before.stop == "proved" != after.stop else ""


def cells(job: dict[str, Any], before: Side, after: Side) -> Iterator[str]:
    yield from (Path(job["path"]).stem, job["data_set"], "yes" if job["options"]["tree_reduction"] else "no")
    yield from ("" if side.cycles is None else f"{side.cycles:.2f}" for side in (before, after))
    yield from ("" if math.isinf(side.gap) else f"{side.gap:.2f}" for side in (before, after))
    yield from (f"{side.seconds:.2f}" for side in (before, after))
    yield f"{after.seconds / max(before.seconds, 1e-3):.2f}"
    yield from (f"{side.megabytes:.0f}" for side in (before, after))
    yield worse(before, after)


def show(texts: Sequence[str]) -> None:
    print("  ".join(text.rjust(width) for text, width in zip(texts, WIDTHS, strict=True)), flush=True)


def mean(values: Sequence[float]) -> float:
    return math.exp(sum(math.log(max(v, 1e-3)) for v in values) / len(values)) if values else 0.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", help="a commit")
    parser.add_argument("--after", help="another commit; the working tree without it")
    known, asked = parser.parse_known_args()
    with tempfile.TemporaryDirectory(prefix="sisy-compare-") as folder:
        old = checkout(known.before, Path(folder, "before"))
        new = ROOT if known.after is None else checkout(known.after, Path(folder, "after"))
        jobs = [json.loads(line) for line in python(ROOT, LIST, *asked).splitlines()]
        show(COLUMNS)
        pairs = []
        for job in jobs:
            pairs.append((solved(old, job), solved(new, job)))
            show(list(cells(job, *pairs[-1])))
    ratio = mean([after.seconds for _, after in pairs]) / mean([before.seconds for before, _ in pairs])
    most = [max(side.seconds for side in sides) for sides in zip(*pairs, strict=True)]
    found = [worse(*pair) for pair in pairs]
    print(
        f"{len(pairs)} problems: processor seconds {ratio:.2f} times as many in the geometric mean, at most "
        f"{most[0]:.1f} before and {most[1]:.1f} after; worse: {sum(map(bool, found))}"
    )
    return 1 if any(found) else 0


if __name__ == "__main__":
    sys.exit(main())
