"""Every script can be loaded with the package as it is now."""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPTS = sorted((Path(__file__).parents[1] / "scripts").glob("*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.stem)
def test_a_script_is_loaded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert loaded(path, monkeypatch).__doc__


def test_the_problems_of_the_paper_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    script = loaded(next(path for path in SCRIPTS if path.stem == "solve_all"), monkeypatch)
    assert len(list(script.jobs(script.options_of([])))) == 36


def test_a_problem_is_a_row_of_a_comparison_and_is_run_with_the_options_that_a_side_knows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compare, solve = (
        loaded(SCRIPTS[0].parent / f"{name}.py", monkeypatch) for name in ("compare_commits", "solve_all")
    )
    [job, tree] = map(asdict, solve.jobs(solve.options_of(["bert_100_64"])))
    side = compare.Side(1.0, 1.0, "proved", 1.0, 1.0)
    assert [list(compare.cells(one, side, side))[2] for one in (job, tree)] == ["no", "yes"]
    told = {**tree, "path": "nn/bert_100_64.c", "options": {**tree["options"], "later": 1}}
    seen: list[Any] = []
    monkeypatch.setitem(sys.modules, "solve_all", solve)
    monkeypatch.setattr(sys, "argv", ["", json.dumps(told)])

    def run_alone(job: Any) -> Any:
        solve.load_kernels(solve.Source(job.path))
        seen.append(job.options)
        return solve.Row(job, 1, 1, 0, 0, 0, 0, "proved")

    monkeypatch.setattr(solve, "run_alone", run_alone)
    exec(compare.ONE, {})
    assert seen[0].tree_reduction
    assert json.loads(capsys.readouterr().out)[0] == 1


def test_a_mutant_meets_the_tests_that_run_its_line_the_quickest_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = loaded(SCRIPTS[0].parent / "mutants.py", monkeypatch)
    module = tmp_path / "part.py"
    module.write_text(
        "LIMIT = 3\n\n\ndef rule(x):\n    y = x + LIMIT\n    return (\n        y\n    )\n\n\ndef m():\n    return 1\n"
    )
    found = script.Coverage()
    found.lines["part.py"].update({1: {""}, 4: {"loads"}, 5: {"slow", "quick"}, 6: {"slow"}, 12: {"third"}})
    found.seconds.update(slow=3.0, quick=0.5, third=1.0, loads=2.0)

    def tests_of(line: int, seconds: float = 60.0) -> list[str]:
        return list(found.tests_of(tmp_path, module, first=line, last=line, seconds=seconds))

    assert tests_of(5) == ["quick", "slow"]
    assert tests_of(5, seconds=1.0) == ["quick"]
    assert tests_of(7) == ["slow"]  # inside of a statement that begins above
    assert tests_of(1) == tests_of(4) == ["quick", "third", "loads", "slow"]  # run as the module is loaded
    low, high = script.interval(100, 120)
    assert 0.75 < low < 100 / 120 < high < 0.9


def loaded(path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(path.parent))
    spec = importlib.util.spec_from_file_location(f"script_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module
