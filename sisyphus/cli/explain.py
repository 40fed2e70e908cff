"""`sisy explain`: why a design that sisy wrote is as it is."""

from __future__ import annotations

import json
from pathlib import Path

import click

from sisyphus.cli.options import memory_option, sandbox_option, saved_options
from sisyphus.cli.progress import progress


@click.command(short_help="What binds a design, and how its neighbours compare.")
@click.argument("design", metavar="DIR|FILE", type=click.Path(path_type=Path))
@saved_options
@sandbox_option
@click.option("--time-limit", default="60s", show_default=True, metavar="TIME", help="Of everything together.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the searches.")
@click.option("--json", "as_json", is_flag=True, help="Results as JSON on standard output.")
@click.option("-q", "--quiet", is_flag=True, help="No talk on standard error.")
@memory_option
def explain(
    design: Path,
    source: Path | None,
    device: str | None,
    sandboxed: bool,
    time_limit: str,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """What binds the design in DIR (or FILE, one of its JSON files), and how its neighbours compare.

    Each budget is raised by a tenth and the search repeated; each neighbouring choice is judged by the full model.
    """
    from sisyphus import api
    from sisyphus.report import explanation_data

    with progress(str(design), quiet=quiet) as listen:
        found = api.explain(
            design, source=source, device=device, sandboxed=sandboxed, time_limit=time_limit, seed=seed, listen=listen
        )
    click.echo(json.dumps(explanation_data(found), indent=2) if as_json else found)
