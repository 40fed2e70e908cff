"""`sisy devices`: the boards that are known, and what one of them has, as data and as text."""

from __future__ import annotations

import json

import click


@click.command(short_help="The boards, or all that is known of one.")
@click.argument("name", required=False, metavar="[NAME|FILE]")
@click.option("--json", "as_json", is_flag=True, help="Results as JSON on standard output.")
def devices(name: str | None, as_json: bool) -> None:
    """List the boards, or show all that is known of one: chip, user regions and what designs may use of them."""
    from sisyphus import api
    from sisyphus.report import device_data

    boards = api.devices(name)
    if as_json:
        data = [device_data(board) for board in boards]
        click.echo(json.dumps(data if name is None else data[0], indent=2))
    else:
        click.echo(boards)
