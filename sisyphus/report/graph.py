"""The statement graph as a file: in the DOT language, or as a picture by matplotlib; finds no dependence."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sisyphus.errors import UsageError
from sisyphus.report.pictures import COLOURS, as_svg

#: Inches: between statements, per letter of the longest, per lane, and per line of words in one.
ROW, LETTER, LANE, LINE = 0.9, 0.085, 0.14, 0.13


def write_graph(found: Mapping[str, Any], dot: str, path: Path) -> None:
    """`dot` itself for `.dot` and `.gv`; for `.svg` a picture of what `sisy analyze` found.

    Raises `UsageError` for another suffix or a place that cannot be written.
    """
    suffix = path.suffix.lower().lstrip(".")
    if suffix not in {"dot", "gv", "svg"}:
        raise UsageError(f"{path}: a graph is written as .dot or .svg")
    try:
        path.write_text(dot if suffix != "svg" else graph_svg(found), encoding="utf-8")
    except OSError as failure:
        raise UsageError(f"{path}: cannot be written: {failure.strerror}") from failure


def graph_svg(found: Mapping[str, Any]) -> str:
    """Statements below each other; every pair that depends has a lane of its own beside them, reductions dashed."""
    from matplotlib.figure import Figure

    texts = {s["id"]: f"{s['id']}: {s['text']}".replace("$", r"\$") for s in found["statements"]}
    lanes: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for edge in found["dependences"]:
        source, sink = (edge[end].partition("[")[0] for end in ("source", "sink"))
        lanes.setdefault((source, sink), []).append(edge)
    left, right = (
        max(map(len, texts.values())) * LETTER,
        LANE + sum(LANE + LINE * len(group) for group in lanes.values()),
    )
    figure = Figure(figsize=(left + right, ROW * (len(texts) + 1)))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(-left, right), ylim=(-ROW * len(texts), ROW))
    axes.axis("off")
    rows = {name: -ROW * at for at, name in enumerate(texts)}
    for name, row in rows.items():
        axes.text(-LANE / 2, row, texts[name], ha="right", va="center", family="monospace", fontsize=8)
    at = LANE
    for number, ((source, sink), group) in enumerate(lanes.items()):
        inset = ROW * (0.35 - 0.7 * (number + 0.5) / len(lanes))  # no two lines lie on each other
        _lane(axes, at, (rows[source] + inset, rows[sink] + inset - (0.1 if source == sink else 0)), group)
        at += LANE + LINE * len(group)
    return as_svg(figure)


def _lane(axes: Any, at: float, ends: tuple[float, float], group: list[Mapping[str, Any]]) -> None:
    """From the one statement to the lane, along it, and to the other; the words stand along the lane."""
    start, end = ends
    colour, style = COLOURS["load"], "--" if all(edge["reduction"] for edge in group) else "-"
    axes.plot([0, at, at], [start, start, end], color=colour, linestyle=style, linewidth=0.8)
    axes.annotate("", (0, end), (at, end), arrowprops={"arrowstyle": "->", "color": colour, "linestyle": style})
    words = "\n".join(_words(edge) for edge in group)
    axes.text(at + 0.04, (start + end) / 2, words, rotation=90, ha="left", va="center", fontsize=7)


def _words(edge: Mapping[str, Any]) -> str:
    carried = ", ".join(edge["carried_by"])
    return f"{edge['kind']} {edge['array']} ({carried})".replace("$", r"\$")
