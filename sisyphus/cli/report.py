"""`sisy report`: the page of a design that sisy wrote, made again from its JSON files."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(short_help="Write report.html of a design again.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--open", "is_opened", is_flag=True, help="Show it in the browser.")
def report(folder: Path, is_opened: bool) -> None:
    """Write DIR/report.html from DIR/design.json and DIR/run.json: one page that needs nothing else."""
    from sisyphus import pipeline

    path = pipeline.write_page(folder)
    click.echo(f"{path}")
    if is_opened:
        import webbrowser

        if not webbrowser.open(path.resolve().as_uri()):
            click.echo("note: no browser was found: open the page yourself", err=True)
