"""`sisy optimize`: a C kernel to a verified HLS design in a folder."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sisyphus.cli.options import (
    make_source,
    make_target,
    project_fixes,
    source_options,
    talk_options,
    target_options,
)
from sisyphus.cli.progress import progress
from sisyphus.errors import UsageError

if TYPE_CHECKING:
    from sisyphus.pipeline import Design, Request


@click.command()
@source_options
@target_options
@click.option(
    "--model", type=click.Choice(["measured", "paper"]), default="measured", show_default=True, help="Cost model."
)
@click.option(
    "--reuse",
    type=click.Choice(["optimistic", "pessimistic"]),
    default="optimistic",
    show_default=True,
    help="Are operators shared between nests? (paper's model)",
)
@click.option("--tree-reduction", is_flag=True, help="Let additions be reassociated.")
@click.option("--fix", "fixes", multiple=True, metavar="KNOB=VALUE", help="Fix a knob, as in S1.order=k,i,j.")
@click.option("--solver", default="auto", show_default=True, metavar="NAME", help="See `sisy solvers`.")
@click.option("--time-limit", default="60s", show_default=True, metavar="TIME", help="Of each search.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the solver.")
@click.option("--design", type=click.Path(path_type=Path), metavar="FILE", help="Build this point, do not search.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="DIR", help="Write the project there.")
@click.option("--verify/--no-verify", default=True, show_default=True, help="Prove and run the emitted code.")
@talk_options
def optimize(**options: Any) -> None:
    """Choose a design for KERNEL, write it as HLS C++ and verify it."""
    from sisyphus import pipeline

    output: Path | None = options.pop("output")
    as_json, quiet, verbose = options.pop("as_json"), options.pop("quiet"), options.pop("verbose")
    request = _request(options)
    with progress(request.source.path, quiet=quiet) as listen:
        design = pipeline.optimize(request, listen)
    if design.was_interrupted:
        click.echo("interrupted: going on with the best design so far", err=True)
    click.echo(json.dumps(pipeline.as_data(design), indent=2) if as_json else pipeline.as_text(design))
    if output is not None:
        pipeline.save(design, output)
        if not (as_json or quiet):
            click.echo(f"\nwritten to {output}", err=True)
    if verbose:
        _tell(design, log=verbose > 1)
    pipeline.check(design)


def _tell(design: Design, *, log: bool) -> None:
    """Where the time went, and with `log` what the solver printed."""
    if log and design.outcome is not None:
        click.echo(design.outcome.log, err=True)
    for stage, seconds in design.seconds.items():
        click.echo(f"{stage:10s} {seconds:8.2f} s", err=True)


def _request(options: dict[str, Any]) -> Request:
    from sisyphus.pipeline import Request
    from sisyphus.solve import Limits
    from sisyphus.space import Options

    return Request(
        source=make_source(options),
        target=make_target(options),
        options=Options(tree_reduction=options["tree_reduction"], reuse=options["reuse"]),
        solver=options["solver"],
        limits=Limits(seconds=_seconds(options["time_limit"]), seed=options["seed"]),
        fixes=(*project_fixes(Path.cwd()), *options["fixes"]),
        model=options["model"],
        design=options["design"],
        verify=options["verify"],
    )


def _seconds(text: str) -> float | None:
    """`30`, `30s`, `2m`, `1h`, `none`."""
    if text.strip() == "none":
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|m|h)?", text.strip())
    if match is None or float(match[1]) <= 0:
        raise UsageError(f"`--time-limit {text}` is no time", hint="as in 30, 30s, 5m, 1h or none")
    return float(match[1]) * {"s": 1, "m": 60, "h": 3600}[match[2] or "s"]
