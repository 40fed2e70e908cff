"""What the shell may complete: boards, solvers, and the knobs of the kernel on the command line."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import CompletionItem


def boards(_context: click.Context, _parameter: click.Parameter, text: str) -> list[CompletionItem]:
    """Known boards, then device files."""
    from sisyphus.target import device_names

    found = [CompletionItem(name) for name in device_names() if name.startswith(text)]
    return found or [CompletionItem(text, type="file")]


def solvers(_context: click.Context, _parameter: click.Parameter, text: str) -> list[CompletionItem]:
    """Names that `--solver` takes."""
    from sisyphus.solve.registry import AUTO, EXACT, adapters

    return [CompletionItem(name) for name in (AUTO, EXACT, *adapters()) if name.startswith(text)]


def _typed_file() -> Path | None:
    """The first word on the command line that is a file."""
    words = os.environ.get("COMP_WORDS", "").split()[1:]
    return next((Path(word) for word in words if Path(word).is_file()), None)


def knobs(context: click.Context, _parameter: click.Parameter, text: str) -> list[CompletionItem]:
    """Knobs of the kernel as far as they have names of their own; nothing where it cannot be read."""
    from sisyphus import api
    from sisyphus.errors import SisyphusError
    from sisyphus.kernel_forms import load_written
    from sisyphus.request import space_of
    from sisyphus.space import knob_names

    given = context.params
    kernel = (
        next(iter(given.get("kernels") or ()), None) or _typed_file()
    )  # click parses nothing where the last option has no value yet
    if kernel is None:
        return []
    try:
        source = api.source_of(
            kernel,
            function=given.get("function"),
            defines=given.get("defines") or (),
            include_dirs=given.get("include_dirs") or (),
            params=given.get("params") or (),
            extents=given.get("extents") or (),
        )
        space = space_of(load_written(source), api.request_of(source, time_limit=None))
    except (SisyphusError, OSError):
        return []
    return [CompletionItem(f"{name}=") for name in knob_names(space) if name.startswith(text)]
