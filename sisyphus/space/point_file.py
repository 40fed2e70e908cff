"""Whether JSON is a design point, by the published schema: every fault with its place and a sentence."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from jsonschema import ValidationError

#: Faults that are told of one file.
MOST_TOLD = 8
_SHOWN = 60


@cache
def schema() -> Mapping[str, Any]:
    """The JSON schema of a design point, as published; shared, so never to be changed."""
    text = files("sisyphus.space").joinpath("data", "design-point.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def point_faults(data: object) -> list[str]:
    """Every fault of what a file has for a design point."""
    return faults_by(schema(), data)


def faults_by(rules: Mapping[str, Any], data: object) -> list[str]:
    """Every fault of data by a schema, as `place: sentence`; the first few where there are many."""
    from jsonschema import Draft202012Validator  # takes as long to import as all of click; only saved points need it

    found = sorted(
        Draft202012Validator(rules).iter_errors(data), key=lambda error: [str(part) for part in error.absolute_path]
    )
    told = [f"{place}: {sentence}" for error in found for place, sentence in _told(error)]
    more = len(told) - MOST_TOLD
    return told if more <= 0 else [*told[:MOST_TOLD], f"and {more} more"]


def _told(error: ValidationError) -> Iterator[tuple[str, str]]:
    """The place in the file and what is wrong there."""
    place, value, rule = _place(error), cast(Any, error.instance), cast(Mapping[str, Any], error.schema)
    if error.validator == "required":
        missing = next(field for field in rule["required"] if field not in value and f"'{field}'" in error.message)
        yield _joined(place, missing), "is missing"
    elif error.validator == "additionalProperties":
        known = tuple(rule["properties"])
        for field in sorted(set(value) - set(known)):
            close = difflib.get_close_matches(field, known, n=1)
            hint = f"did you mean `{close[0]}`?" if close else f"known: {', '.join(known)}"
            yield _joined(place, field), f"no such field; {hint}"
    else:
        yield place or "the file", f"`{_shown(value)}` is not what is wanted here ({rule['description']})"


def _place(error: ValidationError) -> str:
    text = ""
    for part in error.absolute_path:
        text = f"{text}[{part}]" if isinstance(part, int) else _joined(text, str(part))
    return text


def _joined(place: str, field: str) -> str:
    return f"{place}.{field}" if place else field


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
