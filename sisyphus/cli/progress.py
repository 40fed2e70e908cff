"""A line on the terminal that says what runs; nothing at all where standard error is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Listener = Callable[[str], None]


@contextmanager
def progress(subject: str, *, quiet: bool) -> Iterator[Listener]:
    """Yields a function to be told each stage as it begins."""
    if quiet or not sys.stderr.isatty():
        yield lambda stage: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(f"{subject}: starting")) as status:
        yield lambda stage: status.update(Text(f"{subject}: {stage}"))
