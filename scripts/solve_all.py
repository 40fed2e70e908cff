"""Proves the best design of the paper's problems, or of every kernel at some data sets, and prints a table.

    python scripts/solve_all.py [--model measured] [--solver exact] [--time-limit 60] [kernel ...]
    python scripts/solve_all.py --set MEDIUM --set LARGE --set EXTRALARGE --set FULL
    python scripts/solve_all.py --solver scip --time-limit 120 --against exact

Without --set: the 18 kernels of the paper at its sizes, each with and without tree reduction, divisors only and
optimistic reuse. `objective` are cycles by the full model, or with --model paper the paper's own objective. Each
problem runs in a process of its own, so that its peak memory can be told. Seconds are those of the search as the
command does it, over all forms of the kernel, which share the time limit; `cpu` are processor seconds, those of
solvers in child processes among them; `first` is when the first design was there. Rows are printed as they are done,
and a summary last. With --against, each problem is also given to another solver, with the same limit, and `ratio` is
the objective over the better of both.
Exits 1 if a problem is left without a design.
"""

from __future__ import annotations

import argparse
import gc
import math
import resource
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from sisyphus.choice import find
from sisyphus.cli.main import COLLECT_AFTER
from sisyphus.errors import InternalError, SisyphusError
from sisyphus.kernel_forms import load_kernels
from sisyphus.request import Model, Request, Source
from sisyphus.solve import Limits
from sisyphus.space import Options
from sisyphus.target import load_device, make_target

KERNELS = Path(__file__).resolve().parent.parent / "kernels"
#: Those of the paper, at the sizes that the files default to.
PAPER = (
    *("2mm", "3mm", "atax", "bicg", "doitgen", "gemm", "gemver", "gesummv", "mvt", "symm", "syr2k", "syrk", "trmm"),
    *("bert_100_64", "bert_100_768", "bert_100_3072", "bert_3072_100", "cnn"),
)
COLUMNS = ("kernel", "set", "tree", "objective", "bound", "gap %", "first", "seconds", "cpu", "MB", "stop", "ratio")
WIDTHS = (16, 10, 4, 17, 17, 6, 6, 7, 7, 5, 8, 6)
#: A design this much dearer than the best known one still counts as good.
NEAR = 1.05
#: Seconds within which a first design is to be there.
SOON_S = 5.0


@dataclass(frozen=True)
class Job:
    """One row to be."""

    path: str
    data_set: str
    defines: tuple[str, ...]
    options: Options
    model: Model
    solver: str
    limit_s: float
    against: str | None = None


@dataclass(frozen=True)
class Row:
    """What came of a job."""

    job: Job
    objective: float | None
    bound: float | None
    first_s: float | None
    seconds: float
    cpu_s: float
    megabytes: float
    stop: str
    other: float | None = None

    @property
    def ratio(self) -> float | None:
        """Of the objective to the best that is known, where another solver had a try."""
        if self.other is None:
            return None
        return math.inf if self.objective is None else self.objective / min(self.objective, self.other)

    def cells(self) -> tuple[str, ...]:
        known = self.objective is not None and self.bound is not None
        gap = 100 * (self.objective - self.bound) / self.objective if known else None  # type: ignore[operator]
        numbers = [self.objective, self.bound]
        return (
            Path(self.job.path).stem,
            self.job.data_set,
            "yes" if self.job.options.tree_reduction else "no",
            *("" if n is None else f"{n:.2f}" for n in numbers),
            "" if gap is None else f"{max(gap, 0.0):.2f}",
            "" if self.first_s is None else f"{self.first_s:.2f}",
            f"{self.seconds:.2f}",
            f"{self.cpu_s:.2f}",
            f"{self.megabytes:.0f}",
            self.stop,
            "" if self.ratio is None else f"{self.ratio:.4f}",
        )


def jobs(options: argparse.Namespace) -> Iterator[Job]:
    for table in sorted(KERNELS.glob("*/sizes.toml")):
        folder, sizes = table.parent, tomllib.loads(table.read_text())
        for source in sorted(folder.glob("*.c")):
            known = sizes.get(source.stem, {})
            if options.kernels and source.stem not in options.kernels:
                continue
            if not options.sets and source.stem not in PAPER:
                continue
            for data_set in [s for s in options.sets if s in known] if options.sets else [""]:
                defines = tuple(f"{key}={value}" for key, value in known.get(data_set, {}).items())
                tiles = options.tiles or ("auto" if data_set else "divisors")
                for tree in (False,) if options.no_tree else (False, True):
                    asked = Options(tree_reduction=tree, tiles=tiles)
                    how = options.model, options.solver, options.time_limit, options.against
                    yield Job(str(source), data_set, defines, asked, *how)


def run(job: Job) -> Row:
    """The best design over all forms of the kernel, and what the other solver makes of it."""
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)  # as the command does
    row = run_alone(job)
    if job.against is None:
        return row
    return replace(row, other=run_alone(replace(job, solver=job.against)).objective)


def run_alone(job: Job) -> Row:
    """The best design over all forms of the kernel, as the command finds it."""
    source = Source(job.path, defines=job.defines)
    kernels = load_kernels(source)
    target, limits = make_target(load_device("u200"), budget="chip"), Limits(seconds=job.limit_s)
    request = Request(source, target, job.options, job.solver, limits, job.model)
    started, before = time.monotonic(), processor_seconds()
    heard = Heard(started)
    try:
        outcome = find(kernels, request, on_progress=heard).outcome
    except SisyphusError as fault:
        objective, bound, stop = None, heard.bound, f"{type(fault).__name__}: {fault.message[:60]}"
    else:
        if outcome is None:
            raise InternalError("a search without an outcome")
        objective, bound, stop = outcome.objective, outcome.bound, outcome.stop.value
    seconds, cpu_s = time.monotonic() - started, processor_seconds() - before
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    return Row(job, objective, bound, heard.first_s, seconds, cpu_s, memory, stop)


def processor_seconds() -> float:
    """Of this process and of those of its solvers that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


@dataclass
class Heard:
    """What searches told of while they ran: when the first design was there, and the last bound."""

    started: float
    first_s: float | None = None
    bound: float | None = None

    def __call__(self, cost: float | None, bound: float | None, _: float) -> None:
        if cost is not None and self.first_s is None:
            self.first_s = time.monotonic() - self.started
        self.bound = bound if bound is not None else self.bound


def options_of(words: Sequence[str] | None = None) -> argparse.Namespace:
    """What the words of a command line ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", action="append", dest="sets", default=[], help="data set of sizes.toml")
    parser.add_argument("--model", choices=("paper", "measured"), default="measured")
    parser.add_argument("--no-tree", action="store_true", help="only without tree reduction")
    parser.add_argument("--tiles", choices=("auto", "divisors"), help="if not given, auto with --set, divisors without")
    parser.add_argument("--solver", default="exact")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds per kernel")
    parser.add_argument("--against", help="another solver to compare with, as `exact`")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("kernels", nargs="*")
    return parser.parse_args(words)


def main() -> int:
    options = options_of()
    with ProcessPoolExecutor(options.jobs, max_tasks_per_child=1) as pool:
        show(COLUMNS)
        rows = []
        for row in pool.map(run, jobs(options)):
            rows.append(row)
            show(row.cells())
    print(summary(rows))
    ratios = [row.ratio for row in rows if row.ratio is not None]
    if ratios:
        near, mean = sum(r <= NEAR for r in ratios), math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{near} of {len(ratios)} within {NEAR - 1:.0%} of the best known; ratio: geometric mean {mean:.4f}")
    return 0 if all(row.objective is not None for row in rows) else 1


def show(cells: Sequence[str]) -> None:
    print("  ".join(cell.rjust(width) for cell, width in zip(cells, WIDTHS, strict=True)), flush=True)


def summary(rows: Sequence[Row]) -> str:
    """How many have a design, how many soon, how many are proved, and what they took."""
    designs = [row for row in rows if row.objective is not None]
    soon = sum(row.first_s is not None and row.first_s <= SOON_S for row in rows)
    bounded = sum(row.bound is not None for row in designs)
    proved = sum(row.stop == "proved" for row in rows)
    mean = math.exp(sum(math.log(max(row.seconds, 1e-3)) for row in rows) / len(rows)) if rows else 0.0
    return (
        f"{len(designs)} of {len(rows)} with a design, {soon} of them within {SOON_S:g} s; {bounded} with a bound, "
        f"{proved} proved; seconds: geometric mean {mean:.2f}, most {max((r.seconds for r in rows), default=0):.2f}; "
        f"most memory {max((r.megabytes for r in rows), default=0):.0f} MB"
    )


if __name__ == "__main__":
    sys.exit(main())
