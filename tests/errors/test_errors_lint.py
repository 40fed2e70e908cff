"""Every rule of the linter has a file that it is found in, beside the exact findings."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import sisy

from sisyphus.lint import RULES, lint_paths

HERE = Path(__file__).parent / "lint"
INPUTS = sorted(HERE.glob("*.cpp"))


@pytest.mark.parametrize("path", INPUTS, ids=lambda p: p.stem)
def test_findings(path: Path, bless: bool) -> None:
    found = [one for _, one in lint_paths([path])]
    text = "".join(f"{f.line}:{f.column}: warning[{f.rule}]: {f.message}\nhint: {f.hint}\n" for f in found)
    expected = path.with_suffix(".expect")
    if bless:
        expected.write_text(text)
    assert text == expected.read_text()
    assert {f.rule for f in found} == {path.stem}, "a file plants faults of one rule"


def test_every_rule_has_a_file_and_every_file_a_rule() -> None:
    assert [p.stem for p in INPUTS] == sorted(RULES)
    assert sorted(p.stem for p in HERE.glob("*.expect")) == sorted(RULES)


def test_command_prints_places_and_exits_1() -> None:
    done = sisy("lint", "double-literal.cpp", cwd=HERE)
    assert done.returncode == 1
    assert done.stdout.startswith("double-literal.cpp:3:16: warning[double-literal]: `0.2` is a double")
