"""Two designs that differ in any field of a nest, a buffer or a transfer are told apart by the name of that knob."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import point_files
import pytest

from sisyphus.report.design_difference import RESOURCES, difference_of

POINT = point_files.case("gemm-padded").point.to_json()
WHICH = {"statements", "array", "nests", "buffer"}
ESTIMATE = {"cycles": 1, "intervals": {}, "terms": {"cycles": None}, **dict.fromkeys(RESOURCES, 1)}
TARGET = {"budget": {}, "device": "u200", "clock_mhz": 300, "level": "chip", "max_partition": 64}


def saved(design: dict[str, Any]) -> dict[str, Any]:
    source = {"sha256": "0" * 64, "defines": [], "parameters": {}}
    return {"design": design, "estimate": ESTIMATE, "target": TARGET, "search": {}, "source": source}


def another(value: Any) -> Any:
    if isinstance(value, dict):
        return {**value, "i": another(value.get("i", 1))}
    if isinstance(value, list):
        return [*value, *(value[:1] or ["more"])]
    return not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else f"{value}x"


def fields() -> Iterator[tuple[str, str]]:
    return ((part, name) for part in ("nests", "buffers", "transfers") for name in POINT[part][0] if name not in WHICH)


def test_adders_are_told() -> None:
    """As those of DSPs where a file is from before there was a choice."""
    before = {name: value for name, value in POINT.items() if name != "adders"}
    [pair] = difference_of(("one", "other"), saved(before), saved({**POINT, "adders": "fabric"})).chosen
    assert (pair.name, pair.first, pair.second) == ("adders", "dsp", "fabric")


def test_the_way_to_where_the_cycles_are_is_named() -> None:
    def costing(starts: int) -> dict[str, Any]:
        inner = {"name": "starts", "value": starts}
        task = {"name": "task1", "value": starts + 9, "children": [inner, {"name": "fill", "value": 9}]}
        whole = {"name": "cycles", "value": starts + 9, "children": [task]}
        return saved(POINT) | {"estimate": {**ESTIMATE, "cycles": starts + 9, "terms": {"cycles": whole}}}

    found = difference_of(("one", "other"), costing(91), costing(191))
    assert found.reason == ("one is 2.00 times as fast: 100 of the 100 cycles between them are in `task1` / `starts`")
    assert "term " in str(found) and " one " in str(found) and " other " in str(found)


@pytest.mark.parametrize(("part", "name"), list(fields()))
def test_every_field_of_a_part_is_told(part: str, name: str) -> None:
    changed = copy.deepcopy(POINT)
    changed[part][0][name] = another(changed[part][0][name])
    told = difference_of(("one", "other"), saved(POINT), saved(changed)).chosen
    spelled = {"tiles": ".i", "copies": ".ahead"}.get(name, f".{name}")
    assert any(spelled in pair.name for pair in told)
    assert difference_of(("one", "other"), saved(POINT), saved(POINT)).chosen == ()
