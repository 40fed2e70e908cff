"""`sisy solvers`: which solvers there are, and why one cannot run."""

from __future__ import annotations

import json

import click


@click.command(short_help="The solvers, or what is missing of them.")
@click.option("--json", "as_json", is_flag=True, help="Results as JSON on standard output.")
def solvers(as_json: bool) -> None:
    """List the solvers, with version or what is missing; `auto` takes `exact`, then `scip`."""
    from sisyphus import api

    rows = api.solvers()
    if as_json:
        click.echo(json.dumps([{"name": r.name, "version": r.version, "missing": r.missing} for r in rows], indent=2))
    else:
        click.echo(rows)
