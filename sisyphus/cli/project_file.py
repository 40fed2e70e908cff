"""`sisy.toml` of the working folder: knobs that count as fixed; every fault of it with its line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sisyphus.errors import UsageError

NAME = "sisy.toml"
#: The tables that the file may have.
TABLES = ("space",)
HINT = 'as in [space] with lines like "S1.order" = "k,i,j"'


@dataclass(frozen=True)
class ProjectFile:
    """What is fixed, each as for `--fix`, with the line that says so."""

    fixes: tuple[tuple[str, int], ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(text for text, _ in self.fixes)

    def placed(self, wrong: UsageError) -> UsageError:
        """A fault of a knob that this file fixes, with its line in the file; others as they are."""
        for text, line in self.fixes:
            if text in wrong.message:
                return UsageError(f"{NAME}:{line}: {wrong.message.replace('--fix ', '')}", hint=wrong.hint)
        return wrong


def read_project_file(folder: Path) -> ProjectFile:
    """The file of a folder; nothing is fixed where there is none."""
    from sisyphus.source import read_bytes
    from sisyphus.target import parse_toml

    path = folder / NAME
    if not path.is_file():
        return ProjectFile()
    try:
        text = read_bytes(path).decode("utf-8")
        content = parse_toml(text)
    except (OSError, ValueError, RecursionError) as wrong:
        place = re.search(r" \(at line (\d+), column (\d+)\)$", str(wrong))
        where = f"{NAME}:{place[1]}:{place[2]}" if place else NAME
        raise UsageError(f"{where}: {str(wrong).split(' (at ', 1)[0]}", hint=HINT) from wrong
    for key, table in content.items():
        if key not in TABLES:
            close = difflib.get_close_matches(key, TABLES, n=1)
            hint = f"did you mean `{close[0]}`?" if close else f"known: {', '.join(TABLES)}"
            raise UsageError(f"{NAME}:{_line(text, key)}: `{key}` is no table of this file", hint=hint)
        if not isinstance(table, dict):
            raise UsageError(f"{NAME}:{_line(text, key)}: `{key}` is no table", hint=HINT)
    return ProjectFile(tuple(_fixes(content.get("space", {}), text)))


def _fixes(table: dict[str, Any], text: str, prefix: str = "") -> Iterator[tuple[str, int]]:
    """Both `"S1.order" = …` and `S1.order = …`, which TOML reads as nested tables."""
    for key, value in table.items():
        line = _line(text, prefix + key)
        if isinstance(value, dict):
            yield from _fixes(value, text, f"{prefix}{key}.")
        elif isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            yield f"{prefix}{key}={value}", line
        else:
            raise UsageError(f"{NAME}:{line}: `{prefix}{key}` is no text", hint=HINT)


def _line(text: str, key: str) -> int:
    """Where a key stands, however it is quoted; 1 where it is spelled with escapes."""
    wanted = re.sub(r"[\s\"']", "", key)
    for number, line in enumerate(text.splitlines(), start=1):
        start = re.sub(r"[\s\"'\[\]]", "", line.split("=", 1)[0])
        if start and (start == wanted or wanted.endswith(f".{start}")):
            return number
    return 1
