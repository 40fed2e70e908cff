"""The statement graph as a file: without graphviz, every dependence in words that no other words lie on."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

import sisyphus as sisy
from sisyphus.errors import UsageError
from sisyphus.report.graph import write_graph

DURBIN = Path(__file__).parents[3] / "kernels" / "polybench" / "durbin.c"


def test_a_picture_needs_no_other_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    found = sisy.analyze(DURBIN)
    write_graph(found.data, found.graph, tmp_path / "g.svg")
    root = ElementTree.fromstring((tmp_path / "g.svg").read_text())
    words = ["".join(e.itertext()) for e in root.iter() if e.tag.endswith("text")]
    text = "\n".join(words)
    for statement in found.data["statements"]:
        assert f"{statement['id']}: {statement['text']}" in text
    for edge in found.data["dependences"]:
        assert f"{edge['kind']} {edge['array']} ({', '.join(edge['carried_by'])})" in text
    write_graph(found.data, found.graph, tmp_path / "g.dot")
    assert (tmp_path / "g.dot").read_text().startswith("digraph")


def test_what_is_no_graph(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is written as"):
        write_graph({}, "", tmp_path / "g.png")
    with pytest.raises(UsageError, match="cannot be written"):
        write_graph({}, "digraph {}", tmp_path / "no" / "g.dot")
