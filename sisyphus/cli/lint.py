"""`sisy lint`: rules of Vitis HLS on C++ text."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click


@click.command(short_help="Check HLS C++ against the rules of Vitis HLS.")
@click.argument("paths", metavar="DIR|FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Findings as JSON on standard output.")
def lint(paths: tuple[Path, ...], as_json: bool) -> None:
    """Check HLS C++ (ours or any other) against the rules of Vitis HLS.

    Exit status 0 when nothing was found, 1 otherwise.
    """
    from sisyphus.lint import lint_paths

    found = lint_paths(paths)
    if as_json:
        click.echo(json.dumps([{"path": str(path)} | asdict(one) for path, one in found], indent=2))
    else:
        for path, one in found:
            click.echo(f"{path}:{one.line}:{one.column}: warning[{one.rule}]: {one.message}\nhint: {one.hint}")
    if found:
        raise SystemExit(1)
