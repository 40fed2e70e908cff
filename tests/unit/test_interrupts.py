"""Signals that come where an exception would be lost, or would break what somebody else does, are heeded after it."""

from __future__ import annotations

import importlib
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

from sisyphus import allowance
from sisyphus.interrupts import forget, heeding, unbroken
from sisyphus.poly import Set, read_times
from sisyphus.poly.sets import CONTEXT

#: Steps of a loop that a signal ends long before; a guard.
STEPS = 10**8


def interrupt(_number: int) -> None:
    raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, heeding(interrupt))
    yield
    forget()
    signal.signal(signal.SIGINT, before)


def wait() -> None:
    for _ in range(STEPS):
        pass


def test_at_any_other_moment_it_comes_at_once() -> None:
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_an_import_comes_to_its_end_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "interrupted_module.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\nwhole = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("interrupted_module")
    with pytest.raises(KeyboardInterrupt):
        wait()
    assert module.whole


def test_what_isl_calls_comes_to_its_end_first() -> None:
    done = list[int]()

    @unbroken
    def called() -> None:
        signal.raise_signal(signal.SIGINT)
        done.append(1)

    called()
    with pytest.raises(KeyboardInterrupt):
        wait()
    assert done


def test_pieces_of_a_schedule_are_all_taken() -> None:
    """isl takes an exception in its callback for a failure of its own."""

    def hook(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name == "take":
            signal.raise_signal(signal.SIGINT)

    domain = Set.read_from_str(CONTEXT, "{ S[i] : 0 <= i < 4 }")
    sys.setprofile(hook)
    try:
        times = read_times("{ S[i] -> [i + 1] : i < 2; S[i] -> [i + 5] : i >= 2 }", {"S": domain})
    finally:
        sys.setprofile(None)
    with pytest.raises(KeyboardInterrupt):
        wait()
    assert [str(part.times[0]) for part in times] == ["i + 1", "i + 5"]


def test_time_that_is_over_waits_too() -> None:
    done = list[int]()

    @unbroken
    def called() -> None:
        signal.raise_signal(signal.SIGALRM)
        done.append(1)

    with pytest.raises(allowance.TimePassed), allowance.seconds(600):
        called()
        wait()
    assert done


#: Sends Ctrl-C as soon as the loading of isl runs anything in Python.
LOADING = """
import os, signal, sys
def hook(frame, event, _):
    caller = frame
    while event == "call" and caller is not None and not seen:
        loader = caller.f_locals.get("self")
        if type(loader).__name__ == "ExtensionFileLoader" and "islpy" in getattr(loader, "path", ""):
            if not frame.f_code.co_filename.startswith("<frozen"):
                seen.append(frame.f_code.co_name)
                os.kill(os.getpid(), signal.SIGINT)
            return
        caller = caller.f_back
seen = []
sys.argv[1:] = ["analyze", "k.c"]
from sisyphus.cli import main
sys.setprofile(hook)
main()
"""


def test_ctrl_c_while_isl_is_loaded_ends_the_run(tmp_path: Path) -> None:
    """An exception in there was swallowed, or aborted the process."""
    (tmp_path / "k.c").write_text("void k(float A[8]) { for (int i = 0; i < 8; i++) A[i] = 2.0f * A[i]; }\n")
    done = subprocess.run([sys.executable, "-c", LOADING], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "interrupted")
