"""Every script can be loaded with the package as it is now."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = sorted((Path(__file__).parents[1] / "scripts").glob("*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.stem)
def test_a_script_is_loaded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert loaded(path, monkeypatch).__doc__


def test_the_problems_of_the_paper_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    script = loaded(next(path for path in SCRIPTS if path.stem == "solve_all"), monkeypatch)
    assert len(list(script.jobs(script.options_of([])))) == 36


def loaded(path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(path.parent))
    spec = importlib.util.spec_from_file_location(f"script_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module
