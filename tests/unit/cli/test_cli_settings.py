"""Options in files and in the environment: their order, and that no fault of a file is passed over."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import pytest

from sisyphus.api import choosing
from sisyphus.cli.main import sisy
from sisyphus.cli.project_file import COMMANDS, defaults
from sisyphus.errors import KernelError, UsageError
from sisyphus.settings import NAME

KERNEL = "void f(float a[N]) { for (int i = 0; i < N; i++) a[i] = a[i] * 3.0f; }\n"


class Asked(Exception):  # noqa: N818 - a signal to the test
    """What a search would have been asked for."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a kernel; what the user has is in `home`."""
    (tmp_path / "k.c").write_text(KERNEL)
    (tmp_path / "home" / "sisyphus-hls").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))

    def stop(request: Any, *_: object) -> None:
        raise Asked(request)

    monkeypatch.setattr(choosing.pipeline, "optimize", stop)
    return tmp_path


def asked(*words: str) -> Any:
    with pytest.raises(Asked) as caught:
        sisy.main(["optimize", "k.c", *words], standalone_mode=False)
    return caught.value.args[0]


def user(place: Path, text: str) -> None:
    (place / "home" / "sisyphus-hls" / NAME).write_text(text)


def test_flags_then_environment_then_project_then_user(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked().limits.seed == 0
    user(place, "[optimize]\nseed = 1\n")
    assert asked().limits.seed == 1
    (place / NAME).write_text("[options]\nseed = 2\n")
    assert asked().limits.seed == 2, "the project's, however general, before the user's"
    (place / NAME).write_text("[options]\nseed = 2\n[optimize]\nseed = 3\n")
    assert asked().limits.seed == 3
    monkeypatch.setenv("SISY_OPTIMIZE_SEED", "4")
    assert asked().limits.seed == 4
    assert asked("--seed", "5").limits.seed == 5


def test_options_of_every_kind(place: Path) -> None:
    text = '[optimize]\nD = ["N=8"]\ndsp = 77\nmem = "1MB"\ntree-reduction = true\npadding = false\nverify = "full"\n'
    (place / NAME).write_text(text + 'time-limit = "5s"\ngap = 2.5\npareto = true\n[space]\n"S0.pipeline" = "i"\n')
    request = asked()
    assert request.source.defines == ("N=8",) and request.target.budget.dsp == 77 and request.binding
    assert request.options.tree_reduction and not request.options.padding and request.verify_full and request.front
    assert (request.limits.seconds, request.limits.gap, request.fixes) == (5.0, 0.025, ("S0.pipeline=i",))
    assert asked("--padding").options.padding


def test_each_command_has_its_table() -> None:
    assert set(COMMANDS) == set(sisy.commands)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[optimize]\n\ntime-limt = '5s'\n", "sisy.toml:3: `time-limt` is not an option of `sisy optimize`"),
        ("[batch]\nseed = 1\n", "sisy.toml:2: `seed` is not an option of `sisy batch`"),
        ("[options]\nsede = 1\n", "sisy.toml:2: `sede` is not an option of any command"),
        ("[optimise]\nseed = 1\n", "sisy.toml:1: `optimise` is not a table of this file"),
        ("[optimize]\nseed = 'x'\n", "sisy.toml:2: `seed`: 'x' is not a valid integer"),
        ("[optimize]\nseed = [1]\n", "sisy.toml:2: `seed` is one value"),
        ("[optimize]\nD = 'N=4'\n", "sisy.toml:2: `D` is a list"),
        ("[optimize]\npareto = 1\n", "sisy.toml:2: `pareto` is true or false"),
        ("[optimize]\nmodel = 'best'\n", "sisy.toml:2: `model`: 'best' is not one of "),
    ],
)
def test_faults_of_a_file(text: str, words: str, place: Path) -> None:
    (place / NAME).write_text(text)
    with pytest.raises(UsageError, match=re.escape(words)):
        sisy.main(["devices"], standalone_mode=False)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("dsp = 'x'", "`--dsp x`: `x` is not an amount"),
        ("time-limit = 'soon'", "`--time-limit soon` is no time"),
        ("param = ['N=4', 'M']", "`--param M` is not of the form"),
        ("mem = 'x'", "`--mem x`: `x` is not a size"),
    ],
)
def test_a_value_that_is_read_later_is_a_fault_of_its_file_all_the_same(line: str, words: str, place: Path) -> None:
    (place / NAME).write_text(f"[optimize]\nseed = 1\n{line}\n")
    (place / "k.c").write_text("void k(float A[4]) { for (int i = 0; i < 4; i++) A[i] = 1.0f; }\n")
    with pytest.raises(UsageError, match=f"^sisy.toml:3: {re.escape(words)}"):
        sisy.main(["optimize", str(place / "k.c")], standalone_mode=False)


def test_a_board_that_nobody_knows_is_a_fault_of_its_file(place: Path) -> None:
    """It is refused as a target, not as an option, with the exit status of one."""
    (place / NAME).write_text("[options]\ndevice = 'u2o0'\n")
    (place / "k.c").write_text("void k(float A[4]) { for (int i = 0; i < 4; i++) A[i] = 1.0f; }\n")
    with pytest.raises(KernelError, match=r"^sisy.toml:2: unknown device `u2o0`") as refused:
        sisy.main(["optimize", str(place / "k.c")], standalone_mode=False)
    assert refused.value.hint is not None and "`u200`" in refused.value.hint


def test_one_board_for_all_commands(place: Path) -> None:
    """Of which `batch` takes several."""
    (place / NAME).write_text("[options]\ndevice = 'u55c'\n")
    with click.Context(sisy).scope():
        found = defaults(sisy.commands).values
    assert found["optimize"]["device"] == "u55c" and found["batch"]["devices"] == ["u55c"]


def test_a_value_of_the_command_line_is_no_fault_of_the_file(place: Path) -> None:
    (place / NAME).write_text("[optimize]\ndsp = 'x'\n")
    (place / "k.c").write_text("void k(float A[4]) { for (int i = 0; i < 4; i++) A[i] = 1.0f; }\n")
    with pytest.raises(UsageError, match=r"^`--dsp y`"):
        sisy.main(["optimize", str(place / "k.c"), "--dsp", "y"], standalone_mode=False)


def test_the_users_file_has_no_knobs(place: Path) -> None:
    user(place, '[space]\n"S0.order" = "i"\n')
    with pytest.raises(UsageError, match="`space` is not a table of this file"):
        sisy.main(["devices"], standalone_mode=False)
