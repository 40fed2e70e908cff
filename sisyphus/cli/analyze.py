"""`sisy analyze`: what is known of a kernel before any choice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from sisyphus.cli.options import memory_option, source_options, take_kernel


@click.command(short_help="Dependences, nests, legal orders, footprints of a kernel.")
@source_options
@click.option("--time-limit", default="60s", show_default=True, metavar="TIME", help="Of everything together.")
@click.option("--json", "as_json", is_flag=True, help="Results as JSON on standard output.")
@click.option(
    "--graph", type=click.Path(path_type=Path), metavar="FILE", help="Write the statement graph (.dot, .svg)."
)
@memory_option
def analyze(**options: Any) -> None:
    """Statements, dependences, reductions, nests, legal orders and footprints of KERNEL."""
    from sisyphus import api
    from sisyphus.report.graph import write_graph

    as_json, graph, limit = (options.pop(name) for name in ("as_json", "graph", "time_limit"))
    found = api.analyze(take_kernel(options), time_limit=limit)
    if graph is not None:
        write_graph(found.data, found.graph, graph)
    click.echo(json.dumps(found.data, indent=2) if as_json else found)
