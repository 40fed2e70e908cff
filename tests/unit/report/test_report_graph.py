"""The statement graph as a file: without graphviz, every dependence in words that no other words lie on."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import sisyphus as sisy
from sisyphus.errors import UsageError
from sisyphus.report.graph import graph_figure, write_graph

POLYBENCH = Path(__file__).parents[3] / "kernels" / "polybench"
DURBIN = POLYBENCH / "durbin.c"


def crossed(figure: Any) -> list[str]:
    """Texts of a figure that another text or a drawn line lies on, or that leave the picture."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    (axes,) = figure.axes
    words = [text for text in axes.texts if text.get_text()]
    boxes = [text.get_window_extent(renderer) for text in words]
    paths = [line.get_transform().transform_path(line.get_path()) for line in axes.lines]
    arrows = [text for text in axes.texts if not text.get_text()]
    paths += [arrow.arrow_patch.get_transform().transform_path(arrow.arrow_patch.get_path()) for arrow in arrows]
    found = []
    for at, (text, box) in enumerate(zip(words, boxes, strict=True)):
        others = any(box.overlaps(other) for number, other in enumerate(boxes) if number != at)
        is_met = others or any(path.intersects_bbox(box, filled=False) for path in paths)
        if is_met or box.x0 < -1 or box.x1 > figure.bbox.x1 + 1 or box.y0 < -1 or box.y1 > figure.bbox.y1 + 1:
            found.append(text.get_text())
    return found


@pytest.mark.parametrize("kernel", ["durbin", "gemm", pytest.param("ludcmp", marks=pytest.mark.long)])
def test_no_line_crosses_words(kernel: str) -> None:
    figure = graph_figure(sisy.analyze(POLYBENCH / f"{kernel}.c").data)
    assert crossed(figure) == []


def test_lines_across_words_and_words_on_words_are_found() -> None:
    figure = Figure(figsize=(4, 2))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, 1), ylim=(0, 1))
    for at, text in ((0.2, "lined"), (0.5, "arrow"), (0.8, "one"), (0.81, "two"), (0.65, "free")):
        axes.text(0.4, at, text, va="center")
    axes.text(0.98, 0.35, "cut off")
    axes.plot([0, 1], [0.2, 0.2])
    axes.annotate("", (0, 0.5), (1, 0.5), arrowprops={"arrowstyle": "->"})
    assert sorted(crossed(figure)) == ["arrow", "cut off", "lined", "one", "two"]


def test_a_picture_needs_no_other_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    found = sisy.analyze(DURBIN)
    write_graph(found.data, found.graph, tmp_path / "g.svg")
    root = ElementTree.fromstring((tmp_path / "g.svg").read_text())
    words = ["".join(e.itertext()) for e in root.iter() if e.tag.endswith("text")]
    assert all(word == word.strip() for word in words), "spaces are lost in SVG: indents are places"
    text = "\n".join(words)
    for statement in found.data["statements"]:
        assert f"{statement['id']}: {statement['text']}" in text
    for edge in found.data["dependences"]:
        assert (
            f"{edge['kind']} {edge['array']} ({', '.join(edge['carried_by'])})" + ", reduction" * edge["reduction"]
            in text
        )
    write_graph(found.data, found.graph, tmp_path / "g.dot")
    assert (tmp_path / "g.dot").read_text().startswith("digraph")


def test_what_is_no_graph(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is written as"):
        write_graph({}, "", tmp_path / "g.png")
    with pytest.raises(UsageError, match="cannot be written"):
        write_graph({}, "digraph {}", tmp_path / "no" / "g.dot")
