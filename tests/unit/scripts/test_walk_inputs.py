"""The walk through what users throw at sisy: its cases can be read, and it sees what did not end as it should."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts" / "walk_inputs.py"


@pytest.fixture(scope="module")
def walk() -> ModuleType:
    spec = importlib.util.spec_from_file_location("walk_inputs", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = sys.modules["walk_inputs"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_case_is_understood_and_none_stands_twice(walk: ModuleType) -> None:
    found = [case for _, held in walk.cases() for case in held]
    assert len({case.asked for case in found}) == len(found) > 70
    assert all(re.compile(case.says) and case.wanted for case in found)


@pytest.mark.parametrize(
    ("line", "is_wanted"),
    [("echo done", True), ("echo done; exit 3", False), ("echo nothing", False), ("echo done; echo Traceback", False)],
)
def test_what_ended_otherwise_is_seen(walk: ModuleType, line: str, is_wanted: bool) -> None:
    case = walk.Case("a line", f"cat k.c; {line}", {"k.c": "| text"}, says="done")
    ran = walk.run(case)
    assert walk.is_as_wanted(case, ran) is is_wanted
    assert ("**" in walk.row(case, ran)) is not is_wanted and "| text" in ran.said


def test_tables_of_other_sections_stay_on_the_page(walk: ModuleType) -> None:
    page = f"# Head\n\n{walk.BEGIN}\n\n{walk.END}\nfoot\n"
    page = walk.with_tables(page, {"Limits": ["old"], "The verifier": ["kept"]})
    page = walk.with_tables(page, {"Limits": ["new"]})
    assert page.split() == f"# Head {walk.BEGIN} ## The verifier kept ## Limits new {walk.END} foot".split()
