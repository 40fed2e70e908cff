"""docs/model.md names the one function that states each rule: they exist, and a page that names others is seen."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACE = re.compile(r"`([\w/]+\.py):(\w+)`")


def missing(page: str) -> list[str]:
    """Functions and classes that a page names and the package does not have."""
    found = []
    for path, name in PLACE.findall(page):
        file = ROOT / "sisyphus" / path
        tree = ast.parse(file.read_text()) if file.is_file() else ast.Module([], [])
        names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        if name not in names:
            found.append(f"{path}:{name}")
    return found


def test_every_rule_has_its_function() -> None:
    page = (ROOT / "docs" / "model.md").read_text()
    assert len(PLACE.findall(page)) > 25
    assert missing(page) == []


def test_a_rule_without_a_function_is_seen() -> None:
    assert missing("`model/limit.py:limit_of` `model/limit.py:gone` `model/none.py:limit_of`") == [
        "model/limit.py:gone",
        "model/none.py:limit_of",
    ]
