"""Cycles of every kernel at several sizes, and per operation beside those of the first size: a Markdown table.

python scripts/scale.py [--sets MEDIUM,LARGE,EXTRALARGE] [--only lu,gemm] [--time-limit 20] [--jobs 2] [--lines FILE]
                        [--table] [--effort 20] [--grow gemm:NI,NJ,NK=64,128,256 --grow cnn:H,W=28,56]

With `--grow` each size has some macros of a kernel at one of some numbers, and a row, instead of data sets.

With `--lines` each design is a line of that file as soon as it is there, and what has a line is not searched again: so
runs of a few kernels each add up to one table, and `compare_cpu.py` needs no search. `--table` searches nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import searches

from sisyphus.analysis import total_operations
from sisyphus.errors import SisyphusError
from sisyphus.pipeline import Request, Source, optimize
from sisyphus.report.limits import held_back_by
from sisyphus.report.tables import markdown
from sisyphus.request import read_kernel
from sisyphus.solve import DEFAULT_SOLVER, EXACT, Limits
from sisyphus.space import Options
from sisyphus.target import Target, load_device, make_target

KERNELS = Path(__file__).parents[1] / "kernels"
#: Cycles per operation may grow by so much with the size (a goal, not a rule).
GOAL = 1.5


@dataclass(frozen=True)
class Found:
    """The best design of a kernel at a size after so many seconds or so much effort; no `cycles`: there is none."""

    kernel: str
    data_set: str
    seconds: float
    operations: int
    cycles: int | None = None
    limit: int | None = None
    chain: int = 0
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
    parser.add_argument("--effort", type=float, help="counted work per search, in place of a time limit")
    parser.add_argument("--device", default="u200", help="another board, whose searches have lines of their own")
    parser.add_argument("--jobs", type=int, default=1, help="searches at a time, each on a core")
    parser.add_argument("--lines", type=Path)
    parser.add_argument("--table", action="store_true", help="only print what is known")
    parser.add_argument("--grow", action="append", default=[], help="KERNEL:MACRO[,MACRO]=N[,N]; may be repeated")
    asked = parser.parse_args()
    known = {} if asked.lines is None or not asked.lines.exists() else read(asked.lines.read_text())
    limits = Limits(seconds=asked.time_limit) if asked.effort is None else Limits(effort=asked.effort)
    sizes = tomllib.loads((KERNELS / "polybench" / "sizes.toml").read_text())
    grown = [list(grow(words)) for words in asked.grow]
    names = [name for name in asked.only.split(",") if name] or sorted(sizes)
    data_sets = [(name, data_set) for data_set in asked.sets.split(",") for name in names]
    keys = [key for row in grown for key in row] if grown else data_sets
    searches.fill(
        known,
        [] if asked.table else keys,
        partial(search_key, sizes=sizes, limits=limits, target=make_target(load_device(asked.device))),
        jobs=asked.jobs,
        lines=asked.lines,
    )
    print("\n\n".join(by_size(row, known) for row in grown) if grown else told(names, asked.sets.split(","), known))
    return 0


def grow(words: str) -> Iterator[tuple[str, str]]:
    """A kernel, and the macros with each of the numbers, as `gemm:NI,NJ=64,128` has them."""
    name, _, rest = words.partition(":")
    macros, _, numbers = rest.partition("=")
    for number in numbers.split(","):
        yield name, ",".join(f"{macro}={int(number)}" for macro in macros.split(","))


def search_key(
    key: tuple[str, str], sizes: Mapping[str, Mapping[str, Mapping[str, int]]], limits: Limits, target: Target
) -> Found:
    """The search of a kernel at a data set, or with the macros that stand in place of one."""
    name, data_set = key
    macros = dict(word.split("=") for word in data_set.split(",")) if "=" in data_set else sizes[name][data_set]
    return search(name, data_set, {macro: int(value) for macro, value in macros.items()}, limits, target=target)


def read(text: str) -> dict[tuple[str, str], Found]:
    """What lines say; the last one of a kernel and a size holds."""
    return {found.key: found for line in text.splitlines() for found in [Found(**json.loads(line))]}


def search(
    name: str,
    data_set: str,
    sizes: Mapping[str, int],
    limits: Limits,
    *,
    target: Target | None = None,
    options: Options | None = None,
) -> Found:
    """The default search, on a u200 unless another target is given."""
    source = Source(str(next(KERNELS.glob(f"*/{name}.c"))), defines=tuple(f"{n}={value}" for n, value in sizes.items()))
    operations = sum(total_operations(read_kernel(source)).values())
    target = target or make_target(load_device("u200"))
    solver = DEFAULT_SOLVER if limits.effort is None else EXACT
    asked = Request(source, target, options or Options(), solver, limits=limits, verify=False)
    given = limits.effort or limits.seconds or 0.0
    try:
        design = optimize(asked)
    except SisyphusError as failure:
        return Found(name, data_set, given, operations, held_back_by=failure.message.splitlines()[0])
    return Found(
        name,
        data_set,
        given,
        operations,
        cycles=design.estimate.cycles,
        limit=None if design.limit is None else design.limit.cycles,
        chain=0 if design.limit is None else design.limit.chain,
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


def by_size(row: Sequence[tuple[str, str]], known: Mapping[tuple[str, str], Found]) -> str:
    """A table of one kernel: a row for each size, with what an operation takes beside that at the size before."""
    header = [
        "kernel",
        "sizes",
        "cycles",
        "cycles per 1,000 operations",
        "of the size before",
        "of the limit",
        "search",
    ]
    rows, before = [], None
    for name, sizes in row:
        found = known.get((name, sizes))
        if found is None or found.cycles is None:
            rows.append([name, sizes, "none", "", "", "", "" if found is None else found.held_back_by])
            continue
        each = 1000 * found.cycles / found.operations
        limit = f"{found.cycles / found.limit:.2f}x" if found.limit else ""
        rows.append([name, sizes, f"{found.cycles:,}", f"{each:.3f}", growth(before, found), limit, found.search])
        before = found
    return "\n".join(markdown(header, rows))


def growth(first: Found | None, other: Found | None) -> str:
    """How many times as many cycles per operation; empty where one is not known."""
    if first is None or other is None or not first.cycles or not other.cycles or not other.operations:
        return ""
    return f"{other.cycles / other.operations / (first.cycles / first.operations):,.2f}x"


if __name__ == "__main__":
    sys.exit(main())
