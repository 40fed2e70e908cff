"""Functions that a package offers to others say which errors of the user's they raise; one that does not is seen."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "sisyphus"
OURS = {
    "InternalError",
    "OSError",
    "NotImplementedError",
}  # promises broken by us, or told on by the caller's own handler


def offered() -> Iterator[tuple[str, Path]]:
    """Names that packages import from their own modules into their `__init__`, with the file of each."""
    for door in PACKAGE.rglob("__init__.py"):
        for node in ast.parse(door.read_text()).body:
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("sisyphus."):
                file = PACKAGE.parent / (node.module.replace(".", "/") + ".py")
                for name in node.names:
                    if file.is_file():
                        yield name.name, file


def unsaid(text: str, names: set[str]) -> list[str]:
    """Public functions and methods of `names` that raise an error by name which their docstring does not mention."""
    found = []
    for node in ast.parse(text).body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name not in names:
            continue
        parts = (
            [node] if isinstance(node, ast.FunctionDef) else [n for n in node.body if isinstance(n, ast.FunctionDef)]
        )
        for function in parts:
            told = (ast.get_docstring(function) or "") + (ast.get_docstring(node) or "")
            raised = {
                n.exc.func.id
                for n in ast.walk(function)
                if isinstance(n, ast.Raise) and isinstance(n.exc, ast.Call) and isinstance(n.exc.func, ast.Name)
            }
            if not function.name.startswith("_"):
                found += [f"{function.name}: {error}" for error in sorted(raised - OURS) if error not in told]
    return found


def test_functions_at_the_doors_name_their_errors() -> None:
    by_file: dict[Path, set[str]] = {}
    for name, file in offered():
        by_file.setdefault(file, set()).add(name)
    assert sum(map(len, by_file.values())) > 300
    assert {str(f): found for f, names in by_file.items() if (found := unsaid(f.read_text(), names))} == {}


def test_an_error_that_is_not_named_is_seen() -> None:
    text = (
        'def door(x):\n    """Opens."""\n    if x:\n        raise UsageError("no")\n    raise InternalError("ours")\n'
    )
    assert unsaid(text, {"door"}) == ["door: UsageError"]
    assert unsaid(text.replace("Opens.", "Opens, or `UsageError`."), {"door"}) == []
