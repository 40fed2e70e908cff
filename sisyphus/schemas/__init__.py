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
#: Files of their own; `device` is of TOML, which has the same values.
NAMES = ("design", POINT, "run", "device")


@cache
def schema(name: str) -> Mapping[str, Any]:
    """A schema by its name; shared, so never to be changed."""
    if name == POINT:
        return point_schema()
    text = files("sisyphus.schemas").joinpath("data", f"{name}.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
