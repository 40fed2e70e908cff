#!/usr/bin/env python3
"""Condense a table of measured operators into the width tables of `sisyphus.target`; knows no cost rule.

    make_target_data.py OPERATORS.csv FABRIC.csv

OPERATORS.csv has one row per (version, part, clock, operator, width). What depends on the width alone (fabric
expressions, small multipliers, dividers, multiplexers) becomes one row per (table, width) here.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Mapping
from pathlib import Path

VERSION = "2023.2"
FABRIC = {"add": "add", "icmp": "compare", "select": "select", "or": "logic", "xor": "logic", "shl": "shift"}
DIVIDERS = ("udiv", "sdiv", "urem", "srem")
MUXES = ("mux", "mux_table", "sparsemux")
ULTRASCALE_PLUS = ("any", "xcu", "xcvu", "xck26", "xczu")

Key = tuple[str, int]
Cost = tuple[int, int]


def table_row(row: Mapping[str, str]) -> tuple[Key, Cost] | None:
    """The (table, width) and (FF, LUT) that a row speaks of, or None where it speaks of something else."""
    operator = row["operator"]
    if not row["lut"]:
        return None
    cost = (int(row["ff"]), int(row["lut"]))
    widths = [int(n) for n in re.findall(r"\d+", row["width"])]
    if operator in DIVIDERS:
        return None if "impl=seq" in row["note"] else (("divide", widths[0]), cost)
    if row["vitis"] != VERSION:
        return None
    if operator in MUXES:
        return ("mux", widths[0]), cost
    if operator == "mul":
        wider = max(widths[:2])
        return (("multiply", wider), cost) if int(row["dsp"]) <= 1 and wider <= 27 else None
    if operator not in FABRIC:
        return None
    width = widths[0]
    # The inner adder of a three-operand sum and a selection between two constants print another width than they have.
    if (operator == "add" and cost[1] <= width) or (operator == "select" and cost[1] > width):
        return None
    return (FABRIC[operator], width), cost


def condense(source: Path) -> dict[Key, Cost]:
    """All width tables; two rows that disagree are an error, because a cost here depends on nothing but the width.

    Dividers cost the same on every family, so that other families fill the widths UltraScale+ was not seen with.
    """
    found: dict[Key, Cost] = {}
    elsewhere: dict[Key, Cost] = {}
    with source.open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            entry = table_row(row)
            if entry is None:
                continue
            key, cost = entry
            if not row["part"].startswith(ULTRASCALE_PLUS):
                elsewhere[key] = cost
            elif found.setdefault(key, cost) != cost:
                raise SystemExit(f"{key}: {found[key]} and {cost}")
    return elsewhere | found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("operators", type=Path, metavar="OPERATORS.csv")
    parser.add_argument("fabric", type=Path, metavar="FABRIC.csv")
    arguments = parser.parse_args()
    rows = sorted(condense(arguments.operators).items())
    with arguments.fabric.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(("table", "width", "ff", "lut"))
        writer.writerows((table, width, ff, lut) for (table, width), (ff, lut) in rows)
    print(f"{len(rows)} rows in {arguments.fabric}")


if __name__ == "__main__":
    main()
