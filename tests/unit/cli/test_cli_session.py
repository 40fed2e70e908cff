"""A session inside of a program that goes on leaves signals and temporary files to that program as they were."""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
from pathlib import Path

import pytest

from sisyphus.cli import main
from sisyphus.cli.session import Terminated, session
from sisyphus.errors import KernelError, MemoryUp, SisyphusError, TimeUp

HEEDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def test_signals_and_temporary_files_are_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    bound = resource.getrlimit(resource.RLIMIT_DATA)
    before = [signal.getsignal(number) for number in HEEDED]
    with session():
        inside = Path(tempfile.gettempdir())
        assert inside.parent == tmp_path and inside.is_dir()
        assert signal.getsignal(signal.SIGTERM) != before[1]
        assert resource.getrlimit(resource.RLIMIT_DATA) != bound
    assert not inside.exists()
    assert os.environ["TMPDIR"] == str(tmp_path) and tempfile.gettempdir() == str(tmp_path)
    assert [signal.getsignal(number) for number in HEEDED] == before
    assert resource.getrlimit(resource.RLIMIT_DATA) == bound


def test_a_folder_that_was_never_locked_is_swept_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    for name in ("sisy-run-old", "sisy-run-new"):
        (tmp_path / name).mkdir()
    os.utime(tmp_path / "sisy-run-old", (0, 0))
    with session():
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["sisy-run-new"]


@pytest.mark.parametrize(("number", "ended"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Terminated)])
def test_a_signal_in_a_destructor_comes_again(number: signal.Signals, ended: type[BaseException]) -> None:
    """Python drops what is raised there."""

    class Rings:
        def __del__(self) -> None:
            signal.raise_signal(number)

    with pytest.raises(ended), session():
        Rings()
        for _ in range(10**8):
            pass


def test_ctrl_c_before_the_command_has_begun_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["sisyphus.cli.main"], "session", interrupted)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130


@pytest.mark.parametrize(("fault", "left"), [(TimeUp, [6]), (MemoryUp, [6]), (KernelError, [])])
def test_a_process_without_time_or_memory_ends_as_it_stands(
    fault: type[SisyphusError], left: list[int], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """What it was about is not taken apart before; all that it said is there."""

    class Large:
        def __del__(self) -> None:
            gone.append(self)

    def failing(**_: object) -> None:
        large = Large()  # noqa: F841 - the traceback has it
        raise fault("planted")

    gone: list[object] = []
    statuses: list[int] = []

    def leave(code: int) -> None:
        assert not gone
        statuses.append(code)
        raise SystemExit(code)

    main_module = sys.modules["sisyphus.cli.main"]
    monkeypatch.setattr(main_module.sisy, "main", failing)
    monkeypatch.setattr(os, "_exit", leave)
    with pytest.raises(SystemExit) as ended:
        main()
    assert (statuses, ended.value.code) == (left, fault.exit_code) and "planted" in capfd.readouterr().err
    main_module._STANDING.clear()
