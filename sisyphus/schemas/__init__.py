"""The published JSON schemas of the files that sisy reads and writes; checks nothing by itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from sisyphus.space.point import schema as point_schema

#: The part of design.json that `--design` also takes alone.
POINT = "design-point"
#: The design.json of several units; most of it is what `design` says, once for each of them.
UNITS = "units"
#: Files of their own; `device` is of TOML, which has the same values.
NAMES = ("design", POINT, UNITS, "run", "device")


@cache
def schema(name: str) -> Mapping[str, Any]:
    """A schema by its name; shared, so never to be changed."""
    if name == POINT:
        return point_schema()
    text = files("sisyphus.schemas").joinpath("data", f"{name}.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return _with_parts_of_design(found) if name == UNITS else found


def _with_parts_of_design(rules: dict[str, Any]) -> dict[str, Any]:
    """The rules of several units, with what their design.json has in common with that of one."""
    known = schema("design")["properties"]
    unit = rules["properties"]["units"]["items"]["properties"]
    rules["properties"] |= {name: known[name] for name in ("version", "kernel", "source", "target", "search")}
    budget = {**known["target"]["properties"]["budget"], "description": "what the unit may use"}
    point = {name: rule for name, rule in point_schema().items() if name != "$schema"}
    rules["$defs"] = point.pop("$defs")  # which its references name
    unit |= {"design": point, "budget": budget}
    unit |= {name: known[name] for name in ("estimate", "interface", "calls", "code")}
    return rules
