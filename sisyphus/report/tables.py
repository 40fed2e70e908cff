"""Rows and columns as plain text or Markdown; knows nothing of what they mean."""

from __future__ import annotations

from collections.abc import Sequence

Rows = Sequence[Sequence[str]]

#: Statements of a nest that tables name all.
MOST_STATEMENTS = 8


def table(header: Sequence[str], rows: Rows) -> str:
    """Columns padded to their widest cell; an empty header is left out."""
    lines = [tuple(header), *map(tuple, rows)] if header else list(map(tuple, rows))
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))] if lines else []
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines)


def markdown(header: Sequence[str], rows: Rows) -> list[str]:
    """The lines of a Markdown table."""
    lines = [tuple(header), tuple("---" for _ in header), *map(tuple, rows)]
    return ["| " + " | ".join(cells) + " |" for cells in lines]


def shortened(nest: str) -> str:
    """A nest of many statements by the first two and the last one; `--fix` knows it by any of them."""
    names = nest.split("+")
    return nest if len(names) <= MOST_STATEMENTS else f"{names[0]}+{names[1]}+…+{names[-1]}"


def indent(text: str) -> str:
    """Every line two places to the right."""
    return "\n".join("  " + line for line in text.splitlines())
