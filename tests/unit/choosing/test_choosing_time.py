"""Time that is over ends a stage, and what was found by then is kept."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from clock import Clock
from command_line import sisy
from unit.choosing.small_kernels import MULTIPLY, asked

from sisyphus import allowance, api, choice, choose, parts, pipeline, stages
from sisyphus.errors import TimeUp
from sisyphus.kernel_forms import load_kernels
from sisyphus.part_search import silent
from sisyphus.request import Kernel, Source
from sisyphus.search import Found, fit
from sisyphus.search.turns import Turns
from sisyphus.solve import Limits, Stop
from sisyphus.space import Options
from sisyphus.stages import FEWER_FORMS, StageClock


def waste(seconds: float) -> None:
    """Time passes between steps of Python, as in any loop of ours."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(0.001)


def test_time_ends_a_block_and_not_what_is_held() -> None:
    with pytest.raises(allowance.TimePassed), allowance.seconds(0.05) as alarm:
        with allowance.held():
            waste(0.1)
            assert alarm.rang
        waste(2 * allowance.REMINDER_S)
        pytest.fail("no reminder came")


def test_an_alarm_that_rings_as_its_block_ends_is_not_left_running(monkeypatch: pytest.MonkeyPatch) -> None:
    set_timer, handler = signal.setitimer, signal.getsignal(signal.SIGALRM)

    def late(which: int, delay: float, interval: float = 0.0) -> object:
        if not delay:
            signal.raise_signal(signal.SIGALRM)
        return set_timer(which, delay, interval)

    monkeypatch.setattr(signal, "setitimer", late)
    with allowance.seconds(60):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) == handler


def test_what_rings_where_python_drops_exceptions_rings_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[sys.UnraisableHookArgs] = []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)

    class Rings:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGALRM)

    class Fails:
        def __del__(self) -> None:
            raise ValueError("of another")

    with pytest.raises(allowance.TimePassed), allowance.seconds(60):
        Fails()
        Rings()
        waste(30)
    assert [args.exc_type for args in reported] == [ValueError]


@pytest.mark.parametrize("ended", [KeyboardInterrupt, allowance.TimePassed, MemoryError])
def test_a_design_that_was_being_improved_is_kept(
    ended: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise ended

    def unproved(*given: Any, **named: Any) -> Found:
        found = run(*given, **named)
        return replace(found, outcome=replace(found.outcome, stop=Stop.TIME))

    run = Turns.run
    monkeypatch.setattr(Turns, "run", unproved)
    monkeypatch.setattr(fit, "refine", interrupted)
    assert pipeline.optimize(asked(tmp_path, MULTIPLY)).was_interrupted is (ended is not MemoryError)


@pytest.mark.parametrize("ended", [KeyboardInterrupt, allowance.TimePassed, MemoryError])
def test_what_was_found_is_kept_where_time_ends_between_two_searches(
    ended: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forms(kernels: Any, *_: object, **__: object) -> Any:
        yield kernels[0]
        raise ended

    monkeypatch.setattr(parts, "forms", forms)
    assert pipeline.optimize(asked(tmp_path, MULTIPLY)).was_interrupted is (ended is not MemoryError)


def test_the_analysis_of_a_kernel_has_a_limit_too(tmp_path: Path) -> None:
    loops = "".join(f"for (int i{n} = 0; i{n} < 2; i{n}++) " for n in range(20))
    (tmp_path / "deep.c").write_text(f"void k(float A[2]) {{ {loops} A[i0] += 1.0f; }}\n")
    with pytest.raises(TimeUp, match="time ran out in the analysis"):
        api.analyze(tmp_path / "deep.c", time_limit=0.1)


def test_the_first_stage_pays_for_the_start_of_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    allowance.begin()
    clock.passed = 1e6
    first, second = StageClock(silent), StageClock(silent)
    assert 0.9e6 < (first.left(Limits(seconds=2e6)).seconds or 0) <= 1e6
    assert first.left(Limits(seconds=3)).seconds == 1.0
    assert (second.left(Limits(seconds=2e6)).seconds or 0) > 1.9e6


@pytest.mark.parametrize("asked_for", [(), ("form=source",)])
def test_forms_that_take_long_leave_time_for_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked_for: tuple[str, ...]
) -> None:
    """What was made by then is searched, and the user is told; nothing is left out where a form is asked for."""

    def load_in_turn(source: Source) -> Iterator[Kernel]:
        yield from load_kernels(source)
        waste(60.0)
        pytest.fail("nothing ended it")

    monkeypatch.setattr(stages, "load_in_turn", load_in_turn)
    monkeypatch.setattr(stages, "SLACK_S", 0.0)
    request = asked(tmp_path, MULTIPLY)
    request = replace(request, limits=replace(request.limits, seconds=2.0), fixes=(*request.fixes, *asked_for))
    if asked_for:
        with pytest.raises(TimeUp, match="time ran out in the analysis"):
            pipeline.optimize(request)
        return
    design = pipeline.optimize(request)
    assert FEWER_FORMS in design.notes and design.seconds["analysis"] >= 0.25


def test_a_verification_without_end_leaves_the_design_unverified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def verify(*_: object) -> None:
        waste(60.0)
        pytest.fail("nothing ended it")

    monkeypatch.setattr(pipeline, "_verify", verify)
    monkeypatch.setattr(stages, "SLACK_S", 0.0)
    request = replace(asked(tmp_path, MULTIPLY), verify=True, verify_limit=0.1)
    design = pipeline.optimize(request)
    assert design.is_late and design.verdict is None


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        ({}, 180.0),
        ({"time_limit": "10m"}, 600.0),
        ({"time_limit": None}, None),
        ({"effort": 1.0}, None),
        ({"verify_limit": "20s"}, 20.0),
        ({"verify_limit": "none"}, None),
        ({"effort": 1.0, "verify_limit": 5}, 5.0),
    ],
)
def test_verification_has_a_limit_of_its_own(
    tmp_path: Path, given: dict[str, float | str | None], seconds: float | None
) -> None:
    (tmp_path / "kernel.c").write_text(MULTIPLY)
    assert api.request_of(tmp_path / "kernel.c", **given).verification_s == seconds  # type: ignore[arg-type]


def test_what_trust_costs_is_not_known_where_no_time_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find, calls = choice.find, list[object]()

    def once(*given: Any, **named: Any) -> choice.Choice:
        calls.append(given)
        if len(calls) > 1:
            raise TimeUp("time ran out")
        return find(*given, **named)

    monkeypatch.setattr(choose, "find", once)
    design = pipeline.optimize(asked(tmp_path, MULTIPLY, options=Options(trust="measured")))
    assert len(calls) == 2 and any("is not known" in note for note in design.notes)


def test_a_command_without_stages_takes_no_time_of_what_follows_in_its_process() -> None:
    assert sisy("devices").returncode == 0
    clock = StageClock(silent)
    assert clock.begun == clock.created


def test_a_search_leaves_time_for_what_comes_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """As much of the processor as was asked for: twice the time where half of it goes to others; a quarter at most."""
    passed = [0.0, 0.0]
    monkeypatch.setattr(time, "monotonic", lambda: passed[0])
    monkeypatch.setattr(time, "process_time", lambda: passed[1])
    clock = StageClock(silent)
    passed[:] = 8.0, 4.0
    limits = Limits(seconds=48.0)
    assert [clock.left(limits, closing).seconds for closing in (0.0, 3.0, 100.0)] == [40.0, 34.0, 30.0]
