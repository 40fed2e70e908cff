"""The score of our designs beside the published ones."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts" / "score.py"
#: One row with made-up figures.
FIGURES = {
    "kernel": "bert_100_64",
    "sisyphus_no_tree": "4000",
    "sisyphus_tree": "5000",
    "prometheus_rtl": "6000",
    "limit": "100",
    "limit_exact": "200",
}
OTHERS = ("prometheus_u55c", "scalehls", "allo_u55c", "nlp_dse", "autodse")


@pytest.fixture
def score(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("score", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "score", module)
    spec.loader.exec_module(module)
    return module


def asked(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr(sys, "argv", ["score.py", *words])


def test_it_skips_aloud_where_nothing_was_published(
    score: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(score, "TARGETS", tmp_path / "none.csv")
    asked(monkeypatch)
    assert score.main() == 0
    assert "skipped" in capsys.readouterr().err


def test_a_kernel_stands_beside_what_was_published(
    score: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "targets.csv"
    row = FIGURES | dict.fromkeys(OTHERS, "")
    path.write_text(",".join(row) + "\n" + ",".join(row.values()) + "\n")
    monkeypatch.setattr(score, "TARGETS", path)
    asked(monkeypatch, "--only", "bert_100_64", "--budget", "chip", "--json")
    assert score.main() == 0
    [found] = json.loads(capsys.readouterr().out)
    assert (found["limit"], found["limit_exact"]) == (100, 200)
    assert found["rtl"][0] == found["report"] < found["rtl"][1]
    assert set(found["used"]) == {"chip", "region", "slr"}
    assert sum(found["evidence"].values()) == pytest.approx(1)
    known = score.Score(**{**found, "used": None, "evidence": None})
    assert known.best() == (4000, "sisyphus_no_tree")
    lines = score._means([known])
    assert any("best published report / our report" in line for line in lines)
    assert f"{4000 / found['report']:.2f}x" in lines[0]
    asked(monkeypatch, "--only", "nothing")
    assert score.main() == 2
