"""Writes sisyphus/evidence/data/cases.toml: the reported loops and designs behind a construct, each by its id.

An id is a line of a table (constructs.csv, overlap.csv, operators.csv, memories.csv) or the name of a design in
plans.json; all lie in ../shared/oracle beside a checkout. What the loops of a construct have in common is said in terms
of the columns, and so is which of them agree with its rule: the register counts no others. The constructs of a design
are those that the model finds in its plan; designs whose cycles are predicted within 1 % agree.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import count, groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from oracle_import import estimate_of, measured_designs

from sisyphus.evidence import entries

ROOT = Path(__file__).parents[1]
ORACLE = ROOT.parent / "shared" / "oracle"
WRITTEN = ROOT / "sisyphus" / "evidence" / "data" / "cases.toml"
Row = Mapping[str, str]
Test = Callable[[Row], bool]

#: Cycles of the tool's own report, within which a design counts as agreeing.
NEAR = 0.01

#: Tools and kernels whose loads of 512 bits took two cycles a beat in RTL.
LATE = {("sisyphus", "mvt"), *(("scalehls", k) for k in ("mvt", "atax", "bicg", "gesummv", "gemm", "2mm", "3mm"))}


def _is_late(row: Row) -> bool:
    tool, kernel = row["tool"].removeprefix("rtl_").removesuffix("_mem"), row["design"].rpartition("/")[2]
    return (tool, kernel.removesuffix("_done")) in LATE and "C10" in row["constructs"].split()


def _has(row: Row, *constructs: str) -> bool:
    return set(constructs) <= set(row["constructs"].split())


def _number(row: Row, column: str, other: float = 0.0) -> float:
    try:
        return float(row[column])
    except ValueError:
        return other


def _chain(row: Row) -> float:
    """Cycles of the additions into one element, one after the other."""
    return 7 * _number(row, "adds_per_element")


def _is_on_target(row: Row) -> bool:
    return _number(row, "II", 99) <= _number(row, "target_II", 1)


def _is_every_start(row: Row) -> bool:
    return row["II"] == "1"


def _is_updated(row: Row, *, moved: str, storage: tuple[str, ...] = ("RAM",)) -> bool:
    """One update in place that the body does not repeat for elements written out; `moved` by the pipelined loop."""
    one = _has(row, "C1") and not _has(row, "C2") and "written out" not in row["comment"]
    return one and row["pipelined_iter_in_subscript"] == moved and row["storage"] in storage


def _is_plain_sum(row: Row, order: str) -> bool:
    """A reduction in the pipelined loop, at the clock of most reports."""
    plain = row["distance"] == "1" and row["pipeline_pragma"] == "plain" and row["clock_ns"] == "4"
    kept = _is_updated(row, moved="no", storage=("RAM", "registers", "<=4 words per bank"))
    return plain and kept and row["reduction_order"] == order and not row["guard"] and not _has(row, "C4")


def _returns_late(row: Row) -> bool:
    """Its updates need not wait for each other: a pragma says so, or the element comes back late or not at all."""
    told = row["dependence_false_pragma"] == "yes" or row["distance"] == "none"
    return told or _number(row, "distance") >= _chain(row) + 3


@dataclass(frozen=True)
class Loops:
    """Lines of a table by what they have in common, and those of them that agree with the rule."""

    holds: Test
    agrees: Test = lambda row: True
    table: str = "constructs.csv"


OURS = ("sisyphus", "rtl_sisyphus")
REGISTERS = ("registers", "<=4 words per bank")
LOOPS: Mapping[str, Loops] = {
    "perfect-nest": Loops(
        lambda row: (
            _number(row, "perfect_outer_levels") > 0
            and row["pipelined_iter_in_subscript"] != "no"
            and row["variable_bounds"] != "yes"
        ),
        lambda row: row["flattened_levels"] == row["perfect_outer_levels"],
    ),
    "unflattened-reduction": Loops(
        lambda row: (
            _is_updated(row, moved="no", storage=("RAM", *REGISTERS))
            and _number(row, "perfect_outer_levels") > 0
            and _number(row, "elements_per_body") >= 600
        ),
        lambda row: row["flattened_levels"] == "0",
    ),
    "variable-bounds": Loops(
        lambda row: (
            _has(row, "C8")
            and row["variable_bounds"] == "yes"
            and row["flattened_levels"] == row["perfect_outer_levels"] == "0"
        )
    ),
    "update-in-place": Loops(
        lambda row: (
            _has(row, "C1")
            and not _has(row, "C2")
            and "written out" not in row["comment"]
            and row["dependence_false_pragma"] == "no"
            and row["storage"] == "RAM"
            and _number(row, "distance") > 1
            and _number(row, "distance") >= _chain(row) + 3
        ),
        _is_on_target,
    ),
    "update-of-new-elements": Loops(
        lambda row: (
            _is_updated(row, moved="yes") and row["distance"] == "none" and row["dependence_false_pragma"] == "no"
        ),
        _is_on_target,
    ),
    "update-of-registers": Loops(
        lambda row: _is_updated(row, moved="yes", storage=REGISTERS) and row["II"] != "1" and not _has(row, "C11"),
        lambda row: _number(row, "II") >= 7,
    ),
    "sum-along-the-pipeline": Loops(
        lambda row: _is_plain_sum(row, "serial"),
        lambda row: _number(row, "II") == (6 if row["adds_per_element"] == "1" else _chain(row)),
    ),
    "tree-along-the-pipeline": Loops(lambda row: _is_plain_sum(row, "unsafe-math"), lambda row: row["II"] == "6"),
    "tree-in-fabric": Loops(
        lambda row: (
            _has(row, "C11")
            and row["distance"] == "1"
            and row["fadd"].startswith("fabric")
            and row["pipeline_pragma"] != "plain"
        )
    ),
    "chained-updates": Loops(
        lambda row: (
            _has(row, "C3")
            and _is_updated(row, moved="yes", storage=("RAM", *REGISTERS))
            and not row["guard"]
            and _returns_late(row)
        ),
        _is_on_target,
    ),
    "read-beside-an-update": Loops(
        lambda row: _has(row, "C2") and (_has(row, "C8") or row["II"] == "200"), lambda row: row["II"] != "1"
    ),
    "lanes-of-one-loop": Loops(
        lambda row: (
            _is_updated(row, moved="yes", storage=("RAM", *REGISTERS))
            and row["split_subscript"] == "with unrolled"
            and _returns_late(row)
        ),
        _is_on_target,
    ),
    "guard-as-select": Loops(
        lambda row: _has(row, "C5") and row["guard"] == "inlined select function" and row["II"] == "1"
    ),
    "several-statements": Loops(
        lambda row: (
            _has(row, "C1")
            and "written out" in row["comment"]
            and row["pipelined_iter_in_subscript"] == "yes"
            and row["storage"] == "RAM"
            and row["dependence_false_pragma"] == "no"
        ),
        _is_on_target,
    ),
    "copy-of-array": Loops(
        lambda row: _has(row, "C1", "C5") and row["tool"] in OURS and "/trmm" in row["design"], _is_every_start
    ),
    "copy-for-readers": Loops(
        lambda row: row["kind"] == "dataflow_interval_min" and row["detail"].count("load_vA") > 1,
        lambda row: row["difference"] == "0",
        "overlap.csv",
    ),
    "transfer-by-counters": Loops(lambda row: row["expression"].startswith("wide-port"), _is_every_start),
    "transfer-by-nested-loops": Loops(lambda row: _has(row, "C6") and row["tool"] in OURS, _is_every_start),
    "transfer-with-remainder": Loops(
        lambda row: _has(row, "C6") and row["tool"] in OURS and "rem" in row["other_fp_or_divider_cores"],
        _is_every_start,
    ),
    "transfer-wide-and-direct": Loops(_is_late),
    "transfer-through-fifo": Loops(
        lambda row: row["kind"] in ("dataflow_interval_min", "loop_calling_dataflow_IL"),
        lambda row: abs(_number(row, "difference")) <= 1,
        "overlap.csv",
    ),
    **{
        name: Loops(
            lambda row: row["kind"] == "handmade_pingpong_IL", lambda row: row["difference"] == "0", "overlap.csv"
        )
        for name in ("skipped-part", "tiles-loaded-ahead")
    },
    "copies": Loops(
        lambda row: row["kind"] == "replicated_latency", lambda row: row["difference"] == "0", "overlap.csv"
    ),
    "core": Loops(lambda row: True, table="operators.csv"),
    "memory": Loops(lambda row: True, table="memories.csv"),
}
#: Constructs whose cases are whole designs.
DESIGNS = (
    *("calls-in-steps", "interface", "area-of-designs", "tree-in-a-body", "held-sum"),
    *(
        "tile-loop-around-a-subscript",
        "two-loops-in-another-subscript",
        "partition-complete",
        "partition-cyclic",
        "partition-uneven",
    ),
    *("transfer-by-lane-groups", "transfer-of-tiles"),
)


@dataclass(frozen=True)
class Found:
    """What stands behind a construct: lines of a table as first and last, or names of designs."""

    cases: tuple[tuple[int, int], ...] | tuple[str, ...]
    confirmed: int
    of: int
    table: str = ""


def main() -> int:
    if not ORACLE.exists():
        print(f"skipped: the reports are not there ({ORACLE})", file=sys.stderr)
        return 0
    found = {name: _lines(loops) for name, loops in LOOPS.items()} | _designs()
    wrong = [
        f"{name}: {f.confirmed} of {f.of} cases, {entries()[name].confirmed} of {entries()[name].of} in the register"
        for name, f in found.items()
        if (f.confirmed, f.of) != (entries()[name].confirmed, entries()[name].of)
    ]
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 1
    text = [
        "# Made by scripts/make_evidence_cases.py: first and last lines of tables, names of designs in plans.json.",
        "",
    ]
    for name, what in found.items():
        text.append(f"[{name}]")
        if what.table:
            text += [f'table = "{what.table}"', f"lines = {json.dumps(what.cases)}", ""]
        else:
            text += ["designs = [", *(f"    {json.dumps(i)}," for i in what.cases), "]", ""]
    WRITTEN.write_text("\n".join(text), encoding="utf-8")
    return 0


def _lines(loops: Loops) -> Found:
    with (ORACLE / loops.table).open(encoding="utf-8", newline="") as lines:
        rows = [(at, row) for at, row in enumerate(csv.DictReader(lines), start=2) if loops.holds(row)]
    agreed = sum(loops.agrees(row) for _, row in rows)
    return Found(_ranges(at for at, _ in rows), agreed, len(rows), loops.table)


def _designs() -> dict[str, Found]:
    """Designs of floats by the constructs that the model finds in them."""
    named, near = defaultdict[str, list[str]](list), set[str]()
    for design in measured_designs():
        if design["dtype"] == "float":
            cost = estimate_of(design)
            if abs(cost.cycles / design["measured"]["total_latency"] - 1) <= NEAR:
                near.add(design["id"])
            for rested in cost.evidence.constructs:
                if rested.owners:
                    named[rested.entry.id].append(design["id"])
    return {n: Found(tuple(named[n]), sum(i in near for i in named[n]), len(named[n])) for n in DESIGNS}


def _ranges(lines: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """First and last line of each run of lines."""
    step = count()
    runs = [list(run) for _, run in groupby(lines, key=lambda line: line - next(step))]
    return tuple((run[0], run[-1]) for run in runs)


if __name__ == "__main__":
    sys.exit(main())
