"""Several kernels in one call, a folder, standard input; words of results."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from pathlib import Path

import click
import pytest

import sisyphus as sisy_package
from sisyphus.cli.main import sisy
from sisyphus.errors import UsageError
from sisyphus.report.designs import front_told
from sisyphus.report.ending import STOPS
from sisyphus.report.facts import Front
from sisyphus.report.text import found_text
from sisyphus.solve import SolveOutcome, Stop

KERNEL = "void {0}(float a[32]) {{ for (int i = 0; i < 32; i++) a[i] = a[i] * 3.0f; }}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "k").mkdir()
    for name in ("one", "two"):
        (tmp_path / "k" / f"{name}.c").write_text(KERNEL.format(name))
    return tmp_path / "k"


def run(*words: str) -> int:
    """The exit status of a call."""
    try:
        status = sisy.main([*words], standalone_mode=False)
    except click.exceptions.Exit as end:
        return end.exit_code
    return status if isinstance(status, int) else 0


def test_a_folder_gives_a_folder_of_designs(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("optimize", str(folder), "--no-verify", "--json", "-q", "-o", str(tmp_path / "out")) == 0
    kernels = [json.loads(line)["kernel"] for line in capsys.readouterr().out.splitlines()]
    assert kernels == ["one", "two"]
    assert {path.parent.name for path in (tmp_path / "out").glob("*/design.json")} == {"one", "two"}


def test_one_that_fails_stops_no_other(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "broken.c").write_text("void broken(float a[32]) { a[0] = ; }\n")
    files = [str(folder / f"{name}.c") for name in ("broken", "one")]
    assert run("optimize", *files, str(folder / "none.c"), "--no-verify", "--json") == 2
    told = capsys.readouterr()
    lines = [json.loads(line) for line in told.out.splitlines()]
    assert [line.get("error", {}).get("exit_code") for line in lines] == [1, None, 2]
    assert f"{files[0]}:1:" in told.err and told.err.count("none.c") == 1


def test_names_that_collide_and_empty_folders(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "one.c").write_text(KERNEL.format("one"))
    with pytest.raises(UsageError, match="two kernels are called `one`"):
        run("optimize", str(folder), str(tmp_path / "one.c"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="no C file in "):
        run("optimize", str(tmp_path / "empty"))


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(KERNEL.format("piped").encode())))
    assert run("optimize", "-", "-q", "-o", str(tmp_path / "out")) == 0
    assert json.loads((tmp_path / "out" / "design.json").read_text())["source"]["path"] == "<stdin>"
    capsys.readouterr()
    assert run("verify", str(tmp_path / "out")) == 0
    assert "verification: passed" in capsys.readouterr().out
    assert run("explain", str(tmp_path / "out"), "--time-limit", "1s") == 0  # by the text in reference.c
    assert "budgets" in capsys.readouterr().out
    (tmp_path / "out" / "reference.c").unlink()
    with pytest.raises(UsageError, match="not there as it was"):
        run("explain", str(tmp_path / "out"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(KERNEL.format("piped").encode())))
    assert run("explain", str(tmp_path / "out"), "--source", "-", "--time-limit", "1s") == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"void f(float a[4]) { a[0] = ; }\n")))
    with pytest.raises(sisy_package.SisyphusError) as refused:
        run("analyze", "-")
    assert refused.value.render().startswith("<stdin>:1:")


def test_a_text_at_hand() -> None:
    kernel = sisy_package.read("at-hand.c", text=KERNEL.format("f"))
    assert kernel.name == "f" and "at-hand.c" in repr(kernel)
    assert sisy_package.optimize(kernel, verify=False, cache=False).cycles > 0


def test_words_of_a_search_that_proved_nothing(folder: Path) -> None:
    design = sisy_package.optimize(folder / "one.c", verify=False, cache=False)
    assert design.outcome is not None
    for stop in set(Stop) - {Stop.PROVED}:
        text = found_text(replace(design.outcome, stop=stop, version=""), design.facts)
        assert text.startswith(f"exact: {STOPS[stop].format(limit='time limit')}, gap ")
    assert "interrupted" not in "".join(STOPS.values())
    nothing = SolveOutcome(Stop.FAILED, None, None, None, "scip", "", 0.0)
    assert found_text(nothing, design.facts) == "scip: stopped by a failure of the solver, gap unknown"


def test_one_search_is_one() -> None:
    assert front_told(Front((), 1, complete=True)) == "1 search within smaller budgets, to the end"
    assert front_told(Front((), 2, complete=True)).startswith("2 searches ")


def test_a_page_without_a_browser_says_so(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("optimize", str(folder / "one.c"), "--no-verify", "-q", "-o", str(tmp_path / "out")) == 0
    for opened, said in ((True, ""), (False, "note: no browser was found: open the page yourself\n")):
        monkeypatch.setattr("webbrowser.open", lambda address, opened=opened: opened)
        capsys.readouterr()
        assert run("report", str(tmp_path / "out"), "--open") == 0
        assert capsys.readouterr().err == said
    with pytest.raises(sisy_package.SisyphusError) as refused:
        run("report", str(tmp_path / "nowhere"))
    assert refused.value.hint == "give a folder that `sisy optimize -o` wrote, or its design.json"
