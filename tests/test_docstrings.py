"""Functions that a package offers to others say which errors of the user's they raise; one that does not is seen."""

from __future__ import annotations

import ast
import re
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


#: What numbers are of, in the docstrings of functions that return some.
UNITS = re.compile(
    r"cycle|clock|element|beat|byte|bank|iteration|divisor|factor|level-0 loops|line|0 or 1|by name", re.I
)
NUMBERS = re.compile(r"\b(int|float|Value|Ints|Floats|NestCosts|Estimate)\b")
COSTED = ("model", "space", "nlp")


def unmeasured(text: str, names: set[str]) -> list[str]:
    """Functions of `names` that return numbers and do not say of what."""
    functions = (n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name in names)
    return [
        n.name
        for n in functions
        if n.returns and NUMBERS.search(ast.unparse(n.returns)) and not UNITS.search(ast.get_docstring(n) or "")
    ]


def test_functions_at_the_doors_of_costs_name_units() -> None:
    by_file: dict[Path, set[str]] = {}
    for name, file in offered():
        if file.relative_to(PACKAGE).parts[0] in COSTED:
            by_file.setdefault(file, set()).add(name)
    assert {str(f): found for f, names in by_file.items() if (found := unmeasured(f.read_text(), names))} == {}


def test_a_number_of_nothing_is_seen() -> None:
    assert unmeasured('def door(x) -> int:\n    """How much."""\n', {"door"}) == ["door"]
    assert unmeasured('def door(x) -> int:\n    """Cycles of it."""\n', {"door"}) == []
