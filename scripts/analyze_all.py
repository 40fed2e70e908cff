"""Analyzes every kernel of the collection and prints what was found, how long it took and how much memory.

    python scripts/analyze_all.py [--set LARGE --set EXTRALARGE] [kernel ...]

Each kernel runs in a process of its own, so that its peak memory can be told. Exits 1 if any fails or passes a limit.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

KERNELS = Path(__file__).resolve().parent.parent / "kernels"
LIMIT_S = 5.0
LIMIT_MB = 1000.0
COLUMNS = ("kernel", "set", "stmts", "deps", "reds", "nests", "expanded", "orders", "flop", "s", "MB", "verdict")


def jobs(sets: list[str], wanted: list[str]) -> Iterator[tuple[str, str, list[str]]]:
    """(file, data set, defines) for every kernel that is asked for."""
    for folder in sorted(p for p in KERNELS.iterdir() if p.is_dir()):
        sizes = tomllib.loads((folder / "sizes.toml").read_text())
        for source in sorted(folder.glob("*.c")):
            if wanted and source.stem not in wanted:
                continue
            known = sizes.get(source.stem, {})
            for name in [s for s in sets if s in known] or [""]:
                yield str(source), name, [f"{key}={value}" for key, value in known.get(name, {}).items()]


def analyze(job: tuple[str, str, list[str]]) -> dict[str, Any]:
    """One row of the table."""
    path, name, defines = job
    from sisyphus.analysis import summary
    from sisyphus.frontend import read

    row: dict[str, Any] = {"kernel": Path(path).stem, "set": name}
    start = time.monotonic()
    try:
        found = summary(read(path, defines=defines))
        json.dumps(found)
        row |= figures(found)
        row["verdict"] = "approximate" if found["approximate"] or found["operations"]["uncounted"] else "ok"
    except Exception as fault:  # noqa: BLE001 - the table has a row for whatever goes wrong
        row["verdict"] = f"{type(fault).__name__}: {str(fault).splitlines()[0][:60] if str(fault) else ''}"
    row["s"] = round(time.monotonic() - start, 2)
    row["MB"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)
    if row["verdict"] == "ok" and (row["s"] > LIMIT_S or row["MB"] > LIMIT_MB):
        row["verdict"] = "over the limit"
    return row


def figures(found: dict[str, Any]) -> dict[str, Any]:
    """The numbers of a summary that fit a table."""
    expansion = found["expansion"]
    arrays = [f"{e['array']}[{','.join(e['over'])}]" for e in expansion["expanded"]] if expansion else []
    return {
        "stmts": len(found["statements"]),
        "deps": len(found["dependences"]),
        "reds": len(found["reductions"]),
        "nests": len(found["nests"]) if not expansion else f"{len(found['nests'])}>{len(expansion['nests'])}",
        "expanded": " ".join(arrays),
        "orders": max(nest["legal_orders"]["count"] for nest in found["nests"]),
        "flop": sum(n for op, n in found["operations"]["total"].items() if op.split()[0] in {"+", "-", "*", "/"}),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", action="append", dest="sets", help="data set; LARGE and EXTRALARGE unless given")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("kernels", nargs="*")
    options = parser.parse_args()
    work = list(jobs(options.sets or ["LARGE", "EXTRALARGE"], options.kernels))
    with ProcessPoolExecutor(options.jobs, max_tasks_per_child=1) as pool:
        rows = list(pool.map(analyze, work))
    cells = [COLUMNS, *(tuple(str(row.get(c, "")) for c in COLUMNS) for row in rows)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(COLUMNS))]
    for line in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    failed = [row for row in rows if row["verdict"] != "ok"]
    print(f"{len(rows)} analyses, {len(failed)} not ok; slowest {max(row['s'] for row in rows)} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
