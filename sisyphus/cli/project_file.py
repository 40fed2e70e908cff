"""`sisy.toml` of the working folder and of the user: options of commands, and knobs that count as fixed.

A word on the command line comes first, then the environment (SISY_OPTIMIZE_TIME_LIMIT), then the file of the working
folder, then that of the user. Every fault of a file is told with its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

import click

from sisyphus.errors import SisyphusError, UsageError
from sisyphus.settings import NAME, user_settings
from sisyphus.spelling import did_you_mean
from sisyphus.values import dataclass

#: The table of options of all commands, beside a table for each command.
COMMON = "options"
COMMANDS = tuple(
    re.findall(
        r"\w+",
        "analyze batch cache completion devices diff doctor estimate explain include lint optimize readback report "
        "schema solvers verify",
    )
)
#: The tables that the file of a working folder may have; the user's has no knobs, which are of one kernel.
TABLES = ("space", COMMON, *COMMANDS)
HINT = 'as in [space] with lines like "S1.order" = "k,i,j", or [optimize] with time-limit = "20s"'


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
    file = _File.of(folder / NAME, NAME, TABLES)
    return ProjectFile() if file is None else ProjectFile(tuple(_fixes(file.content.get("space", {}), file)))


@dataclass(frozen=True)
class Defaults:
    """The values of options that files give, by command and parameter, as click takes them for `default_map`.

    `places`: where they stand, by command and by how messages spell an option with its value: "`--device x`" or
    "device `x`".
    """

    values: dict[str, dict[str, Any]]
    places: dict[tuple[str, str], str]

    def placed(self, command: str | None, wrong: SisyphusError) -> SisyphusError:
        """A fault of a value that a file gives to a command, with its place there; others as they are."""
        for (owner, spelled), where in self.places.items():
            if owner == command and spelled in wrong.message:
                placed = copy(wrong)
                placed.message = f"{where}: {wrong.message}"
                placed.args = (placed.message,)
                return placed
        return wrong


def defaults(commands: Mapping[str, click.Command]) -> Defaults:
    """What the files of the user and of the working folder give to commands."""
    own = user_settings()
    files = [_File.of(own, str(own), TABLES[1:]), _File.of(Path(NAME), NAME, TABLES)]
    found: dict[str, dict[str, Any]] = {name: {} for name in commands}
    places = dict[tuple[str, str], str]()
    for file in filter(None, files):
        known = {spelled for command in commands.values() for spelled in parameters_of(command)}
        for spelled in file.content.get(COMMON, {}):
            if spelled not in known:
                raise file.unknown(spelled, "an option of any command", sorted(known))
        for name, command in commands.items():
            for table in (COMMON, name):
                for spelled, parameter, value in _values(file, table, command):
                    found[name][parameter] = value
                    for item in value if isinstance(value, list) else [value]:
                        places |= {(name, text): file.at(spelled) for text in _spellings(spelled, item)}
    return Defaults(found, places)


def _values(file: _File, table: str, command: click.Command) -> Iterator[tuple[str, str, Any]]:
    """The options of a command that a table has values for: as spelled, its parameter, the value."""
    parameters = parameters_of(command)
    for spelled, value in file.content.get(table, {}).items():
        parameter = parameters.get(spelled)
        if parameter is not None:
            if table == COMMON and parameter.multiple and not isinstance(value, list):
                value = [value]  # one board is what all commands have in common, of which `batch` takes several
            yield spelled, str(parameter.name), _checked(file, spelled, value, parameter)
        elif table != COMMON:
            raise file.unknown(spelled, f"an option of `sisy {table}`", sorted(parameters))


def _spellings(option: str, value: object) -> tuple[str, str]:
    return f"`--{option} {value}`", f"{option} `{value}`"


def parameters_of(command: click.Command) -> dict[str, click.Option]:
    """The options of a command as a file spells them: without dashes in front."""
    options = [p for p in command.params if isinstance(p, click.Option)]
    return {max(option.opts, key=len).lstrip("-"): option for option in options}


def _checked(file: _File, spelled: str, value: Any, parameter: click.Option) -> Any:
    """A value in the type of its option."""
    where, takes_list = file.at(spelled), parameter.multiple
    if isinstance(value, dict) or isinstance(value, list) != takes_list:
        raise UsageError(f"{where}: `{spelled}` is {'a list' if takes_list else 'one value'}")
    if parameter.is_flag and not isinstance(value, bool):
        raise UsageError(f"{where}: `{spelled}` is true or false")
    given = [str(item) for item in value] if takes_list else value
    try:
        parameter.type_cast_value(click.get_current_context(), given)
    except click.BadParameter as wrong:
        raise UsageError(f"{where}: `{spelled}`: {wrong.message}") from wrong
    return given


@dataclass(frozen=True)
class _File:
    """A file that was read; `name` is what messages call it."""

    name: str
    text: str
    content: Mapping[str, Any]

    @staticmethod
    def of(path: Path, name: str, tables: Sequence[str]) -> _File | None:
        """None where there is no file; `UsageError` where it is no TOML or has a table that it may not have."""
        from sisyphus.source import read_bytes
        from sisyphus.target import parse_toml

        if not path.is_file():
            return None
        try:
            text = read_bytes(path).decode("utf-8")
            content = parse_toml(text)
        except (OSError, ValueError, RecursionError) as wrong:
            place = re.search(r" \(at line (\d+), column (\d+)\)$", str(wrong))
            where = f"{name}:{place[1]}:{place[2]}" if place else name
            raise UsageError(f"{where}: {str(wrong).split(' (at ', 1)[0]}", hint=HINT) from wrong
        file = _File(name, text, content)
        for key, table in content.items():
            if key not in tables:
                raise file.unknown(key, "a table of this file", tables)
            if not isinstance(table, dict):
                raise UsageError(f"{file.at(key)}: `{key}` is no table", hint=HINT)
        return file

    def at(self, key: str) -> str:
        """A place in the file, for a message."""
        return f"{self.name}:{_line(self.text, key)}"

    def unknown(self, key: str, what: str, known: Sequence[str]) -> UsageError:
        hint = did_you_mean(key, known) or f"known: {', '.join(known)}"
        return UsageError(f"{self.at(key)}: `{key}` is not {what}", hint=hint)


def _fixes(table: dict[str, Any], file: _File, prefix: str = "") -> Iterator[tuple[str, int]]:
    """Both `"S1.order" = …` and `S1.order = …`, which TOML reads as nested tables."""
    for key, value in table.items():
        line = _line(file.text, prefix + key)
        if isinstance(value, dict):
            yield from _fixes(value, file, f"{prefix}{key}.")
        elif isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            yield f"{prefix}{key}={value}", line
        else:
            raise UsageError(f"{file.name}:{line}: `{prefix}{key}` is no text", hint=HINT)


def _line(text: str, key: str) -> int:
    """Where a key stands, however it is quoted; 1 where it is spelled with escapes."""
    wanted = re.sub(r"[\s\"']", "", key)
    for number, line in enumerate(text.splitlines(), start=1):
        start = re.sub(r"[\s\"'\[\]]", "", line.split("=", 1)[0])
        if start and (start == wanted or wanted.endswith(f".{start}")):
            return number
    return 1
