"""Every fault of JSON by a schema, with its place and a sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from sisyphus.space.json_places import Step
from sisyphus.spelling import did_you_mean
from sisyphus.values import dataclass

if TYPE_CHECKING:
    from jsonschema import ValidationError

#: Faults that are told of one file.
MOST_TOLD = 8
_SHOWN = 60


Rule = Mapping[str, Any]


@dataclass(frozen=True)
class Fault:
    """What is wrong at a place in data; the last step of the path may be missing there."""

    path: tuple[Step, ...]
    sentence: str

    def __str__(self) -> str:
        text = ""
        for part in self.path:
            text = f"{text}[{part}]" if isinstance(part, int) else f"{text}.{part}" if text else part
        return f"{text or 'the file'}: {self.sentence}"


def faults_by(rules: Rule, data: object) -> list[Fault]:
    """Every fault of data by a schema."""
    from jsonschema import Draft202012Validator  # takes as long to import as all of click; only saved points need it

    found = sorted(
        Draft202012Validator(rules).iter_errors(data), key=lambda error: [str(part) for part in error.absolute_path]
    )
    return [Fault(path, sentence) for error in found for path, sentence in _told(error)]


def few(told: Sequence[str]) -> list[str]:
    """The first few where there are many."""
    more = len(told) - MOST_TOLD
    return [*told] if more <= 0 else [*told[:MOST_TOLD], f"and {more} more"]


def _told(error: ValidationError) -> Iterator[tuple[tuple[Step, ...], str]]:
    """The place in the data and what is wrong there."""
    place, value, rule = tuple(error.absolute_path), cast(Any, error.instance), cast(Mapping[str, Any], error.schema)
    if error.validator == "required":
        missing = next(field for field in rule["required"] if field not in value and f"'{field}'" in error.message)
        yield (*place, missing), "is missing"
    elif error.validator == "additionalProperties":
        known = tuple(rule["properties"])
        for field in sorted(set(value) - set(known)):
            hint = did_you_mean(field, known) or f"known: {', '.join(known)}"
            yield (*place, field), f"no such field; {hint}"
    else:
        yield place, f"`{_shown(value)}` is not what is wanted here ({rule['description']})"


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
