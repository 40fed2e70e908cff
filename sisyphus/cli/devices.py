"""`sisy devices`: the boards that are known, and what one of them has, as data and as text."""

from __future__ import annotations

import json

import click


@click.command()
@click.argument("name", required=False, metavar="[NAME|FILE]")
@click.option("--json", "as_json", is_flag=True, help="Results as JSON on standard output.")
def devices(name: str | None, as_json: bool) -> None:
    """List the boards, or show all that is known of one: chip, user regions and what designs may use of them."""
    from sisyphus.report import device_data, device_text, devices_text
    from sisyphus.target import device_names, load_device

    boards = [load_device(n) for n in ([name] if name is not None else device_names())]
    if as_json:
        data = [device_data(board) for board in boards]
        click.echo(json.dumps(data if name is None else data[0], indent=2))
    else:
        click.echo(devices_text(boards) if name is None else device_text(boards[0]))
