"""The import order of docs/architecture.md, held by a test that is itself shown to fail."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "sisyphus"

#: Lower rows may be imported by higher ones; two modules of one row are the same layer.
ROWS = (
    ("values",),
    ("source", "errors", "shown", "files", "versions", "settings", "interrupts", "clock", "spelling"),
    ("tools", "allowance", "algebra"),
    ("poly",),
    ("ir",),
    ("frontend",),
    ("analysis",),
    ("forms",),
    ("target",),
    ("space",),
    ("plan",),
    ("evidence",),
    ("model",),
    ("nlp",),
    ("solve",),
    ("search",),
    ("backends",),
    ("cpu",),
    ("verification", "lint"),
    ("report", "readback", "schemas"),
    (
        "request",
        "kernel_orders",
        "kernel_forms",
        "asked_forms",
        "kernel_views",
        "saved",
        "record",
        "budgets",
        "too_large",
        "promise",
        "parts",
        "slow_transfers",
        "part_search",
        "course",
        "beside",
        "choice",
        "choose",
        "neighbours",
        "front",
        "sensitivity",
        "cache",
        "calibration",
    ),
    ("design",),
    ("stages",),
    ("pipeline", "recheck", "batch", "doctor"),
    ("units",),
    ("api",),
    ("cli", "__main__"),
)
RANK = {module: rank for rank, row in enumerate(ROWS) for module in row}

#: A library and the only modules that may import it.
HOMES = {
    "subprocess": {"tools"},
    "islpy": {"poly"},
    "pycparser": {"frontend"},
    "pcpp": {"frontend"},
    "networkx": {"analysis", "plan"},
    "tomllib": {"target", "evidence"},
    "jsonschema": {"space"},
    "pyomo": {"nlp"},
    "click": {"cli"},
    "rich": {"cli"},
    "platformdirs": {"settings"},
}

#: What a module may not see although it stands below.
FORBIDDEN = {
    "backends": {"model", "nlp", "solve", "search"},
    "verification": {"model", "nlp", "solve", "search"},
    "model": {"nlp"},
}


def layer_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imports_of(text: str) -> Iterator[str]:
    """Full names of the modules a text imports, wherever the import stands."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "sisyphus":
                yield from (f"sisyphus.{alias.name}" for alias in node.names)
            else:
                yield node.module


def faults(layer: str, text: str) -> list[str]:
    """Imports that climb, reach a forbidden module, or use a library outside its home."""
    found = []
    for name in imports_of(text):
        top, _, rest = name.partition(".")
        if top == "sisyphus_solvers" or top == "solvers":
            found.append(f"imports the adapters ({name})")
        if top in HOMES and layer not in HOMES[top]:
            found.append(f"imports {top} outside of {sorted(HOMES[top])}")
        target = rest.partition(".")[0]
        if top == "sisyphus" and target and target != layer:
            if RANK[target] > RANK[layer]:
                found.append(f"imports upwards: {name}")
            if target in FORBIDDEN.get(layer, set()):
                found.append(f"must not know {name}")
    return found


MODULES = sorted(p for p in PACKAGE.rglob("*.py") if p != PACKAGE / "__init__.py")


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_down(path: Path) -> None:
    assert faults(layer_of(path), path.read_text()) == []


@pytest.mark.parametrize("path", sorted((ROOT / "solvers").glob("*.py")), ids=lambda p: p.name)
def test_adapters_see_only_the_contract(path: Path) -> None:
    seen = {n.partition(".")[2].partition(".")[0] for n in imports_of(path.read_text()) if n.startswith("sisyphus.")}
    assert seen <= {"solve"}


@pytest.mark.parametrize(
    ("layer", "text"),
    [
        ("poly", "from sisyphus.ir import Scop"),
        ("backends", "from sisyphus.model import paper"),
        ("plan", "import islpy"),
        ("cli", "import subprocess"),
        ("solve", "import sisyphus_solvers.scip"),
        ("analysis", "def f():\n    from sisyphus import pipeline"),
    ],
)
def test_a_planted_fault_is_seen(layer: str, text: str) -> None:
    assert faults(layer, text) != []
