"""`sisy schema`: the published JSON schemas of files."""

from __future__ import annotations

import json
from typing import Any

import click

#: The file of settings, whose keys are the options of the commands.
SETTINGS = "settings"
KINDS = {click.INT: "integer", click.FLOAT: "number"}


@click.command(short_help="JSON schemas of the files that are read and written.")
@click.argument("name", type=click.Choice(["design", "design-point", "units", "run", "device", SETTINGS]))
def schema(name: str) -> None:
    """Print the JSON schema of design.json, its design point, several units, run.json, a device file or sisy.toml.

    \b
    sisy schema device > device.schema.json
    """
    from sisyphus import schemas

    click.echo(json.dumps(settings_schema() if name == SETTINGS else schemas.schema(name), indent=2))


def settings_schema() -> dict[str, Any]:
    """Of sisy.toml, whose tables are the commands and whose keys are their options."""
    from sisyphus.cli.project_file import COMMANDS, COMMON, parameters_of

    group = click.get_current_context().find_root().command
    commands = {name: group.commands[name] for name in COMMANDS} if isinstance(group, click.Group) else {}
    tables = {name: {key: _value(one) for key, one in parameters_of(c).items()} for name, c in commands.items()}
    every = {key: rule for rules in tables.values() for key, rule in rules.items()}
    knobs = {
        "description": "knobs that count as fixed, as for --fix; dotted keys may be tables",
        "type": "object",
        "additionalProperties": {"type": ["string", "integer", "object"]},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "sisy.toml",
        "type": "object",
        "properties": {"space": knobs, COMMON: _table(every)} | {name: _table(rules) for name, rules in tables.items()},
        "additionalProperties": False,
    }


def _table(rules: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": rules, "additionalProperties": False}


def _value(option: click.Option) -> dict[str, Any]:
    told: dict[str, Any] = {"description": option.help or ""}
    if option.is_flag and option.is_bool_flag:
        return told | {"type": "boolean"}
    if option.multiple:
        return told | {"type": "array", "items": {"type": ["string", "number"]}}
    if isinstance(option.type, click.Choice):
        return told | {"enum": list(option.type.choices)}
    kind = "integer" if isinstance(option.type, click.IntRange) else KINDS.get(option.type)
    return told | {"type": kind or ["string", "number"]}
