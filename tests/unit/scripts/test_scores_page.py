"""The page of scores is written from recorded lines, and says so where a search for measured designs found others."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPTS = Path(__file__).parents[3] / "scripts"
LINE: dict[str, Any] = {
    "kernel": "gemm",
    "published": {"sisyphus_no_tree": 40_000, "prometheus_u55c": 20_000},
    "limit": 5_000,
    "report": 10_000,
    "rtl": [10_000, 11_000],
    "search": "proved",
    "evidence": {"inferred": 0.25, "documented": 0.0, "measured": 0.75},
    "rests": [["ports", 0.25]],
    "used": {"chip": ["DSP", 0.5], "region": ["LUT", 0.6], "slr": ["DSP", 1.5]},
    "refused": "",
    "asked": "u200, trust any, 60 s",
}
MEASURED = {"inferred": 0.0, "documented": 0.0, "measured": 1.0}
TRUSTED = {**LINE, "report": 12_500, "search": "time", "evidence": MEASURED}


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    for name in ("score", "make_scores_page"):
        spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
    monkeypatch.setattr(module, "PAGE", tmp_path / "scores.md")
    module.PAGE.write_text(f"above\n{module.BEGIN}\nold\n{module.END}\nbelow\n")
    return module


def written(page: ModuleType, trusted: dict[str, Any]) -> int:
    paths = []
    for name, line in (("any", LINE), ("measured", trusted)):
        paths.append(page.PAGE.with_name(f"{name}.jsonl"))
        paths[-1].write_text("".join(json.dumps({**line, "budget": b}) + "\n" for b in ("chip", "routable")))
    status = page.main([str(path) for path in paths])
    assert isinstance(status, int)
    return status


def test_both_tables_are_put_between_the_marks(page: ModuleType) -> None:
    assert written(page, TRUSTED) == 0
    text = page.PAGE.read_text()
    assert text.startswith("above\n") and text.endswith("below\n") and "old" not in text
    row = "| gemm | 20,000 (prometheus_u55c) | 10,000 | 11,000 | 2.00x | 25 % (ports) | 12,500 (not proved) | 11,000 |"
    assert text.count(f"{row} 1.60x | 12,500 | DSP 50 % |") == 2
    assert "2.00x, measured only 1.60x;" in text and "only: 3.20x" in text


def test_a_design_that_is_not_measured_is_told(page: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert written(page, {**TRUSTED, "evidence": LINE["evidence"]}) == 1
    assert "not all measured or documented: gemm chip" in capsys.readouterr().out
