"""Integer operators and multiplexers, whose cost depends on widths alone; knows no clock and no part."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sisyphus.errors import InternalError
from sisyphus.target.cost import OpCost
from sisyphus.target.data_files import package_csv, package_toml
from sisyphus.target.memories import memory_table

_Entry = tuple[int, int, int]


def integer(op: str, bits: int, other_bits: int) -> OpCost | None:
    """Cost of an integer operator on operands of these widths, or None if no rule has it."""
    rules = package_toml("operators.toml")
    if op in ("div", "rem"):
        return _divide(rules["divide"], bits)
    if op == "mul":
        return _multiply(rules, max(bits, other_bits), min(bits, other_bits))
    if op == "fma" and _fits(rules["multiply_add"], max(bits, other_bits), min(bits, other_bits)):
        return multiply_add()
    rule = rules["fabric"].get(op)
    if not isinstance(rule, Mapping):
        return None
    ff, lut, seen = _at_width(rule["table"], max(bits, other_bits))
    return OpCost(0, 1, 0, ff, lut, seen and rule["measured"], rules["fabric"]["source"])


def multiplexer(inputs: int) -> OpCost:
    """A multiplexer by its number of inputs."""
    rule = package_toml("operators.toml")["multiplexer"]
    if inputs < 1:
        raise InternalError(f"a multiplexer of {inputs} inputs")
    if inputs == 1:
        return OpCost(0, 1, 0, 0, 0, True, "one input: wiring")
    ff, lut, seen = _at_width(rule["table"], inputs)
    return OpCost(0, 1, 0, ff, lut, seen, rule["source"])


def multiply_add() -> OpCost:
    """A product and a sum in one DSP."""
    rule = package_toml("operators.toml")["multiply_add"]
    return OpCost(rule["latency"], 1, rule["dsp"], rule["ff"], rule["lut"], True, rule["source"])


def fits_multiply_add(bits: int, other_bits: int, sum_bits: int) -> bool:
    """Whether a product of operands of these widths and a sum so wide are one DSP."""
    rule = package_toml("operators.toml")["multiply_add"]
    return _fits(rule, max(bits, other_bits), min(bits, other_bits)) and sum_bits <= rule["sum"]


def table_storage(words: int, bits: int) -> str:
    """Where a table that data look up is kept: in look-up tables (`lutram`), or in block memories if it fills one."""
    return "bram" if words * bits > package_toml("operators.toml")["block_table"]["above_bits"] else "lutram"


def table(words: int, bits: int, *, loaded: bool = False) -> OpCost:
    """A table that is read only, with a register behind it; one that is `loaded` can be written."""
    rules = package_toml("operators.toml")
    if table_storage(words, bits) == "bram":
        rule = rules["block_table"]
        blocks = memory_table(has_uram=False, family=rules["seen_on"]).bank(words, bits, "bram").bram18k
        return OpCost(rule["latency"], 1, 0, 0, 0, False, rule["source"], blocks)
    rule = rules["loaded_table" if loaded else "table"]
    lut = -(-bits // rule["bits"]) * rule["lut"] * -(-words // rule["words"])
    return OpCost(rule["latency"], 1, 0, bits, lut, words in rule["seen"], rule["source"])


def _divide(rule: Mapping[str, Any], bits: int) -> OpCost:
    ff, lut, seen = _at_width(rule["table"], bits)
    return OpCost(bits + rule["extra_stages"], 1, 0, ff, lut, seen, rule["source"])


def _multiply(rules: Mapping[str, Any], wider: int, narrower: int) -> OpCost:
    small = rules["multiply"]
    in_fabric = wider <= small["fabric_wider"] or narrower <= small["fabric_narrower"]
    if in_fabric or (wider <= small["dsp_wider"] and narrower <= small["dsp_narrower"]):
        ff, lut, seen = _at_width(small["table"], wider)
        return OpCost(0, 1, 0 if in_fabric else 1, ff, lut, seen, small["source"])
    row = next((r for r in rules["wide_multiply"] if _fits(r, wider, narrower)), None)
    if row is None:
        return _tiled(rules["wide_multiply"][-1], wider, narrower)
    seen = row.get("exact") == [wider, narrower]
    return OpCost(row["latency"], 1, row["dsp"], row["ff"], row["lut"], seen, row["source"])


def _tiled(largest: Mapping[str, Any], wider: int, narrower: int) -> OpCost:
    """A product beyond the last row of the table, as tiles of that row."""
    tiles = -(-wider // largest["wider"]) * -(-narrower // largest["narrower"])
    return OpCost(
        largest["latency"] + tiles - 1,
        1,
        largest["dsp"] * tiles,
        largest["ff"] * tiles,
        largest["lut"] * tiles,
        False,
        f"assumed: {tiles} tiles of a {largest['source']}",
    )


def _fits(row: Mapping[str, Any], wider: int, narrower: int) -> bool:
    return bool(wider <= row["wider"] and narrower <= row["narrower"])


def _at_width(table: str, width: int) -> tuple[int, int, bool]:
    """FF and LUT at a width, and whether the table has it.

    Between two widths of the table on the line through them, rounded up; below the first as the first; above the
    last on the line through the last two.
    """
    rows = _tables()[table]
    at = bisect_left(rows, width, key=lambda row: row[0])
    if at < len(rows) and rows[at][0] == width:
        return rows[at][1], rows[at][2], True
    if at == 0:
        return rows[0][1], rows[0][2], False
    low, high = (rows[at - 1], rows[at]) if at < len(rows) else (rows[-2], rows[-1])
    return _on_line(low, high, width, 1), _on_line(low, high, width, 2), False


def _on_line(low: _Entry, high: _Entry, width: int, column: int) -> int:
    rise = (high[column] - low[column]) * (width - low[0])
    return max(0, low[column] + -(-rise // (high[0] - low[0])))


@cache
def _tables() -> Mapping[str, Sequence[_Entry]]:
    """fabric.csv by table: (width, FF, LUT) in order of width."""
    tables: dict[str, list[_Entry]] = defaultdict(list)
    for line in package_csv("fabric.csv"):
        tables[line["table"]].append((int(line["width"]), int(line["ff"]), int(line["lut"])))
    return {name: tuple(sorted(rows)) for name, rows in tables.items()}
