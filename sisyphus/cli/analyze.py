"""`sisy analyze`: what is known of a kernel before any choice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from sisyphus.cli.options import make_source, memory_option, source_options


@click.command()
@source_options
@click.option("--json", "as_json", is_flag=True, help="Results as JSON on standard output.")
@click.option(
    "--graph", type=click.Path(path_type=Path), metavar="FILE", help="Write the statement graph (.dot, .svg)."
)
@memory_option
def analyze(**options: Any) -> None:
    """Statements, dependences, reductions, nests, legal orders and footprints of KERNEL."""
    from sisyphus import analysis, pipeline
    from sisyphus.report import kernel_text
    from sisyphus.report.graph import write_graph

    as_json, graph = options.pop("as_json"), options.pop("graph")
    source = make_source(options)
    scop = pipeline.read_kernel(source)
    if graph is not None:
        write_graph(analysis.statement_graph_dot(scop), graph)
    found = analysis.summary(scop, source.temporaries)
    click.echo(json.dumps(found, indent=2) if as_json else kernel_text(found))
