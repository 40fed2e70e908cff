"""What a run leaves behind, which is nothing: signals, its temporary folder, and those of runs that were killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sisyphus import allowance
from sisyphus.interrupts import again, forget, heeding
from sisyphus.tools import end_all

PREFIX, LOCK = "sisy-run-", "lock"
#: Seconds after which a run has locked its folder, unless it was killed before.
UNLOCKED_S = 600.0
#: Of the process and of each of its children, where `--memory-limit` says nothing else.
DEFAULT_MEMORY = 4 * 10**9


class Terminated(BaseException):
    """Somebody asked this process to end, other than by Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number


@contextmanager
def session() -> Iterator[None]:
    """All temporary files of the block are in one folder, which is gone afterwards whatever ends the block.

    Signals, memory and the place of temporary files are then as they were, for a program that goes on.
    """
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    place, bound = os.environ.get("TMPDIR"), allowance.memory_bound()
    hook, sys.unraisablehook = sys.unraisablehook, _dropped(sys.unraisablehook)
    allowance.begin()
    signal.signal(signal.SIGINT, heeding(_interrupt))
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, heeding(_terminate))
    limit_memory(DEFAULT_MEMORY)
    root, lock = _root()
    try:
        yield
    finally:
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        forget()
        allowance.end()
        sys.unraisablehook = hook
        if root is not None:
            tempfile.tempdir = None
            os.environ.pop("TMPDIR")
            os.environ.update({} if place is None else {"TMPDIR": place})
            shutil.rmtree(root, ignore_errors=True)
            os.close(lock)
        with suppress(OSError, ValueError):
            allowance.unbound(bound)
        for number, handler in before.items():
            signal.signal(number, handler)


def limit_memory(most: int) -> None:
    """For the command line alone: a program that imports sisyphus bounds itself."""
    with suppress(OSError, ValueError):  # a system that has no such limit
        allowance.memory(most)


def _interrupt(_number: int) -> None:
    raise KeyboardInterrupt


def _terminate(number: int) -> None:
    end_all()  # whoever waits for a program in another thread does not wait any longer
    raise Terminated(number)


def _dropped(before: Callable[[sys.UnraisableHookArgs], Any]) -> Callable[[sys.UnraisableHookArgs], Any]:
    """A hook: what a signal raised in a destructor, or as an object was freed, where Python drops it, comes again."""

    def hook(dropped: sys.UnraisableHookArgs) -> None:
        if dropped.exc_type is KeyboardInterrupt:
            again(signal.SIGINT)
        elif isinstance(dropped.exc_value, Terminated):
            again(dropped.exc_value.exit_code - 128)
        else:
            before(dropped)

    return hook


def _root() -> tuple[Path | None, int]:
    """A folder for everything temporary; None where there is no place for one, which only those notice who need it."""
    try:
        common = Path(tempfile.gettempdir())
        _sweep(common)
        root = Path(tempfile.mkdtemp(prefix=PREFIX))
        lock = os.open(root / "new", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError:
        return None, -1
    fcntl.flock(lock, fcntl.LOCK_EX)
    (root / "new").rename(root / LOCK)
    tempfile.tempdir = os.environ["TMPDIR"] = str(root)
    return root, lock


def _sweep(common: Path) -> None:
    """Removes what runs left that were killed: their programs first, then their folders.

    A run holds the lock of its folder for as long as it lives, in whichever container.
    """
    for root in common.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if not (root / LOCK).exists() and time.time() - root.stat().st_mtime > UNLOCKED_S:
                shutil.rmtree(root, ignore_errors=True)  # of a run that ended before it had locked its folder
                continue
            lock = os.open(root / LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _kill_inside(root)
                shutil.rmtree(root, ignore_errors=True)
            finally:
                os.close(lock)


def _kill_inside(root: Path) -> None:
    """Ends the programs that write to a folder, as their environment says."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if b"TMPDIR=" + os.fsencode(root) in (process / "environ").read_bytes():
                os.kill(int(process.name), signal.SIGKILL)


def plain_streams() -> None:
    """Names that no encoding can spell are printed with escapes."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):  # somebody else's stream
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
