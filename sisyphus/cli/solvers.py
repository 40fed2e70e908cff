"""`sisy solvers`: which solver adapters there are, and why one cannot run."""

from __future__ import annotations

import json

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Results as JSON on standard output.")
def solvers(as_json: bool) -> None:
    """List the solver adapters, with version or what is missing."""
    from sisyphus.solve import adapters, load_adapter

    rows = []
    for name in adapters():
        adapter = load_adapter(name)
        missing = adapter.missing()
        rows.append({"name": name, "version": None if missing else adapter.version(), "missing": missing})
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        click.echo(f"{row['name']:12s} {row['version'] or 'cannot run: ' + str(row['missing'])}")
