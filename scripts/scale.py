"""Cycles of every kernel at several sizes, and per operation beside those of the first size: a Markdown table.

python scripts/scale.py [--sets MEDIUM,LARGE,EXTRALARGE] [--only lu,gemm] [--time-limit 20] [--jobs 2] [--lines FILE]
                        [--table]

With `--lines` each design is a line of that file as soon as it is there, and what has a line is not searched again: so
runs of a few kernels each add up to one table, and `compare_cpu.py` needs no search. `--table` searches nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path

from sisyphus.analysis import total_operations
from sisyphus.errors import SisyphusError
from sisyphus.pipeline import Request, Source, optimize
from sisyphus.report.limits import held_back_by
from sisyphus.report.tables import markdown
from sisyphus.request import read_kernel
from sisyphus.solve import Limits
from sisyphus.space import Options
from sisyphus.target import Target, load_device, make_target

KERNELS = Path(__file__).parents[1] / "kernels" / "polybench"
#: Cycles per operation may grow by so much with the size (a goal, not a rule).
GOAL = 1.5


@dataclass(frozen=True)
class Found:
    """The best design of a kernel at a size after so many seconds; `cycles` is None where there is none."""

    kernel: str
    data_set: str
    seconds: float
    operations: int
    cycles: int | None = None
    limit: int | None = None
    search: str = ""
    held_back_by: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return self.kernel, self.data_set


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default="MEDIUM,LARGE,EXTRALARGE")
    parser.add_argument("--only", default="", help="comma-separated kernel names")
    parser.add_argument("--time-limit", type=float, default=20.0, help="seconds per search")
    parser.add_argument("--jobs", type=int, default=1, help="searches at a time, each on a core")
    parser.add_argument("--lines", type=Path)
    parser.add_argument("--table", action="store_true", help="only print what is known")
    asked = parser.parse_args()
    sizes = tomllib.loads((KERNELS / "sizes.toml").read_text())
    names = [name for name in asked.only.split(",") if name] or sorted(sizes)
    known = {} if asked.lines is None or not asked.lines.exists() else read(asked.lines.read_text())
    sets = [] if asked.table else asked.sets.split(",")
    waiting = [(name, data_set) for data_set in sets for name in names if (name, data_set) not in known]
    with ProcessPoolExecutor(asked.jobs, get_context("spawn"), max_tasks_per_child=1) as pool:
        done = [pool.submit(search, name, one, sizes[name][one], asked.time_limit) for name, one in waiting]
        for found in (future.result() for future in as_completed(done)):
            known[found.key] = found
            if asked.lines is not None:
                with asked.lines.open("a") as lines:
                    lines.write(json.dumps(asdict(found)) + "\n")
    print(told(names, asked.sets.split(","), known))
    return 0


def read(text: str) -> dict[tuple[str, str], Found]:
    """What lines say; the last one of a kernel and a size holds."""
    return {found.key: found for line in text.splitlines() for found in [Found(**json.loads(line))]}


def search(
    name: str,
    data_set: str,
    sizes: Mapping[str, int],
    seconds: float,
    *,
    target: Target | None = None,
    options: Options | None = None,
) -> Found:
    """The default search, on a u200 unless another target is given."""
    source = Source(str(KERNELS / f"{name}.c"), defines=tuple(f"{n}={value}" for n, value in sizes.items()))
    operations = sum(total_operations(read_kernel(source)).values())
    target = target or make_target(load_device("u200"))
    asked = Request(source, target, options or Options(), limits=Limits(seconds=seconds), verify=False)
    try:
        design = optimize(asked)
    except SisyphusError as failure:
        return Found(name, data_set, seconds, operations, held_back_by=failure.message.splitlines()[0])
    return Found(
        name,
        data_set,
        seconds,
        operations,
        cycles=design.estimate.cycles,
        limit=None if design.limit is None else design.limit.cycles,
        search="" if design.outcome is None else design.outcome.stop.value,
        held_back_by=held_back_by(design.estimate),
    )


def told(names: Sequence[str], sets: Sequence[str], known: Mapping[tuple[str, str], Found]) -> str:
    """The table: cycles, how they grow per operation, and what the largest design waits for."""
    header = ["kernel", *sets, *(f"per operation, {s}" for s in sets[1:]), f"{sets[-1]}: most of the cycles"]
    rows = []
    for name in names:
        found = [known.get((name, data_set)) for data_set in sets]
        cycles = ["" if one is None else "none" if one.cycles is None else f"{one.cycles:,}" for one in found]
        last = found[-1]
        rows.append([name, *cycles, *(growth(found[0], one) for one in found[1:]), last.held_back_by if last else ""])
    ratios = [growth(known.get((n, sets[0])), known.get((n, s))) for s in sets[1:] for n in names]
    within = sum(bool(text) and float(text[:-1].replace(",", "")) <= GOAL for text in ratios)
    return "\n".join(
        [*markdown(header, rows), "", f"{within} of {sum(map(bool, ratios))} grow by at most {GOAL}x per operation."]
    )


def growth(first: Found | None, other: Found | None) -> str:
    """How many times as many cycles per operation; empty where one is not known."""
    if first is None or other is None or not first.cycles or not other.cycles or not other.operations:
        return ""
    return f"{other.cycles / other.operations / (first.cycles / first.operations):,.2f}x"


if __name__ == "__main__":
    sys.exit(main())
