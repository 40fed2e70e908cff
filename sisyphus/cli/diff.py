"""`sisy diff`: how two designs differ, and why one is faster."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command(short_help="How two designs differ, and why one is faster.")
@click.argument("first", metavar="DIR1|FILE", type=click.Path(path_type=Path))
@click.argument("second", metavar="DIR2|FILE", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Results as JSON on standard output.")
def diff(first: Path, second: Path, as_json: bool) -> None:
    """Say how two designs of a kernel differ that sisy wrote: options, knobs, buffers, intervals, cycles term by term.

    \b
    sisy diff build/gemm build/gemm-small
    """
    from sisyphus import api

    found = api.diff(first, second)
    click.echo(json.dumps(found.to_json(), indent=2) if as_json else found)
