"""`sisy readback`: what Vitis and Vivado reported of a design beside what was predicted."""

from __future__ import annotations

import json
from pathlib import Path

import click

from sisyphus.cli.options import saved_options
from sisyphus.cli.progress import progress
from sisyphus.errors import UsageError


@click.command(short_help="Reports of Vitis and Vivado beside the prediction.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@saved_options
@click.option("--resolve", is_flag=True, help="Keep what the reports say, and search the design again with it.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="DIR", help="Where the new design goes.")
@click.option("--time-limit", default="60s", show_default=True, metavar="TIME", help="Of that search.")
@click.option("-q", "--quiet", is_flag=True, help="No talk on standard error.")
@click.option("--json", "as_json", is_flag=True, help="Results as JSON on standard output.")
def readback(
    folder: Path,
    source: Path | None,
    device: str | None,
    resolve: bool,
    output: Path | None,
    time_limit: str,
    quiet: bool,
    as_json: bool,
) -> None:
    """Compare the reports below DIR, a folder that sisy wrote, with what was predicted.

    Finds csynth.xml (or csynth.rpt), and Vivado's utilisation and timing reports; names every loop that could not be
    pipelined as asked with its statements and arrays. Without a design.json in DIR the reports alone are shown.

    With --resolve, what was reported goes to a calibration file of yours, which `sisy optimize --calibration` uses,
    too, and the design is searched again: within budgets smaller by reported over predicted resources, and with loops
    that start no earlier than was reported.
    """
    from sisyphus import api
    from sisyphus.readback import comparison_data

    if resolve:
        with progress(str(folder), quiet=quiet) as listen:
            design = api.resolve(folder, source=source, device=device, time_limit=time_limit, listen=listen)
        click.echo(json.dumps(design.data, indent=2) if as_json else design)
        if output is not None:
            design.save(output)
        design.check()
        return
    if output is not None:
        raise UsageError("`-o` is for the design of `--resolve`", hint="add --resolve")
    found = api.read_back(folder, source=source, device=device)
    click.echo(json.dumps(comparison_data(found), indent=2) if as_json else found)
