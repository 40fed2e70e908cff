"""Rules of which there must be one statement: where it is, and that there is no second.

Those of loop trees, counts and costs are in `test_no_second_statement.py`.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from sisyphus.target import KINDS

PACKAGE = Path(__file__).parents[1] / "sisyphus"

#: A rule, and the one function or class that states it.
RULES = {
    "amounts of each kind of resource": "sisyphus.target.resources.Resources",
    "limits of what nests hold together, by step": "sisyphus.target.resources.Budget",
    "how much a search looks at": "sisyphus.search.effort.Effort",
    "kinds of resources, their options and units": "sisyphus.target.resources.KINDS",
    "whose budgets bind": "sisyphus.target.target.device_budget",
    "which level a number on the command line asks for": "sisyphus.target.target.level_for",
    "what may stand in a device file": "sisyphus.target.device_file.faults_of",
    "what may stand in a saved design": "sisyphus.space.point.point_faults",
    "which constructs a design has": "sisyphus.model.constructs.constructs_of",
    "what stands behind a construct": "sisyphus.evidence.register.entry",
    "how much of a figure rests on what": "sisyphus.model.backing.backing",
    "options of the tools by version": "sisyphus.backends.hls.tool_options.clock_option",
}
#: Classes that have a field for each kind of resource, and why they are no second vector of amounts.
WITH_ALL_KINDS = {
    "target/resources.py:Resources": "the vector",
    "target/device.py:Device": "a row of the data file, from which the vector is made",
    "model/estimate.py:Estimate": "figures of a design beside its cycles; compared as a vector by `exceeded_by`",
    "model/area/area_terms.py:AreaTerms": "sums of terms that become the figures of an Estimate",
}
BLOCKS = {kind.name for kind in KINDS} - {"onchip_bytes"}


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_stands_where_it_is_said_to(rule: str) -> None:
    module, _, name = RULES[rule].rpartition(".")
    assert hasattr(importlib.import_module(module), name)


#: What a limit cannot do without that groups of nests share.
GROUPED = {"limit", "groups"}


def with_fields(text: str, wanted: set[str]) -> Iterator[str]:
    """Classes with all of some fields."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef):
            fields = {n.target.id for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
            if fields >= wanted:
                yield node.name


def everywhere(wanted: set[str]) -> set[str]:
    """Such classes of the package, by their files."""
    paths = PACKAGE.rglob("*.py")
    return {f"{p.relative_to(PACKAGE)}:{name}" for p in paths for name in with_fields(p.read_text(), wanted)}


def test_there_is_one_vector_of_resources() -> None:
    assert everywhere(BLOCKS) == set(WITH_ALL_KINDS)


def test_there_is_one_class_of_limits_that_nests_share() -> None:
    assert everywhere(GROUPED) == {"target/resources.py:Budget"}


@pytest.mark.parametrize("wanted", [BLOCKS, GROUPED])
def test_a_planted_second_one_is_seen(wanted: set[str]) -> None:
    text = "class Again:\n" + "".join(f"    {name}: int\n" for name in sorted(wanted))
    assert list(with_fields(text, wanted)) == ["Again"]


#: Numbers of modules of the search that are no effort, and what they are.
NO_EFFORT = {
    "LESS_OF_ONE|MORE": "a kind of short search, told by `Attempt`",
    "IMPOSSIBLE|UNLIMITED|MANY": "a number that stands for none",
    "EQUAL|ROUGHLY_EQUAL|ROUNDING|TOLERANCE|EPSILON|TINY": "how exact numbers are",
    "WORTH|SINGLE_STEP|FULL_CHIP": "what something costs or is worth",
    "LEAST_S": "seconds without which a search or a solver is not worth a start",
}


def _has_number(value: ast.expr) -> bool:
    return any(isinstance(n, ast.Constant) and isinstance(n.value, int | float) for n in ast.walk(value))


def numbers(text: str) -> Iterator[str]:
    """Names of a module that stand for a number, or for several."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and _has_number(node.value):
            for name in (n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)):
                if name.isupper():
                    yield name


def test_how_much_a_search_looks_at_is_one_value() -> None:
    allowed = {name for names in NO_EFFORT for name in names.split("|")}
    found = {n: p.name for p in (PACKAGE / "search").glob("*.py") for n in numbers(p.read_text()) if n not in allowed}
    assert found == {}


def test_a_planted_number_is_seen() -> None:
    assert list(numbers("MOST, FEW = 5, 1 << 3\nname = 3\nLIST = (0.1, 2)\n")) == ["MOST", "FEW", "LIST"]


def compared_in_python(text: str) -> Iterator[int]:
    """Lines in which NumPy tells rows apart along an axis: it calls Python code, in which an alarm is lost."""
    for node in ast.walk(ast.parse(text)):
        is_unique = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "unique"
        if is_unique and any(keyword.arg == "axis" for keyword in node.keywords):  # type: ignore[attr-defined]
            yield node.lineno  # type: ignore[attr-defined]


def test_rows_are_told_apart_in_one_place() -> None:
    """In `first_of_rows`: `np.unique(axis=...)` made a `TypeError` of the alarm that ended a search."""
    assert {
        path.name: lines for path in PACKAGE.rglob("*.py") if (lines := [*compared_in_python(path.read_text())])
    } == {}


def test_a_planted_comparison_of_rows_is_seen() -> None:
    assert list(compared_in_python("np.unique(a)\nnp.unique(a, axis=0)\n")) == [2]
