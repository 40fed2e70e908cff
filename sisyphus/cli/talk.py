"""Words for people on standard error, in colour where that is a terminal."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from typing import Any

import click

#: What of a message is seen first on a terminal: a pattern with one group, and the style of that group.
STYLES: tuple[tuple[str, Mapping[str, Any]], ...] = (
    (r"((?:error|warning)(?:\[[\w-]+\])?:)", {"fg": "red", "bold": True}),
    (r"^(hint:)", {"fg": "green", "bold": True}),
    (r"^(note:)", {"fg": "cyan"}),
    (r"^ +(\^+)$", {"fg": "red"}),
)


def say(text: str) -> None:
    """A message, without colour where nobody would see it or NO_COLOR is set."""
    is_plain = "NO_COLOR" in os.environ or not sys.stderr.isatty()
    click.echo(text if is_plain else coloured(text), err=True)


def coloured(text: str) -> str:
    """A message for a terminal."""
    return "\n".join(_coloured(line) for line in text.split("\n"))


def _coloured(line: str) -> str:
    for pattern, style in STYLES:
        found = re.search(pattern, line)
        if found is not None:
            return line[: found.start(1)] + click.style(found[1], **style) + line[found.end(1) :]
    return line
