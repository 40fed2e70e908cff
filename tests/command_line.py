"""The command line in this process: what a user types, without the second that a new interpreter takes."""

from __future__ import annotations

import contextlib
import gc
import io
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from sisyphus.cli.main import command_line


@dataclass(frozen=True)
class Ran:
    """What a command printed, and its exit status."""

    returncode: int
    stdout: str
    stderr: str


def sisy(*words: str, cwd: Path | None = None) -> Ran:
    """Runs `sisy WORDS...` in the folder `cwd`."""
    output, errors, code, thresholds = io.StringIO(), io.StringIO(), 0, gc.get_threshold()
    with (
        contextlib.chdir(cwd or Path.cwd()),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(errors),
        mock.patch("sys.argv", ["sisy", *words]),
    ):
        try:
            command_line()
        except SystemExit as end:
            code = int(end.code or 0)
        finally:
            gc.set_threshold(*thresholds)
    return Ran(code, output.getvalue(), errors.getvalue())
