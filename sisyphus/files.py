"""Writing a file whole, and reading one that may be standard input; knows no file's meaning."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

#: What stands for standard input where the path of a file is asked for.
STANDARD_INPUT = Path("-")


def standard_input() -> bytes:
    """All of it."""
    return sys.stdin.buffer.read()


def write_file(path: Path, text: str) -> None:
    """Writes a file so that it is there whole or as it was before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
