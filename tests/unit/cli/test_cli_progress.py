"""The live line: there on a terminal, silent in a log; and Ctrl-C, which ends the search and not the run."""

from __future__ import annotations

import io
import sys
import time
from pathlib import Path

import pytest
from unit.choosing.small_kernels import MULTIPLY, asked

from sisyphus import pipeline
from sisyphus.cli.progress import progress
from sisyphus.report import progress_text


class Terminal(io.StringIO):
    """Standard error as a terminal has it."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "quiet"), [(io.StringIO(), False), (Terminal(), True)], ids=["a log", "quiet"])
def test_nothing_is_written_to_a_log_or_when_quiet(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, quiet: bool
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    with progress("kernel.c", quiet=quiet) as listen:
        listen("search: best 12")
        time.sleep(0.2)
    assert stream.getvalue() == ""


def test_a_terminal_shows_what_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with progress("kernel.c", quiet=False) as listen:
        listen("search: best 12")
    assert "search: best 12" in terminal.getvalue()


@pytest.mark.parametrize(
    ("cost", "bound", "said"),
    [
        (None, None, "no design yet, 3 s"),
        (None, 50.0, "no design yet, 3 s"),
        (2000.0, None, "best 2,000, 3 s"),
        (2000.0, 1500.0, "best 2,000, bound 1,500, gap 25.0 %, 3 s"),
        (2000.0, 2001.0, "best 2,000, bound 2,001, gap 0.0 %, 3 s"),
    ],
)
def test_the_line_has_incumbent_bound_gap_and_time(cost: float | None, bound: float | None, said: str) -> None:
    assert progress_text(cost, bound, 3.2) == said


def test_ctrl_c_ends_the_search_and_the_job_is_finished_with_its_best_design(tmp_path: Path) -> None:
    said: list[str] = []

    def listen(stage: str) -> None:
        said.append(stage)
        if stage.startswith("search: best") and not any("Ctrl-C" in s for s in said):
            said.append("Ctrl-C")
            raise KeyboardInterrupt

    design = pipeline.optimize(asked(tmp_path, MULTIPLY), listen)
    assert "Ctrl-C" in said
    assert design.was_interrupted
    assert said[-2:] == ["plan", "codegen"]
    design.save(tmp_path / "out")
    assert (tmp_path / "out" / "kernel.cpp").exists()
