"""Source text, places in it, and diagnostics that point there; knows no language."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from sisyphus.values import dataclass

#: Bytes of the largest file that is read as text.
LARGEST = 64 << 20


@dataclass(frozen=True)
class Span:
    """A place in a source file; `line` and `column` count from 1, `width` is in characters."""

    path: str
    line: int
    column: int = 1
    width: int = 1

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Diagnostic:
    """One fault of the user's input.

    `rule` is a stable code listed in docs/diagnostics.md, `line_text` the source line that `span` is in (None
    where there is no text to show), `notes` are further sentences, `hint` one way out.
    """

    rule: str
    message: str
    span: Span | None = None
    line_text: str | None = None
    notes: tuple[str, ...] = ()
    hint: str | None = None
    severity: str = "error"

    def headline(self) -> str:
        place = f"{self.span}: " if self.span else ""
        return f"{place}{self.severity}[{self.rule}]: {self.message}"

    def render(self) -> str:
        """The whole paragraph: headline, source line with caret, notes, hint."""
        lines = [self.headline()]
        if self.span is not None and self.line_text is not None:
            text = self.line_text.expandtabs(1).rstrip()
            width = max(1, min(self.span.width, len(text) - self.span.column + 1))
            lines += [f"  {text}", "  " + " " * (self.span.column - 1) + "^" * width]
        lines += [f"note: {note}" for note in self.notes]
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)


@dataclass(frozen=True)
class SourceFile:
    """A text file as the user has it."""

    path: str
    text: str

    def line(self, number: int) -> str | None:
        """Line `number` (from 1) without its end, or None past the end."""
        lines = self.text.splitlines()
        return lines[number - 1] if 1 <= number <= len(lines) else None


def read_bytes(path: Path) -> bytes:
    """The content of a file that somebody names; `OSError` where it is none, as a device or a pipe, which never end."""
    if path.exists() and not path.is_file():
        code = errno.EISDIR if path.is_dir() else errno.EINVAL
        raise OSError(code, os.strerror(code) if path.is_dir() else "Not a regular file", str(path))
    if path.stat().st_size > LARGEST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return path.read_bytes()
