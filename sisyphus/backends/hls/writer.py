"""Lines of text with indentation; knows no language beyond braces and pragmas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

INDENT = "    "


class Writer:
    """Collects lines; nothing written is ever read back or changed."""

    def __init__(self) -> None:
        self._lines: list[str | Callable[[], Iterable[str]]] = []
        self._depth = 0

    def line(self, text: str = "") -> None:
        self._lines.append(INDENT * self._depth + text if text else "")

    def lines(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.line(text)

    def later(self, texts: Callable[[], Iterable[str]]) -> None:
        """Lines that only what is written after them tells: asked for when the text is."""
        indent = INDENT * self._depth
        self._lines.append(lambda: [indent + text for text in texts()])

    def pragma(self, text: str) -> None:
        """An HLS directive, at the left margin as the tool's own examples have it."""
        self._lines.append(f"#pragma HLS {text}")

    @contextmanager
    def block(self, head: str, tail: str = "}") -> Iterator[None]:
        """`head {` … `}` with what is written inside indented."""
        self.line(f"{head} {{" if head else "{")
        self._depth += 1
        yield
        self._depth -= 1
        self.line(tail)

    @contextmanager
    def indented(self) -> Iterator[None]:
        self._depth += 1
        yield
        self._depth -= 1

    def text(self) -> str:
        lines = [line for part in self._lines for line in ([part] if isinstance(part, str) else part())]
        return "\n".join(lines) + "\n"
