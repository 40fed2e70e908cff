"""What a new user tries first: help, versions, completion, what the machine has, two designs compared."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from sisyphus import doctor
from sisyphus.cli.main import SECTIONS, sisy
from sisyphus.cli.options import GROUPS
from sisyphus.cli.talk import coloured
from sisyphus.errors import ToolError, UsageError

ROOT = Path(__file__).parents[3]
GEMM = str(ROOT / "kernels" / "polybench" / "gemm.c")
SIZES = ("-DNI=20", "-DNJ=22", "-DNK=24")


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    sisy.main(list(words), standalone_mode=False, prog_name="sisy")
    return capsys.readouterr().out


def test_help_has_every_command_whole_under_a_heading(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "--help")
    assert {c for commands in SECTIONS.values() for c in commands} == set(sisy.commands.values())
    assert all(f"{heading}:" in text for heading in SECTIONS)
    assert "..." not in text.split("\n", 1)[1] and text == told(capsys)


def test_options_of_optimize_are_under_headings(capsys: pytest.CaptureFixture[str]) -> None:
    known = {p.name for p in sisy.commands["optimize"].params}
    assert {name for names in GROUPS.values() for name in names.split()} <= known | {"memory_limit"}
    text = told(capsys, "optimize", "--help")
    assert all(f"\n{heading}:\n" in text for heading in GROUPS)
    assert text.count("--dsp ") == 2, "once in the examples, once in the list"


def test_every_option_of_a_batch_is_under_a_heading(capsys: pytest.CaptureFixture[str]) -> None:
    options = [p for p in sisy.commands["batch"].params if isinstance(p, click.Option)]
    text = told(capsys, "batch", "--help").partition("What runs:\n")[2]
    assert all(re.search(rf"^  (-\w, )?{max(p.opts, key=len)} ", text, re.MULTILINE) for p in options)
    assert text.partition("Other options:\n")[2].split() == ["-h,", "--help", "Show", "this", "message", "and", "exit."]


def test_versions(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "--version").startswith("sisy, version ")
    assert "islpy" in told(capsys, "--version", "--verbose") and "python" in told(capsys, "--verbose", "--version")


def completed(words: str) -> list[str]:
    """What bash would offer for the last word."""
    asked = {"_SISY_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    command = [sys.executable, "-m", "sisyphus"]
    code = "import sys; sys.argv[0] = 'sisy'; from sisyphus.cli import main; main()"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=os.environ | asked, capture_output=True, text=True, check=False)
    return [line.partition(",")[2] for line in done.stdout.split()]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("sisy opt", ["optimize"]),
        ("sisy optimize k.c --device u5", ["u50", "u55c"]),
        ("sisy optimize k.c --solver e", ["exact"]),
        (f"sisy optimize {GEMM} --fix S1.p", ["S1.pipeline="]),
        ("sisy optimize no-such.c --fix S1.p", []),
    ],
)
def test_a_shell_completes(words: str, found: list[str]) -> None:
    assert set(found) <= set(completed(words)) and bool(found) == bool(completed(words))


def test_completion_is_installed_where_the_shell_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert "_SISY_COMPLETE=bash_complete" in told(capsys, "completion", "bash")
    told(capsys, "completion", "fish", "--install")
    assert "fish_complete" in (tmp_path / ".config" / "fish" / "completions" / "sisy.fish").read_text()


def test_the_doctor_says_how_to_get_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {row["name"]: row for row in json.loads(told(capsys, "doctor", "--json"))}
    assert found["g++"]["version"] and found["g++"]["advice"] is None
    assert found["exact"]["version"] and all(row["version"] or row["place"] or row["advice"] for row in found.values())
    monkeypatch.setattr(doctor, "find_tool", lambda name: None)
    with pytest.raises(ToolError, match=r"`g\+\+` is missing"):
        told(capsys, "doctor")
    assert "MISSING" in capsys.readouterr().out


def test_two_designs_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, dsp in (("small", "100"), ("large", "400")):
        told(capsys, "optimize", GEMM, *SIZES, "--dsp", dsp, "--no-verify", "-o", str(tmp_path / name), "-q")
    small, large = str(tmp_path / "small"), str(tmp_path / "large")
    text = told(capsys, "diff", small, large)
    data = json.loads(told(capsys, "diff", small, large, "--json"))
    assert f"{large} is " in text and "times as fast" in text and "task1" in data["reason"]
    assert {pair["name"]: (pair["first"], pair["second"]) for pair in data["asked"]} == {"budget dsp": (100, 400)}
    assert any(pair["name"].startswith("S1.") for pair in data["chosen"])
    whole = data["terms"][0]
    assert (whole["first"], whole["second"]) == tuple(data["cycles"])
    steps = [term for term in data["terms"] if term["depth"] == 1]
    assert sum(t["second"] - t["first"] for t in steps) == whole["second"] - whole["first"], "the sum is complete"
    assert "same number of cycles" in told(capsys, "diff", small, small)
    other = json.loads((tmp_path / "small" / "design.json").read_text()) | {"kernel": "another"}
    (tmp_path / "other.json").write_text(json.dumps(other))
    with pytest.raises(UsageError, match="of `another`"):
        told(capsys, "diff", small, str(tmp_path / "other.json"))


def test_errors_have_colour_on_a_terminal() -> None:
    text = "k.c:3:5: error[not-affine]: `i*i` is not affine\n  a[i*i]\n    ^^^\nhint: write it otherwise"
    seen = coloured(text)
    assert "\x1b[31m\x1b[1merror[not-affine]:\x1b[0m" in seen and "\x1b[31m^^^\x1b[0m" in seen
    assert "\x1b[32m\x1b[1mhint:\x1b[0m" in seen and "k.c:3:5: " in seen
    assert coloured("nothing of that") == "nothing of that"
