"""Writes sisyphus/evidence/data/cases.toml: the reported loops and designs behind a construct, each by its id.

An id is a line of constructs.csv or the name of a design in plans.json; both lie in ../shared/oracle beside a checkout.
A construct is listed where what its loops have in common can be said in terms of the columns, and their number is that
of the register.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from itertools import count, groupby
from pathlib import Path
from typing import Any

from sisyphus.evidence import entries

ROOT = Path(__file__).parents[1]
ORACLE = ROOT.parent / "shared" / "oracle"
WRITTEN = ROOT / "sisyphus" / "evidence" / "data" / "cases.toml"
Row = Mapping[str, str]

#: Tools and kernels whose loads of 512 bits took two cycles a beat in RTL.
LATE = {("sisyphus", "mvt"), *(("scalehls", k) for k in ("mvt", "atax", "bicg", "gesummv", "gemm", "2mm", "3mm"))}


def _is_late(row: Row) -> bool:
    tool, kernel = row["tool"].removeprefix("rtl_").removesuffix("_mem"), row["design"].rpartition("/")[2]
    return (tool, kernel.removesuffix("_done")) in LATE and "C10" in row["constructs"].split()


def _has(row: Row, *constructs: str) -> bool:
    return set(constructs) <= set(row["constructs"].split())


LOOPS: Mapping[str, Callable[[Row], bool]] = {
    "read-beside-an-update": lambda row: _has(row, "C2") and (_has(row, "C8") or row["II"] == "200"),
    "variable-bounds": lambda row: (
        _has(row, "C8")
        and row["variable_bounds"] == "yes"
        and row["flattened_levels"] == row["perfect_outer_levels"] == "0"
    ),
    "guard-as-select": lambda row: _has(row, "C5") and row["guard"] == "inlined select function" and row["II"] == "1",
    "tree-in-fabric": lambda row: (
        _has(row, "C11")
        and row["distance"] == "1"
        and row["fadd"].startswith("fabric")
        and row["pipeline_pragma"] != "plain"
    ),
    "transfer-wide-and-direct": _is_late,
}
DESIGNS: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "calls-in-steps": lambda design: True,
    "interface": lambda design: True,
    "area-of-designs": lambda design: True,
    "transfer-of-tiles": lambda design: any(task["transfers"] for task in design["tasks"].values()),
}


def main() -> int:
    if not ORACLE.exists():
        print(f"skipped: the reports are not there ({ORACLE})", file=sys.stderr)
        return 0
    with (ORACLE / "constructs.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(enumerate(csv.DictReader(lines), start=2))
    plans = [plan for plan in json.loads((ORACLE / "plans.json").read_text()) if plan["dtype"] == "float"]
    found = {name: _ranges(at for at, row in rows if holds(row)) for name, holds in LOOPS.items()}
    named = {name: [plan["id"] for plan in plans if holds(plan)] for name, holds in DESIGNS.items()}
    for name, ids in [
        *((n, sum(r[1] - r[0] + 1 for r in f)) for n, f in found.items()),
        *((n, len(i)) for n, i in named.items()),
    ]:
        if ids != entries()[name].of:
            print(f"{name}: {ids} cases, {entries()[name].of} in the register", file=sys.stderr)
            return 1
    text = [
        "# Made by scripts/make_evidence_cases.py: first and last lines of constructs.csv, designs of plans.json.",
        "",
    ]
    for name, ranges in found.items():
        text += [f"[{name}]", f"lines = {json.dumps(ranges)}", ""]
    for name, ids_ in named.items():
        text += [f"[{name}]", "designs = [", *(f"    {json.dumps(i)}," for i in ids_), "]", ""]
    WRITTEN.write_text("\n".join(text), encoding="utf-8")
    return 0


def _ranges(lines: Iterable[int]) -> list[tuple[int, int]]:
    """First and last line of each run of lines."""
    step = count()
    runs = [list(run) for _, run in groupby(lines, key=lambda line: line - next(step))]
    return [(run[0], run[-1]) for run in runs]


if __name__ == "__main__":
    sys.exit(main())
