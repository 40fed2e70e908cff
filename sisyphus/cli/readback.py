"""`sisy readback`: what Vitis and Vivado reported of a design beside what was predicted."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command(short_help="Reports of Vitis and Vivado beside the prediction.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--source", type=click.Path(path_type=Path), metavar="FILE", help="The kernel, where it has moved.")
@click.option("--device", metavar="NAME|FILE", help="The board, where its name is not a known one.")
@click.option("--json", "as_json", is_flag=True, help="Results as JSON on standard output.")
def readback(folder: Path, source: Path | None, device: str | None, as_json: bool) -> None:
    """Compare the reports below DIR, a folder that sisy wrote, with what was predicted.

    Finds csynth.xml (or csynth.rpt), and Vivado's utilisation and timing reports; names every loop that could not be
    pipelined as asked with its statements and arrays. Without a design.json in DIR the reports alone are shown.
    """
    from sisyphus import api
    from sisyphus.readback import comparison_data

    found = api.read_back(folder, source=source, device=device)
    click.echo(json.dumps(comparison_data(found), indent=2) if as_json else found)
