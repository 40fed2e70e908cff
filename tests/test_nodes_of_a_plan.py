"""A new kind of node, or of part, is a case of few files: those that build, cost and print it; walks know it not."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "sisyphus"

#: Kinds that came last, and the files that name each: its class, who makes it, what it costs, how it is printed.
NAMED = {
    "Together": (
        "plan/tree.py",
        "plan/conflicts.py",
        "plan/nest.py",
        "model/facts/plan_facts.py",
        "backends/hls/tasks.py",
    ),
    "Function": (
        "plan/tree.py",
        "plan/nest.py",
        "model/facts/plan_facts.py",
        "backends/hls/identifiers.py",
        "backends/hls/tasks.py",
    ),
    "Beside": (
        "model/facts/task_facts.py",
        "model/facts/plan_facts.py",
        "model/formulas/latency.py",
        "model/constructs.py",
    ),
    "Called": ("model/facts/task_facts.py", "model/facts/plan_facts.py", "model/formulas/latency.py"),
}
#: All kinds that have others inside: who lists them walks a tree by itself.
AROUND = {"For", "Guard", "Hold", "Together", "Function"}
#: Where the classes are.
CLASSES = ("plan/tree.py", "model/facts/task_facts.py")
SOURCES = {
    str(path.relative_to(PACKAGE)): path.read_text()
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.name != "__init__.py"
}


@cache
def named_in(path: str, text: str) -> frozenset[str]:
    """Classes of plans and of tasks' facts that a file has, or imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            ("sisyphus.plan", "sisyphus.model.facts")
        ):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ClassDef) and path in CLASSES:
            found.add(node.name)
    return frozenset(found)


def naming(kind: str, sources: Mapping[str, str] = SOURCES) -> set[str]:
    """The files that name a kind of node or part."""
    return {path for path, text in sources.items() if kind in named_in(path, text)}


@pytest.mark.parametrize("kind", NAMED)
def test_few_files_name_a_kind_of_node(kind: str) -> None:
    assert naming(kind) == set(NAMED[kind])


def test_a_file_that_names_one_more_is_seen() -> None:
    planted = {**SOURCES, "report/planted.py": "from sisyphus.plan import Function, walk\n"}
    assert naming("Function", planted) - set(NAMED["Function"]) == {"report/planted.py"}


def walks_by_itself(text: str) -> bool:
    """Whether a function has a case for each kind of node that has others inside."""
    return any(
        {name.id for name in ast.walk(node) if isinstance(name, ast.Name)} >= AROUND
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
    )


def test_nobody_lists_all_kinds_but_the_tree_and_the_printer() -> None:
    listing = {path for path, text in SOURCES.items() if named_in(path, text) >= AROUND and walks_by_itself(text)}
    assert listing <= {"plan/tree.py", "model/facts/plan_facts.py", "backends/hls/tasks.py"}


def test_a_walk_that_lists_all_kinds_is_seen() -> None:
    cases = " | ".join(f"{kind}()" for kind in sorted(AROUND))
    assert walks_by_itself(f"def cost(node):\n    match node:\n        case {cases}:\n            pass\n")
