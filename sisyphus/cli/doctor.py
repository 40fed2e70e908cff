"""`sisy doctor`: what this machine has of all that sisy can use."""

from __future__ import annotations

import json

import click

from sisyphus.errors import ToolError


@click.command(short_help="What this machine has, and how to get the rest.")
@click.option("--json", "as_json", is_flag=True, help="Results as JSON on standard output.")
def doctor(as_json: bool) -> None:
    """Look for compilers, solvers, Vitis and XRT: found and of which version, or how to get them.

    Exit status 5 where something is missing that every run needs.
    """
    from sisyphus import api

    found = api.examine()
    click.echo(json.dumps(found.to_json(), indent=2) if as_json else found)
    if found.missing:
        raise ToolError(f"`{found.missing[0].name}` is missing", hint=found.missing[0].advice)
