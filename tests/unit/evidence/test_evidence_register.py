"""Every construct that designs contain or the printer emits has an entry in the register; planted ones are seen."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from point_files import ALL, case

from sisyphus import model
from sisyphus.backends.hls import project
from sisyphus.errors import InternalError
from sisyphus.evidence import CLASSES, Entry, entries, entry, register, worst
from sisyphus.model import Estimate, estimate
from sisyphus.model.facts.task_facts import Part
from sisyphus.plan import LoopRole, Node
from sisyphus.report import register_markdown
from sisyphus.target import load_device, make_target

ROOT = Path(__file__).parents[3]
TARGET = make_target(load_device("u200"), budget="chip")
WORD = re.compile(r"[a-z]+(-[a-z]+)*")

#: The words of plans and of the model that constructs are found in; a new one has to be added with its evidence.
ROLES = {"OUTER", "TILE", "COPIES", "PIPELINED", "SEQUENTIAL", "UNROLLED"}
NODES = {"Together", "Function", "For", "Guard", "Run", "Hold", "Copy", "Call"}
PARTS = {"Beside", "Called", "Pipe", "Burst", "Tile", "Guarded", "Replicated"}


def named_in_the_model(text: str) -> Iterator[str]:
    """Ids of constructs that a module gives to a term."""
    for node in ast.walk(ast.parse(text)):
        names = [n.id for n in node.targets if isinstance(n, ast.Name)] if isinstance(node, ast.Assign) else []
        if (isinstance(node, ast.keyword) and node.arg == "construct") or "construct" in names or "doubt" in names:
            yield from _texts(node.value)  # type: ignore[attr-defined]


def yielded(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Yield | ast.YieldFrom) and node.value is not None:
            yield from _texts(node.value)


def _texts(value: ast.expr) -> Iterator[str]:
    branches = (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)
    for found in (n for branch in branches for n in ([branch] if not isinstance(branch, ast.Tuple) else branch.elts)):
        if isinstance(found, ast.Constant) and isinstance(found.value, str) and found.value:
            yield found.value


def features(text: str) -> set[str]:
    """What a kernel file has that is more than loops, assignments and calls."""
    found = set[str]()
    for line in text.splitlines():
        pragma = re.match(r"#pragma HLS (\w+)( off)?", line.strip())
        if pragma:
            is_off = pragma[2] and pragma[1] == "pipeline"
            found.add(f"{pragma[1]} off" if is_off else pragma[1])
            continue
        if re.search(r"\bif \(", line) and "++" not in line:
            found.add("if")
        if "?" in line:
            found.add("?")
    return found


def claimed(cost: Estimate) -> set[str]:
    """What the constructs of a design print."""
    return {word for rested in cost.evidence.constructs for word in rested.entry.prints}


@pytest.mark.parametrize("name", ALL)
def test_all_that_is_printed_belongs_to_a_construct_of_the_plan(name: str) -> None:
    plan = case(name).plan
    text = project(plan, TARGET).files["kernel.cpp"]
    assert features(text) <= claimed(estimate(plan, TARGET))


def test_a_planted_construct_is_seen() -> None:
    plan = case("gemm-tiled").plan
    text = project(plan, TARGET).files["kernel.cpp"] + "#pragma HLS dependence variable=buf_C inter false\n"
    assert features(text) - claimed(estimate(plan, TARGET)) == {"dependence"}
    assert "planted-form" in set(named_in_the_model("Term('x', 1, construct='planted-form')")) - set(entries())
    with pytest.raises(InternalError, match="`planted-form` has no entry"):
        worst(["calls-in-steps", "planted-form"])


def test_what_the_model_names_is_in_the_register_and_all_of_that_is_named() -> None:
    texts = [path.read_text() for path in Path(model.__file__).parent.rglob("*.py")]
    mine = yielded((Path(model.__file__).parent / "constructs.py").read_text())
    named = {name for text in texts for name in named_in_the_model(text)} | set(mine)
    kernel = {"calls-in-steps", "interface", "area-of-designs"}
    assert named | kernel == set(entries())


def test_the_vocabulary_of_plans_is_the_one_that_constructs_are_found_in() -> None:
    assert {role.name for role in LoopRole} == ROLES
    assert {kind.__name__ for kind in get_args(Node)} == NODES
    assert {kind.__name__ for kind in get_args(Part)} == PARTS


def unbacked(found: Iterable[Entry]) -> list[str]:
    """Constructs whose class is not shown: no case by its id, or no manual with its section."""
    named = {e.id: len(e.cases) == len(set(e.cases)) == e.of > 0 for e in found if e.evidence == "measured"}
    told = {e.id: bool(re.match(r"AMD UG\d+, \w", e.source)) for e in found if e.evidence == "documented"}
    return [name for name, is_backed in (named | told).items() if not is_backed]


def test_every_measured_construct_names_its_cases_and_every_documented_one_its_manual() -> None:
    assert unbacked(entries().values()) == []
    planted = replace(entry("core"), id="planted-form"), replace(entry("asked-storage"), source="a manual")
    assert unbacked(planted) == ["planted-form", "asked-storage"]
    assert entry("transfer-wide-and-direct").cases[-1] == "constructs.csv:3120"


@pytest.mark.parametrize("construct", entries())
def test_an_entry_says_what_it_must(construct: str) -> None:
    found = entry(construct)
    assert WORD.fullmatch(found.id)
    assert found.evidence in CLASSES
    assert found.title and found.source
    assert (ROOT / found.rule).is_file()
    module, _, name = found.function.rpartition(".")
    assert callable(getattr(importlib.import_module(module), name))


@pytest.mark.parametrize(
    "change", [{"evidence": "guessed"}, {"confirmed": 3}, {"confirmed": 0}, {"evidences": 1}, {"of": -1}]
)
def test_a_register_that_cannot_be_is_refused(change: dict[str, object]) -> None:
    good = {"title": "t", "evidence": "measured", "source": "s", "confirmed": 1, "of": 2, "rule": "r", "function": "f"}
    assert register.read({"a": good})["a"].is_trusted
    with pytest.raises(InternalError, match="`a`"):
        register.read({"a": good | change})


def test_the_weakest_class_counts() -> None:
    assert worst(["calls-in-steps", "asked-storage", "outer-loop"]) == "inferred"
    assert worst(["calls-in-steps", "asked-storage"]) == "documented"
    assert worst([]) == "measured"


def test_the_page_is_that_of_the_register() -> None:
    page = (ROOT / "docs" / "evidence" / "register.md").read_text()
    assert page == register_markdown(), "run scripts/make_evidence_page.py"


def test_shares_add_up_and_the_worst_come_first() -> None:
    found = estimate(case("gemm-tiled").plan, TARGET).evidence
    for shares in found.shares.values():
        assert sum(shares.values()) == pytest.approx(1)
    classes = [CLASSES.index(rested.entry.evidence) for rested in found.constructs]
    assert classes == sorted(classes)
    inferred = [rested for rested in found.constructs if not rested.entry.is_trusted]
    assert (found.inferred > 0) == any(rested.cycles for rested in inferred)
