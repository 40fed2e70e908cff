"""Writing a file whole, and reading one that may be standard input; knows no file's meaning."""

from __future__ import annotations

import fcntl
import glob
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

#: What stands for standard input where the path of a file is asked for.
STANDARD_INPUT = Path("-")
#: End of the names of files that are being written.
PART = ".part"


def standard_input() -> bytes:
    """All of it."""
    return sys.stdin.buffer.read()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One run at a time changes what is in `folder`; where nothing can be locked, that is up to the user."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def write_file(path: Path, text: str) -> None:
    """Writes a file so that it is there whole or as it was before; clears what a killed run left of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.parent):
        for left in parts_of(path.parent, path.name):
            left.unlink(missing_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=PART, dir=path.parent)
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


def parts_of(folder: Path, name: str | None = None) -> list[Path]:
    """What is being written in a folder, or was as its writer was killed: of the file `name`, or of any."""
    return list(folder.glob(f".{'*' if name is None else glob.escape(name)}.*{PART}"))
