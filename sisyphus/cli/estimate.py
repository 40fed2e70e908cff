"""`sisy estimate`: what a saved design costs, as a tree of terms that adds up."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from sisyphus.cli.options import Grouped, board_options, memory_option, source_options, take_kernel, take_target


@click.command(cls=Grouped, short_help="What a saved design costs, term by term.")
@source_options
@board_options
@click.option(
    "--design",
    required=True,
    type=click.Path(path_type=Path),
    metavar="DIR|FILE",
    help="A design point or design.json.",
)
@click.option(
    "--operations", type=click.IntRange(min=1), help="Operations of the kernel, where they cannot be counted."
)
@click.option("--json", "as_json", is_flag=True, help="Results as JSON on standard output.")
@memory_option
def estimate(**options: Any) -> None:
    """Cycles, time, GF/s and resources of a design of KERNEL."""
    from sisyphus import api

    as_json, path, operations = options.pop("as_json"), options.pop("design"), options.pop("operations")
    costed = api.estimate(take_kernel(options), path, take_target(options))
    if as_json:
        click.echo(json.dumps(costed.estimate.to_json(), indent=2))
    else:
        click.echo(replace(costed, operations=operations or costed.operations))
