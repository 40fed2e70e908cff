"""The statement graph as a file: in the DOT language, or as a picture by matplotlib; finds no dependence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sisyphus.errors import UsageError
from sisyphus.report.pictures import COLOURS, as_svg

#: Inches: per letter of the longest line, a line of text, between lines that are drawn, after a statement, around all.
LETTER, LINE, GAP, SPACE, MARGIN = 0.075, 0.17, 0.12, 0.12, 0.1
#: Letters before what depends on a statement, and before what is said of that.
INDENT, WORDS = 4, 9
#: The two statements of dependences that share a drawn line.
Pair = tuple[str, str]


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
    """Statements below each other, and under each in words what depends on it; reductions dashed.

    Indents are places, not spaces, which a picture in SVG makes one of.
    """
    return as_svg(graph_figure(found), transparent=False)


def graph_figure(found: Mapping[str, Any]) -> Any:
    """All words are on the left; every pair that depends has a drawn line on the right, which meets none of them."""
    from matplotlib.figure import Figure

    pairs: dict[Pair, list[Mapping[str, Any]]] = {}
    for edge in found["dependences"]:
        source, sink = (edge[end].partition("[")[0] for end in ("source", "sink"))
        pairs.setdefault((source, sink), []).append(edge)
    lines, starts, ends, height = _lines(found["statements"], pairs)
    left, right = max(indent + len(text) for _, indent, text in lines) * LETTER, GAP * (len(pairs) + 1)
    figure = Figure(figsize=(left + right + 2 * MARGIN, height + SPACE + 2 * MARGIN))
    across, up = (-left - MARGIN, right + MARGIN), (-height - MARGIN, SPACE + MARGIN)
    axes = figure.add_axes((0, 0, 1, 1), xlim=across, ylim=up)
    axes.axis("off")
    for at, indent, text in lines:
        style: dict[str, Any] = {"weight": "normal" if indent else "bold", "family": "monospace", "fontsize": 8}
        axes.text(indent * LETTER - left, at, text.replace("$", r"\$"), ha="left", va="center", **style)
    # Short lines inside of long ones: fewer cross each other.
    for number, pair in enumerate(sorted(pairs, key=lambda p: (abs(starts[p] - ends[p]), p))):
        _draw(axes, GAP * (number + 1), starts[pair], ends[pair], pairs[pair])
    return figure


def _lines(
    statements: Sequence[Mapping[str, Any]], pairs: Mapping[Pair, Sequence[Mapping[str, Any]]]
) -> tuple[list[tuple[float, int, str]], dict[Pair, float], dict[Pair, float], float]:
    """Lines of text with places and indents, where the drawn line of each pair begins and ends, the height of all."""
    lines, starts, ends, below = list[tuple[float, int, str]](), dict[Pair, float](), dict[Pair, float](), 0.0
    for statement in statements:
        name = statement["id"]
        arriving = [pair for pair in pairs if pair[1] == name]
        room = max(LINE, GAP * len(arriving))
        lines.append((-below - room / 2, 0, f"{name}: {statement['text']}"))
        for at, pair in enumerate(arriving):
            ends[pair] = -below - room * (at + 0.5) / len(arriving)
        below += room
        for pair in (pair for pair in pairs if pair[0] == name):
            starts[pair] = -below - LINE / 2
            for at, edge in enumerate(pairs[pair]):
                if at == 0:
                    lines.append((-below - LINE / 2, INDENT, f"-> {pair[1]}"))
                lines.append((-below - LINE / 2, INDENT + WORDS, _words(edge)))
                below += LINE
        below += SPACE
    return lines, starts, ends, below


def _draw(axes: Any, at: float, start: float, end: float, group: Sequence[Mapping[str, Any]]) -> None:
    """From the words to the lane at `at`, along it, and to the statement."""
    colour, style = COLOURS["load"], "--" if all(edge["reduction"] for edge in group) else "-"
    axes.plot([0, at, at], [start, start, end], color=colour, linestyle=style, linewidth=0.8)
    axes.annotate("", (0, end), (at, end), arrowprops={"arrowstyle": "->", "color": colour, "linestyle": style})


def _words(edge: Mapping[str, Any]) -> str:
    reduction = ", reduction" if edge["reduction"] else ""
    return f"{edge['kind']} {edge['array']} ({', '.join(edge['carried_by'])}){reduction}"
