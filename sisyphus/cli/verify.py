"""`sisy verify`: a folder that sisy wrote, checked again as it lies there."""

from __future__ import annotations

import json
from pathlib import Path

import click

from sisyphus.cli.options import memory_option, sandbox_option, saved_options
from sisyphus.cli.progress import progress


@click.command(short_help="Prove a written design again and run its files.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@saved_options
@sandbox_option
@click.option("--full", is_flag=True, help="Run all data, whatever it costs.")
@click.option("--json", "as_json", is_flag=True, help="Results as JSON on standard output.")
@click.option("-q", "--quiet", is_flag=True, help="No talk on standard error.")
@memory_option
def verify(
    folder: Path, source: Path | None, device: str | None, sandboxed: bool, full: bool, as_json: bool, quiet: bool
) -> None:
    """Prove and run the files in DIR, and compare them with what their design point prints.

    Where the source of the kernel is gone, its text is taken from reference.c. Exit status 4 when a check fails.
    """
    from sisyphus import api
    from sisyphus.report import verdict_data

    with progress(str(folder), quiet=quiet) as listen:
        checked = api.verify(folder, source=source, device=device, sandboxed=sandboxed, full=full, listen=listen)
    if as_json:
        data = {"folder": str(folder), "notes": list(checked.notes), "verdict": verdict_data(checked.verdict)}
        click.echo(json.dumps(data, indent=2))
    else:
        click.echo(checked)
    checked.check()
