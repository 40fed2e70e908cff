"""No option and no line of a file is ignored in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from sisyphus.cli.main import sisy
from sisyphus.cli.project_file import read_project_file
from sisyphus.errors import NothingFits, SisyphusError, UsageError

ROOT = Path(__file__).parents[3]
GEMM = [str(ROOT / "kernels" / "polybench" / "gemm.c"), "-DNI=20", "-DNJ=25", "-DNK=30"]
POINT = ["--design", str(ROOT / "tests" / "points" / "gemm-tiled.json"), "--no-verify"]


def run(*words: str) -> None:
    sisy.main(["optimize", *GEMM, *POINT, *words], standalone_mode=False)


@pytest.mark.parametrize(
    "words", [["--fix", "S1.pipeline=j"], ["--solver", "exact"], ["--tree-reduction"], ["--seed", "3"], ["--gap", "5%"]]
)
def test_what_steers_a_search_is_refused_where_there_is_none(words: list[str]) -> None:
    with pytest.raises(UsageError, match=f"`{words[0]}` asks for a search, and `--design` for none"):
        run(*words)


@pytest.mark.parametrize("words", [["--dsp", "1"], ["--device", "zybo", "--lut", "10"], ["--mem", "8"]])
def test_a_given_design_must_fit_the_budgets_that_are_given(words: list[str]) -> None:
    with pytest.raises(SisyphusError) as caught:
        run(*words)
    assert isinstance(caught.value, NothingFits) or "unknown device" in caught.value.message
    assert caught.value.exit_code in (1, 3)


def test_it_fits_larger_ones(capsys: pytest.CaptureFixture[str]) -> None:
    run("--dsp", "6000")
    assert "note: this design takes" not in capsys.readouterr().out


BAD_FILES = {
    '[space]\n"S1.order" = "k,i,j"\n\n[sapce]\nx = 1\n': "sisy.toml:4: `sapce` is not a table of this file",
    "space = 3\n": "sisy.toml:1: `space` is no table",
    "[space\n": "sisy.toml:1:7: ",
    '[space]\nS0.order = "i"\nS1.pipeline = ["k"]\n': "sisy.toml:3: `S1.pipeline` is no text",
    "[space]\nx = 1979-05-27\n": "sisy.toml:2: `x` is no text",
}


@pytest.mark.parametrize("text", BAD_FILES)
def test_a_fault_of_the_project_file_is_told_with_its_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "sisy.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        read_project_file(tmp_path)
    assert caught.value.message.startswith(BAD_FILES[text])


def test_a_knob_of_the_project_file_that_does_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sisy.toml").write_text('[space]\n\n"S9.order" = "i"\n')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"^sisy.toml:3: "):
        sisy.main(["optimize", *GEMM, "--no-verify", "--time-limit", "2"], standalone_mode=False)
