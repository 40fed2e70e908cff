"""Where a value stands in the text of a JSON file; knows no schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]

Step = str | int
_BLANK = re.compile(r"[ \t\n\r]*")


def place_of(text: str, path: Sequence[Step]) -> tuple[int, int]:
    """Line and column, from 1, of the value at a path of names and numbers; of what is around it if it is missing."""
    at = _next(text, 0)
    for step in path:
        found = next((begin for name, begin in _members(text, at) if name == step), None)
        if found is None:
            break
        at = found
    before = text[:at]
    return before.count("\n") + 1, at - before.rfind("\n")


def _next(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _members(text: str, at: int) -> Iterator[tuple[Step, int]]:
    """The values in an object or a list by their names or numbers, and where they begin."""
    opened, decoder = text[at : at + 1], json.JSONDecoder()
    at, number = _next(text, at + 1), 0
    while opened in ("{", "[") and text[at] not in "}]":
        name: Step = number
        if opened == "{":
            name, at = scanstring(text, at + 1)
            at = _next(text, _next(text, at) + 1)
        yield name, at
        _, at = decoder.raw_decode(text, at)
        at, number = _next(text, at), number + 1
        if text[at] == ",":
            at = _next(text, at + 1)
