"""Writing a graph given in the DOT language as a file a browser shows; draws nothing itself."""

from __future__ import annotations

import tempfile
from pathlib import Path

from sisyphus.errors import UsageError
from sisyphus.tools import run_tool

DRAWING_LIMIT_S = 60.0


def write_graph(dot: str, path: Path) -> None:
    """The text itself for `.dot` and `.gv`; for `.svg` what graphviz makes of it.

    Raises `ToolError` where graphviz is needed and missing, `UsageError` for another suffix or a place that cannot be
    written.
    """
    suffix = path.suffix.lower().lstrip(".")
    if suffix not in {"dot", "gv", "svg"}:
        raise UsageError(f"{path}: a graph is written as .dot or .svg")
    drawn = dot.encode() if suffix != "svg" else _drawn(dot, suffix)
    try:
        path.write_bytes(drawn)
    except OSError as failure:
        raise UsageError(f"{path}: cannot be written: {failure.strerror}") from failure


def _drawn(dot: str, suffix: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="sisy-graph-") as folder:
        source, drawn = Path(folder) / "graph.dot", Path(folder) / f"graph.{suffix}"
        source.write_text(dot, encoding="utf-8")
        run_tool(["dot", f"-T{suffix}", str(source), "-o", str(drawn)], cwd=Path(folder), timeout_s=DRAWING_LIMIT_S)
        return drawn.read_bytes()
