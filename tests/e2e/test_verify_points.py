"""Random legal design points, not only those that a search would choose, are proved and run: the script, bounded."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "verify_points.py"
POINTS = 1
KERNELS = ("gemm", "2mm", "atax", "trmm", "cholesky", "symm", "doitgen", "jacobi-2d", "durbin", "covariance")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verify_points", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["verify_points"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("kernel", KERNELS)
def test_random_points_are_the_same_program(script: ModuleType, kernel: str) -> None:
    subject = script.subject(kernel, double=len(kernel) % 2 == 0)
    for number in range(POINTS):
        verdict = script.check_point(subject, number)
        assert verdict.passed, (number, verdict.failures)


def test_table(script: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert script.main(["-n", "1", "--first", "4", "mvt"]) == 0
    heading, row = capsys.readouterr().out.splitlines()
    assert heading.split()[:2] == ["kernel", "points"] and row.split()[:5] == ["mvt", "1", "1", "0", "0"]
